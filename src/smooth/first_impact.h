/* First impact of a model's motion, for steps that stop at it. */
#pragma once

#include "smooth/context.h"

/* Relative to h: impacts nearer to each other in time are simultaneous. */
#define TAC_IMPACT_SAME 1e-9
/* Relative to sizes and distances: two resting geoms that come nearer than they began by more than this have an
 * impact. */
#define TAC_IMPACT_REST 1e-9

/* tac_first_impact with checked arguments. */
tacStatus tac_find_first_impact(tacContext *ctx, const double *q, const double *v, const double *u, double h,
                                tacImpact *out);
/* Lays out its memory on a dry arena. */
void tac_first_impact_measure(const tacModel *m, tacArena *dry);

/* Pairs of geoms that a step holds apart. Rows of its last problem keep them from approaching, to first order. They
 * may dip on the way. They are judged by their distance at the end of the motion, even if an impact of one of them
 * ends it. */
typedef struct tacHeldPairs {
    const int *geom; /* 2 n */
    char *searched;  /* n, scratch */
    int n;
    double near;   /* m: pairs that are not held and begin nearer than this also rest */
    double least;  /* m: a held pair nearer than this at the end is searched as a resting pair */
    double margin; /* m, out: least difference of that distance from `least`, and of distances from changes of level */
    double sunk;   /* m, out: largest final overlap of a held pair that began without overlap */
    int slow;      /* in, out: sum of steps beyond TAC_IMPACT_STEADY over searches */
} tacHeldPairs;
/* Steps of a pair's search that are not counted. Shapes that pass each other take tens of steps. A body that turns
 * thousands of times takes thousands in every search. When the steps beyond TAC_IMPACT_STEADY add up to more than
 * TAC_IMPACT_SLOW_STEPS (about a tenth of a second), the search ends with TAC_ERR_IMPACTS. */
#define TAC_IMPACT_STEADY     200
#define TAC_IMPACT_SLOW_STEPS 20000

/* The same for steps: the next impact of q (+) t v over [0, h], without derivatives. mocap may be NULL. A resting pair
 * meets when its distance falls to the next of the levels gap/2, gap/4, ... well below its initial distance. Below all
 * levels it meets at half its initial distance. Overlapping pairs are left alone. */
#define TAC_IMPACT_LEVELS 14
tacStatus tac_next_impact(tacContext *ctx, const double *q, const double *v, const double *mocap, double h,
                          tacHeldPairs *held, tacImpact *out);
