/* The context that a step works on, and the stepper: the interface between simulations (step/) and contact models. */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "dynamics/contact_move.h"
#include "dynamics/param_tangent.h"
#include "smooth/inputs.h"

typedef struct tacContext tacContext;
/* Lays out on a dry arena; its peak counts. */
typedef void (*tacMeasure)(const tacModel *model, const tacOptions *options, tacArena *dry);

/* What the coefficients of friction of a contact do where it sticks. */
typedef enum {
    TAC_FRICTION_ABSENT,  /* nothing: it has no friction */
    TAC_FRICTION_BOUNDS,  /* they bound the force, which is inside */
    TAC_FRICTION_STIFFENS /* the contact is as stiff as they say */
} tacFrictionEffect;

/* The bit of a tacIntegrator. */
#define TAC_HAS(integrator) (1u << (integrator))
/* One contact model with one integrator: its functions. Inputs are checked before; outputs written on success only. */
typedef struct tacStepper {
    unsigned integrators; /* those it stands for, bits of TAC_HAS */
    int toi;              /* 1: it stops at impacts: the one that option toi asks for */
    int inverse_weights;  /* 1: derivatives by parameters need those of inverse weights */
    int fixed_rims;       /* 1: points of rims stay where they are in their bodies, so that they are found again */
    tacStatus (*step)(tacContext *ctx, const double *x, const double *u, double *y);
    /* y and every array of J may be NULL */
    tacStatus (*jac)(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J);
    /* every array of g may be NULL */
    tacStatus (*vjp)(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g);
    /* Accelerations in continuous time; each leaves w->act_dot. qacc may be NULL. */
    tacStatus (*acceleration)(tacContext *ctx, const double *x, const double *u, double *qacc);
    /* dqacc: nv rows, columns [x | u | theta] */
    tacStatus (*acceleration_jac)(tacContext *ctx, const double *x, const double *u, double *qacc, double *dqacc);
    /* bar += (dqacc/d[x | u | theta])^T abar; x and u of bar are not NULL. abar is none of w->vec. */
    tacStatus (*acceleration_vjp)(tacContext *ctx, const double *x, const double *u, const double *abar,
                                  const tacGrad *bar);
    /* Forces of constraints in the step (outputs.c): of contacts on bodies, 6 nbody numbers, and of all on dofs, nv.
     * Their derivatives: rows of columns [x | u | theta], added to; either may be NULL. In reverse bar is added to; x
     * and u of it are not NULL. All three are NULL where there are no constraints. */
    tacStatus (*forces)(tacContext *ctx, const double *x, const double *u, double *wrench, double *qfrc);
    tacStatus (*forces_jac)(tacContext *ctx, const double *x, const double *u, double *dwrench, double *dqfrc);
    tacStatus (*forces_vjp)(tacContext *ctx, const double *x, const double *u, const double *wrenchbar,
                            const double *qfrcbar, const tacGrad *bar);
    /* *n contacts of the step; out is untouched where there are more than max: TAC_ERR_CONTACTS. NULL: none. */
    tacStatus (*contacts)(tacContext *ctx, const double *x, const double *u, tacContactForce *out, int max, int *n);
    /* What friction of a contact does; NULL where contacts is. */
    tacFrictionEffect (*friction)(const tacContext *ctx, const tacContact *contact);
    /* The same of all constraints; NULL: not told. */
    tacStatus (*constraints)(tacContext *ctx, const double *x, const double *u, tacConstraint *out, int max, int *n);
    /* Most that there can be; NULL where constraints is. */
    int (*max_constraints)(const tacModel *model, const tacOptions *options);
    /* The step alone, to write what its iterations do where ctx->history says. NULL: not told. */
    tacStatus (*history)(tacContext *ctx, const double *x, const double *u);
    /* Lays out on a dry arena what each of them takes. */
    tacMeasure measure;
} tacStepper;

/* The steppers of each contact model, ended by NULL; its folder in src/contact defines them. */
#define X(NAME, name, text) extern const tacStepper *const TAC_STEPPERS_##NAME[];
TAC_CONTACT_MODELS(X)
#undef X

/* All that steps and their derivatives read and write besides x, u and the results. */
struct tacContext {
    const tacModel *model; /* what is simulated */
    tacOptions options;    /* in use: checked, with an integrator that the contact model has */
    tacInputLayout inputs; /* where the blocks of u are */
    const tacStepper *stepper;
    const tacParamTangent *tangents; /* nmember: how used numbers move with each registered number */
    tacScene scene;
    const tacContact *given; /* contact soft: contacts to take instead of those found, to compare solvers apart from
                                collision; NULL: found. Steps alone, without derivatives */
    int ngiven;
    tacIteration *history; /* where iterations of the step in hand are written; NULL: not asked for */
    int max_history, searches;
    tacStepInfo info; /* of the step in hand: the stepper fills in what it knows */
    int margins;      /* 1: the caller of a Jacobian wants to know its margins */
    tacWork work;
    tacArena arena; /* scratch, the workspace included */
};

/* 1: there is a next state: the step went well, or it is the best that was found. */
static inline int tac_went_on(tacStatus status) {
    return status == TAC_OK || status == TAC_ERR_UNSOLVED || status == TAC_ERR_IMPACTS;
}
/* Restores the report of the step's own solve in place of the report of the solve that was differentiated. */
static inline void tac_restore_solve(tacStepInfo *info, const tacStepInfo *own) {
    info->kappa = own->kappa, info->reason = own->reason;
    info->iterations = own->iterations, info->residual = own->residual;
}
