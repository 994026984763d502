/* Complementarity-aware gradients [Werling2021, IV-D; docs/theory/contact.md, L10].
 *
 * A contact that holds zeroes every gradient towards motions that would break it, and one that is open knows nothing of
 * the force it could give. So a second set of classes is tried, by what the loss asks of each contact's velocity: with
 * lambda = Mhat^-1 abar, J_k lambda has the sign of dl/d(J_k v+),
 *
 *   J_k lambda < 0   the loss falls when the contact opens: no force
 *   J_k lambda > 0   it falls when the contact closes: held, friction sticks
 *
 * and of both gradients the one with the larger |dl/dq|^2 + |dl/dtau|^2 / h is the answer. In this comparison dl/dq is
 * without what the shift of a held row gives it, mu_k J_k / h, which says no more than that the row is put back to its
 * surface within the step. */
#include "math/dense.h"
#include "contact/lcp/step.h"

#include <string.h>

/* A row that can open, and whether it touches now, so that it may be held as well. */
static int is_one_sided(const tacLcp *lcp, int k) {
    return lcp->parent[k] < 0 && lcp->low[k] == 0 && !(lcp->bounce[k] > 0);
}

static int touches(const tacLcp *lcp, int k) {
    const tacRow *row = &lcp->rows.row[k];
    return row->kind == TAC_ROW_CONTACT && row->pos <= lcp->rows.contact[row->id].include;
}

/* Class of a row and of those that hang on it. */
static void set_class(const tacLcp *lcp, int k, int held, int *row_class) {
    row_class[k] = held ? TAC_ROW_FREE : TAC_ROW_LOW;
    for (int l = k + 1; l <= k + 2 && l < lcp->rows.n; l++)
        if (lcp->parent[l] == k) row_class[l] = held ? TAC_ROW_FREE : TAC_ROW_OFF;
}

/* -> classes that the loss asks for; 0: they are those of the step. */
static int ask_loss(const tacLcp *lcp, const double *lambda, int *row_class) {
    int changed = 0;
    memcpy(row_class, lcp->row_class, (size_t)lcp->rows.n * sizeof *row_class);
    for (int k = 0; k < lcp->rows.n; k++) {
        if (!is_one_sided(lcp, k)) continue;
        double sign = tac_row_velocity(&lcp->rows, k, lambda);
        int held = lcp->row_class[k] == TAC_ROW_FREE;
        if ((held && sign < 0) || (!held && sign > 0 && touches(lcp, k)))
            set_class(lcp, k, !held, row_class), changed++;
    }
    return changed;
}

/* Mhat^-1 abar. */
static tacStatus free_lambda(tacContext *ctx, const double *hv, const double *ybar, double *lambda) {
    tacAdjoint adjoint;
    size_t mark = tac_arena_mark(&ctx->arena);
    memcpy(ctx->work.vec[0], hv, (size_t)ctx->model->nv * sizeof *hv);
    tacStatus status = tac_adjoint_begin(ctx, ybar, 0, &adjoint);
    if (status == TAC_OK) {
        tac_solve(ctx->model, &ctx->work, adjoint.lambda);
        memcpy(lambda, adjoint.lambda, (size_t)ctx->model->nv * sizeof *lambda);
    }
    tac_arena_release(&ctx->arena, mark);
    return status;
}

/* A gradient of its own, and its size. */
typedef struct Candidate {
    tacGrad grad;
    tacLcpDual dual;
    double size;
} Candidate;

static int take_candidate(tacContext *ctx, int rows, int theta, Candidate *c) {
    tacColumns n = tac_count_columns(ctx);
    double *all = TAC_TAKE(&ctx->arena, n.n, double);
    c->dual.tau = TAC_TAKE(&ctx->arena, ctx->model->nv, double);
    c->dual.mu = TAC_TAKE(&ctx->arena, rows, double);
    if (all == NULL || c->dual.tau == NULL || c->dual.mu == NULL) return 0;
    c->grad = (tacGrad){all, all + n.nx, theta ? all + n.nx + n.nu : NULL};
    return 1;
}

/* dq: scratch, nv. */
static double size_of(const tacContext *ctx, const tacLcp *lcp, const Candidate *c, double *dq) {
    int nv = ctx->model->nv;
    memcpy(dq, c->grad.x, (size_t)nv * sizeof *dq);
    for (int k = 0; k < lcp->rows.n; k++)
        if (c->dual.mu[k] != 0 && is_one_sided(lcp, k))
            tac_row_add_force(&lcp->rows, k, c->dual.mu[k] * tac_lcp_shift_rate(lcp, k), dq);
    return tac_dense_dot(nv, dq, dq) + tac_dense_dot(nv, c->dual.tau, c->dual.tau) / lcp->h;
}

static tacStatus try_classes(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, const double *hv,
                             const double *ybar, double *dq, Candidate *c) {
    tacStatus status = tac_lcp_pull(ctx, x, u, lcp, hv, ybar, &c->grad, &c->dual);
    if (status == TAC_OK) c->size = size_of(ctx, lcp, c, dq);
    return status;
}

tacStatus tac_lcp_pull_aware(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, const double *hv,
                             const double *ybar, const tacGrad *g) {
    tacLcp asked = *lcp;
    Candidate own, other;
    double *lambda = TAC_TAKE(&ctx->arena, ctx->model->nv, double), *dq = TAC_TAKE(&ctx->arena, ctx->model->nv, double);
    asked.row_class = TAC_TAKE(&ctx->arena, lcp->rows.n + 1, int);
    int there = take_candidate(ctx, lcp->rows.n, g->theta != NULL, &own) &
                take_candidate(ctx, lcp->rows.n, g->theta != NULL, &other);
    if (lambda == NULL || dq == NULL || asked.row_class == NULL || !there) return TAC_ERR_ARENA_FULL;
    tacStatus status = free_lambda(ctx, hv, ybar, lambda);
    if (status == TAC_OK) status = try_classes(ctx, x, u, lcp, hv, ybar, dq, &own);
    int changed = status == TAC_OK && ask_loss(lcp, lambda, asked.row_class) > 0;
    if (changed) status = try_classes(ctx, x, u, &asked, hv, ybar, dq, &other);
    if (status == TAC_OK)
        status = tac_copy_grad(changed && other.size > own.size ? &other.grad : &own.grad, tac_count_columns(ctx), g);
    return status;
}

size_t tac_lcp_aware_scratch(const tacModel *m, const tacOptions *options) {
    size_t rows = (size_t)tac_rows_max(m, options->max_contacts);
    return 2 * (tac_room((size_t)tac_columns_of(m, options).n) + tac_room(rows)) + 5 * tac_room((size_t)m->nv) +
           tac_arena_round((rows + 1) * sizeof(int));
}
