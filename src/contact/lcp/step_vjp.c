/* Reverse mode of the step with contact lcp. */
#include "math/dense.h"
#include "math/scalar.h"
#include "contact/lcp/bounce_grad.h"
#include "contact/lcp/share.h"
#include "contact/lcp/step.h"
#include "smooth/turning.h"

#include <string.h>

/* Vectors that all islands share in reverse mode. */
typedef struct Reverse {
    double *force, *z; /* nv: J_C^T mu times h; D^1/2 L lambda / h, once it is asked for */
    int has_z;
} Reverse;

static int reverse_layout(Reverse *r, const tacModel *m, tacArena *arena) {
    r->force = TAC_TAKE(arena, m->nv, double);
    r->z = TAC_TAKE(arena, m->nv, double);
    r->has_z = 0;
    return r->force && r->z;
}

static void find_z(const tacContext *ctx, const tacLcp *lcp, const double *lambda, Reverse *r) {
    const tacModel *m = ctx->model;
    tacTree tree = tac_dof_tree(m);
    r->has_z = 1;
    memcpy(r->z, lambda, (size_t)m->nv * sizeof *r->z);
    tac_tree_mul_l(&tree, ctx->work.L, r->z);
    for (int j = 0; j < m->nv; j++)
        r->z[j] /= lcp->h * tac_sqrt(ctx->work.L[m->dof_M_adr[j]]);
}

static double *response_layout(int n, int ndof, tacArena *arena) {
    return TAC_TAKE(arena, (size_t)n * (size_t)ndof, double);
}

/* mu += (A_CC^-T Yhat) z. Forward mode applies the same response. */
static tacStatus respond_reverse(tacContext *ctx, const tacLcp *lcp, const tacLcpSystem *system, const double *lambda,
                                 Reverse *r, double *mu) {
    int n = system->n;
    if (!r->has_z) find_z(ctx, lcp, lambda, r);
    double *line = response_layout(n, system->ndof, &ctx->arena);
    if (line == NULL) return TAC_ERR_ARENA_FULL;
    tac_lcp_system_response(lcp, system, line);
    for (int j = 0; j < system->ndof; j++)
        tac_dense_axpy(n, r->z[system->first + j], line + (size_t)j * (size_t)n, mu);
    return TAC_OK;
}

/* system.work = mu of the island: A_CC^-T (Jhat lambda / h + seedhat) */
static tacStatus solve_reverse(tacContext *ctx, const tacLcp *lcp, const tacLcpSystem *system, const double *seed,
                               const double *lambda, Reverse *r) {
    for (int i = 0; i < system->n; i++)
        system->work[i] = (system->shared ? 0 : tac_lcp_hat_velocity(lcp, system->row[i], lambda) / lcp->h) +
                          (seed == NULL ? 0 : tac_lcp_hat_sum(lcp, system->row[i], seed));
    if (!system->shared || seed != NULL) tac_lu_solve_transposed(system->n, system->lu, system->pivot, system->work);
    return system->shared ? respond_reverse(ctx, lcp, system, lambda, r, system->work) : TAC_OK;
}

/* mu of one island's free rows; r->force += h J_C^T mu. */
static tacStatus answer_island(tacContext *ctx, const tacLcp *lcp, int island, const double *seed, const double *lambda,
                               double *mu, Reverse *r) {
    TAC_SCOPE(&ctx->arena);
    tacLcpSystem system;
    TAC_TRY(tac_lcp_system(ctx->model, lcp, island, &ctx->arena, &system));
    TAC_TRY(solve_reverse(ctx, lcp, &system, seed, lambda, r));
    ctx->info.conditioning = tac_max(ctx->info.conditioning, system.conditioning);
    for (int i = 0; i < system.n; i++) {
        mu[system.row[i]] = system.work[i];
        tac_row_add_force(&lcp->rows, system.row[i], lcp->h * system.work[i], r->force);
    }
    return TAC_OK;
}

void tac_lcp_measure_answer_classes(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    Reverse r;
    reverse_layout(&r, m, dry);
    tac_lcp_measure_system(m, tac_lcp_deriv_rows(m, options), dry);
    response_layout(tac_lcp_deriv_rows(m, options), m->nv, dry);
}

tacStatus tac_lcp_answer_classes(tacContext *ctx, const tacLcp *lcp, const double *seed, double *lambda, double *mu) {
    TAC_SCOPE(&ctx->arena);
    const tacModel *m = ctx->model;
    Reverse r;
    if (!reverse_layout(&r, m, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    memset(r.force, 0, (size_t)m->nv * sizeof *r.force);
    memset(mu, 0, (size_t)lcp->rows.n * sizeof *mu);
    for (int island = 0; island < lcp->nisland; island++)
        TAC_TRY(answer_island(ctx, lcp, island, seed, lambda, mu, &r));
    tac_solve(m, &ctx->work, r.force);
    for (int i = 0; i < m->nv; i++)
        lambda[i] -= r.force[i];
    return TAC_OK;
}

tacStatus tac_lcp_answer_reverse(tacContext *ctx, const tacLcp *lcp, const double *seed, double *lambda, double *mu,
                                 double *share) {
    TAC_TRY(tac_lcp_answer_classes(ctx, lcp, seed, lambda, mu));
    return lcp->limited > 0 ? tac_lcp_share_reverse(ctx, lcp, lambda, mu, share) : TAC_OK;
}

void tac_lcp_measure_answer_reverse(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tac_lcp_measure_answer_classes(m, options, dry);
    tac_lcp_measure_share(m, options, dry);
}

/* Weights of rows and of shares. One extra, so that a step without rows has an address too. */
typedef struct Weights {
    double *mu, *share;
} Weights;

static int weights_layout(Weights *w, int rows, tacArena *arena) {
    w->mu = TAC_TAKE(arena, rows + 1, double);
    w->share = TAC_TAKE(arena, rows + 1, double);
    return w->mu && w->share;
}

tacStatus tac_lcp_pull(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, const double *hv,
                       const double *ybar, const tacGrad *g, const tacLcpDual *dual) {
    TAC_SCOPE(&ctx->arena);
    tacAdjoint adjoint;
    TAC_TRY(tac_lcp_check_rows(lcp));
    memcpy(ctx->work.vec[0], hv, (size_t)ctx->model->nv * sizeof *hv);
    TAC_TRY(tac_adjoint_begin(ctx, ybar, g->theta != NULL, &adjoint));
    Weights w;
    if (!weights_layout(&w, lcp->rows.n, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    tac_solve(ctx->model, &ctx->work, adjoint.lambda);
    TAC_TRY(tac_lcp_answer_reverse(ctx, lcp, NULL, adjoint.lambda, w.mu, w.share));
    TAC_TRY(tac_lcp_residuals_vjp(ctx, x, u, lcp, adjoint.lambda, w.mu, w.share, NULL, &adjoint.bar));
    TAC_TRY(tac_turning_vjp(ctx, x, u, adjoint.lambda, &adjoint.bar));
    TAC_TRY(tac_adjoint_end(ctx, x, u, tac_damping_span(ctx), &adjoint, g));
    if (dual == NULL) return TAC_OK;
    memcpy(dual->tau, adjoint.lambda, (size_t)ctx->model->nv * sizeof *dual->tau);
    memcpy(dual->mu, w.mu, (size_t)lcp->rows.n * sizeof *dual->mu);
    return TAC_OK;
}

void tac_lcp_measure_pull(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tacAdjoint adjoint;
    Weights w;
    tac_adjoint_layout(m, tac_columns_of(m, options), dry, &adjoint);
    weights_layout(&w, tac_lcp_deriv_rows(m, options), dry);
    tac_lcp_measure_answer_reverse(m, options, dry);
    tac_lcp_measure_residuals(m, options, dry);
    tac_turning_measure_deriv(m, options, dry);
}

/* Covectors of gradient mode `bounce`. */
typedef struct Covectors {
    double *bar, *pulled; /* ndx */
} Covectors;

static int covectors_layout(Covectors *v, const tacModel *m, tacArena *arena) {
    v->bar = TAC_TAKE(arena, tac_ndx(m), double);
    v->pulled = TAC_TAKE(arena, tac_ndx(m), double);
    return v->bar && v->pulled;
}

/* Corrects the gradient for gradient mode `bounce`: one more covector, D^T J_i, for each row that bounces. */
static tacStatus correct_vjp(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, const double *hv,
                             const double *ybar, const tacGrad *g) {
    if (ctx->options.gradient != TAC_GRADIENT_BOUNCE || g->x == NULL) return TAC_OK;
    size_t nv = (size_t)ctx->model->nv, ndx = (size_t)tac_ndx(ctx->model);
    tacBounces b;
    Covectors v;
    TAC_TRY(tac_bounces_find(ctx, lcp, &b));
    if (!covectors_layout(&v, ctx->model, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    for (int i = 0; i < b.n; i++) {
        const double *row = b.J + (size_t)i * nv;
        memset(v.bar, 0, ndx * sizeof *v.bar);
        memcpy(v.bar, row, nv * sizeof *v.bar);
        TAC_TRY(tac_lcp_pull(ctx, x, u, lcp, hv, v.bar, &(tacGrad){v.pulled, NULL, NULL}, NULL));
        b.seen[i] = tac_dense_dot((int)nv, v.pulled, row);
    }
    TAC_TRY(tac_bounces_weigh(ctx, &b));
    tac_bounces_vjp(&b, (int)nv, ybar, g->x);
    return TAC_OK;
}

static double *hv_layout(const tacModel *m, tacArena *arena) { return TAC_TAKE(arena, m->nv, double); }

static tacStatus fill_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g,
                          tacLcp *lcp) {
    TAC_TRY(tac_lcp_advance(ctx, x, u, lcp));
    double *hv = hv_layout(ctx->model, &ctx->arena);
    if (hv == NULL) return TAC_ERR_ARENA_FULL;
    memcpy(hv, ctx->work.vec[0], (size_t)ctx->model->nv * sizeof *hv);
    if (ctx->options.gradient == TAC_GRADIENT_COMPLEMENTARITY) return tac_lcp_pull_aware(ctx, x, u, lcp, hv, ybar, g);
    TAC_TRY(tac_lcp_pull(ctx, x, u, lcp, hv, ybar, g, NULL));
    return correct_vjp(ctx, x, u, lcp, hv, ybar, g);
}

tacStatus tac_lcp_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    TAC_SCOPE(&ctx->arena);
    tacLcp lcp = {.unsolved = 0};
    tacStatus status = fill_vjp(ctx, x, u, ybar, g, &lcp);
    return tac_end_step(ctx, status, lcp.unsolved, NULL);
}

void tac_lcp_measure_vjp(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    Covectors v;
    tac_lcp_measure_advance(m, options, dry);
    hv_layout(m, dry);
    if (options->gradient == TAC_GRADIENT_COMPLEMENTARITY) tac_lcp_measure_pull_aware(m, options, dry);
    if (options->gradient == TAC_GRADIENT_BOUNCE) {
        tac_bounces_measure_find(m, tac_lcp_deriv_rows(m, options), dry);
        covectors_layout(&v, m, dry);
        tac_bounces_measure_weigh(tac_lcp_deriv_rows(m, options), dry);
    }
    tac_lcp_measure_pull(m, options, dry);
}
