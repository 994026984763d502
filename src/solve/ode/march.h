/* The march of inner steps over a span of time, with error control and events (docs/theory/adaptive.md, AD7 to AD13).
 *
 * Between two steps everything is in a tacMarchState, so that a march goes on from a kept state with the same bits. A
 * step is taken with the set that acts at its start. Then the caller may differentiate it. Then it arrives: the set of
 * its end is found. */
#pragma once

#include "solve/ode/inner.h"

typedef enum {
    TAC_MARCH_FREE,   /* its length is a constant: of error control, or up to a change of signs or features */
    TAC_MARCH_TARGET, /* it ends at a share of the span */
    TAC_MARCH_ONSET,  /* it ends where a gap falls through its margin */
    TAC_MARCH_END,    /* it ends where a gap that still acts rises through it */
    TAC_MARCH_AGAIN   /* of length zero: another onset at the same time */
} tacMarchKind;

typedef struct tacMarchStep {
    tacMarchKind kind;
    double h, share; /* TARGET: share of the span */
    int member;      /* AGAIN, ONSET: the onset; -1: it was not found again */
    int reset;       /* ONSET: 1: the state jumps there */
    int crosses;     /* 1 + the signal that changes its sign at the end; 0: none */
    int loose;       /* 1: no sign is held */
    int switches;    /* 1: features change at the end */
} tacMarchStep;

typedef struct tacMarchState {
    double *x, *f;       /* nx; nd: its rate, where fresh */
    unsigned char *sign; /* max_signals: those held in the step from here, where fresh */
    double t, h, before; /* time; next step, 0: to be estimated; inverse error of the last step */
    int target;          /* steps of the fixed grid that are done */
    int begun;           /* onsets that act of those at x; -1: all */
    int crossed;         /* 1 + a signal that has changed its sign here, to rounding; 0: none */
    int crossed_sign;    /* its sign from here on */
    int switched;        /* 1: features have changed here; f is the rate before */
    int fresh, arrived;  /* arrived: t is the span, and a step aimed at it */
} tacMarchState;

int tac_march_state_layout(tacMarchState *s, const tacFlow *flow, tacArena *arena);
void tac_march_state_copy(const tacFlow *flow, const tacMarchState *from, tacMarchState *to);
/* What a step has found out at its start: rate and signs. */
void tac_march_state_learn(const tacFlow *flow, const tacMarchState *from, tacMarchState *to);

typedef struct tacMarch {
    const tacFlow *flow;
    const tacInnerOptions *options;
    double span;
    tacInner inner;
    tacMarchState now;
    tacMarchStep step; /* the last one */
    tacGap *gap;       /* max_gaps */
    int ngap;
    int loose;         /* 1: no sign is held in the step that is tried */
    int unsolved;      /* 1: an accepted step has a rate that is not solved */
    tacStepInfo *info; /* inner steps, events, margins */
} tacMarch;

int tac_march_layout(tacMarch *m, const tacFlow *flow, const tacInnerOptions *options, tacArena *arena);
/* At x, time 0. */
tacStatus tac_march_begin(tacMarch *m, double span, const double *x, tacStepInfo *info);
/* At a kept state. */
tacStatus tac_march_resume(tacMarch *m, const tacMarchState *state);
static inline int tac_march_is_done(const tacMarch *m) { return m->now.arrived && m->now.begun < 0; }
/* Takes the next step. Its stages are in m->inner, its end in the last of them. */
tacStatus tac_march_take(tacMarch *m);
/* The same step, from the state it was taken from. */
tacStatus tac_march_repeat(tacMarch *m, const tacMarchStep *step);
/* Holds the signs of a step that was taken from the present state, for its derivatives. */
void tac_march_hold(const tacMarch *m, const tacMarchStep *step);
/* Moves to the end of the step, in two parts. First the set that acts there is found, of several onsets with the first
 * alone. Then an onset may change the state; x_x, x_p: its derivatives (nd x nd, nd x np), or NULL. */
tacStatus tac_march_reach(tacMarch *m);
tacStatus tac_march_reset(tacMarch *m, double *x_x, double *x_p);
tacStatus tac_march_arrive(tacMarch *m);
/* Where the step ends, before a reset. */
static inline const double *tac_march_end(const tacMarch *m) {
    return m->step.kind == TAC_MARCH_AGAIN ? m->inner.X[0] : m->inner.X[tac_inner_last(&m->inner)];
}
/* All steps to the end of the span: x(span) in now.x. */
tacStatus tac_march_run(tacMarch *m, double span, const double *x, tacStepInfo *info);

/* --- Derivatives (march_jac.c, march_vjp.c) ----------------------------------------------------------------------- */

/* Derivatives of x(span) in tangent coordinates: nd rows of n columns [x | p | span | scratch]; along a direction of
 * nd + np + 1 numbers, columns [its derivative | scratch]. */
typedef struct tacMarchJac {
    int n;
    const double *along;               /* NULL: all columns; tac_march_go_along */
    double *S;                         /* nd n: of the present state */
    double *time;                      /* n: of its time */
    double *dk[TAC_ODE_MOST_STAGES];   /* nd n */
    double *dX, *dz, *df;              /* nd n */
    double *F;                         /* nd (nd + np) */
    double *grad, *grad_p, *row, *x_h; /* nd, np, n, nd */
    double *x_x, *x_p;                 /* of a reset; no room: the flow has none */
    double *direction, *change;        /* nd + np, nd: of the rate along one direction */
} tacMarchJac;
int tac_march_jac_layout(tacMarchJac *j, const tacFlow *flow, const tacInnerOptions *options, tacArena *arena);
/* From here on the derivative along one direction alone. Needs: tac_march_jac_layout. */
static inline void tac_march_go_along(tacMarchJac *j, const double *along) {
    j->n = 2;
    j->along = along;
}
/* The run with its derivatives, in j->S. */
tacStatus tac_march_run_jac(tacMarch *m, tacMarchJac *j, double span, const double *x, tacStepInfo *info);

/* Reverse mode, with kept states. */
typedef struct tacMarchPull {
    int slots, used;
    tacMarchState here;  /* the one that is pulled */
    tacMarchState *kept; /* slots */
    int *at;             /* slots: their numbers */
    tacMarchStep *taken; /* slots: the step from each; h < 0: not known */
    double *kbar[TAC_ODE_MOST_STAGES], *xbar, *zbar, *fbar, *turned, *grad, *grad_p, *other, *other_p; /* nd, np */
    double *x, *p, span, time; /* results: nd, np; adjoint of the present time */
    double *x_x, *x_p;
} tacMarchPull;
int tac_march_pull_layout(tacMarchPull *p, const tacFlow *flow, const tacInnerOptions *options, tacArena *arena);
/* xbar -> the gradient of xbar . x(span) in p->x, p->p and p->span. */
tacStatus tac_march_run_vjp(tacMarch *m, tacMarchPull *p, double span, const double *x, const double *xbar,
                            tacStepInfo *info);

/* --- Control (control.c) ------------------------------------------------------------------------------------------ */

#define TAC_MARCH_LEAST 1e-14 /* s: shortest step that error control may ask for */

/* First step from (x, f) (AD8). Leaves the stages spoiled, but for the first. */
tacStatus tac_march_guess(tacMarch *m, double *h);
/* Factor of the step's length by the inverse errors of this step and the one before (AD7). */
double tac_march_factor(const tacMarch *m, double inverse, double before);

/* --- Signals ------------------------------------------------------------------------------------------------------ */

/* m/s^2, rad/s^2: a signal below it has no sign. */
#define TAC_SIGNAL_TIED 1e-10

/* 1: the signal has another sign than this. */
static inline int tac_march_is_wrong(double value, int sign) {
    return (value > TAC_SIGNAL_TIED || value < -TAC_SIGNAL_TIED) && (value > 0) != sign;
}

/* --- Events (events.c, locate.c) ---------------------------------------------------------------------------------- */

typedef enum { TAC_EVENT_NONE, TAC_EVENT_ONSET, TAC_EVENT_END, TAC_EVENT_ZONE, TAC_EVENT_SWITCH } tacEventKind;
typedef struct tacEvent {
    tacEventKind kind;
    int which;    /* gap; zone: signal, or -1: nothing changes but the set */
    double at;    /* share of the step; zone, 0: its sign has been wrong all the time */
    double slope; /* zone: of the signal by the share */
} tacEvent;

/* The first event within the step that was run. */
tacStatus tac_march_find_event(tacMarch *m, tacEvent *event);
/* Runs the step that ends there: gaps and zones to rounding, features just behind. */
tacStatus tac_march_locate(tacMarch *m, const tacEvent *event);
