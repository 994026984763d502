/* Collision of a whole model at given poses: filter, broad phase, narrow phase. */
#pragma once

#include "base/sort.h"
#include "collide/broad.h"
#include "collide/filter.h"
#include "collide/touch.h"

/* What the last query of a pair left for the next one. */
typedef struct tacPairMemory {
    uint64_t key; /* of the pair, plus one; 0: empty */
    tacPairCache cache;
} tacPairMemory;

typedef struct tacScene {
    /* fixed at creation, or renewed when parameters change */
    tacFilter filter;
    tacShape *shape;       /* ngeom; those without tac_geom_has_shape are left alone */
    double *radius;        /* ngeom: of a ball about the frame's origin that holds it; 0 for planes */
    tacBox *hull_bounds;   /* ngeom: of a mesh, in its own frame */
    tacPairMemory *memory; /* nmemory: by hash; a pair that finds another in its place starts anew */
    int nmemory;           /* a power of two */
    int fixed_rims;        /* 1: rims that lie flat touch with points fixed to them (rim.h) */
    /* one query; scratch */
    tacPose *pose; /* ngeom: set by the caller */
    double *extra; /* ngeom: further reach of each geom than its margin, as of its motion in a step; NULL: none */
    tacBox *box;   /* ngeom: bounds, grown by the geom's share of margin and gap */
    tacBroad broad;
    tacContact *found;         /* max_contacts: in the order found */
    tacKeyed *touching, *rows; /* max_contacts: pairs that touch: where their contacts are in `found`, how many */
    tacVec3 *corner_change;    /* as many as the largest hull has corners: for derivatives */
    int max_contacts, nfound, ntouching, bad;
} tacScene;

/* Contacts that a model's simulations have room for by default: TAC_MAX_TOUCH a pair of geoms, but no more than 64 and
 * 16 for each geom that may touch; and TAC_MAX_TOUCH for each explicit pair. */
enum { TAC_CONTACTS_AT_LEAST = 64, TAC_CONTACTS_PER_GEOM = 16 };

/* Each takes the arrays of one part from the arena; false: it is too small. */
int tac_scene_layout(tacScene *s, const tacModel *m, tacArena *arena);
int tac_scene_layout_scratch(tacScene *s, const tacModel *m, int max_contacts, tacArena *arena);
/* Fills the lasting part. Needs its layout for this model. */
void tac_scene_init(tacScene *s, const tacModel *m);
/* Shapes as the model's numbers have them now; they point into the model. */
void tac_scene_update(tacScene *s, const tacModel *m);

/* Poses -> contacts with dist <= margin + gap, by pair (geom[0], then geom[1]; then explicit pairs in their order), the
 * one with the pair's distance first. TAC_ERR_CONTACTS when there are more than max or than the scene has room for, *n
 * is how many there are; TAC_ERR_NONFINITE when one is too far or too large for its numbers. Needs finite poses. */
tacStatus tac_scene_contacts(tacScene *s, const tacModel *m, tacContact *out, int max, int *n);
/* Signed distance of two geoms, normal from the first to the second. */
tacStatus tac_scene_distance(tacScene *s, const tacModel *m, int geom1, int geom2, tacContact *out);
/* The pairs that the broad phase leaves, each once: bounded geoms whose boxes overlap, planes and what may reach them,
 * explicit pairs; geoms in the order of contacts. Needs poses; sets s->box. */
typedef void (*tacCandidateVisit)(void *user, int geom1, int geom2, int pair);
void tac_scene_candidates(tacScene *s, const tacModel *m, tacCandidateVisit visit, void *user);

/* A contact as the narrow phase has it. */
tacTouch tac_contact_touch(const tacContact *c);
