/* Contacts: where two geoms touch. */
#pragma once

#include "tactus/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Growth distance of two geoms: how far both shapes must be scaled about their centres to share a point, on the central
 * path at kappa (docs/theory/growth.md). World frame. Set to {0} before a call; max_duals and duals are the
 * caller's. */
typedef struct tacGrowth {
    int geom[2]; /* the normal points from the first to the second */
    double kappa;
    double alpha; /* above 1: apart; below 1: overlapping. It is above the least factor by at most kappa nu */
    double dual;  /* alpha - kappa nu; never above the least factor, so that 1 or more proves the geoms apart */
    double gap;   /* m: (dual - 1) / |force|, never above the signed distance */
    double nu;
    double barrier; /* alpha - kappa sum log det s */
    tacVec3 point;  /* where the grown shapes meet */
    tacVec3 normal;
    tacVec3 force;  /* 1 / m: of the duals on geom[1], along the normal */
    int iterations; /* systems factored */
    int max_duals;  /* length of duals */
    double *duals;  /* of the rows (half lines first, then cones); NULL: not asked for */
    int nduals;     /* how many there are */
} tacGrowth;

/* A smooth piece of a shape's surface: its kind, and ids of corners, ends or face (docs/theory/collision.md). */
typedef struct tacFeature {
    short kind; /* POINT, LINE, PLANE, CIRCLE, ELLIPSOID, SIDE */
    short unused;
    int id[2];
} tacFeature;

/* How a contact's point and normal follow from its two features. */
typedef enum {
    TAC_RULE_NEAREST, /* the nearest (or deepest) points */
    TAC_RULE_CLIP,    /* normal from a face; the point where a line or rim of the other shape crosses the plane through
                         an edge of that face along the normal */
    TAC_RULE_CORNER,  /* normal from a face; a corner of that face, projected along it on a face of the other shape */
    TAC_RULE_RIM      /* normal from a plane; the point of a rim at a fixed angle from its lowest point. If id[1] of the
                         rim is not 0, the point is fixed to the shape: number id[1] - 1 of 960, about its z axis from
                         its x axis */
} tacContactRule;

/* One contact point. World frame. */
typedef struct tacContact {
    int geom[2];    /* the normal points from the first to the second */
    int pair;       /* explicit contact pair; -1: none */
    double dist;    /* m; negative: overlap */
    double include; /* m: margin of the pair; forces begin at this distance */
    tacVec3 pos;    /* midway between the two surfaces */
    tacVec3 normal;
    tacVec3 tangent[2];
    tacVec3 along;    /* tangent[0] is its projection across the normal; zero: tangents depend on the normal only */
    int along_side;   /* the geom that `along` rotates with, 0 or 1; -1: fixed in the world */
    tacVec3 point[2]; /* on the two surfaces; further points of a capsule: on the ball around its end */
    tacFeature feature[2], clip;
    tacContactRule rule;
    double angle;         /* TAC_RULE_RIM */
    double switch_margin; /* m: distance to the next change of features, where derivatives jump */
} tacContact;

typedef enum {
    TAC_CONTACT_OPEN,     /* no force */
    TAC_CONTACT_STICKING, /* no slip; without friction: no separation */
    TAC_CONTACT_SLIDING   /* friction at its bound */
} tacContactState;

/* A contact in a step. Components along the normal, then the tangents; of geom[1] relative to geom[0]. */
typedef struct tacContactForce {
    tacContact contact; /* at the start of the step */
    tacContactState state;
    double force[3];    /* N, mean over the step, on geom[1]; the opposite acts on geom[0] */
    double velocity[3]; /* m/s, at the end of the step, at the contact's initial place */
    double margin; /* m/s: least change of a velocity that changes its state; for features: contact.switch_margin */
} tacContactForce;

/* Zone of a constraint's cost in contact soft: the force is zero, proportional, or at a bound (docs/theory/soft.md,
 * Z5-Z7). Derivatives of the step jump between zones. */
typedef enum {
    TAC_ZONE_FREE,      /* satisfied: no force */
    TAC_ZONE_QUADRATIC, /* force proportional to the violation; pyramid: all edges push */
    TAC_ZONE_LOW,       /* dry friction at +loss */
    TAC_ZONE_HIGH,      /* dry friction at -loss */
    TAC_ZONE_CONE       /* contact on its friction cone; pyramid: some edges push */
} tacConstraintZone;

typedef enum {
    TAC_CONSTRAINT_CONTACT,
    TAC_CONSTRAINT_JOINT_LIMIT,
    TAC_CONSTRAINT_TENDON_LIMIT,
    TAC_CONSTRAINT_JOINT_FRICTION,
    TAC_CONSTRAINT_TENDON_FRICTION,
    TAC_CONSTRAINT_EQUALITY
} tacConstraintKind;

/* The violation of a constraint by a state. */
typedef struct tacViolation {
    double size; /* m, rad: overlap of two geoms, distance beyond a range, or gap of an equality. Connect and weld: the
                    largest of their rows in world axes, rotations as their sine. 0: no violation */
    tacConstraintKind kind;
    int id;      /* joint; tendon; equality; contact: index among those found */
    int geom[2]; /* contact only; else -1 */
} tacViolation;

/* A constraint in a step of contact soft. */
typedef struct tacConstraint {
    tacConstraintKind kind;
    int id;   /* joint; tendon; equality; contact: index in tac_step_contacts */
    int part; /* limit: 0 lower, 1 upper; joint friction: dof of the joint; else 0 */
    tacConstraintZone zone;
    double margin;       /* m/s, rad/s: least change of its velocity over the step that changes the zone */
    int n;               /* rows */
    double force[6];     /* N, N m: of the rows; contact: along normal and tangents, then about them */
    double impedance;    /* d of (Z2) */
    double piece_margin; /* m, rad: least change of its position to another smooth piece of the impedance */
} tacConstraint;

/* Result of a search for an impact. */
typedef enum {
    TAC_IMPACT_NONE,     /* the distance stays above the gap */
    TAC_IMPACT_HIT,      /* the distance falls to the gap */
    TAC_IMPACT_NEAR,     /* the distance is not above the gap at the start */
    TAC_IMPACT_UNDECIDED /* the search ended early: no impact before `time` */
} tacImpactKind;

/* Two geoms at the time of their impact. World frame. */
typedef struct tacImpactPair {
    int geom[2]; /* the normal points from the first to the second */
    double time; /* s */
    double dist; /* m */
    double rate; /* m/s: d(dist)/dt; negative: approaching */
    tacVec3 point[2], normal;
} tacImpactPair;

/* The first impact of a motion. The caller sets gap, max_pairs, pair, dtime_dq and dtime_dv. */
typedef struct tacImpact {
    double gap;                  /* m: distance of an impact; may be negative */
    int max_pairs;               /* length of pair */
    tacImpactPair *pair;         /* may be NULL with max_pairs 0 */
    double *dtime_dq, *dtime_dv; /* nv each, tangent coordinates: gradient of the time; NULL skips one */
    tacImpactKind kind;          /* NEAR: two geoms approach and are nearer than the gap at the start */
    double time;                 /* s: HIT: of the impact; NONE: h; NEAR: 0; UNDECIDED: no impact before it */
    int npair;                   /* pairs that meet then, including those beyond max_pairs; by time, then by geoms */
} tacImpact;

#ifdef __cplusplus
}
#endif
