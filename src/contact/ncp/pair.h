/* Pairs of convex shapes in the step's problem: where they touch is solved together with how hard
 * (docs/theory/ncp_pairs.md, SL1-SL10).
 *
 * A pair has one contact, whose gap, point and normal follow from the numbers of its growth distance at q+
 * (collide/growth.h). These numbers x = (point, alpha, shares) are unknowns of the step, and the rows' slacks s and
 * duals lambda are cones beside those of contacts. */
#pragma once

#include "base/sort.h"
#include "collide/growth_scene.h"
#include "dynamics/contact_move.h"
#include "smooth/context.h"

typedef struct tacNcp tacNcp;
typedef struct tacNcpContact tacNcpContact;

typedef struct tacNcpPair {
    tacGrowthTerms terms[2];
    tacGrowthShape shape[2]; /* at q+ of the iterate */
    tacGrowthPair growth;    /* its program there; path: the iterate's numbers and directions */
    tacGrowthResult at;      /* what the pair is at the iterate */
    double length;           /* m: of the gap row, the sum of the shapes' sizes   (SL2) */
    double scale;            /* of lengths in its bound: length |f| at q   (SL8) */
    int nu;                  /* units of its rows */
    int x, cone, adr;        /* its first number in x, its first cone, its first number in a and b */
    double offset[3];        /* change of gap and slip by the residuals of the pair's own equations   (SL5) */
} tacNcpPair;

/* Two geoms within reach: their contact at the poses of a search. */
typedef struct tacNcpNear {
    tacContact contact;
    int is_pair;  /* 0: the two have a closed form */
    double force; /* 1/m: |f| of a pair */
} tacNcpNear;

typedef struct tacNcpPairs {
    int on;       /* 1: shapes meet as pairs; 0: by features */
    double kappa; /* softness of the geometry's products at the solution */
    double sharp; /* the same of the step itself: overlaps at q are measured at it */
    double soft;  /* kappa over that of contacts */
    int n, max;
    tacNcpPair *pair;      /* max */
    tacGrowthPair scratch; /* of the largest pair */
    tacGrowthAdjoint adjoint;
    tacArena arena;               /* for derivatives: two systems of the largest pair */
    int first_cone, first_number; /* where cones of pairs begin; -1: they are not in the problem yet */
    int nnear;
    tacNcpNear *near;              /* max_contacts */
    tacKeyed *key, *spare, *order; /* max_contacts; order: of near, by geoms */
} tacNcpPairs;

/* What all pairs together have at most. */
typedef struct tacNcpPairRoom {
    int pairs, numbers, cones, unknowns;
} tacNcpPairRoom;
tacNcpPairRoom tac_ncp_pair_room(const tacModel *m, int max_contacts, tacNcpCollision collision);
/* Takes the arrays. 0: the arena is too small. */
int tac_ncp_pairs_layout(tacNcpPairs *pairs, const tacModel *m, int max_contacts, tacNcpCollision collision,
                         tacArena *arena);

/* --- Finding and adding (pair.c) ---------------------------------------------------------------------------------- */

/* Finds what is within reach at the poses of w: closed forms -> p->found, all others -> p->pairs.near. With `ahead`
 * also what is reachable within the step. */
tacStatus tac_ncp_find_near(tacContext *ctx, const tacWork *w, int ahead, tacNcp *p, int *nfound);
/* Adds the pairs found at q to the problem; those found at q+ that overlap and that it does not have. The second
 * returns how many, and the largest overlap. */
tacStatus tac_ncp_add_pairs(tacNcp *p);
int tac_ncp_add_overlapping_pairs(tacNcp *p, double tolerance, int may_change, double *overlap);
/* Puts the pairs' cones behind all others; takes them off again, before others change. */
void tac_ncp_number_pairs(tacNcp *p);
void tac_ncp_strip_pairs(tacNcp *p);
/* Solves all pairs by themselves at the bodies' poses at q+, for this softness of contacts: x, a, b, and the contacts
 * there. */
tacStatus tac_ncp_start_pairs(tacNcp *p, double kappa);

/* --- Of an iterate (pair_system.c) -------------------------------------------------------------------------------- */

/* Sets a pair's shapes at the bodies' poses at q+. */
void tac_ncp_place_shapes(tacNcp *p, tacNcpPair *pair);
/* Places the contacts of all pairs at the iterate. Needs: tac_ncp_place_bodies. */
void tac_ncp_place_pairs(tacNcp *p, const double *x, const double *a, const double *b);
/* The largest residual of the pairs' own equations, m   (SL4). */
double tac_ncp_pairs_residual(tacNcp *p);
/* Factors the pairs' programs. TAC_ERR_SINGULAR: one has no derivative. */
tacStatus tac_ncp_factor_pairs(tacNcp *p);
/* Derivatives of a pair's contact by twists of its shapes about the contact's point, of the sides that move. */
void tac_ncp_pair_twists(tacNcp *p, const tacNcpContact *c, const int moves[2], tacContactTangent *twist[2]);
/* Tangents' part of a change of a pair's contact, from that of its normal; of unit length. */
void tac_ncp_pair_tangents(const tacNcpContact *c, tacContactTangent *t);
/* Sets what the next directions aim at: the mean product, less the second order of the last one. */
void tac_ncp_aim_pairs(tacNcp *p, double kappa, int second);
/* The contact's change by the pair's own residuals, with bodies at rest: pair->offset; f -= that of its wrenches. */
void tac_ncp_pair_offset(tacNcp *p, const tacNcpContact *c, tacVec6 *f);
/* The direction of all pairs from the bodies' motion in ldu.z. */
void tac_ncp_recover_pairs(tacNcp *p, double *dx, double *da, double *db);
