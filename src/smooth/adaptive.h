/* Steps of inner steps (docs/theory/adaptive.md): a model as the flow of its rates f = (v, a, act') for the march of
 * solve/ode. Serves any stepper with accelerations in continuous time. Activations that reach their range are held
 * there. */
#pragma once

#include "smooth/smooth_step.h"
#include "solve/ode/march.h"

/* The integrators of inner steps. */
#define TAC_INNER_INTEGRATORS                                                                                          \
    (TAC_HAS(TAC_INTEGRATOR_TSIT5) | TAC_HAS(TAC_INTEGRATOR_DOPRI5) | TAC_HAS(TAC_INTEGRATOR_DOPRI8) |                 \
     TAC_HAS(TAC_INTEGRATOR_BOSH3) | TAC_HAS(TAC_INTEGRATOR_HEUN) | TAC_HAS(TAC_INTEGRATOR_RALSTON) |                  \
     TAC_HAS(TAC_INTEGRATOR_MIDPOINT) | TAC_HAS(TAC_INTEGRATOR_STIFF))

/* One step's flow. */
typedef struct tacAdaptive {
    tacContext *ctx;
    const double *u;
    tacFlow flow;
    tacInnerOptions options;
    int unsolved;
    unsigned char *held, *was_held; /* na */
    int *bound;                     /* 2 na: gaps of the last watch: 2 activation + side */
    int *onset;                     /* 2 na: activations that reach their range at the state of the last open */
    int nonset, nbound;
    int ties;       /* at the start, of clamps: one that is passed on the way is no corner; -1: not known yet */
    double *bar;    /* na */
    double *signal; /* max_signals: of the last rate */
    int nsignal;
    void *part; /* of the contact model */
} tacAdaptive;

/* The part of a contact model. */
typedef struct tacAdaptiveKind {
    tacFlowCalls calls;
    /* Takes a->part, and adds to flow.max_gaps and max_signals. NULL: nothing. 0: the arena is too small */
    int (*layout)(tacAdaptive *a, const tacModel *m, const tacOptions *options, tacArena *arena);
    /* Lays out what its calls take on top */
    void (*measure)(const tacModel *m, const tacOptions *options, tacArena *dry);
} tacAdaptiveKind;

/* Lays out a march over a step of the context's model. The caller releases the arena. */
tacStatus tac_adaptive_open(const tacAdaptiveKind *kind, tacContext *ctx, const double *u, tacAdaptive *a,
                            tacMarch *march);
tacStatus tac_adaptive_step(const tacAdaptiveKind *kind, tacContext *ctx, const double *x, const double *u, double *y);
tacStatus tac_adaptive_jac(const tacAdaptiveKind *kind, tacContext *ctx, const double *x, const double *u, double *y,
                           const tacJac *J);
tacStatus tac_adaptive_jvp(const tacAdaptiveKind *kind, tacContext *ctx, const double *x, const double *u, tacColumns c,
                           double *y, double *dy);
tacStatus tac_adaptive_vjp(const tacAdaptiveKind *kind, tacContext *ctx, const double *x, const double *u,
                           const double *ybar, const tacGrad *g);
void tac_adaptive_measure(const tacAdaptiveKind *kind, const tacModel *m, const tacOptions *options,
                          tacMeasure acceleration, tacArena *dry);

/* --- Calls of every model; user: tacAdaptive (adaptive_flow.c, adaptive_tangent.c) -------------------------------- */

#define TAC_ADAPTIVE_TANGENT                                                                                           \
    .place = tac_adaptive_place, .place_jac = tac_adaptive_place_jac, .place_vjp = tac_adaptive_place_vjp,             \
    .correct = tac_adaptive_correct, .correct_jac = tac_adaptive_correct_jac, .correct_vjp = tac_adaptive_correct_vjp, \
    .size = tac_adaptive_size, .longest = tac_adaptive_longest
void tac_adaptive_place(void *user, const double *x, const double *z, double *out);
void tac_adaptive_place_jac(void *user, const double *z, int n, const double *e, double *dz);
void tac_adaptive_place_vjp(void *user, const double *z, const double *bar, double *e, double *z_bar);
void tac_adaptive_correct(void *user, const double *z, const double *f, double *k);
void tac_adaptive_correct_jac(void *user, const double *z, const double *f, int n, const double *df, double *dz);
void tac_adaptive_correct_vjp(void *user, const double *z, const double *f, const double *bar, double *f_bar,
                              double *z_bar);
void tac_adaptive_size(void *user, const double *x, double *size);
double tac_adaptive_longest(void *user, const double *x);

/* f from the acceleration that is in f + nv already, and w->act_dot. */
void tac_adaptive_finish_rate(tacAdaptive *a, const double *x, double *f);
/* Signals of the actuators, 2 nu -> their number. Needs: the forces at x. */
int tac_adaptive_signals(const tacAdaptive *a, const double *x, double *signal);
/* Holds the forces of actuators on the sides of their bounds. */
void tac_adaptive_hold(void *user, const unsigned char *sign, const double *rate);
/* Those of the last rate. */
int tac_adaptive_copy_signals(void *user, double *signal);
tacStatus tac_adaptive_rate_jac(void *user, const double *x, double *F);
tacStatus tac_adaptive_rate_jvp(void *user, const double *x, const double *along, double *df);
tacStatus tac_adaptive_rate_vjp(void *user, const double *x, const double *bar, double *x_bar, double *p_bar);

/* Activations: onsets begin at number `first` of the list. -> 1: what is held has changed. */
tacStatus tac_held_open(tacAdaptive *a, const double *x, int first, int begun, int *changed);
/* Gaps from number 0 of a list. */
tacStatus tac_held_watch(tacAdaptive *a, const double *x0, const double *x1, tacGap *gap);
tacStatus tac_held_gap(tacAdaptive *a, int i, const double *x, double *value, double *rate);
void tac_held_gap_jac(tacAdaptive *a, int member, double *grad, double *grad_p);
