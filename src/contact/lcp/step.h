/* Parts of the step with contact lcp: the step (step.c), residuals (residual_deriv.c), derivatives (step_jac.c,
 * step_vjp.c, complementarity.c), forces as outputs (outputs.c). */
#pragma once

#include "contact/lcp/problem.h"
#include "smooth/smooth_step.h"

/* The step that stops at impacts (toi/). */
extern const tacStepper TAC_STEPPER_LCP_TOI;

/* (x, u) -> w->next, h v+ in w->vec[0], and the impulses in lcp, laid out in the arena. The caller releases. */
tacStatus tac_lcp_advance(tacContext *ctx, const double *x, const double *u, tacLcp *lcp);
/* Derivatives of the step have room for lcp->deriv_rows rows. TAC_ERR_CONTACTS: the step has more. */
static inline tacStatus tac_lcp_check_rows(const tacLcp *lcp) {
    return lcp->rows.n > lcp->deriv_rows ? TAC_ERR_CONTACTS : TAC_OK;
}

/* w->qacc += Mhat^-1 J^T f / h; force: scratch, nv. */
void tac_lcp_add_impulses(tacContext *ctx, const tacLcp *lcp, double *force);

/* --- Memory -------------------------------------------------------------------------------------------------------
 *
 * Each takes from a dry arena the memory of its namesake, for the largest problem that the model and options allow.
 * Arrays that the function leaves in the arena for its caller stay taken. */
void tac_lcp_measure_advance(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_lcp_measure_jac(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_lcp_measure_vjp(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_lcp_measure_linearize(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_lcp_measure_respond(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_lcp_measure_answer_reverse(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_lcp_measure_answer_classes(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_lcp_measure_residuals(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_lcp_measure_pull(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_lcp_measure_pull_aware(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_lcp_measure_smooth_jac(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_lcp_measure_problem_forces_jac(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_lcp_measure_pull_forces(const tacModel *m, const tacOptions *options, tacArena *dry);
/* The stepper's entries for outputs. */
void tac_lcp_measure_outputs(const tacModel *m, const tacOptions *options, tacArena *dry);

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

tacStatus tac_lcp_jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, double *y, double *dy);
tacStatus tac_lcp_jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J);
tacStatus tac_lcp_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g);

/* All below need: tac_lcp_advance at (x, u). */

/* A solved problem at x -> W = -da, nv rows of c.n numbers, with a = w->qacc = (v+ - v)/h and v+ in w->next. impact:
 * only the rows have forces, M a = J^T f / h. Then w->L has the factor of M, and tac_evaluate at x is enough. */
tacStatus tac_lcp_linearize(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, int impact,
                            tacColumns c, double *W);
/* dr: changes of the rows, c.n numbers each. */
static inline double *tac_lcp_dr_layout(int rows, tacColumns c, tacArena *arena) {
    return TAC_TAKE(arena, (size_t)rows * (size_t)c.n, double);
}
/* The part without rows: W = dR at fixed a without constraints. */
tacStatus tac_lcp_smooth_jac(tacContext *ctx, const double *x, const double *u, int impact, tacColumns c, double *W);
/* Solves for W = -da, given the changes dR of the forces (in W) and dr of the rows, at fixed a and f. Overwrites dr. */
tacStatus tac_lcp_respond(tacContext *ctx, const tacLcp *lcp, tacColumns c, double *dr, double *W);
/* Changes of forces at fixed forces of the free rows, or their weights in reverse. NULL skips one. */
typedef struct tacLcpForceRows {
    double *wrench; /* 6 nbody rows of c.n numbers: of contacts on bodies */
    double *part;   /* a row of c.np numbers for each row: of its force, where its bound is a parameter */
} tacLcpForceRows;
typedef struct tacLcpForceBars {
    const double *wrench, *part; /* 6 nbody; rows */
} tacLcpForceBars;
/* Adds to dR (over dofs) and sets dr (over rows), c.n numbers a row. Adds to forces (may be NULL). */
tacStatus tac_lcp_residuals_jac(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, tacColumns c,
                                double *dR, double *dr, const tacLcpForceRows *forces);
/* bar -= dr^T mu + (constraint part of dR)^T lambda + dE^T share, and bar += (change of forces)^T forces. share and
 * forces may be NULL. share: one weight an island, for E of its restitution (share.h). */
tacStatus tac_lcp_residuals_vjp(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp,
                                const double *lambda, const double *mu, const double *share,
                                const tacLcpForceBars *forces, const tacGrad *bar);
/* One island: H = L^-T dR -> H += L^-T Jhat^T f' / h, with f' = -df_C = A_CC^-1 (dr - h J_C Mhat^-1 dR). Writes f' over
 * the free rows of dr. */
tacStatus tac_lcp_answer_island(tacContext *ctx, const tacLcp *lcp, int island, tacColumns c, double *dr, double *H);
/* lambda = Mhat^-1 abar, and seed the gradient by forces (rows; NULL: zero)  ->  mu = A_CC^-T (Jhat
 * lambda / h + seedhat) of every island, lambda -= h Mhat^-1 J_C^T mu. share (islands): as in tac_lcp_residuals_vjp. */
tacStatus tac_lcp_answer_reverse(tacContext *ctx, const tacLcp *lcp, const double *seed, double *lambda, double *mu,
                                 double *share);
/* The same at fixed shares of restitution. */
tacStatus tac_lcp_answer_classes(tacContext *ctx, const tacLcp *lcp, const double *seed, double *lambda, double *mu);

/* Intermediate covectors: the gradient by joint forces (nv), and by the rows' velocities w (rows). */
typedef struct tacLcpDual {
    double *tau, *mu;
} tacLcpDual;
/* Pulls one covector back through the step. hv: its h v+. dual: NULL skips. */
tacStatus tac_lcp_pull(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, const double *hv,
                       const double *ybar, const tacGrad *g, const tacLcpDual *dual);
/* The same by the classes with the larger gradient: those of the step, or those that the loss asks for
 * (complementarity.c). */
tacStatus tac_lcp_pull_aware(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, const double *hv,
                             const double *ybar, const tacGrad *g);
/* Forces of a solved problem at x, impulses over h, as outputs (outputs.c): of contacts on bodies (6 nbody), and of all
 * rows on dofs (nv). Columns are added to dwrench and dqfrc, c.n numbers a row. NULL skips. */
void tac_lcp_forces_on_dofs(const tacModel *m, const tacLcp *lcp, double *qfrc);
tacContactForce tac_lcp_describe(const tacLcp *lcp, int contact, const double *v_next);
tacStatus tac_lcp_problem_forces_jac(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, int impact,
                                     double *dwrench, double *dqfrc);
/* Adds only the part of the force changes, with f' = -df of the free rows in minus_df, c.n numbers a row. */
void tac_lcp_add_force_changes(tacContext *ctx, const tacLcp *lcp, tacColumns c, const double *minus_df,
                               double *dwrench, double *dqfrc);
/* Weights of the forces of a step's own problem; NULL skips one. */
typedef struct tacLcpOutputBars {
    const double *wrench, *qfrc;    /* 6 nbody, nv */
    const tacContactReader *reader; /* of contacts */
} tacLcpOutputBars;
/* bar += (d(forces))^T of */
tacStatus tac_lcp_pull_forces(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp,
                              const tacLcpOutputBars *of, const tacGrad *bar);

/* The stepper's entries for outputs (sim.h). */
tacStatus tac_lcp_forces(tacContext *ctx, const double *x, const double *u, double *wrench, double *qfrc);
tacStatus tac_lcp_forces_jac(tacContext *ctx, const double *x, const double *u, double *dwrench, double *dqfrc);
tacStatus tac_lcp_forces_vjp(tacContext *ctx, const double *x, const double *u, const double *wrenchbar,
                             const double *qfrcbar, const tacGrad *bar);
tacStatus tac_lcp_contact_forces(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader);
tacStatus tac_lcp_contact_forces_vjp(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader,
                                     const tacGrad *bar);
/* Tells the lines of the contacts of a solved problem at x, by its own q, v, u, theta. */
tacStatus tac_lcp_tell_lines(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, int impact,
                             const tacContactReader *reader);
/* The part of the force changes alone, with f' = -df of the free rows in minus_df, c.n numbers a row. */
void tac_lcp_tell_changes(const tacLcp *lcp, tacColumns c, const double *minus_df, const tacContactReader *reader);
/* Tells the values of the contacts of a solved problem, as numbers `first` on. */
void tac_lcp_tell_contacts(const tacLcp *lcp, int first, const tacContactReader *reader);
tacStatus tac_lcp_contacts(tacContext *ctx, const double *x, const double *u, tacContactForce *out, int max, int *n);
tacFrictionEffect tac_lcp_friction(const tacContext *ctx, const tacContact *contact);
