/* Derivatives of the shares of restitution (docs/theory/contact.md, L18, L19). While the share theta of an island is
 * below 1, E(theta) = 0 is one more equation and theta one more unknown:
 *
 *   dr + (ds/dtheta) dtheta in the place of dr,      dE + g_a . da + g_f . df = 0
 *   g_a = h (Q_N - Q/2),      g_f = -J y + J_N v+,   y = (v + v+)/2 + l
 *
 * lambda and mu are the answer of (L6) to g_a and g_f. Then  dtheta = (dE - lambda . dR - mu . dr) / (mu . ds/dtheta).
 * dE is at fixed a, f and theta:
 *
 *   dE = -y . d(J^T f) + v+ . d(J_N^T f_N) - (Q - Q_N) . dv - Q . dl
 *
 * Each tree is in one island, so one answer serves all shares. */
#include "contact/lcp/share.h"

#include "math/dense.h"

#include <string.h>

static const double *next_velocity(const tacContext *ctx) { return ctx->work.next + ctx->model->nq; }

int tac_lcp_is_meant(const tacContext *ctx, const tacLcp *lcp, int k) {
    return !(lcp->restitution[k] > 0) && lcp->row_class[k] == TAC_ROW_FREE &&
           lcp->f[k] * tac_row_velocity(&lcp->rows, k, next_velocity(ctx)) > 0;
}

void tac_lcp_share_impulse(const tacContext *ctx, const tacLcp *lcp, int island, double scale, int less_meant,
                           double *out) {
    for (int i = lcp->island_adr[island]; i < lcp->island_adr[island + 1]; i++) {
        int k = lcp->order[i];
        if (lcp->f[k] == 0 || (less_meant && tac_lcp_is_meant(ctx, lcp, k))) continue;
        tac_row_add_force(&lcp->rows, k, scale * lcp->f[k], out);
    }
}

/* --- The answer to E ---------------------------------------------------------------------------------------------- */

int tac_lcp_share_layout(tacLcpShare *s, const tacModel *m, int rows, tacArena *arena) {
    s->nv = m->nv;
    s->lambda = TAC_TAKE(arena, m->nv, double);
    s->mu = TAC_TAKE(arena, rows + 1, double);
    s->scale = TAC_TAKE(arena, rows + 1, double);
    s->island = TAC_TAKE(arena, m->nv, int);
    return s->lambda && s->mu && s->scale && s->island;
}

static int root_of(const tacLcp *lcp, int tree) {
    while (lcp->tree[tree] != tree)
        tree = lcp->tree[tree];
    return tree;
}

static void find_dofs(const tacModel *m, const tacLcp *lcp, int *island) {
    for (int d = 0; d < m->nv; d++) {
        int root = root_of(lcp, m->body_root[m->dof_body[d]]);
        island[d] = -1;
        for (int i = 0; i < lcp->nisland && island[d] < 0; i++) {
            const tacRow *first = &lcp->rows.row[lcp->order[lcp->island_adr[i]]];
            if (first->num > 0 && root_of(lcp, first->tree) == root) island[d] = i;
        }
    }
}

/* g_f of row k. */
static double energy_by_force(const tacContext *ctx, const tacLcp *lcp, int k) {
    double after = tac_row_velocity(&lcp->rows, k, next_velocity(ctx)),
           sum = -(tac_row_velocity(&lcp->rows, k, lcp->v) + after) / 2;
    if (lcp->lag != NULL) sum -= tac_row_velocity(&lcp->rows, k, lcp->lag);
    return tac_lcp_is_meant(ctx, lcp, k) ? sum + after : sum;
}

static double *seed_layout(int rows, tacArena *arena) { return TAC_TAKE(arena, rows + 1, double); }

tacStatus tac_lcp_share_adjoint(tacContext *ctx, const tacLcp *lcp, tacLcpShare *s) {
    TAC_SCOPE(&ctx->arena);
    const tacModel *m = ctx->model;
    double *seed = seed_layout(lcp->rows.n, &ctx->arena), h = lcp->h;
    if (seed == NULL) return TAC_ERR_ARENA_FULL;
    find_dofs(m, lcp, s->island);
    memset(s->lambda, 0, (size_t)m->nv * sizeof *s->lambda);
    memset(seed, 0, (size_t)lcp->rows.n * sizeof *seed);
    for (int i = 0; i < lcp->nisland; i++) {
        if (!tac_lcp_is_limited(lcp, i)) continue;
        tac_lcp_share_impulse(ctx, lcp, i, h / 2, 0, s->lambda); /* h (Q_N - Q/2) = h Q/2 - h (Q - Q_N) */
        tac_lcp_share_impulse(ctx, lcp, i, -h, 1, s->lambda);
        for (int j = lcp->island_adr[i]; j < lcp->island_adr[i + 1]; j++)
            seed[lcp->order[j]] = energy_by_force(ctx, lcp, lcp->order[j]);
    }
    tac_solve(m, &ctx->work, s->lambda);
    TAC_TRY(tac_lcp_answer_classes(ctx, lcp, seed, s->lambda, s->mu));
    for (int i = 0; i < lcp->nisland; i++) {
        s->scale[i] = 0;
        for (int j = lcp->island_adr[i]; tac_lcp_is_limited(lcp, i) && j < lcp->island_adr[i + 1]; j++)
            s->scale[i] += s->mu[lcp->order[j]] * tac_lcp_share_rate(lcp, lcp->order[j]);
    }
    return TAC_OK;
}

/* --- Forward ------------------------------------------------------------------------------------------------------ */

void tac_lcp_share_change(const tacLcp *lcp, const tacLcpShare *s, int island, tacColumns c, const double *dR,
                          double *dr, double *change) {
    size_t n = (size_t)c.n;
    int begin = lcp->island_adr[island], end = lcp->island_adr[island + 1];
    for (int d = 0; dR != NULL && d < s->nv; d++)
        if (s->island[d] == island) tac_dense_axpy(c.n, -s->lambda[d], dR + (size_t)d * n, change);
    for (int i = begin; i < end; i++)
        tac_dense_axpy(c.n, -s->mu[lcp->order[i]], dr + (size_t)lcp->order[i] * n, change);
    for (int j = 0; j < c.n; j++)
        change[j] /= s->scale[island];
    for (int i = begin; i < end; i++)
        tac_dense_axpy(c.n, tac_lcp_share_rate(lcp, lcp->order[i]), change, dr + (size_t)lcp->order[i] * n);
}

/* dE of an island by all columns, and its scratch. */
typedef struct Change {
    double *E;             /* c.n */
    double *zero, *weight; /* larger of rows + 1 and nv; islands */
} Change;

static int zeros(const tacModel *m, int rows) { return rows + 1 > m->nv ? rows + 1 : m->nv; }

static int change_layout(Change *d, const tacModel *m, int rows, tacColumns c, tacArena *arena) {
    d->E = TAC_TAKE(arena, c.nx + c.nu + c.np, double);
    d->zero = TAC_TAKE(arena, zeros(m, rows), double);
    d->weight = TAC_TAKE(arena, rows + 1, double);
    return d->E && d->zero && d->weight;
}

tacStatus tac_lcp_share_jac(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, tacColumns c,
                            const double *dR, double *dr) {
    if (lcp->limited == 0) return TAC_OK;
    TAC_SCOPE(&ctx->arena);
    tacLcpShare s;
    Change d;
    if (!tac_lcp_share_layout(&s, ctx->model, lcp->rows.n, &ctx->arena) ||
        !change_layout(&d, ctx->model, lcp->rows.n, c, &ctx->arena))
        return TAC_ERR_ARENA_FULL;
    memset(d.zero, 0, (size_t)zeros(ctx->model, lcp->rows.n) * sizeof *d.zero);
    TAC_TRY(tac_lcp_share_adjoint(ctx, lcp, &s));
    tacGrad bar = {d.E, d.E + c.nx, c.np > 0 ? d.E + c.nx + c.nu : NULL};
    for (int i = 0; i < lcp->nisland; i++) {
        if (s.scale[i] == 0) continue;
        memset(d.E, 0, (size_t)(c.nx + c.nu + c.np) * sizeof *d.E);
        memset(d.weight, 0, (size_t)lcp->nisland * sizeof *d.weight);
        d.weight[i] = -1; /* bar -= weight dE */
        TAC_TRY(tac_lcp_residuals_vjp(ctx, x, u, lcp, d.zero, d.zero, d.weight, NULL, &bar));
        if (c.along != NULL) d.E[0] = tac_dense_dot(c.nx + c.nu + c.np, c.along, d.E);
        tac_lcp_share_change(lcp, &s, i, c, dR, dr, d.E);
    }
    return TAC_OK;
}

/* --- Reverse ------------------------------------------------------------------------------------------------------ */

tacStatus tac_lcp_share_reverse(tacContext *ctx, const tacLcp *lcp, double *lambda, double *mu, double *weight) {
    TAC_SCOPE(&ctx->arena);
    tacLcpShare s;
    if (!tac_lcp_share_layout(&s, ctx->model, lcp->rows.n, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_lcp_share_adjoint(ctx, lcp, &s));
    for (int i = 0; i < lcp->nisland; i++) {
        weight[i] = 0;
        if (s.scale[i] == 0) continue;
        for (int j = lcp->island_adr[i]; j < lcp->island_adr[i + 1]; j++)
            weight[i] += mu[lcp->order[j]] * tac_lcp_share_rate(lcp, lcp->order[j]) / s.scale[i];
        for (int j = lcp->island_adr[i]; j < lcp->island_adr[i + 1]; j++)
            mu[lcp->order[j]] -= weight[i] * s.mu[lcp->order[j]];
    }
    for (int d = 0; d < ctx->model->nv; d++)
        if (s.island[d] >= 0) lambda[d] -= weight[s.island[d]] * s.lambda[d];
    return TAC_OK;
}

void tac_lcp_measure_share(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    int rows = tac_lcp_deriv_rows(m, options);
    tacLcpShare s;
    Change d;
    tac_lcp_share_layout(&s, m, rows, dry);
    change_layout(&d, m, rows, tac_columns_of(m, options), dry);
    seed_layout(rows, dry);
    tac_lcp_measure_answer_classes(m, options, dry);
    tac_lcp_measure_residuals(m, options, dry);
}
