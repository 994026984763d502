/* Contacts: where two geoms touch. */
#pragma once

#include "tactus/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A smooth piece of a shape's surface: which kind, and which corners, ends or face (docs/theory/collision.md). */
typedef struct tacFeature {
    short kind; /* POINT, LINE, PLANE, CIRCLE, ELLIPSOID, SIDE */
    short unused;
    int id[2];
} tacFeature;

/* How a contact's point and normal follow from its two features. */
typedef enum {
    TAC_RULE_NEAREST, /* the points nearest to each other (or deepest inside) */
    TAC_RULE_CLIP,    /* normal from a face; the point where a line or rim of the other shape crosses the plane that
                         stands on an edge of that face */
    TAC_RULE_CORNER,  /* normal from a face; a corner of that face above a face of the other shape, along the normal */
    TAC_RULE_RIM      /* normal from a plane; a rim's point at a fixed angle from its lowest, or, where the rim's id[1]
                         is not 0, fixed to the shape: id[1] - 1 of 960, about its z axis from its x axis */
} tacContactRule;

/* One contact point. World frame. */
typedef struct tacContact {
    int geom[2];    /* the normal runs from the first to the second */
    int pair;       /* the explicit contact pair it comes from, or -1 */
    double dist;    /* m; negative: overlap */
    double include; /* m: margin of the pair; forces begin where dist falls below it */
    tacVec3 pos;    /* midway between the two surfaces */
    tacVec3 normal;
    tacVec3 tangent[2];
    tacVec3 along;    /* tangent[0] is its part across the normal; zero: tangents are a function of the normal alone */
    int along_side;   /* which geom `along` turns with, 0 or 1; -1: it stays in the world */
    tacVec3 point[2]; /* on the two surfaces; a capsule's further points on the ball around its end */
    tacFeature feature[2], clip;
    tacContactRule rule;
    double angle;         /* TAC_RULE_RIM */
    double switch_margin; /* m: distance to the next change of features, beyond which derivatives jump */
} tacContact;

typedef enum {
    TAC_CONTACT_OPEN,     /* near, without force */
    TAC_CONTACT_STICKING, /* held in all directions, or without friction and held along the normal */
    TAC_CONTACT_SLIDING   /* friction at a bound */
} tacContactState;

/* What a contact did in a step. Along the normal, then the tangents; of geom[1] against geom[0]. */
typedef struct tacContactForce {
    tacContact contact; /* as it was found at the start of the step */
    tacContactState state;
    double force[3];    /* N, mean over the step: on geom[1], and its opposite on geom[0] */
    double velocity[3]; /* m/s, at the end of the step, of where the contact was at its start */
    double margin; /* m/s: least change of a velocity that changes its class; contact.switch_margin: its features */
} tacContactForce;

/* Where a constraint of contact soft is on its cost: a force that is none, proportional, or at a bound
 * (docs/theory/soft.md, Z5-Z7). Derivatives of the step jump from one to another. */
typedef enum {
    TAC_ZONE_FREE,      /* satisfied: no force */
    TAC_ZONE_QUADRATIC, /* in proportion to what is wrong; of a pyramid, all edges push */
    TAC_ZONE_LOW,       /* dry friction at +loss */
    TAC_ZONE_HIGH,      /* at -loss */
    TAC_ZONE_CONE       /* a contact on its cone; of a pyramid, a part of the edges pushes */
} tacConstraintZone;

typedef enum {
    TAC_CONSTRAINT_CONTACT,
    TAC_CONSTRAINT_JOINT_LIMIT,
    TAC_CONSTRAINT_TENDON_LIMIT,
    TAC_CONSTRAINT_JOINT_FRICTION,
    TAC_CONSTRAINT_TENDON_FRICTION,
    TAC_CONSTRAINT_EQUALITY
} tacConstraintKind;

/* By how much a state breaks a constraint. */
typedef struct tacViolation {
    double size; /* m, rad: overlap of two geoms, way beyond the end of a range, opening of an equality: of a connect or
                    weld the largest of its rows, along the world's axes, and of turns as their sine; 0: none is */
    tacConstraintKind kind;
    int id;      /* joint; tendon; equality; of a contact its number among those found */
    int geom[2]; /* of a contact; else -1 */
} tacViolation;

/* What a constraint did in a step of contact soft. */
typedef struct tacConstraint {
    tacConstraintKind kind;
    int id;   /* of a contact its place among tac_step_contacts; joint; tendon; equality */
    int part; /* limit: 0 lower, 1 upper; joint friction: which of the joint's dofs; else 0 */
    tacConstraintZone zone;
    double margin;       /* m/s, rad/s: least change of its velocity over the step that leads to the next zone */
    int n;               /* rows */
    double force[6];     /* N, N m: of the rows; of a contact along normal and tangents, and about them */
    double impedance;    /* d of (Z2) */
    double piece_margin; /* m, rad: least change of its position that leads to another smooth piece of the impedance */
} tacConstraint;

/* What a search for an impact found. */
typedef enum {
    TAC_IMPACT_NONE,     /* the distance stays above the gap */
    TAC_IMPACT_HIT,      /* it falls to the gap */
    TAC_IMPACT_NEAR,     /* it is not above the gap to begin with */
    TAC_IMPACT_UNDECIDED /* the search ended early: there is none before `time` */
} tacImpactKind;

/* Two geoms that meet, at the time they do. World frame. */
typedef struct tacImpactPair {
    int geom[2]; /* the normal runs from the first to the second */
    double time; /* s */
    double dist; /* m */
    double rate; /* m/s: d(dist)/dt; negative: approaching */
    tacVec3 point[2], normal;
} tacImpactPair;

/* The first impact of a motion. Its first four fields are the caller's. */
typedef struct tacImpact {
    double gap;                  /* m: the distance that counts as an impact; may be negative */
    int max_pairs;               /* room in pair */
    tacImpactPair *pair;         /* may be NULL with max_pairs 0 */
    double *dtime_dq, *dtime_dv; /* nv each, tangent coordinates: gradient of the time; NULL skips one */
    tacImpactKind kind;          /* NEAR: two geoms approach that are nearer than the gap to begin with */
    double time;                 /* s: HIT: of the impact; NONE: h; NEAR: 0; UNDECIDED: there is none until then */
    int npair;                   /* pairs that meet then, those beyond max_pairs included; by time, then by geoms */
} tacImpact;

#ifdef __cplusplus
}
#endif
