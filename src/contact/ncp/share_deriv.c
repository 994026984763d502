/* Derivatives of the shares of restitution   (docs/theory/ncp.md, W52). While a share theta is below 1, E(theta) = 0 is
 * one more equation. The inputs of contacts that bounce move by sigma = h e n . u_- as theta does, so that with the
 * answer mu of (W26) to the weights of E itself
 *
 *   dtheta = -dE/(mu . sigma),    dE at a fixed share, with the answers of v+ and impulses
 *
 * and every other answer has mu' . sigma dtheta besides. */
#include "contact/ncp/share.h"

#include "contact/ncp/adjoint.h"
#include "contact/ncp/contact.h"
#include "contact/ncp/wrench.h"
#include "math/dense.h"

#include <string.h>

static int is_limited(const tacNcpContact *c) { return c->law.bounce < c->law.restitution; }

/* d(gap_slip[0])/dtheta */
static double rate_of(const tacNcp *p, const tacNcpContact *c) {
    return p->h * c->law.restitution * tac_dot3(c->next.contact.normal, tac_ncp_slip_before(p, c));
}

static double weight_of(const tacNcp *p, int root, const double *mu) {
    double sum = 0;
    for (int i = 0; i < p->ncontact; i++)
        if (is_limited(&p->contact[i]) && tac_ncp_contact_tree(p, &p->contact[i]) == root)
            sum += mu[TAC_NCP_INPUTS * i + TAC_NCP_GAP] * rate_of(p, &p->contact[i]);
    return sum;
}

/* --- Room --------------------------------------------------------------------------------------------------------- */

/* A share's gradient has all columns, along a direction too. */
static int all_columns(tacColumns c) { return c.nx + c.nu + c.np; }

static int take(tacNcpShares *s, int n, tacColumns c, int lines, tacArena *arena) {
    double *all = TAC_TAKE(arena, all_columns(c), double);
    s->root = TAC_TAKE(arena, n, int);
    s->weight = TAC_TAKE(arena, (size_t)n * (size_t)lines, double);
    if (all == NULL || s->root == NULL || s->weight == NULL) return 0;
    s->grad = (tacGrad){all, all + c.nx, all + c.nx + c.nu};
    return 1;
}

int tac_ncp_shares_layout(tacNcpShares *s, const tacNcp *p, tacColumns c, int lines, tacArena *arena) {
    s->n = 0;
    if (p->limited == 0) return 1;
    if (!take(s, p->limited, c, lines, arena)) return 0;
    for (int i = 0; i < p->ncontact; i++) {
        int root = tac_ncp_contact_tree(p, &p->contact[i]), known = !is_limited(&p->contact[i]);
        for (int k = 0; k < s->n; k++)
            known |= s->root[k] == root;
        if (!known && s->n < p->limited) s->root[s->n++] = root;
    }
    return 1;
}

void tac_ncp_note_share(const tacNcp *p, const tacNcpShares *s, int line, const double *mu) {
    for (int k = 0; k < s->n; k++)
        s->weight[(size_t)line * (size_t)s->n + (size_t)k] = weight_of(p, s->root[k], mu);
}

/* --- dE ----------------------------------------------------------------------------------------------------------- */

/* What dE of one share takes. */
typedef struct Room {
    tacVec6 *wrench, *zbar;       /* nbody */
    double *qfrc, *weight, *vbar; /* nv; weights of qfrc, of v+ */
    tacNcpPull pull;
} Room;

static int room_layout(Room *r, const tacModel *m, int inputs, tacArena *arena) {
    double **arrays[] = {&r->qfrc, &r->weight, &r->vbar};
    int ok = 1;
    r->wrench = TAC_TAKE(arena, m->nbody, tacVec6);
    r->zbar = TAC_TAKE(arena, m->nbody, tacVec6);
    for (int i = 0; i < 3; i++)
        ok &= (*arrays[i] = TAC_TAKE(arena, m->nv, double)) != NULL;
    return ok && r->wrench && r->zbar && tac_ncp_pull_layout(&r->pull, m->nv, inputs, arena);
}

/* E = -y . Q, Q = R_free of the dofs of one set: weights -y of R_free, and -Q/2 of v+. Direct parts -> bar. */
static void begin_energy(tacNcp *p, int root, Room *r, const tacGrad *bar) {
    int nv = p->m->nv;
    tac_ncp_forces(p, &r->zbar[0].ang.x, r->qfrc);
    for (int d = 0; d < nv; d++) {
        int in = tac_ncp_tree(p, p->m->dof_body[d]) == root;
        double Q = in ? p->h * r->qfrc[d] : 0;
        r->weight[d] = in ? -p->h * ((p->v[d] + p->x[d]) / 2 + TAC_NCP_SLACK * p->v[d]) : 0;
        r->vbar[d] = -Q / 2;
        bar->x[nv + d] -= (0.5 + TAC_NCP_SLACK) * Q;
    }
    tac_ncp_hold_vjp(p, r->vbar, bar);
}

/* bar += dE at a fixed share; *scale = dE/dtheta. */
static tacStatus energy_gradient(tacContext *ctx, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d, int root,
                                 const tacGrad *bar, double *scale) {
    TAC_SCOPE(&ctx->arena);
    const tacModel *m = p->m;
    Room r;
    tacNcpDeriv free = *d;
    if (!room_layout(&r, m, tac_ncp_inputs(p), &ctx->arena)) return TAC_ERR_ARENA_FULL;
    begin_energy(p, root, &r, bar);
    free.wrench = r.wrench;
    tac_ncp_free_wrenches(p, free.wrench);
    memset(r.zbar, 0, (size_t)m->nbody * sizeof *r.zbar);
    memset(r.pull.mu, 0, (size_t)tac_ncp_inputs(p) * sizeof *r.pull.mu);
    tac_ncp_free_weights(p, d, r.weight, r.zbar, r.vbar);
    tac_ncp_pose_weights(p, r.zbar, r.vbar);
    tac_ncp_adjoint(p, d, r.vbar, r.pull.lambda, r.pull.mu);
    *scale = weight_of(p, root, r.pull.mu);
    TAC_TRY(tac_ncp_residual_vjp(ctx, x, u, p, d, &r.pull, bar));
    for (int i = 0; i < m->nv; i++)
        r.pull.lambda[i] = -r.weight[i] / p->h;
    r.pull.mu = NULL;
    return tac_ncp_residual_vjp(ctx, x, u, p, &free, &r.pull, bar);
}

/* s->grad <- dtheta of share k; along a direction, its first number */
static tacStatus share_gradient(tacContext *ctx, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d,
                                const tacNcpShares *s, int k, tacColumns c) {
    double scale;
    tacGrad bar = s->grad;
    if (c.np == 0) bar.theta = NULL;
    memset(s->grad.x, 0, (size_t)all_columns(c) * sizeof *s->grad.x);
    TAC_TRY(energy_gradient(ctx, x, u, p, d, s->root[k], &bar, &scale));
    for (int j = 0; j < all_columns(c); j++)
        s->grad.x[j] /= -scale;
    if (c.along != NULL) s->grad.x[0] = tac_dense_dot(all_columns(c), s->grad.x, c.along);
    return TAC_OK;
}

tacStatus tac_ncp_add_shares(tacContext *ctx, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d,
                             const tacNcpShares *s, tacColumns c, int lines, double scale, double *rows) {
    for (int k = 0; k < s->n; k++) {
        TAC_TRY(share_gradient(ctx, x, u, p, d, s, k, c));
        for (int i = 0; i < lines; i++)
            tac_dense_axpy(c.n, scale * s->weight[(size_t)i * (size_t)s->n + (size_t)k], s->grad.x,
                           rows + (size_t)i * (size_t)c.n);
    }
    return TAC_OK;
}

tacStatus tac_ncp_pull_shares(tacContext *ctx, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d,
                              const tacNcpShares *s, const tacGrad *bar) {
    tacColumns c = tac_count_columns(ctx);
    for (int k = 0; k < s->n; k++) {
        TAC_TRY(share_gradient(ctx, x, u, p, d, s, k, c));
        tac_dense_axpy(c.nx, s->weight[k], s->grad.x, bar->x);
        tac_dense_axpy(c.nu, s->weight[k], s->grad.u, bar->u);
        if (bar->theta != NULL) tac_dense_axpy(c.np, s->weight[k], s->grad.theta, bar->theta);
    }
    return TAC_OK;
}

void tac_ncp_measure_shares(const tacModel *m, const tacOptions *options, int lines, tacArena *dry) {
    tacNcpShares s;
    Room r;
    take(&s, m->nbody, tac_columns_of(m, options), lines, dry);
    room_layout(&r, m, tac_ncp_max_inputs(m, options->max_contacts), dry);
}
