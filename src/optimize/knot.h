/* Cost and constraints of one knot, with gradient and Gauss-Newton block by w =
 * [x | p | c | u]: state, unknown parameters, controls before, controls. */
#pragma once

#include "optimize/problem.h"

/* Where a knot is evaluated. c: controls of the step before, NULL at knot 0; u:
 * tac_default_input at the last. */
typedef struct tacKnotAt {
    int k;
    const double *x, *u, *c, *p, *theta;
} tacKnotAt;

/* A thread's workspace: a simulation that has theta, and scratch. */
typedef struct tacKnotWork {
    tacSim *sim;
    tacArena arena;
} tacKnotWork;

/* Multipliers and penalties of the augmented Lagrangian: nrow, nterm. */
typedef struct tacMultipliers {
    const double *lambda, *mu;
} tacMultipliers;

/* Results; NULL skips an array. */
typedef struct tacKnotValue {
    double cost, merit, violation; /* merit: cost and what constraints add to it */
    double *terms;                 /* nterm: parts of the cost, or violations; 0 where a term is
                    not active */
    double *rows;                  /* nrow: entries of this knot are written */
    double *g, *H;                 /* nw, nw x nw */
} tacKnotValue;

/* Evaluates all active terms. multipliers NULL: g and H are of the cost alone.
 */
tacStatus tac_knot_evaluate(const tacPlan *plan, tacKnotWork *work, const tacKnotAt *at,
                            const tacMultipliers *multipliers, tacKnotValue *value);
/* Residual of one term, r[size], and J, size x nw (NULL: not asked for). */
tacStatus tac_knot_residual(const tacPlan *plan, tacKnotWork *work, const tacKnotAt *at, const tacTerm *t, double *r,
                            double *J);
/* Scratch that they take. */
void tac_knot_measure(const tacPlan *plan, tacArena *dry);
/* x (-) target -> r (ndx), and per joint the inverse right Jacobians of
 * rotations where J is asked for: J, ndx x ld, columns 0 to ndx - 1. */
void tac_state_residual(const tacModel *m, const double *x, const double *target, double *r, double *J, int ld);
