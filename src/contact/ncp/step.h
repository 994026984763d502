/* What the parts of the stepper ncp share: the step (ncp.c), its derivatives (ncp_grad.c). */
#pragma once

#include "contact/ncp/problem.h"
#include "smooth/smooth_step.h"

/* (x, u) -> p at the solution for kappa (p->x is v+, the ldu not built), ctx->work.next, ctx->info. TAC_ERR_UNSOLVED:
 * the best that was found. Takes from the arena; the caller releases. */
tacStatus tac_ncp_go(tacContext *ctx, const double *x, const double *u, double kappa, tacNcp *p);

/* Lays out on a dry arena what it takes. The problem stays laid out; the caller's scope releases it. */
void tac_ncp_measure_go(const tacModel *m, const tacOptions *options, tacArena *dry);

/* p at a solution -> nearer to the point of the path, for its derivatives; ctx->work.next and ctx->info stay. */
tacStatus tac_ncp_refine(tacContext *ctx, double kappa, tacNcp *p);

/* Features that p at the end of a search overlaps by -> by how much at most; where p may change, those that it has not
 * are added to it -> how many. */
tacStatus tac_ncp_look(tacContext *ctx, tacNcp *p, double tolerance, int may_change, int *added, double *overlap);

/* --- Ends of searches without a solution (ncp_ends.c) ------------------------------------------------------------- */

/* The best so far: x, a, b one after another, of so many numbers of a (-1: none yet); how fast (m/s) it breaks limits
 * and overlaps or is too fast, and its residual, by which those are told apart that do no harm. */
typedef struct tacNcpEnd {
    double *at, harm, residual;
    int numbers;
    tacReason reason;
} tacNcpEnd;
/* Takes room for any end of the problem. 0: the arena is too small. */
int tac_ncp_end_layout(tacNcpEnd *kept, const tacModel *m, int max_contacts, tacArena *arena);
/* p and ctx->info at the end of a search -> kept, if better. */
void tac_ncp_keep_end(const tacContext *ctx, const tacNcp *p, tacNcpEnd *kept);
/* kept -> p, ctx->info: TAC_ERR_UNSOLVED; the other then takes the share of its motion that does no harm. */
tacStatus tac_ncp_restore_end(tacContext *ctx, tacNcp *p, const tacNcpEnd *kept);
tacStatus tac_ncp_bring_back(tacContext *ctx, tacNcp *p, const tacNcpEnd *kept);

/* --- History (ncp_history.c) -------------------------------------------------------------------------------------- */

/* Where a search writes its iterations, and what becomes of them; nothing where none are asked for. */
void tac_ncp_history_begin(const tacContext *ctx, tacInterior *point);
void tac_ncp_history_end(tacContext *ctx, const tacInterior *point);
/* The step alone, for what its iterations write. */
tacStatus tac_ncp_history(tacContext *ctx, const double *x, const double *u);

/* --- Derivatives (ncp_grad.c, ncp_forces.c) ----------------------------------------------------------------------- */

/* The step solved where it is differentiated -> p with its system factored, d. Takes from the arena. */
tacStatus tac_ncp_prepare(tacContext *ctx, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d);
/* Lays out on a dry arena what it takes. Problem and derivative stay laid out; the caller's scope releases them. */
void tac_ncp_measure_prepare(const tacModel *m, const tacOptions *options, tacArena *dry);
/* Where all columns go: sinks of matrices begin at the first column; those of a reverse pass share bar. */
typedef struct tacNcpTarget {
    tacSink balance, inputs, wrench;
    tacGrad bar;
    tacColumns c;
} tacNcpTarget;
/* Emits d(joint forces) to a sink, those that are implicit in velocity at fixed v+ - v; bar NULL: a matrix. */
void tac_ncp_emit_forces(tacContext *ctx, const double *x, const double *u, const tacNcp *p, tacSink like, tacColumns c,
                         const tacGrad *bar);
/* Emits all the rest. */
tacStatus tac_ncp_emit(tacContext *ctx, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d,
                       const tacNcpTarget *target);
/* W = dR at fixed q+ and impulses, r = changes of the inputs; wrench (NULL: not asked for) is added to. r NULL: of the
 * balance without constraints, of which d has the wrenches. */
tacStatus tac_ncp_residual_jac(tacContext *ctx, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d,
                               tacColumns c, double *W, double *r, double *wrench);
/* Weights of R, of the inputs, of wrenches (NULL: none). */
typedef struct tacNcpPull {
    double *lambda, *mu;
    const double *wrench;
} tacNcpPull;
/* Takes lambda and mu of so many inputs. 0: the arena is too small. */
int tac_ncp_pull_layout(tacNcpPull *pull, int nv, int inputs, tacArena *arena);
/* bar += -lambda . dR + mu . dr + wrench . d(wrenches). mu NULL: of the balance without constraints. */
tacStatus tac_ncp_residual_vjp(tacContext *ctx, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d,
                               const tacNcpPull *pull, const tacGrad *bar);

/* Changes of all columns: R (nv) and r (inputs), by c.n. */
typedef struct tacNcpChanges {
    tacColumns c;
    double *R, *r;
    int nrow, *row; /* rows of r that are not zero */
    int *used;
    double *weight; /* with used: scratch of sums */
} tacNcpChanges;
/* Takes the arrays of so many inputs. 0: the arena is too small. */
int tac_ncp_changes_layout(tacNcpChanges *all, int nv, tacColumns c, int inputs, tacArena *arena);
/* -> row. */
void tac_ncp_find_rows(const tacNcp *p, tacNcpChanges *all);
/* out <- scale (out - lambda . R + mu . r) */
void tac_ncp_add_products(const tacNcpChanges *all, int nv, const double *lambda, const double *mu, double scale,
                          double *out);

/* Entries of the stepper's table. */
tacStatus tac_ncp_forces_out(tacContext *ctx, const double *x, const double *u, double *wrench, double *qfrc);
tacStatus tac_ncp_contacts(tacContext *ctx, const double *x, const double *u, tacContactForce *out, int max, int *n);
tacStatus tac_ncp_forces_jac(tacContext *ctx, const double *x, const double *u, double *dwrench, double *dqfrc);
tacStatus tac_ncp_forces_vjp(tacContext *ctx, const double *x, const double *u, const double *wrenchbar,
                             const double *qfrcbar, const tacGrad *bar);
tacStatus tac_ncp_jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J);
tacStatus tac_ncp_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g);
/* Each lays out on a dry arena what it takes. */
void tac_ncp_measure_jac(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_ncp_measure_vjp(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_ncp_measure_forces(const tacModel *m, const tacOptions *options, tacArena *dry);
