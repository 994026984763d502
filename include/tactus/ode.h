/* An ordinary differential equation given by functions, integrated without a model: x' = f(x; theta), with events and
 * derivatives. The same integrators as of steps (docs/theory/adaptive.md). */
#pragma once

#include "tactus/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* x' = f(x; theta) in pieces. gap[i] falls through zero: on[i] becomes 1, and f may jump. gap[i] rises through zero:
 * on[i] becomes 0. f and its derivatives must be smooth at fixed `on`, also a little beyond the piece's end.
 *
 * With a reset map, a gap that falls through zero changes the state instead, and on[i] stays 0: an ideal bounce. After
 * it the gap must rise.
 *
 * Each function returns 0; another number means that it has no value there. Error control then tries a shorter step,
 * and the call ends with TAC_ERR_INNER_STEP where none helps; at the start, or in a fixed step, with TAC_ERR_NONFINITE.
 * Matrices are row major. */
typedef struct tacOde {
    int n;      /* numbers of x, at least 1 */
    int ntheta; /* parameters; 0: none */
    int ngap;   /* gaps; 0: none */
    void *user; /* first argument of each function */
    /* rate[n] = f(x; theta) */
    int (*f)(void *user, const double *x, const double *theta, const unsigned char *on, double *rate);
    /* f_x[n n], f_theta[n ntheta]; either may be NULL. The function may be NULL without derivatives, except for
     * TAC_INTEGRATOR_STIFF */
    int (*f_jac)(void *user, const double *x, const double *theta, const unsigned char *on, double *f_x,
                 double *f_theta);
    /* gap[ngap], gap_x[ngap n], gap_theta[ngap ntheta]; each may be NULL. NULL with ngap 0 */
    int (*gaps)(void *user, const double *x, const double *theta, double *gap, double *gap_x, double *gap_theta);
    /* The state after gap `i` fell through zero, in place; its derivatives x_x[n n], x_theta[n ntheta], which may be
     * NULL. The function may be NULL: no resets */
    int (*reset)(void *user, int i, double *x, const double *theta, double *x_x, double *x_theta);
} tacOde;

/* How to integrate: the options of the same names in tacOptions. */
typedef struct tacOdeOptions {
    uint32_t cookie;          /* set by tac_default_ode_options */
    tacIntegrator integrator; /* TAC_INTEGRATOR_TSIT5 to TAC_INTEGRATOR_STIFF; default TAC_INTEGRATOR_TSIT5 */
    double rtol, atol, inner_dt;
    int inner_steps, inner_max, event_max, inner_checkpoints;
} tacOdeOptions;

/* Derivatives of x(span) by x(0), theta and span; row major; NULL skips one. */
typedef struct tacOdeJac {
    double *x;     /* n n */
    double *theta; /* n ntheta */
    double *span;  /* n */
} tacOdeJac;

/* A direction; NULL: zero. */
typedef struct tacOdeTangent {
    const double *x;     /* n */
    const double *theta; /* ntheta */
    double span;
} tacOdeTangent;

/* Gradient of xbar . x(span); NULL skips one. */
typedef struct tacOdeGrad {
    double *x;     /* n */
    double *theta; /* ntheta */
    double *span;  /* 1 */
} tacOdeGrad;

/* Defaults of tacOptions. */
TAC_API tacOdeOptions tac_default_ode_options(void);
/* Bytes of memory for the four functions below, 64-byte aligned; 0: an argument is out of range. err may be NULL. */
TAC_API size_t tac_ode_bytes(const tacOde *ode, const tacOdeOptions *options, tacError *err);
/* x0 = x(0) -> x1 = x(span); span is finite and above 0. info may be NULL. Failures leave x1 unchanged. */
TAC_API tacStatus tac_ode_solve(const tacOde *ode, const tacOdeOptions *options, double span, const double *x0,
                                const double *theta, double *x1, void *memory, tacStepInfo *info);
/* The same to the bit, and its derivatives through the accepted steps. x1 may be NULL. */
TAC_API tacStatus tac_ode_jac(const tacOde *ode, const tacOdeOptions *options, double span, const double *x0,
                              const double *theta, double *x1, const tacOdeJac *jac, void *memory, tacStepInfo *info);
/* Forward mode: dx1[n] = the derivative of x(span) along `along`. */
TAC_API tacStatus tac_ode_jvp(const tacOde *ode, const tacOdeOptions *options, double span, const double *x0,
                              const double *theta, const tacOdeTangent *along, double *dx1, void *memory,
                              tacStepInfo *info);
/* Reverse mode: xbar[n] -> gradient of xbar . x(span). */
TAC_API tacStatus tac_ode_vjp(const tacOde *ode, const tacOdeOptions *options, double span, const double *x0,
                              const double *theta, const double *xbar, const tacOdeGrad *grad, void *memory,
                              tacStepInfo *info);

#ifdef __cplusplus
}
#endif
