/* Nonlinear complementarity problems over cones, by a primal-dual interior point   (docs/theory/ncp.md, W14, W15)
 *
 *   find x, a, b:   E(x, a, b) = 0,   a_c o b_c = kappa unit_c e,   a_c, b_c inside cone c
 *
 * The problem itself, its residual E and the linear systems, are the caller's functions. */
#pragma once

#include "base/arena.h"
#include "tactus/options.h"

/* A trial of steps along the central path: where, on the path at which kappa, and the share of E that the step leaves
 * by the linear equations. */
typedef struct tacInteriorTrial {
    const double *x;
    double kappa, left;
} tacInteriorTrial;

typedef struct tacInteriorProblem {
    int n, ncone;       /* numbers of x; cones */
    const int *dim;     /* ncone: a half line (1) or a second-order cone (> 1) */
    const double *unit; /* ncone: what kappa = 1 means for this pair, in units of a times b */
    void *user;
    /* -> the largest |E|, and whatever the next two need. Not TAC_OK: there is no E at this point. */
    tacStatus (*residual)(void *user, const double *x, const double *a, const double *b, double *violation);
    /* Prepares systems at the point of the last residual. */
    tacStatus (*factor)(void *user, const double *x, const double *a, const double *b);
    /* dE/d(x, a, b) (dx, da, db) = -E,   arrow(b) da + arrow(a) db = c */
    void (*solve)(void *user, const double *c, double *dx, double *da, double *db);
    /* The share of what changes dE/dx with a that the next systems have: 1 is Newton's, less goes further where E bends
     * much. NULL: dE/dx does not change with a. */
    void (*geometric_share)(void *user, double share);
    /* a, b as the linear equations have them at the trial -> on the path there, a o b = kappa unit e; as residual. A
     * whole step that the equations describe exactly is left as it is. NULL: steps stay between the borders alone. */
    tacStatus (*project)(void *user, const tacInteriorTrial *trial, double *a, double *b, double *violation);
    /* How large E of the last residual is, all its equations in one unit whose square is that of a . b: steps along the
     * path are judged by it. NULL: as its violation. */
    double (*norm)(void *user);
} tacInteriorProblem;

typedef struct tacInteriorSettings {
    double kappa;       /* the point on the central path that is asked for */
    double residual;    /* largest |E| that counts as zero */
    double centring;    /* largest |a o b - kappa unit e| that counts as zero, in units of kappa */
    int max_iterations; /* systems factored */
    int polish;   /* further Newton's steps at the solution, while they leave less than half of what is off, beyond
                         * max_iterations */
    double share; /* of the way to the border that a step goes at least; less is more careful */
    int follow;   /* 1, with project: along the path from the start; 0: between the borders, then along the path */
} tacInteriorSettings;

/* How a search ended. */
typedef enum {
    TAC_END_SOLVED,
    TAC_END_ITERATIONS, /* used up */
    TAC_END_STALLED,    /* the last steps led nowhere */
    TAC_END_SINGULAR,   /* a system */
    TAC_END_OUTSIDE     /* nowhere along a direction is there an E */
} tacInteriorEnd;

typedef struct tacInterior {
    double *x, *a, *b; /* caller's: start (a, b inside their cones), then the best point that was found */
    tacIteration *trace;
    int max_trace;  /* room in trace; 0: none asked for */
    int iterations; /* systems factored */
    tacInteriorEnd end;
    double violation, centring; /* of the point returned */
} tacInterior;

/* Lays out on a dry arena what a solve takes. numbers: of a, the sum of dim. */
void tac_interior_measure(int n, int numbers, tacArena *dry);

/* TAC_OK: within both tolerances. TAC_ERR_UNSOLVED: the best point that was found, its violations beside it. The last
 * call of residual was at the point returned. Cones have TAC_INTERIOR_MAX_DIM numbers at most. */
enum { TAC_INTERIOR_MAX_DIM = 8 };
tacStatus tac_interior_solve(const tacInteriorProblem *problem, const tacInteriorSettings *settings, tacInterior *point,
                             tacArena *arena);
