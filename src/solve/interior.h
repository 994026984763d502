/* Nonlinear complementarity problems over cones, by a primal-dual interior point   (docs/theory/ncp.md, W14, W15)
 *
 *   find x, a, b:   E(x, a, b) = 0,   a_c o b_c = kappa unit_c e,   a_c, b_c inside cone c
 *
 * The caller's functions define the problem: its residual E and its linear systems. */
#pragma once

#include "base/arena.h"
#include "tactus/options.h"

/* A trial point of a step along the central path. */
typedef struct tacInteriorTrial {
    const double *x;
    double kappa; /* of the point of the path */
    double left;  /* share of E that the step leaves by the linear equations */
} tacInteriorTrial;

typedef struct tacInteriorProblem {
    int n, ncone;       /* numbers of x; cones */
    const int *dim;     /* ncone: a half line (1) or a second-order cone (> 1) */
    const double *unit; /* ncone: what kappa = 1 means for this pair, in units of a times b */
    void *user;
    /* Evaluates the largest |E|, and prepares for the next two. Not TAC_OK: E is undefined at this point. */
    tacStatus (*residual)(void *user, const double *x, const double *a, const double *b, double *violation);
    /* Factors the system at the point of the last residual. */
    tacStatus (*factor)(void *user, const double *x, const double *a, const double *b);
    /* dE/d(x, a, b) (dx, da, db) = -E,   arrow(b) da + arrow(a) db = c */
    void (*solve)(void *user, const double *c, double *dx, double *da, double *db);
    /* Sets the share of the geometric stiffness, the part of dE/dx that depends on a, in the next systems. 1 is
     * Newton's method; less goes further where E is strongly nonlinear. NULL: dE/dx does not depend on a. */
    void (*geometric_share)(void *user, double share);
    /* Projects a and b, as the linear equations have them at the trial, to the central path, a o b = kappa unit e; then
     * evaluates as residual does. A full step that the equations describe exactly is not changed. NULL: there are only
     * steps between the borders. */
    tacStatus (*project)(void *user, const tacInteriorTrial *trial, double *a, double *b, double *violation);
    /* Norm of E at the last residual, all equations in one unit whose square is that of a . b. Steps along the path are
     * judged by it. NULL: the violation. */
    double (*norm)(void *user);
    /* Tells what the next direction aims at where c does not say it: products linearized otherwise, in a scaling of the
     * problem's own, have arrow(b) da + arrow(a) db = c to second order alone. With `second`, less da o db of the last
     * direction. NULL: c says it all. */
    void (*aim)(void *user, double kappa, int second);
} tacInteriorProblem;

/* How a search goes. The last two need `project`. */
typedef enum {
    TAC_BETWEEN_BORDERS,      /* predictor and corrector inside the cones; along the path where E is small already */
    TAC_ALONG_PATH,           /* on the central path from the start; ends where the last steps made no progress */
    TAC_ALONG_PATH_PATIENTLY, /* the same as long as there are iterations */
} tacInteriorWay;

typedef struct tacInteriorSettings {
    double kappa;       /* the point of the central path to find */
    double residual;    /* tolerance of |E| */
    double centring;    /* tolerance of |a o b - kappa unit e|, in units of kappa */
    int max_iterations; /* systems factored */
    int polish;         /* further Newton steps at the solution, beyond max_iterations, while each is half the last */
    double polished;    /* the square of their size at which they end: what the next one would be */
    double share;       /* of the way to the border that a step takes at least; less is more careful */
    tacInteriorWay way;
    double least_aim; /* between the borders: the mean product times this is the least that a step aims at */
} tacInteriorSettings;

/* How a search ended. */
typedef enum {
    TAC_END_SOLVED,
    TAC_END_ITERATIONS, /* used up */
    TAC_END_STALLED,    /* the last steps made no progress */
    TAC_END_SINGULAR,   /* a system is singular */
    TAC_END_OUTSIDE     /* E is undefined everywhere along a direction */
} tacInteriorEnd;

typedef struct tacInterior {
    double *x, *a, *b; /* the caller's: start (a, b inside their cones), then the best point that was found */
    tacIteration *trace;
    int max_trace;  /* length of trace; 0: none asked for */
    int iterations; /* systems factored */
    tacInteriorEnd end;
    double violation, centring; /* of the point returned */
    /* Size of the last of the further steps: the largest share of the way to the border of a cone, forward or back.
     * Infinite: none was taken. */
    double polished;
} tacInterior;

/* Lays out on a dry arena what a solve takes. numbers: of a, the sum of dim. */
void tac_interior_measure(int n, int numbers, tacArena *dry);

/* TAC_OK: within both tolerances. TAC_ERR_UNSOLVED: the best point that was found, with its violations. The last call
 * of residual is at the returned point. Cones have at most TAC_INTERIOR_MAX_DIM numbers. */
enum { TAC_INTERIOR_MAX_DIM = 8 };
tacStatus tac_interior_solve(const tacInteriorProblem *problem, const tacInteriorSettings *settings, tacInterior *point,
                             tacArena *arena);
/* Further Newton steps from the last point that residual evaluated: x, a, b, and its violation and centring. TAC_OK:
 * the point that they lead to, or where that is beyond the tolerances, the point given. */
tacStatus tac_interior_polish(const tacInteriorProblem *problem, const tacInteriorSettings *settings,
                              tacInterior *point, tacArena *arena);
