/* A step as a function of one number: of one coordinate of the state's displacement, or one number of the input. What
 * numerical differences of a step are made of. */
#pragma once

#include "tactus/tactus.h"

/* Columns of [A | B]: displacements dq, dv, da, then the numbers of u. */
typedef struct tacStepColumn {
    const tacModel *model;
    tacSim *sim;
    int nx, ndx, nu;
    int column;           /* which number moves */
    const double *x, *u;  /* where: the caller's */
    double *y0;           /* nx: the next state there */
    double *moved, *y;    /* nx */
    double *input, *move; /* nu, ndx */
} tacStepColumn;

/* Arrays for steps of `sim`. 1, or 0 when memory is short. */
int measure_step_column_new(const tacModel *model, const tacOptions *options, tacSim *sim, tacStepColumn *c);
void measure_step_column_free(tacStepColumn *c);
/* Goes to (x, u), which must stay valid, and fills y0. */
tacStatus measure_step_column_at(tacStepColumn *c, const double *x, const double *u);
/* c->moved, c->input <- (x, u) with number c->column moved by t. */
void measure_step_column_move(tacStepColumn *c, double t);
/* A differenceFunction: out[ndx] = f(moved by t) (-) y0. */
int measure_step_column_difference(void *context, double t, double *out);
/* out[ndx] = y (-) y0: positions as displacements, the rest as y's numbers (y0's are a constant). */
void measure_state_difference(const tacModel *model, const double *y, const double *y0, double *out);
