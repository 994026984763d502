/* Collision of a whole model at given poses: filter, broad phase, narrow phase. */
#pragma once

#include "base/sort.h"
#include "collide/broad.h"
#include "collide/filter.h"
#include "collide/touch.h"

/* One slot of the cache: what the last query of a pair stored for the next. */
typedef struct tacPairSlot {
    uint64_t key; /* key of the pair plus one; 0: empty */
    tacPairCache cache;
} tacPairSlot;

typedef struct tacScene {
    /* lasting: set at creation, updated when parameters change */
    tacFilter filter;
    tacShape *shape;      /* ngeom; unused where tac_geom_has_shape is false */
    double *radius;       /* ngeom: radius of a bounding ball about the frame's origin; 0 for planes */
    tacBox *hull_bounds;  /* ngeom: bounds of a mesh in its own frame */
    tacVec3 *face_normal; /* nhullpolygon: faces of hulls about their centroids (growth_faces.h) */
    double *face_offset;  /* nhullpolygon */
    tacVec3 *hull_centre; /* nmesh */
    tacPairSlot *slot;    /* nslot: hash table; a pair evicts another one from its slot */
    int nslot;            /* a power of two */
    int fixed_rims;       /* 1: rims that lie flat touch with fixed points (rim.h) */
    /* scratch: valid for one query */
    tacPose *pose; /* ngeom: set by the caller */
    double *extra; /* ngeom: reach of each geom beyond its margin, such as its motion in a step; NULL: none */
    tacBox *box;   /* ngeom: world bounds, inflated by the geom's share of margin and gap */
    tacBroad broad;
    tacContact *found; /* max_contacts: in the order of discovery */
    tacKeyed *touching,
        *rows; /* max_contacts: pairs in contact; each has the index of its first contact in `found` and their number */
    tacVec3 *corner_change;      /* corners of the largest hull: for derivatives */
    tacVec3 *face_normal_change; /* faces of the largest hull, the same */
    double *face_offset_change;
    int max_contacts, nfound, ntouching, nonfinite;
} tacScene;

/* Default capacity for contacts: TAC_MAX_TOUCH per pair of geoms, but at most 64 plus 16 per geom that may touch; and
 * TAC_MAX_TOUCH per explicit pair. */
enum { TAC_CONTACTS_AT_LEAST = 64, TAC_CONTACTS_PER_GEOM = 16 };

/* Each takes the arrays of one part from the arena; false: it is too small. */
int tac_scene_layout(tacScene *s, const tacModel *m, tacArena *arena);
int tac_scene_layout_scratch(tacScene *s, const tacModel *m, int max_contacts, tacArena *arena);
/* Fills the lasting part. Needs its layout for this model. */
void tac_scene_init(tacScene *s, const tacModel *m);
/* Updates the shapes from the model's current numbers. They point into the model. */
void tac_scene_update(tacScene *s, const tacModel *m);

/* Poses -> contacts with dist <= margin + gap. They are sorted by pair: geom[0], then geom[1], then explicit pairs in
 * their order. The contact with the pair's distance comes first. Returns TAC_ERR_CONTACTS when there are more than max,
 * or more than the scene's capacity; *n is their number. Returns TAC_ERR_NONFINITE when one is too far or too large for
 * its numbers. Needs finite poses. */
tacStatus tac_scene_contacts(tacScene *s, const tacModel *m, tacContact *out, int max, int *n);
/* Signed distance of two geoms. The normal points from the first to the second. */
tacStatus tac_scene_distance(tacScene *s, const tacModel *m, int geom1, int geom2, tacContact *out);
/* Visits the pairs that pass the broad phase, each once: bounded geoms whose boxes overlap, planes and the geoms that
 * may reach them, explicit pairs. geom1 and geom2 are in the order of a contact. Needs poses. Sets s->box. */
typedef void (*tacCandidateVisit)(void *user, int geom1, int geom2, int pair);
void tac_scene_candidates(tacScene *s, const tacModel *m, tacCandidateVisit visit, void *user);

/* A contact in the narrow phase's form. */
tacTouch tac_contact_touch(const tacContact *c);
/* A contact with the same features at the poses of the scene: distance, points, normal and tangents follow.
 * TAC_ERR_DEGENERATE: they do not touch there, and the contact stays as it is. */
tacStatus tac_scene_rebuild(const tacScene *s, tacContact *c);
