/* What the integrators know of a differential equation on a manifold: x' = f(x; p) in tangent coordinates, with a set
 * of constraints that act (docs/theory/adaptive.md). A state has nx numbers, a displacement z of it nd. Coordinates of
 * a step from x_0 are z of x = x_0 (+) z, so that z' = T(z) f  (AD2). Positions come first in z.
 *
 * The set that acts is fixed while a step runs; `open` sets it from the state alone. Its members that begin at the
 * state itself, to rounding, are the state's onsets, in the order of the list. */
#pragma once

#include "base/error.h"
#include "tactus/options.h"

#include <stddef.h>

/* m, rad: a gap this near to zero is at its margin. */
#define TAC_GAP_ROUNDING 1e-11
/* m/s, rad/s: a gap that falls more slowly, at its margin, rests there. */
#define TAC_GAP_REST 1e-9

/* A gap over a step: its values and rates at both ends. */
typedef struct tacGap {
    double at[2], rate[2];
    int acts; /* 1: it acts in this step, so that its rise is looked for; else its fall */
} tacGap;

typedef struct tacFlowCalls {
    /* out = x (+) z; out is not x. NULL: x + z, and the next two are NULL as well */
    void (*place)(void *user, const double *x, const double *z, double *out);
    /* dz <- P e + Q dz, n columns */
    void (*place_jac)(void *user, const double *z, int n, const double *e, double *dz);
    /* e += P^T bar, z_bar += Q^T bar */
    void (*place_vjp)(void *user, const double *z, const double *bar, double *e, double *z_bar);
    /* k = T(z) f. NULL: f, and the next two are NULL as well */
    void (*correct)(void *user, const double *z, const double *f, double *k);
    /* dz <- T df + N dz, n columns */
    void (*correct_jac)(void *user, const double *z, const double *f, int n, const double *df, double *dz);
    /* f_bar += T^T bar, z_bar += N^T bar */
    void (*correct_vjp)(void *user, const double *z, const double *f, const double *bar, double *f_bar, double *z_bar);
    /* f[nd]; leaves the signals of the state */
    tacStatus (*rate)(void *user, const double *x, double *f);
    /* nd rows, columns [x | p] */
    tacStatus (*rate_jac)(void *user, const double *x, double *F);
    /* df[nd] along a direction [x | p]. NULL: by rate_jac */
    tacStatus (*rate_jvp)(void *user, const double *x, const double *along, double *df);
    /* x_bar += f_x^T bar, p_bar += f_p^T bar */
    tacStatus (*rate_vjp)(void *user, const double *x, const double *bar, double *x_bar, double *p_bar);
    /* |coordinate| for the tolerance, nd numbers; rotations: 1. NULL: |x| */
    void (*size)(void *user, const double *x, double *size);
    /* Longest step from x, s. NULL: any */
    double (*longest)(void *user, const double *x);
    /* Sets what acts at x; of the onsets there only the first `begun` (-1: all). *changed 1: the set is another than
     * before. NULL: nothing changes */
    tacStatus (*open)(void *user, const double *x, int begun, int *onsets, int *changed);
    /* Gaps near the step from x_0 to x_1, at most max_gaps. *same 0: the features that act have changed, at a depth */
    tacStatus (*watch)(void *user, const double *x0, const double *x1, double h, tacGap *gap, int *n, int *same);
    /* Gap i of the last watch at x */
    tacStatus (*gap)(void *user, int i, const double *x, double *value, double *rate);
    /* 0: features that act have changed at x. Needs: watch */
    tacStatus (*same)(void *user, const double *x, int *same);
    /* 1: gap i of the last watch has a force at the state of the last rate. NULL: always */
    int (*pushes)(void *user, int i);
    /* Ends the action of gap i of the last watch, at x: the next open leaves it out by itself. Then grad of what begins
     * (member of the onsets of the last open) or ends (falls 0; NULL grad arrays are skipped) at x */
    tacStatus (*gap_jac)(void *user, int member, int falls, const double *x, double *grad, double *grad_p);
    /* A state that jumps: 1: x was changed, with its derivatives (nd x nd, nd x np; NULL: not asked for). NULL: none */
    int (*reset)(void *user, int member, double *x, double *x_x, double *x_p);
    /* Signals of the last rate, whose signs are constant where f is smooth. NULL: none */
    int (*signals)(void *user, double *signal);
    /* From here on f is the smooth function that it is where the signals have these signs, rate: f at a state nearby.
     * sign NULL: f itself. Both arrays stay the caller's. Needs: the set that the signals are of. NULL: f is smooth */
    void (*hold)(void *user, const unsigned char *sign, const double *rate);
    /* Name of gap i of the last watch, for the report. NULL: none */
    void (*name)(void *user, int i, tacStepInfo *info);
    /* 1: two onsets of the last open are coupled, so that their order matters. NULL: always */
    int (*couples)(void *user, int i, int j);
} tacFlowCalls;

typedef struct tacFlow {
    void *user;
    const tacFlowCalls *call;
    int nx, nd, np;            /* np: columns of p */
    int max_gaps, max_signals; /* room */
    int *unsolved;             /* set to 1 by a rate that its solver did not reach; NULL: none does */
} tacFlow;

/* How to integrate. */
typedef struct tacInnerOptions {
    tacIntegrator integrator;
    double rtol, atol, inner_dt;
    int inner_steps, inner_max, event_max, checkpoints;
} tacInnerOptions;

/* The calls with their default. */
void tac_flow_place(const tacFlow *f, const double *x, const double *z, double *out);
void tac_flow_place_jac(const tacFlow *f, const double *z, int n, const double *e, double *dz);
void tac_flow_place_vjp(const tacFlow *f, const double *z, const double *bar, double *e, double *z_bar);
void tac_flow_correct(const tacFlow *f, const double *z, const double *rate, double *k);
void tac_flow_correct_jac(const tacFlow *f, const double *z, const double *rate, int n, const double *df, double *dz);
void tac_flow_correct_vjp(const tacFlow *f, const double *z, const double *rate, const double *bar, double *f_bar,
                          double *z_bar);
