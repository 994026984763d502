/* The context of a step and the stepper: the interface between simulations (step/) and contact models. */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "dynamics/contact_move.h"
#include "dynamics/param_tangent.h"
#include "smooth/inputs.h"

typedef struct tacContext tacContext;
/* Lays out memory on a dry arena. Its peak counts. */
typedef void (*tacMeasure)(const tacModel *model, const tacOptions *options, tacArena *dry);

/* Effect of a contact's coefficients of friction while it sticks. */
typedef enum {
    TAC_FRICTION_ABSENT,  /* nothing: it has no friction */
    TAC_FRICTION_BOUNDS,  /* they bound the force, which is inside */
    TAC_FRICTION_STIFFENS /* the contact is as stiff as they say */
} tacFrictionEffect;

/* Who asks for the forces of contacts, one after another as `contacts` lists them: components along the normal and the
 * tangents. All values come before the first line. */
typedef struct tacContactReader {
    void *of;
    /* The force of contact k, or a part of it: parts add up. */
    void (*value)(void *of, int k, const tacContact *c, const double f[3]);
    /* d(force[axis] of contact k) += factor df, c.n numbers in columns [x | u | theta]. NULL: values alone */
    void (*line)(void *of, int k, const tacContact *c, int axis, double factor, const double *df);
    /* Reverse mode: the weights of the force. 0: they are all zero, and the contact has no lines. */
    int (*weigh)(void *of, int k, const tacContact *c, double bar[3]);
} tacContactReader;

/* Columns of derivatives: displacements of x, numbers of u, registered parameters. Along a direction there is one
 * column, their sum with its weights; nx, nu and np stay. */
typedef struct tacColumns {
    int n, nx, nu, np;
    const double *along; /* nx + nu + np; NULL: all columns, n = nx + nu + np */
} tacColumns;
/* The columns from `first` on, of rows of c.n numbers. */
static inline tacSink tac_columns_sink(tacColumns c, double *matrix, int first) {
    if (c.along != NULL) return (tacSink){.matrix = matrix, .along = c.along + first, .ld = 1};
    return (tacSink){.matrix = matrix == NULL ? NULL : matrix + first, .ld = c.n};
}

/* The bit of a tacIntegrator. */
#define TAC_HAS(integrator) (1u << (integrator))
/* The functions of one contact model with one integrator. Inputs are checked before. Outputs are written on success
 * only. */
typedef struct tacStepper {
    unsigned integrators; /* integrators it implements, bits of TAC_HAS */
    int toi;              /* 1: it stops at impacts, as option toi asks */
    int inverse_weights;  /* 1: derivatives by parameters need those of inverse weights */
    int fixed_rims;       /* 1: points of rims stay fixed in their bodies, so that they are found again */
    tacStatus (*step)(tacContext *ctx, const double *x, const double *u, double *y);
    /* y and every array of J may be NULL */
    tacStatus (*jac)(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J);
    /* dy[ndx] = derivative of y along c.along; y and dy are not written on failure alone. NULL: the Jacobian is formed,
     * which is no dearer */
    tacStatus (*jvp)(tacContext *ctx, const double *x, const double *u, tacColumns c, double *y, double *dy);
    /* every array of g may be NULL */
    tacStatus (*vjp)(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g);
    /* Accelerations in continuous time. Each leaves w->act_dot. qacc may be NULL. */
    tacStatus (*acceleration)(tacContext *ctx, const double *x, const double *u, double *qacc);
    /* dqacc: nv rows of the columns c */
    tacStatus (*acceleration_jac)(tacContext *ctx, const double *x, const double *u, tacColumns c, double *qacc,
                                  double *dqacc);
    /* bar += (dqacc/d[x | u | theta])^T abar. x and u of bar are not NULL. abar is none of w->vec. */
    tacStatus (*acceleration_vjp)(tacContext *ctx, const double *x, const double *u, const double *abar,
                                  const tacGrad *bar);
    /* Forces of constraints in the step (outputs.c): of contacts on bodies, 6 nbody numbers, and of all constraints on
     * dofs, nv. Derivatives are added to rows of columns [x | u | theta]; either array may be NULL. Reverse mode adds
     * to bar, whose x and u are not NULL. All three are NULL without constraints. */
    tacStatus (*forces)(tacContext *ctx, const double *x, const double *u, double *wrench, double *qfrc);
    tacStatus (*forces_jac)(tacContext *ctx, const double *x, const double *u, double *dwrench, double *dqfrc);
    tacStatus (*forces_vjp)(tacContext *ctx, const double *x, const double *u, const double *wrenchbar,
                            const double *qfrcbar, const tacGrad *bar);
    /* Values and derivatives of the forces of contacts. Reverse mode adds to bar, whose x and u are not NULL. Both are
     * NULL without constraints. TAC_ERR_UNSUPPORTED: the step has no such derivatives. */
    tacStatus (*contact_forces)(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader);
    tacStatus (*contact_forces_vjp)(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader,
                                    const tacGrad *bar);
    /* *n contacts of the step. TAC_ERR_CONTACTS: there are more than max, and out is untouched. NULL: none. */
    tacStatus (*contacts)(tacContext *ctx, const double *x, const double *u, tacContactForce *out, int max, int *n);
    /* Effect of a contact's friction. NULL where contacts is. */
    tacFrictionEffect (*friction)(const tacContext *ctx, const tacContact *contact);
    /* The same for all constraints. NULL: not available. */
    tacStatus (*constraints)(tacContext *ctx, const double *x, const double *u, tacConstraint *out, int max, int *n);
    /* Largest possible number of constraints. NULL where constraints is. */
    int (*max_constraints)(const tacModel *model, const tacOptions *options);
    /* Runs the step to record its iterations in ctx->history. NULL: not available. */
    tacStatus (*history)(tacContext *ctx, const double *x, const double *u);
    /* Lays out the memory of each of them on a dry arena. */
    tacMeasure measure;
} tacStepper;

/* The steppers of each contact model, ended by NULL. Its folder in src/contact defines them. */
#define X(NAME, name, text) extern const tacStepper *const TAC_STEPPERS_##NAME[];
TAC_CONTACT_MODELS(X)
#undef X

/* Constraints that act, whatever their gaps are: of a step with inner steps. Contacts keep their features. */
typedef struct tacActing {
    const tacContact *contact;
    int ncontact;
    const unsigned char *joint, *tendon; /* 2 njnt, 2 ntendon: limits, lower and upper */
    const unsigned char *sign;           /* which laws hold (tacSoft); NULL: those of the state */
    const double *start;                 /* nv: with sign, an acceleration nearby */
} tacActing;

/* All data that steps and their derivatives read and write besides x, u and the results. */
struct tacContext {
    const tacModel *model; /* the simulated model */
    tacOptions options;    /* checked options, with an integrator of the contact model */
    tacInputLayout inputs; /* positions of the blocks of u */
    const tacStepper *stepper;
    const tacParamTangent *tangents; /* nmember: changes of used numbers with each registered number */
    tacScene scene;
    const tacContact *given; /* contact soft: contacts that replace those found, to compare solvers apart from
                              * collision; NULL: found. For steps only, not for derivatives */
    int ngiven;
    const tacActing *acting; /* contact soft: NULL: those whose gaps are below their margins */
    tacIteration *history;   /* record of the current step's iterations; NULL: not asked for */
    int max_history, searches;
    tacStepInfo info; /* of the current step; filled by the stepper */
    int margins;      /* 1: the caller of a Jacobian asks for its margins */
    int quiet;        /* 1: the caller wants no report of the step; numbers that only reports tell may be left out */
    tacWork work;
    tacArena arena; /* scratch, the workspace included */
};

/* 1: the integrator takes inner steps, with rates in continuous time. */
static inline int tac_has_inner_steps(tacIntegrator integrator) {
    return integrator >= TAC_INTEGRATOR_TSIT5 && integrator <= TAC_INTEGRATOR_STIFF;
}
/* The step that accelerations and forces look ahead, s. Rates in continuous time look no step ahead. */
static inline double tac_lookahead(const tacContext *ctx) {
    return tac_has_inner_steps(ctx->options.integrator) ? 0 : ctx->options.dt;
}

/* 1: there is a next state. The step succeeded, or it is the best one found. */
static inline int tac_went_on(tacStatus status) {
    return status == TAC_OK || status == TAC_ERR_UNSOLVED || status == TAC_ERR_IMPACTS;
}
/* Restores the report of the step's own solve in place of the report of the solve that was differentiated. */
static inline void tac_restore_solve(tacStepInfo *info, const tacStepInfo *own) {
    info->kappa = own->kappa;
    info->reason = own->reason;
    info->iterations = own->iterations;
    info->residual = own->residual;
}
