/* Reverse mode of the step with contact lcp. */
#include "math/dense.h"
#include "math/scalar.h"
#include "contact/lcp/bounce_grad.h"
#include "contact/lcp/step.h"

#include <string.h>

/* mu = (A_CC^-T Yhat) D^1/2 L lambda / h, by the response that forward mode applies too. */
static tacStatus respond_reverse(tacContext *ctx, const tacLcp *lcp, const tacLcpSystem *system, const double *lambda,
                                 double *mu) {
    const tacModel *m = ctx->model;
    int n = system->n;
    double *z = TAC_TAKE(&ctx->arena, m->nv, double), *line = TAC_TAKE(&ctx->arena, (size_t)n * (size_t)m->nv, double);
    if (z == NULL || line == NULL) return TAC_ERR_ARENA_FULL;
    tacTree tree = tac_dof_tree(m);
    memcpy(z, lambda, (size_t)m->nv * sizeof *z);
    tac_tree_mul_l(&tree, ctx->work.L, z);
    tac_lcp_system_response(lcp, system, m->nv, line);
    for (int j = 0; j < m->nv; j++)
        tac_dense_axpy(n, z[j] / (lcp->h * tac_sqrt(ctx->work.L[m->dof_M_adr[j]])), line + (size_t)j * (size_t)n, mu);
    return TAC_OK;
}

/* system.work = mu of the island: A_CC^-T (Jhat lambda / h + seedhat) */
static tacStatus solve_reverse(tacContext *ctx, const tacLcp *lcp, const tacLcpSystem *system, const double *seed,
                               const double *lambda) {
    for (int i = 0; i < system->n; i++)
        system->work[i] = (system->shared ? 0 : tac_lcp_hat_velocity(lcp, system->row[i], lambda) / lcp->h) +
                          (seed == NULL ? 0 : tac_lcp_hat_sum(lcp, system->row[i], seed));
    if (!system->shared || seed != NULL) tac_lu_solve_transposed(system->n, system->lu, system->pivot, system->work);
    return system->shared ? respond_reverse(ctx, lcp, system, lambda, system->work) : TAC_OK;
}

tacStatus tac_lcp_answer_reverse(tacContext *ctx, const tacLcp *lcp, const double *seed, double *lambda, double *mu) {
    const tacModel *m = ctx->model;
    double *force = TAC_TAKE(&ctx->arena, m->nv, double);
    if (force == NULL) return TAC_ERR_ARENA_FULL;
    memset(force, 0, (size_t)m->nv * sizeof *force);
    memset(mu, 0, (size_t)lcp->rows.n * sizeof *mu);
    for (int island = 0; island < lcp->nisland; island++) {
        size_t mark = tac_arena_mark(&ctx->arena);
        tacLcpSystem system;
        tacStatus status = tac_lcp_system(ctx->model, lcp, island, &ctx->arena, &system);
        if (status == TAC_OK) status = solve_reverse(ctx, lcp, &system, seed, lambda);
        if (status != TAC_OK) return status;
        ctx->info.conditioning = tac_max(ctx->info.conditioning, system.conditioning);
        for (int i = 0; i < system.n; i++) {
            mu[system.row[i]] = system.work[i];
            tac_row_add_force(&lcp->rows, system.row[i], lcp->h * system.work[i], force);
        }
        tac_arena_release(&ctx->arena, mark);
    }
    tac_solve(m, &ctx->work, force);
    for (int i = 0; i < m->nv; i++)
        lambda[i] -= force[i];
    return TAC_OK;
}

tacStatus tac_lcp_pull(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, const double *hv,
                       const double *ybar, const tacGrad *g, const tacLcpDual *dual) {
    tacAdjoint adjoint;
    size_t mark = tac_arena_mark(&ctx->arena);
    memcpy(ctx->work.vec[0], hv, (size_t)ctx->model->nv * sizeof *hv);
    tacStatus status = tac_adjoint_begin(ctx, ybar, g->theta != NULL, &adjoint);
    double *mu = status == TAC_OK ? TAC_TAKE(&ctx->arena, lcp->rows.n + 1, double) : NULL;
    if (status == TAC_OK && mu == NULL) status = TAC_ERR_ARENA_FULL;
    if (status == TAC_OK) {
        tac_solve(ctx->model, &ctx->work, adjoint.lambda);
        status = tac_lcp_answer_reverse(ctx, lcp, NULL, adjoint.lambda, mu);
    }
    if (status == TAC_OK) status = tac_lcp_residuals_vjp(ctx, x, u, lcp, adjoint.lambda, mu, NULL, &adjoint.bar);
    if (status == TAC_OK) status = tac_adjoint_end(ctx, x, u, tac_damping_span(ctx), &adjoint, g);
    if (status == TAC_OK && dual != NULL) {
        memcpy(dual->tau, adjoint.lambda, (size_t)ctx->model->nv * sizeof *mu);
        memcpy(dual->mu, mu, (size_t)lcp->rows.n * sizeof *mu);
    }
    tac_arena_release(&ctx->arena, mark);
    return status;
}

/* What the gradient mode changes of the gradient; one more covector for each row that bounces: D^T J_i. */
static tacStatus correct_vjp(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, const double *hv,
                             const double *ybar, const tacGrad *g) {
    if (ctx->options.gradient != TAC_GRADIENT_BOUNCE || g->x == NULL) return TAC_OK;
    int nv = ctx->model->nv, ndx = tac_ndx(ctx->model);
    tacBounces b;
    tacStatus status = tac_bounces_find(ctx, lcp, &b);
    double *seen = TAC_TAKE(&ctx->arena, b.n, double), *bar = TAC_TAKE(&ctx->arena, ndx, double);
    double *pulled = TAC_TAKE(&ctx->arena, ndx, double);
    if (status == TAC_OK && (seen == NULL || bar == NULL || pulled == NULL)) status = TAC_ERR_ARENA_FULL;
    for (int i = 0; i < b.n && status == TAC_OK; i++) {
        const double *row = b.J + (size_t)i * (size_t)nv;
        memset(bar, 0, (size_t)ndx * sizeof *bar);
        memcpy(bar, row, (size_t)nv * sizeof *bar);
        status = tac_lcp_pull(ctx, x, u, lcp, hv, bar, &(tacGrad){pulled, NULL, NULL}, NULL);
        seen[i] = tac_dense_dot(nv, pulled, row);
    }
    if (status == TAC_OK) status = tac_bounces_weigh(ctx, &b, seen);
    if (status == TAC_OK) tac_bounces_vjp(&b, nv, ybar, g->x);
    return status;
}

tacStatus tac_lcp_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    tacLcp lcp = {.unsolved = 0};
    size_t mark = tac_arena_mark(&ctx->arena);
    tacStatus status = tac_lcp_advance(ctx, x, u, &lcp);
    double *hv = TAC_TAKE(&ctx->arena, ctx->model->nv, double);
    if (status == TAC_OK && hv == NULL) status = TAC_ERR_ARENA_FULL;
    if (status == TAC_OK) {
        memcpy(hv, ctx->work.vec[0], (size_t)ctx->model->nv * sizeof *hv);
        status = ctx->options.gradient == TAC_GRADIENT_COMPLEMENTARITY
                     ? tac_lcp_pull_aware(ctx, x, u, &lcp, hv, ybar, g)
                     : tac_lcp_pull(ctx, x, u, &lcp, hv, ybar, g, NULL);
    }
    if (status == TAC_OK) status = correct_vjp(ctx, x, u, &lcp, hv, ybar, g);
    tac_arena_release(&ctx->arena, mark);
    return tac_lcp_judge(&lcp, status);
}
