/* One simulation: a model, options, a stepper chosen by them, and scratch. */
#pragma once

#include "base/arena.h"
#include "dynamics/contact_move.h"
#include "dynamics/param_tangent.h"

/* What an option struct made by tac_default_options carries. */
#define TAC_OPTIONS_COOKIE 0x7ac70501u

/* The bit of a tacIntegrator. */
#define TAC_HAS(integrator) (1u << (integrator))
/* One contact model with one integrator: its functions. Inputs are checked before; outputs written on success only. */
typedef struct tacStepper {
    tacContactModel contact;
    unsigned integrators; /* those it stands for, bits of TAC_HAS */
    tacStatus (*step)(tacSim *sim, const double *x, const double *u, double *y);
    /* y and every array of J may be NULL */
    tacStatus (*jac)(tacSim *sim, const double *x, const double *u, double *y, const tacJac *J);
    /* every array of g may be NULL */
    tacStatus (*vjp)(tacSim *sim, const double *x, const double *u, const double *ybar, const tacGrad *g);
    /* In continuous time; each leaves w->act_dot. qacc may be NULL. */
    tacStatus (*acceleration)(tacSim *sim, const double *x, const double *u, double *qacc);
    /* dqacc: nv rows, columns [x | u | theta] */
    tacStatus (*acceleration_jac)(tacSim *sim, const double *x, const double *u, double *qacc, double *dqacc);
    /* bar += (dqacc/d[x | u | theta])^T abar; x and u of bar are not NULL. abar is none of w->vec. */
    tacStatus (*acceleration_vjp)(tacSim *sim, const double *x, const double *u, const double *abar,
                                  const tacGrad *bar);
    /* Forces of constraints in the step (outputs.c): of contacts on bodies, 6 nbody numbers, and of all on dofs, nv.
     * Their derivatives: rows of columns [x | u | theta], added to; either may be NULL. In reverse bar is added to; x
     * and u of it are not NULL. All three are NULL where there are no constraints. */
    tacStatus (*forces)(tacSim *sim, const double *x, const double *u, double *wrench, double *qfrc);
    tacStatus (*forces_jac)(tacSim *sim, const double *x, const double *u, double *dwrench, double *dqfrc);
    tacStatus (*forces_vjp)(tacSim *sim, const double *x, const double *u, const double *wrenchbar,
                            const double *qfrcbar, const tacGrad *bar);
    /* *n contacts of the step; out is untouched where there are more than max: TAC_ERR_CONTACTS. NULL: none. */
    tacStatus (*contacts)(tacSim *sim, const double *x, const double *u, tacContactForce *out, int max, int *n);
    /* The same of all constraints; NULL: not told. */
    tacStatus (*constraints)(tacSim *sim, const double *x, const double *u, tacConstraint *out, int max, int *n);
    /* What all of them take from the arena at once, at most; bytes. */
    size_t (*scratch)(const tacModel *model, const tacOptions *options);
} tacStepper;

struct tacSim {
    const tacModel *model; /* what is simulated: `view`, or the newest copy with parameters set */
    tacModel view;         /* the caller's arrays, and none of the parameters that are registered later */
    tacModel *origin;      /* the model as it was at creation; NULL where no parameter is registered */
    void *slot[2];         /* room for two copies: one in use, one to try new parameters in */
    tacOptions options;
    const tacStepper *stepper;
    tacParamTangent *tangents; /* nmember: how used numbers move with each registered number */
    tacArena tangent_rows;     /* what they point to */
    tacArena scene_rows;       /* the lasting part of the scene */
    tacScene scene;
    const tacContact *given; /* contact soft: contacts to take instead of those found, to compare solvers apart from
                                collision; NULL: found. Steps alone, without derivatives */
    int ngiven;
    tacIteration *history; /* where iterations of the step in hand are written; NULL: not asked for */
    int max_history, searches;
    tacStepInfo info; /* of the step in hand: the stepper fills in what it knows */
    int margins;      /* 1: the caller of a Jacobian wants to know its margins */
    tacWork work;
    tacArena arena;             /* scratch, the workspace included */
    char error[TAC_ERROR_TEXT]; /* of the last call that failed */
};

/* Contact none: semi-implicit Euler (euler.c), Runge-Kutta (rk4.c), implicit in velocity (implicit.c). */
extern const tacStepper TAC_STEPPER_EULER, TAC_STEPPER_RK4, TAC_STEPPER_IMPLICIT, TAC_STEPPER_IMPLICITFAST,
    TAC_STEPPER_RKMK4, TAC_STEPPER_LCP, TAC_STEPPER_LCP_TOI, TAC_STEPPER_NCP, TAC_STEPPER_SOFT_EULER,
    TAC_STEPPER_SOFT_IMPLICIT, TAC_STEPPER_SOFT_IMPLICITFAST, TAC_STEPPER_SOFT_RK4, TAC_STEPPER_SOFT_RKMK4;

/* 1: tac_default_options made them. */
static inline int tac_options_are_set(const tacOptions *options) {
    return options != NULL && options->cookie == TAC_OPTIONS_COOKIE;
}
/* The blocks of u that the options ask for. */
tacInputs tac_split_inputs(const tacModel *model, const tacOptions *options, const double *u);
/* What a call says about its step: the stepper's own report with the call's status. sim and info may be NULL. */
void tac_report(const tacSim *sim, tacStatus status, int bad, tacStepInfo *info);
/* Counts step number k, which has a next state, into the sums of a rollout; they start with first_unsolved = -1. */
void tac_count_step(tacStepInfo *sum, int k, tacStatus status, double residual);
/* The sums of a rollout, into the info that is reported. */
void tac_take_count(tacStepInfo *info, const tacStepInfo *sum);
/* 1: there is a next state: the step went well, or it is the best that was found. */
static inline int tac_went_on(tacStatus status) {
    return status == TAC_OK || status == TAC_ERR_UNSOLVED || status == TAC_ERR_IMPACTS;
}
/* What many steps say together: the first that is not all right. */
static inline tacStatus tac_first_of(tacStatus before, tacStatus now) { return before == TAC_OK ? now : before; }
/* What the step's own solve says of itself, in place of what the one that was differentiated says. */
static inline void tac_restore_solve(tacStepInfo *info, const tacStepInfo *own) {
    info->kappa = own->kappa, info->reason = own->reason;
    info->iterations = own->iterations, info->residual = own->residual;
}
/* Fills all scratch with NaNs: results must not change. For tests. */
void tac_sim_poison(tacSim *sim);
