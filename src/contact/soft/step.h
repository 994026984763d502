/* Parts of the step with contact soft: acceleration and the steps on it (step.c), constraint terms of derivatives
 * (residual_deriv.c), derivatives (step_deriv.c), forces as outputs (outputs.c). */
#pragma once

#include "contact/soft/problem.h"
#include "smooth/implicit.h"

/* (x, u) -> w->qacc with constraints, in continuous time, and w->qfrc including constraint forces. soft is laid out in
 * the arena; the caller releases. w->L has the factor of M. */
tacStatus tac_soft_accelerate(tacContext *ctx, const double *x, const double *u, tacSoft *soft);

/* The same with the acceleration in an array of its own, also from the arena. */
tacStatus tac_soft_accelerate_apart(tacContext *ctx, const double *x, const double *u, tacSoft *soft, double **a);
double *tac_soft_acceleration_layout(const tacModel *m, tacArena *arena);

/* Update of the velocity from the acceleration a: v+ = v + h a', K a' = M a. */
typedef enum {
    TAC_SOFT_PLAIN,   /* a' = a */
    TAC_SOFT_DAMPED,  /* Euler: K = M + h D, D the joints' damping */
    TAC_SOFT_IMPLICIT /* K = M - h G */
} tacSoftFinish;

/* A step with one acceleration, laid out in the arena. The caller releases. */
typedef struct tacSoftMotion {
    tacSoft soft;
    double *a;     /* nv: in continuous time */
    double *used;  /* nv: a' */
    double *hv;    /* nv: h v+ */
    double *extra; /* nv: scratch */
    tacSoftFinish finish;
    tacImplicit K; /* rows NULL: its factor is in w->L */
} tacSoftMotion;
/* (x, u) -> w->next */
tacStatus tac_soft_advance(tacContext *ctx, const double *x, const double *u, tacSoftMotion *move);

/* --- Memory -------------------------------------------------------------------------------------------------------
 *
 * Each takes from a dry arena the memory of its namesake, for the largest problem that the model and options allow.
 * Arrays that the function leaves in the arena for its caller stay taken. */
void tac_soft_measure_accelerate(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_soft_measure_advance(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_soft_measure_linearize(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_soft_measure_solve_hessian(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_soft_measure_residuals_jac(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_soft_measure_residuals_vjp(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_soft_measure_jac(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_soft_measure_vjp(const tacModel *m, const tacOptions *options, tacArena *dry);
/* Accelerations and their derivatives; outputs and their derivatives. */
void tac_soft_measure_accelerations(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_soft_measure_outputs(const tacModel *m, const tacOptions *options, tacArena *dry);

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* Limits on the blocks, and on their rows, whose terms are summed in one pass. */
enum { TAC_SOFT_TEAM = 8, TAC_SOFT_TEAM_ROWS = TAC_SOFT_TEAM * TAC_SOFT_MOST_ROWS };

/* Destinations of changes at fixed a, rows of c.n numbers. */
typedef struct tacSoftChanges {
    double *W;       /* nv: added to: constraint part of dG */
    double *dy, *dr; /* rows: set */
    double *wrench;  /* 6 nbody: added to: of contacts' forces on bodies at fixed y and r; NULL skips */
    double *part;    /* rows: added to: df by parameters at fixed y and r, c.np numbers a row; NULL skips */
    double *smooth;  /* nv: set by tac_soft_linearize: dR without constraints; NULL skips */
} tacSoftChanges;
tacStatus tac_soft_residuals_jac(tacContext *ctx, const double *x, const double *u, const tacSoft *soft,
                                 const double *a, tacColumns c, const tacSoftChanges *d);
/* -df of a block's rows (n numbers each) from dy and dr (rows of all blocks, ld numbers apart), without the changes by
 * parameters at fixed y and r. */
void tac_soft_respond(const tacSoft *soft, const tacSoftBlock *b, int n, int ld, const double *dy, const double *dr,
                      double *minus_df);

/* Weights of changes in reverse. */
typedef struct tacSoftDual {
    const double *lambda;    /* nv: of dG */
    const double *seed;      /* rows: extra weights of -df; NULL: zero */
    const double *wrenchbar; /* 6 nbody: of forces on bodies, as above; NULL: zero */
    const double *part;      /* rows: of the parameters' direct change of forces; NULL: zero */
} tacSoftDual;
/* bar -= (constraint part of dG)^T lambda + (-df)^T seed, and bar += (change of wrench)^T wrenchbar, and the same of
 * part. */
tacStatus tac_soft_residuals_vjp(tacContext *ctx, const double *x, const double *u, const tacSoft *soft,
                                 const double *a, const tacSoftDual *dual, const tacGrad *bar);
/* W = H^-1 dG = -da, nv rows of c.n columns. dG = d.W has the smooth part and the constraints' part. It is at the
 * acceleration a, which is left in w->qacc. */
tacStatus tac_soft_linearize(tacContext *ctx, const double *x, const double *u, const tacSoft *soft, const double *a,
                             tacColumns c, const tacSoftChanges *d);
/* x <- H^-1 x at the solution. */
tacStatus tac_soft_solve_hessian(tacContext *ctx, const tacSoft *soft, double *x);
/* Takes W and smooth. 0: the arena is too small. */
int tac_soft_matrices_layout(tacSoftChanges *d, const tacModel *m, tacColumns c, tacArena *arena);
/* Takes dy and dr of that many rows. 0: the arena is too small. */
int tac_soft_changes_layout(tacSoftChanges *d, int rows, tacColumns c, tacArena *arena);

/* --- The stepper's entries ---------------------------------------------------------------------------------------- */

tacStatus tac_soft_jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, double *y, double *dy);
tacStatus tac_soft_jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J);
tacStatus tac_soft_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g);
tacStatus tac_soft_acceleration(tacContext *ctx, const double *x, const double *u, double *qacc);
tacStatus tac_soft_acceleration_jac(tacContext *ctx, const double *x, const double *u, tacColumns c, double *qacc,
                                    double *dqacc);
tacStatus tac_soft_acceleration_vjp(tacContext *ctx, const double *x, const double *u, const double *abar,
                                    const tacGrad *bar);
/* outputs.c: at the start of the step. */
tacStatus tac_soft_forces(tacContext *ctx, const double *x, const double *u, double *wrench, double *qfrc);
tacStatus tac_soft_forces_jac(tacContext *ctx, const double *x, const double *u, double *dwrench, double *dqfrc);
tacStatus tac_soft_forces_vjp(tacContext *ctx, const double *x, const double *u, const double *wrenchbar,
                              const double *qfrcbar, const tacGrad *bar);
tacStatus tac_soft_contact_forces(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader);
tacStatus tac_soft_contact_forces_vjp(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader,
                                      const tacGrad *bar);
tacStatus tac_soft_contacts(tacContext *ctx, const double *x, const double *u, tacContactForce *out, int max, int *n);
tacFrictionEffect tac_soft_friction(const tacContext *ctx, const tacContact *contact);
tacStatus tac_soft_constraints(tacContext *ctx, const double *x, const double *u, tacConstraint *out, int max, int *n);
int tac_soft_max_constraints(const tacModel *m, const tacOptions *options);
