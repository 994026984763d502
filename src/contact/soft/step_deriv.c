/* Derivatives of the step with contact soft: the implicit function theorem at the optimum (contact/soft/problem.h,
 * Z9). */
#include "contact/soft/problem.h"
#include "dynamics/inverse.h"
#include "math/dense.h"
#include "math/scalar.h"
#include "contact/soft/step.h"

#include <string.h>

/* --- Acceleration ------------------------------------------------------------------------------------------------- */

/* Sets w->qacc, which the derivatives of the smooth part read, to a. */
static void set_acceleration(tacContext *ctx, const double *a) {
    memcpy(ctx->work.qacc, a, (size_t)ctx->model->nv * sizeof *a);
}

/* The solver's factor, if it has one at the solution. */
static tacStatus factor(tacContext *ctx, const tacSoft *soft, tacSoftHessian *h) {
    *h = soft->hessian;
    if (h->J == NULL && !tac_soft_hessian_begin(h, ctx->model, &soft->rows, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    if (!soft->factored && !tac_soft_hessian_factor(h, ctx->model, &ctx->work, soft)) return TAC_ERR_SINGULAR;
    ctx->info.conditioning = tac_max(ctx->info.conditioning, tac_soft_hessian_conditioning(h, ctx->model));
    return TAC_OK;
}

tacStatus tac_soft_solve_hessian(tacContext *ctx, const tacSoft *soft, double *x) {
    TAC_SCOPE(&ctx->arena);
    tacSoftHessian h;
    TAC_TRY(factor(ctx, soft, &h));
    tac_soft_hessian_solve(&h, ctx->model, x);
    return TAC_OK;
}

/* Newton's method leaves the Hessian if the problem has rows. */
void tac_soft_measure_solve_hessian(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    if (options->soft_solver == TAC_SOLVER_CG) tac_soft_measure_hessian(m, dry);
}

int tac_soft_changes_layout(tacSoftChanges *d, int rows, tacColumns c, tacArena *arena) {
    size_t numbers = (size_t)rows * (size_t)c.n;
    d->dy = TAC_TAKE(arena, numbers, double);
    d->dr = TAC_TAKE(arena, numbers, double);
    return d->dy && d->dr;
}

/* Least change of one number that brings a block to another zone, to first order. y moves by dy + J da, with da = -W.
 * change: scratch for a row. */
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

/* Rows of zone_margin. */
typedef struct Margins {
    double *change, *square; /* c.n */
} Margins;

static int margins_layout(Margins *k, tacColumns c, tacArena *arena) {
    k->change = TAC_TAKE(arena, c.n, double);
    k->square = TAC_TAKE(arena, c.n, double);
    return k->change && k->square;
}

static tacStatus note_margins(tacContext *ctx, const tacSoft *soft, tacColumns c, const tacSoftChanges *d) {
    TAC_SCOPE(&ctx->arena);
    Margins rows;
    double least = ctx->info.force_margin > 0 ? ctx->info.force_margin : TAC_INFINITY;
    if (!margins_layout(&rows, c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    for (int k = 0; k < soft->nblock; k++)
        least = tac_min(least, zone_margin(soft, &soft->block[k], c, d, rows.change, rows.square));
    ctx->info.force_margin = least;
    return TAC_OK;
}

tacStatus tac_soft_linearize(tacContext *ctx, const double *x, const double *u, const tacSoft *soft, const double *a,
                             tacColumns c, const tacSoftChanges *d) {
    {
        TAC_SCOPE(&ctx->arena);
        tacSoftHessian h;
        set_acceleration(ctx, a);
        tac_residual_jac(ctx, x, u, 0, c, d->W);
        if (d->smooth != NULL) memcpy(d->smooth, d->W, (size_t)ctx->model->nv * (size_t)c.n * sizeof *d->W);
        TAC_TRY(tac_soft_residuals_jac(ctx, x, u, soft, a, c, d));
        TAC_TRY(factor(ctx, soft, &h));
        tac_soft_hessian_solve_many(&h, ctx->model, c.n, d->W);
    }
    return ctx->margins ? note_margins(ctx, soft, c, d) : TAC_OK;
}

void tac_soft_measure_linearize(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tac_soft_measure_residuals_jac(m, options, dry);
    tac_soft_measure_solve_hessian(m, options, dry);
    TAC_SCOPE(dry);
    Margins rows;
    margins_layout(&rows, tac_columns_of(m, options), dry);
}

tacStatus tac_soft_acceleration(tacContext *ctx, const double *x, const double *u, double *qacc) {
    TAC_SCOPE(&ctx->arena);
    tacSoft soft = {.unsolved = 0};
    TAC_TRY(tac_soft_accelerate(ctx, x, u, &soft));
    if (qacc != NULL) memcpy(qacc, ctx->work.qacc, (size_t)ctx->model->nv * sizeof *qacc);
    return tac_end_step(ctx, TAC_OK, soft.unsolved, NULL);
}

double *tac_soft_acceleration_layout(const tacModel *m, tacArena *arena) { return TAC_TAKE(arena, m->nv, double); }

tacStatus tac_soft_accelerate_apart(tacContext *ctx, const double *x, const double *u, tacSoft *soft, double **a) {
    *a = tac_soft_acceleration_layout(ctx->model, &ctx->arena);
    if (*a == NULL) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_soft_accelerate(ctx, x, u, soft));
    memcpy(*a, ctx->work.qacc, (size_t)ctx->model->nv * sizeof **a);
    return TAC_OK;
}

tacStatus tac_soft_acceleration_jac(tacContext *ctx, const double *x, const double *u, tacColumns c, double *qacc,
                                    double *dqacc) {
    TAC_SCOPE(&ctx->arena);
    tacSoft soft = {.unsolved = 0};
    tacSoftChanges d = {.W = dqacc};
    size_t nv = (size_t)ctx->model->nv;
    double *a;
    TAC_TRY(tac_soft_accelerate_apart(ctx, x, u, &soft, &a));
    if (!tac_soft_changes_layout(&d, soft.rows.n, c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_soft_linearize(ctx, x, u, &soft, a, c, &d));
    for (size_t i = 0; i < nv * (size_t)c.n; i++)
        dqacc[i] = -dqacc[i];
    if (qacc != NULL) memcpy(qacc, a, nv * sizeof *qacc);
    return tac_end_step(ctx, TAC_OK, soft.unsolved, NULL);
}

static double *lambda_layout(const tacModel *m, tacArena *arena) { return TAC_TAKE(arena, m->nv, double); }

tacStatus tac_soft_acceleration_vjp(tacContext *ctx, const double *x, const double *u, const double *abar,
                                    const tacGrad *bar) {
    TAC_SCOPE(&ctx->arena);
    tacSoft soft = {.unsolved = 0};
    double *a, *lambda = lambda_layout(ctx->model, &ctx->arena);
    if (lambda == NULL) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_soft_accelerate_apart(ctx, x, u, &soft, &a));
    memcpy(lambda, abar, (size_t)ctx->model->nv * sizeof *lambda);
    TAC_TRY(tac_soft_solve_hessian(ctx, &soft, lambda));
    TAC_TRY(tac_soft_residuals_vjp(ctx, x, u, &soft, a, &(tacSoftDual){.lambda = lambda}, bar));
    set_acceleration(ctx, a);
    tac_residual_vjp(ctx, x, u, 0, lambda, bar);
    return tac_end_step(ctx, TAC_OK, soft.unsolved, NULL);
}

void tac_soft_measure_accelerations(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tacSoftChanges d;
    lambda_layout(m, dry);
    tac_soft_acceleration_layout(m, dry);
    tac_soft_measure_accelerate(m, options, dry);
    tac_soft_measure_solve_hessian(m, options, dry);
    tac_soft_measure_residuals_vjp(m, options, dry);
    tac_soft_changes_layout(&d, tac_rows_max(m, options->max_contacts), tac_columns_of(m, options), dry);
    tac_soft_measure_linearize(m, options, dry);
}

/* --- Steps with one acceleration ---------------------------------------------------------------------------------- */

/* 1: a' equals a, whatever the parameters. Damping that is zero now may be a parameter. */
static int is_plain(const tacContext *ctx, const tacSoftMotion *move) {
    return move->finish == TAC_SOFT_PLAIN && (ctx->model->nparam == 0 || tac_damping_span(ctx) == 0);
}

/* W = dR of K a' = ... at a', without constraint forces. */
static tacStatus used_residual_jac(tacContext *ctx, const double *x, const double *u, const tacSoftMotion *move,
                                   tacColumns c, double *W) {
    set_acceleration(ctx, move->used);
    if (move->finish == TAC_SOFT_IMPLICIT) return tac_implicit_residual_jac(ctx, x, u, &move->K, c, W);
    tac_residual_jac(ctx, x, u, tac_damping_span(ctx), c, W);
    return TAC_OK;
}

/* Intermediate changes from a to a', and a' - a. */
typedef struct Finish {
    double *change, *gain; /* nv x c.n, nv */
} Finish;

static int finish_layout(Finish *f, const tacModel *m, tacColumns c, tacArena *arena) {
    f->change = TAC_TAKE(arena, (size_t)m->nv * (size_t)c.n, double);
    f->gain = TAC_TAKE(arena, m->nv, double);
    return f->change && f->gain;
}

/* W = -da -> -da', K = M + h D. If no parameter moves D, K (a' - a) = -h D a gives
 *
 *   -da' = W + K^-1 (d(M (a' - a)) - h D W)                                                                     (Z12)
 *
 * M moves with q alone. */
static tacStatus damped_jac(tacContext *ctx, const tacSoftMotion *move, tacColumns c, double *W) {
    TAC_SCOPE(&ctx->arena);
    const tacModel *m = ctx->model;
    size_t n = (size_t)c.n, nv = (size_t)m->nv;
    double span = tac_damping_span(ctx);
    Finish f;
    if (!finish_layout(&f, m, c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    for (size_t i = 0; i < nv; i++) {
        f.gain[i] = move->used[i] - move->a[i];
        for (size_t k = 0; k < n; k++)
            f.change[i * n + k] = -span * m->dof_damping[i] * W[i * n + k];
    }
    if (c.along != NULL) {
        tac_mass_mul_jvp(m, &ctx->work, f.gain, c.along, ctx->work.vec[1]);
        tac_dense_axpy(m->nv, 1, ctx->work.vec[1], f.change);
    } else {
        tac_mass_mul_jac(m, &ctx->work, f.gain, c.n, f.change);
    }
    tac_implicit_solve_many(ctx, &move->K, c.n, f.change);
    tac_dense_axpy((int)(nv * n), 1, f.change, W);
    return TAC_OK;
}

/* W = -da -> -da', K a' = M a. Constraint forces are the same at a and a', so d(K a') - d(M a) is the difference of two
 * residuals without them. */
static tacStatus finish_jac(tacContext *ctx, const double *x, const double *u, const tacSoftMotion *move, tacColumns c,
                            const tacSoftChanges *d) {
    if (is_plain(ctx, move)) return TAC_OK;
    TAC_SCOPE(&ctx->arena);
    const tacModel *m = ctx->model;
    size_t n = (size_t)m->nv * (size_t)c.n;
    double *W = d->W;
    Finish f;
    if (!finish_layout(&f, m, c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    tacTree tree = tac_dof_tree(m);
    tac_tree_mul_many(&tree, ctx->work.M, c.n, W, f.change);
    memcpy(W, f.change, n * sizeof *W);
    TAC_TRY(used_residual_jac(ctx, x, u, move, c, f.change));
    for (size_t i = 0; i < n; i++)
        W[i] += f.change[i] - d->smooth[i];
    tac_implicit_solve_many(ctx, &move->K, c.n, W);
    return TAC_OK;
}

int tac_soft_matrices_layout(tacSoftChanges *d, const tacModel *m, tacColumns c, tacArena *arena) {
    size_t numbers = (size_t)m->nv * (size_t)c.n;
    d->W = TAC_TAKE(arena, numbers, double);
    d->smooth = TAC_TAKE(arena, numbers, double);
    return d->W && d->smooth;
}

/* *W = -da' of the columns c. Takes from the arena. */
static tacStatus change_acceleration(tacContext *ctx, const double *x, const double *u, tacColumns c,
                                     tacSoftMotion *move, double **W) {
    tacSoftChanges d = {.wrench = NULL};
    if (!tac_soft_matrices_layout(&d, ctx->model, c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_soft_advance(ctx, x, u, move));
    int damped = move->finish == TAC_SOFT_DAMPED && c.np == 0;
    if (damped) d.smooth = NULL;
    if (!tac_soft_changes_layout(&d, move->soft.rows.n, c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_soft_linearize(ctx, x, u, &move->soft, move->a, c, &d));
    *W = d.W;
    return damped ? damped_jac(ctx, move, c, d.W) : finish_jac(ctx, x, u, move, c, &d);
}

static tacStatus fill_jac(tacContext *ctx, const double *x, const double *u, const tacJac *J, tacSoftMotion *move) {
    tacColumns c = tac_count_columns(ctx);
    double *W;
    TAC_TRY(change_acceleration(ctx, x, u, c, move, &W));
    return tac_assemble_jac(ctx, x, u, move->hv, c, W, J);
}

static tacStatus fill_jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, tacSoftMotion *move,
                          double *dy) {
    double *W;
    TAC_TRY(change_acceleration(ctx, x, u, c, move, &W));
    return tac_assemble_jvp(ctx, x, u, move->hv, c, W, dy);
}

tacStatus tac_soft_jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, double *y, double *dy) {
    TAC_SCOPE(&ctx->arena);
    tacSoftMotion move = {.soft = {.unsolved = 0}};
    tacStatus status = fill_jvp(ctx, x, u, c, &move, dy);
    return tac_end_step(ctx, status, move.soft.unsolved, y);
}

tacStatus tac_soft_jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J) {
    TAC_SCOPE(&ctx->arena);
    tacSoftMotion move = {.soft = {.unsolved = 0}};
    tacStatus status = fill_jac(ctx, x, u, J, &move);
    return tac_end_step(ctx, status, move.soft.unsolved, y);
}

void tac_soft_measure_jac(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tacColumns c = tac_columns_of(m, options);
    tacSoftChanges d;
    Finish f;
    tac_soft_matrices_layout(&d, m, c, dry);
    tac_soft_measure_advance(m, options, dry);
    tac_soft_changes_layout(&d, tac_rows_max(m, options->max_contacts), c, dry);
    tac_soft_measure_linearize(m, options, dry);
    finish_layout(&f, m, c, dry);
    tac_implicit_measure_residual(m, dry);
}

static tacStatus used_residual_vjp(tacContext *ctx, const double *x, const double *u, const tacSoftMotion *move,
                                   const double *lambda, const tacGrad *bar) {
    set_acceleration(ctx, move->used);
    if (move->finish == TAC_SOFT_IMPLICIT) return tac_implicit_residual_vjp(ctx, x, u, &move->K, lambda, bar);
    tac_residual_vjp(ctx, x, u, tac_damping_span(ctx), lambda, bar);
    return TAC_OK;
}

/* kappa = K^-T times the gradient by a'. Adds to bar the part that goes through a' alone. lambda = M kappa. */
static tacStatus finish_vjp(tacContext *ctx, const double *x, const double *u, const tacSoftMotion *move,
                            double *lambda, double *kappa, const tacGrad *bar) {
    const tacModel *m = ctx->model;
    memset(kappa, 0, (size_t)m->nv * sizeof *kappa);
    if (is_plain(ctx, move)) return TAC_OK;
    memcpy(kappa, lambda, (size_t)m->nv * sizeof *kappa);
    tac_implicit_solve_transposed(ctx, &move->K, kappa);
    TAC_TRY(used_residual_vjp(ctx, x, u, move, kappa, bar));
    tac_mass_mul(m, &ctx->work, kappa, lambda);
    return TAC_OK;
}

static tacStatus pull(tacContext *ctx, const double *x, const double *u, const tacSoftMotion *move, const double *ybar,
                      const tacGrad *g) {
    tacAdjoint adjoint;
    double *kappa = lambda_layout(ctx->model, &ctx->arena);
    if (kappa == NULL) return TAC_ERR_ARENA_FULL;
    memcpy(ctx->work.vec[0], move->hv, (size_t)ctx->model->nv * sizeof(double));
    TAC_TRY(tac_adjoint_begin(ctx, ybar, g->theta != NULL, &adjoint));
    TAC_TRY(finish_vjp(ctx, x, u, move, adjoint.lambda, kappa, &adjoint.bar));
    TAC_TRY(tac_soft_solve_hessian(ctx, &move->soft, adjoint.lambda));
    tacSoftDual dual = {.lambda = adjoint.lambda};
    TAC_TRY(tac_soft_residuals_vjp(ctx, x, u, &move->soft, move->a, &dual, &adjoint.bar));
    set_acceleration(ctx, move->a);
    tac_dense_axpy(ctx->model->nv, -1, kappa, adjoint.lambda); /* dR(a) of both */
    return tac_adjoint_end(ctx, x, u, 0, &adjoint, g);
}

static tacStatus fill_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g,
                          tacSoftMotion *move) {
    TAC_TRY(tac_soft_advance(ctx, x, u, move));
    return pull(ctx, x, u, move, ybar, g);
}

tacStatus tac_soft_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    TAC_SCOPE(&ctx->arena);
    tacSoftMotion move = {.soft = {.unsolved = 0}};
    tacStatus status = fill_vjp(ctx, x, u, ybar, g, &move);
    return tac_end_step(ctx, status, move.soft.unsolved, NULL);
}

void tac_soft_measure_vjp(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tac_soft_measure_advance(m, options, dry);
    lambda_layout(m, dry);
    tacAdjoint adjoint;
    tac_adjoint_layout(m, tac_columns_of(m, options), dry, &adjoint);
    tac_soft_measure_solve_hessian(m, options, dry);
    tac_soft_measure_residuals_vjp(m, options, dry);
    tac_implicit_measure_residual(m, dry);
}
