/* Derivatives of the step with contact soft: the implicit function theorem at the optimum (contact/soft/problem.h, Z9). */
#include "contact/soft/problem.h"
#include "math/dense.h"
#include "math/scalar.h"
#include "contact/soft/step.h"

#include <string.h>

/* --- Acceleration ------------------------------------------------------------------------------------------------- */

/* Keeps w->qacc, which the derivatives of the smooth part read, at a. */
static void set_acceleration(tacContext *ctx, const double *a) {
    memcpy(ctx->work.qacc, a, (size_t)ctx->model->nv * sizeof *a);
}

/* The solver's factor, where it has one and that is of the solution. */
static tacStatus factor(tacContext *ctx, const tacSoft *soft, tacSoftHessian *h) {
    *h = soft->hessian;
    if (h->J == NULL && !tac_soft_hessian_begin(h, ctx->model, &soft->rows, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    if (!soft->factored && !tac_soft_hessian_factor(h, ctx->model, &ctx->work, soft)) return TAC_ERR_SINGULAR;
    ctx->info.conditioning = tac_max(ctx->info.conditioning, tac_soft_hessian_conditioning(h, ctx->model));
    return TAC_OK;
}

tacStatus tac_soft_solve_hessian(tacContext *ctx, const tacSoft *soft, double *x) {
    size_t mark = tac_arena_mark(&ctx->arena);
    tacSoftHessian h;
    tacStatus status = factor(ctx, soft, &h);
    if (status == TAC_OK) tac_soft_hessian_solve(&h, ctx->model, x);
    tac_arena_release(&ctx->arena, mark);
    return status;
}

int tac_soft_take_changes(tacContext *ctx, const tacSoft *soft, tacColumns c, tacSoftChanges *d) {
    size_t numbers = (size_t)soft->rows.n * (size_t)c.n;
    d->dy = TAC_TAKE(&ctx->arena, numbers, double);
    d->dr = TAC_TAKE(&ctx->arena, numbers, double);
    return d->dy != NULL && d->dr != NULL;
}

/* Least change of one number by which a block comes to another zone, to first order: y moves by dy + J da,
 * da = -W. change: scratch, a row. */
static double zone_margin(const tacSoft *soft, const tacSoftBlock *b, tacColumns c, const tacSoftChanges *d,
                          double *change, double *square) {
    size_t n = (size_t)c.n;
    double most = 0, margin = tac_soft_margin(b, soft->D + b->row, soft->y + b->row);
    memset(square, 0, n * sizeof *square);
    for (int k = b->row; k < b->row + b->n; k++) {
        const tacRow *row = &soft->rows.row[k];
        memcpy(change, d->dy + (size_t)k * n, n * sizeof *change);
        for (int e = row->adr; e < row->adr + row->num; e++)
            tac_dense_axpy(c.n, -soft->rows.J[e], d->W + (size_t)soft->rows.dof[e] * n, change);
        for (size_t j = 0; j < n; j++)
            square[j] += change[j] * change[j];
    }
    for (size_t j = 0; j < n; j++)
        most = tac_max(most, square[j]);
    return most > 0 ? margin / tac_sqrt(most) : TAC_INFINITY;
}

static tacStatus note_margins(tacContext *ctx, const tacSoft *soft, tacColumns c, const tacSoftChanges *d) {
    size_t mark = tac_arena_mark(&ctx->arena);
    double *change = TAC_TAKE(&ctx->arena, c.n, double), *square = TAC_TAKE(&ctx->arena, c.n, double);
    double least = ctx->info.force_margin > 0 ? ctx->info.force_margin : TAC_INFINITY;
    if (change == NULL || square == NULL) return TAC_ERR_ARENA_FULL;
    for (int k = 0; k < soft->nblock; k++)
        least = tac_min(least, zone_margin(soft, &soft->block[k], c, d, change, square));
    ctx->info.force_margin = least;
    tac_arena_release(&ctx->arena, mark);
    return TAC_OK;
}

tacStatus tac_soft_linearize(tacContext *ctx, const double *x, const double *u, const tacSoft *soft, const double *a,
                             tacColumns c, const tacSoftChanges *d) {
    size_t mark = tac_arena_mark(&ctx->arena);
    tacSoftHessian h;
    set_acceleration(ctx, a);
    tac_residual_jac(ctx, x, u, 0, c, d->W);
    if (d->smooth != NULL) memcpy(d->smooth, d->W, (size_t)ctx->model->nv * (size_t)c.n * sizeof *d->W);
    tacStatus status = tac_soft_residuals_jac(ctx, x, u, soft, a, c, d);
    if (status == TAC_OK) status = factor(ctx, soft, &h);
    if (status == TAC_OK) tac_soft_hessian_solve_many(&h, ctx->model, c.n, d->W);
    tac_arena_release(&ctx->arena, mark);
    return status == TAC_OK && ctx->margins ? note_margins(ctx, soft, c, d) : status;
}

tacStatus tac_soft_acceleration(tacContext *ctx, const double *x, const double *u, double *qacc) {
    tacSoft soft = {.unsolved = 0};
    size_t mark = tac_arena_mark(&ctx->arena);
    tacStatus status = tac_soft_accelerate(ctx, x, u, &soft);
    if (status == TAC_OK && qacc != NULL) memcpy(qacc, ctx->work.qacc, (size_t)ctx->model->nv * sizeof *qacc);
    tac_arena_release(&ctx->arena, mark);
    return tac_soft_judge(&soft, status);
}

/* Its own acceleration, out of the workspace's way. */
static tacStatus accelerate(tacContext *ctx, const double *x, const double *u, tacSoft *soft, double **a) {
    *a = TAC_TAKE(&ctx->arena, ctx->model->nv, double);
    if (*a == NULL) return TAC_ERR_ARENA_FULL;
    tacStatus status = tac_soft_accelerate(ctx, x, u, soft);
    memcpy(*a, ctx->work.qacc, (size_t)ctx->model->nv * sizeof **a);
    return status;
}

tacStatus tac_soft_acceleration_jac(tacContext *ctx, const double *x, const double *u, double *qacc, double *dqacc) {
    tacSoft soft = {.unsolved = 0};
    tacSoftChanges d = {.W = dqacc};
    tacColumns c = tac_count_columns(ctx);
    size_t mark = tac_arena_mark(&ctx->arena), nv = (size_t)ctx->model->nv;
    double *a;
    tacStatus status = accelerate(ctx, x, u, &soft, &a);
    if (status == TAC_OK && !tac_soft_take_changes(ctx, &soft, c, &d)) status = TAC_ERR_ARENA_FULL;
    if (status == TAC_OK) status = tac_soft_linearize(ctx, x, u, &soft, a, c, &d);
    for (size_t i = 0; status == TAC_OK && i < nv * (size_t)c.n; i++)
        dqacc[i] = -dqacc[i];
    if (status == TAC_OK && qacc != NULL) memcpy(qacc, a, nv * sizeof *qacc);
    tac_arena_release(&ctx->arena, mark);
    return tac_soft_judge(&soft, status);
}

tacStatus tac_soft_acceleration_vjp(tacContext *ctx, const double *x, const double *u, const double *abar,
                                    const tacGrad *bar) {
    tacSoft soft = {.unsolved = 0};
    size_t mark = tac_arena_mark(&ctx->arena), nv = (size_t)ctx->model->nv;
    double *a, *lambda = TAC_TAKE(&ctx->arena, nv, double);
    tacStatus status = lambda == NULL ? TAC_ERR_ARENA_FULL : accelerate(ctx, x, u, &soft, &a);
    if (status == TAC_OK) {
        memcpy(lambda, abar, nv * sizeof *lambda);
        status = tac_soft_solve_hessian(ctx, &soft, lambda);
    }
    if (status == TAC_OK) status = tac_soft_residuals_vjp(ctx, x, u, &soft, a, &(tacSoftDual){.lambda = lambda}, bar);
    if (status == TAC_OK) {
        set_acceleration(ctx, a);
        tac_residual_vjp(ctx, x, u, 0, lambda, bar);
    }
    tac_arena_release(&ctx->arena, mark);
    return tac_soft_judge(&soft, status);
}

/* --- Steps with one acceleration ---------------------------------------------------------------------------------- */

/* 1: a' is a, and stays so: damping that is zero may be a parameter. */
static int is_plain(const tacContext *ctx, const tacSoftMotion *move) {
    return move->finish == TAC_SOFT_PLAIN && (ctx->model->nparam == 0 || tac_damping_span(ctx) == 0);
}

/* W = dR of K a' = ... at a', without forces of constraints. */
static tacStatus used_residual_jac(tacContext *ctx, const double *x, const double *u, const tacSoftMotion *move,
                                   tacColumns c, double *W) {
    set_acceleration(ctx, move->used);
    if (move->finish == TAC_SOFT_IMPLICIT) return tac_implicit_residual_jac(ctx, x, u, &move->K, c, W);
    tac_residual_jac(ctx, x, u, tac_damping_span(ctx), c, W);
    return TAC_OK;
}

/* W = -da -> -da', K = M + h D. Where no parameter moves D, K (a' - a) = -h D a gives
 *
 *   -da' = W + K^-1 (d(M (a' - a)) - h D W)                                                                     (Z12)
 *
 * and M moves with q alone. */
static tacStatus damped_jac(tacContext *ctx, const tacSoftMotion *move, tacColumns c, double *W) {
    const tacModel *m = ctx->model;
    size_t n = (size_t)c.n, nv = (size_t)m->nv;
    double *change = TAC_TAKE(&ctx->arena, nv * n, double), *gain = TAC_TAKE(&ctx->arena, nv, double);
    double span = tac_damping_span(ctx);
    if (change == NULL || gain == NULL) return TAC_ERR_ARENA_FULL;
    for (size_t i = 0; i < nv; i++) { /* the caller releases */
        gain[i] = move->used[i] - move->a[i];
        for (size_t k = 0; k < n; k++)
            change[i * n + k] = -span * m->dof_damping[i] * W[i * n + k];
    }
    tac_mass_mul_jac(m, &ctx->work, gain, c.n, change);
    tac_implicit_solve_many(ctx, &move->K, c.n, change);
    tac_dense_axpy((int)(nv * n), 1, change, W);
    return TAC_OK;
}

/* W = -da -> -da', K a' = M a: forces of constraints are the same at a and a', so that d(K a') - d(M a) is the
 * difference of two residuals without them. */
static tacStatus finish_jac(tacContext *ctx, const double *x, const double *u, const tacSoftMotion *move, tacColumns c,
                            const tacSoftChanges *d) {
    const tacModel *m = ctx->model;
    size_t mark = tac_arena_mark(&ctx->arena), n = (size_t)m->nv * (size_t)c.n;
    if (is_plain(ctx, move)) return TAC_OK;
    double *there = TAC_TAKE(&ctx->arena, n, double), *W = d->W;
    if (there == NULL) return TAC_ERR_ARENA_FULL;
    tacTree tree = tac_dof_tree(m);
    tac_tree_mul_many(&tree, ctx->work.M, c.n, W, there);
    memcpy(W, there, n * sizeof *W);
    tacStatus status = used_residual_jac(ctx, x, u, move, c, there);
    for (size_t i = 0; i < n; i++)
        W[i] += there[i] - d->smooth[i];
    tac_implicit_solve_many(ctx, &move->K, c.n, W);
    tac_arena_release(&ctx->arena, mark);
    return status;
}

tacStatus tac_soft_jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J) {
    const tacModel *m = ctx->model;
    tacSoftMotion move = {.soft = {.unsolved = 0}};
    size_t mark = tac_arena_mark(&ctx->arena);
    tacColumns c = tac_count_columns(ctx);
    size_t numbers = (size_t)m->nv * (size_t)c.n;
    tacSoftChanges d = {.W = TAC_TAKE(&ctx->arena, numbers, double), .smooth = TAC_TAKE(&ctx->arena, numbers, double)};
    tacStatus status = d.smooth == NULL ? TAC_ERR_ARENA_FULL : tac_soft_advance(ctx, x, u, &move);
    int damped = move.finish == TAC_SOFT_DAMPED && c.np == 0;
    if (damped) d.smooth = NULL;
    if (status == TAC_OK && !tac_soft_take_changes(ctx, &move.soft, c, &d)) status = TAC_ERR_ARENA_FULL;
    if (status == TAC_OK) status = tac_soft_linearize(ctx, x, u, &move.soft, move.a, c, &d);
    if (status == TAC_OK) status = damped ? damped_jac(ctx, &move, c, d.W) : finish_jac(ctx, x, u, &move, c, &d);
    if (status == TAC_OK) status = tac_assemble_jac(ctx, x, u, move.hv, c, d.W, J);
    if (status == TAC_OK && y != NULL) memcpy(y, ctx->work.next, (size_t)tac_nx(m) * sizeof *y);
    tac_arena_release(&ctx->arena, mark);
    return tac_soft_judge(&move.soft, status);
}

static tacStatus used_residual_vjp(tacContext *ctx, const double *x, const double *u, const tacSoftMotion *move,
                                   const double *lambda, const tacGrad *bar) {
    set_acceleration(ctx, move->used);
    if (move->finish == TAC_SOFT_IMPLICIT) return tac_implicit_residual_vjp(ctx, x, u, &move->K, lambda, bar);
    tac_residual_vjp(ctx, x, u, tac_damping_span(ctx), lambda, bar);
    return TAC_OK;
}

/* kappa = K^-T times the gradient by a': what goes through a' alone is taken to bar; lambda = M kappa. */
static tacStatus finish_vjp(tacContext *ctx, const double *x, const double *u, const tacSoftMotion *move,
                            double *lambda, double *kappa, const tacGrad *bar) {
    const tacModel *m = ctx->model;
    memset(kappa, 0, (size_t)m->nv * sizeof *kappa);
    if (is_plain(ctx, move)) return TAC_OK;
    memcpy(kappa, lambda, (size_t)m->nv * sizeof *kappa);
    tac_implicit_solve_transposed(ctx, &move->K, kappa);
    tacStatus status = used_residual_vjp(ctx, x, u, move, kappa, bar);
    tac_mass_mul(m, &ctx->work, kappa, lambda);
    return status;
}

static tacStatus pull(tacContext *ctx, const double *x, const double *u, const tacSoftMotion *move, const double *ybar,
                      const tacGrad *g) {
    tacAdjoint adjoint;
    double *kappa = TAC_TAKE(&ctx->arena, ctx->model->nv, double);
    if (kappa == NULL) return TAC_ERR_ARENA_FULL;
    memcpy(ctx->work.vec[0], move->hv, (size_t)ctx->model->nv * sizeof(double));
    tacStatus status = tac_adjoint_begin(ctx, ybar, g->theta != NULL, &adjoint);
    if (status == TAC_OK) status = finish_vjp(ctx, x, u, move, adjoint.lambda, kappa, &adjoint.bar);
    if (status == TAC_OK) status = tac_soft_solve_hessian(ctx, &move->soft, adjoint.lambda);
    tacSoftDual dual = {.lambda = adjoint.lambda};
    if (status == TAC_OK) status = tac_soft_residuals_vjp(ctx, x, u, &move->soft, move->a, &dual, &adjoint.bar);
    set_acceleration(ctx, move->a);
    if (status == TAC_OK) {
        tac_dense_axpy(ctx->model->nv, -1, kappa, adjoint.lambda); /* dR(a) of both */
        status = tac_adjoint_end(ctx, x, u, 0, &adjoint, g);
    }
    return status;
}

tacStatus tac_soft_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    tacSoftMotion move = {.soft = {.unsolved = 0}};
    size_t mark = tac_arena_mark(&ctx->arena);
    tacStatus status = tac_soft_advance(ctx, x, u, &move);
    if (status == TAC_OK) status = pull(ctx, x, u, &move, ybar, g);
    tac_arena_release(&ctx->arena, mark);
    return tac_soft_judge(&move.soft, status);
}
