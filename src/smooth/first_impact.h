/* First impact of a model's motion, for steps that stop at it. */
#pragma once

#include "smooth/context.h"

/* Relative to h: impacts nearer to each other in time happen at once. */
#define TAC_IMPACT_SAME 1e-9
/* Relative to sizes and distances: how much nearer than they began two resting geoms may come before that counts as an
 * impact of theirs. */
#define TAC_IMPACT_REST 1e-9

/* tac_first_impact with arguments that were checked. */
tacStatus tac_find_first_impact(tacContext *ctx, const double *q, const double *v, const double *u, double h,
                                tacImpact *out);
/* Lays out on a dry arena what it takes. */
void tac_first_impact_measure(const tacModel *m, tacArena *dry);

/* Pairs of geoms that a step holds apart: rows of its last problem keep them from coming nearer, but for how they turn.
 * They may dip on the way, and count by where they are when the motion ends, be it at an impact of one of them. */
typedef struct tacHeldPairs {
    const int *geom; /* 2 n */
    char *searched;  /* n, scratch */
    int n;
    double near;  /* m: pairs that are not held and begin nearer than this are resting as well */
    double least; /* m: a held pair nearer than this at the end is searched, as resting ones are */
    double
        margin;  /* m, out: least difference of that distance from `least`, and of distances from where levels change */
    double sunk; /* m, out: most that a held pair overlaps at the end that did not at the beginning */
    int slow;    /* in, out: steps beyond TAC_IMPACT_STEADY of searches, added up */
} tacHeldPairs;
/* Steps of a pair's search that are not counted. Shapes that pass each other take tens of steps. A body that turns
 * thousands of times takes thousands in every search. When the steps beyond TAC_IMPACT_STEADY add up to more than
 * TAC_IMPACT_SLOW_STEPS (about a tenth of a second), the search ends with TAC_ERR_IMPACTS. */
#define TAC_IMPACT_STEADY     200
#define TAC_IMPACT_SLOW_STEPS 20000

/* The same for steps: the next impact of q (+) t v over [0, h], without derivatives; mocap may be NULL. Resting pairs
 * meet when their distance falls to the next of the levels gap/2, gap/4, ... well below where they begin, below all of
 * them to half of where they begin; those that overlap are left alone. */
#define TAC_IMPACT_LEVELS 14
tacStatus tac_next_impact(tacContext *ctx, const double *q, const double *v, const double *mocap, double h,
                          tacHeldPairs *held, tacImpact *out);
