/* One inner step of a Runge-Kutta method from x_0, in the coordinates z of the step (docs/theory/adaptive.md, AD3):
 *
 *   z_i = h sum_j a_ij k_j,   X_i = x_0 (+) z_i,   k_i = T(z_i) f(X_i),   x_1 = X of the last stage
 *
 * Stages of the implicit method are solved to rounding by Newton's method with the exact f_x. */
#pragma once

#include "base/arena.h"
#include "solve/ode/flow.h"
#include "solve/ode/method.h"

typedef struct tacInner {
    const tacFlow *flow;
    const tacOdeMethod *method;
    double h;
    double *X[TAC_ODE_MOST_STAGES];                                                   /* nx */
    double *z[TAC_ODE_MOST_STAGES], *f[TAC_ODE_MOST_STAGES], *k[TAC_ODE_MOST_STAGES]; /* nd */
    double *signal[TAC_ODE_MOST_STAGES];                                              /* max_signals */
    double *signal_at, *signals_low, *signals_high; /* max_signals: of points between */
    int nsignal;
    int unsolved;            /* 1: some rate of the stages that were run is */
    double *error, *size[2]; /* nd */
    double *dense, *at;      /* nd, nx: a point between */
    /* implicit: */
    double *F, *T, *M, *work, *move; /* nd (nd + np), nd nd, nd nd, nd, nd */
    int *pivot;                      /* nd */
} tacInner;

int tac_inner_layout(tacInner *s, const tacFlow *flow, const tacOdeMethod *method, tacArena *arena);
/* Rate and signals of stage 0 at x. */
tacStatus tac_inner_start(tacInner *s, const double *x);
/* All other stages, for a step h. Needs stage 0. TAC_ERR_NONFINITE: a stage has no value, or (implicit) no solution. */
tacStatus tac_inner_run(tacInner *s, double h);
/* Error of the step in units of the tolerance, a root mean square (AD5). */
double tac_inner_error(tacInner *s, double rtol, double atol);
/* Sizes of coordinates at stage i -> s->size[0] (stage 0), s->size[1] (any other). */
void tac_inner_size(tacInner *s, int i);
/* s->at = the state at the share `at` of the step (AD6). */
void tac_inner_dense(tacInner *s, double at);
/* The matrix I - h gamma dk/dz of stage i -> its factor in s->M, with dk/dz in s->T and [f_x | f_p] in s->F. */
tacStatus tac_inner_factor(tacInner *s, int i);

static inline int tac_inner_last(const tacInner *s) { return s->method->stages - 1; }
