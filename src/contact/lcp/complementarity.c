/* Complementarity-aware gradients [Werling2021, IV-D; docs/theory/contact.md, L10].
 *
 * A held contact zeroes every gradient towards motions that would break it. An open contact has no gradient of the
 * force it could give. So a second set of classes is tried. The sign of the loss's gradient by each contact's velocity
 * chooses them. With lambda = Mhat^-1 abar, J_k lambda has the sign of dl/d(J_k v+):
 *
 *   J_k lambda < 0   the loss falls when the contact opens: no force
 *   J_k lambda > 0   it falls when the contact closes: held, friction sticks
 *
 * The answer is the gradient with the larger |dl/dq|^2 + |dl/dtau|^2 / h. The comparison omits the term mu_k J_k / h
 * that the shift of a held row adds to dl/dq. This term says only that the step returns the row to its surface. */
#include "math/dense.h"
#include "contact/lcp/step.h"

#include <string.h>

/* 1: the row can open. It is a contact or limit that does not bounce. */
static int is_one_sided(const tacLcp *lcp, int k) {
    return lcp->parent[k] < 0 && lcp->low[k] == 0 && !(lcp->bounce[k] > 0);
}

/* 1: the contact touches now and may be held. */
static int touches(const tacLcp *lcp, int k) {
    const tacRow *row = &lcp->rows.row[k];
    return row->kind == TAC_ROW_CONTACT && row->pos <= lcp->rows.contact[row->id].include;
}

/* Sets the class of a row and of its children. */
static void set_class(const tacLcp *lcp, int k, int held, int *row_class) {
    row_class[k] = held ? TAC_ROW_FREE : TAC_ROW_LOW;
    for (int l = k + 1; l <= k + 2 && l < lcp->rows.n; l++)
        if (lcp->parent[l] == k) row_class[l] = held ? TAC_ROW_FREE : TAC_ROW_OFF;
}

/* Finds the classes that the loss asks for. 0: they equal those of the step. */
static int ask_loss(const tacLcp *lcp, const double *lambda, int *row_class) {
    int changed = 0;
    memcpy(row_class, lcp->row_class, (size_t)lcp->rows.n * sizeof *row_class);
    for (int k = 0; k < lcp->rows.n; k++) {
        if (!is_one_sided(lcp, k)) continue;
        double sign = tac_row_velocity(&lcp->rows, k, lambda);
        int held = lcp->row_class[k] == TAC_ROW_FREE;
        if ((held && sign < 0) || (!held && sign > 0 && touches(lcp, k))) {
            set_class(lcp, k, !held, row_class);
            changed++;
        }
    }
    return changed;
}

/* Mhat^-1 abar. */
static tacStatus free_lambda(tacContext *ctx, const double *hv, const double *ybar, double *lambda) {
    TAC_SCOPE(&ctx->arena);
    tacAdjoint adjoint;
    memcpy(ctx->work.vec[0], hv, (size_t)ctx->model->nv * sizeof *hv);
    TAC_TRY(tac_adjoint_begin(ctx, ybar, 0, &adjoint));
    tac_solve(ctx->model, &ctx->work, adjoint.lambda);
    memcpy(lambda, adjoint.lambda, (size_t)ctx->model->nv * sizeof *lambda);
    return TAC_OK;
}

/* A gradient and its size. */
typedef struct Candidate {
    tacGrad grad;
    tacLcpDual dual;
    double size;
} Candidate;

static int candidate_layout(Candidate *c, const tacModel *m, int rows, tacColumns n, tacArena *arena) {
    double *all = TAC_TAKE(arena, n.n, double);
    c->dual.tau = TAC_TAKE(arena, m->nv, double);
    c->dual.mu = TAC_TAKE(arena, rows, double);
    if (all == NULL || c->dual.tau == NULL || c->dual.mu == NULL) return 0;
    c->grad = (tacGrad){all, all + n.nx, all + n.nx + n.nu};
    return 1;
}

/* Both gradients and their scratch. */
typedef struct Aware {
    Candidate own, other;
    double *lambda, *dq; /* nv */
    int *row_class;      /* rows + 1: classes that the loss asks for */
} Aware;

static int layout(Aware *a, const tacModel *m, int rows, tacColumns n, tacArena *arena) {
    a->lambda = TAC_TAKE(arena, m->nv, double);
    a->dq = TAC_TAKE(arena, m->nv, double);
    a->row_class = TAC_TAKE(arena, rows + 1, int);
    return a->lambda && a->dq && a->row_class && candidate_layout(&a->own, m, rows, n, arena) &&
           candidate_layout(&a->other, m, rows, n, arena);
}

void tac_lcp_measure_pull_aware(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    Aware a;
    layout(&a, m, tac_lcp_deriv_rows(m, options), tac_columns_of(m, options), dry);
    tac_lcp_measure_pull(m, options, dry);
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
    TAC_TRY(tac_lcp_pull(ctx, x, u, lcp, hv, ybar, &c->grad, &c->dual));
    c->size = size_of(ctx, lcp, c, dq);
    return TAC_OK;
}

tacStatus tac_lcp_pull_aware(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, const double *hv,
                             const double *ybar, const tacGrad *g) {
    TAC_SCOPE(&ctx->arena);
    tacColumns n = tac_count_columns(ctx);
    tacLcp asked = *lcp;
    Aware a;
    TAC_TRY(tac_lcp_check_rows(lcp));
    if (!layout(&a, ctx->model, lcp->rows.n, n, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    if (g->theta == NULL) a.own.grad.theta = a.other.grad.theta = NULL;
    asked.row_class = a.row_class;
    asked.limited = 0; /* shares of restitution belong to the step's own classes */
    TAC_TRY(free_lambda(ctx, hv, ybar, a.lambda));
    TAC_TRY(try_classes(ctx, x, u, lcp, hv, ybar, a.dq, &a.own));
    if (ask_loss(lcp, a.lambda, asked.row_class) == 0) return tac_copy_grad(&a.own.grad, n, g);
    TAC_TRY(try_classes(ctx, x, u, &asked, hv, ybar, a.dq, &a.other));
    return tac_copy_grad(a.other.size > a.own.size ? &a.other.grad : &a.own.grad, n, g);
}
