/* Reverse mode of steps that stop at impacts: the covectors of q, v, the kick and the time left go backward from the
 * end of the step through its drifts and impacts (docs/theory/contact.md, H6). The flight to each impact is repeated
 * without a search. So only one problem is in memory at a time. */
#include "math/dense.h"
#include "math/scalar.h"
#include "contact/lcp/share.h"
#include "contact/lcp/toi/step.h"
#include "smooth/tangent.h"

#include <string.h>

/* Covectors of the current state in reverse mode. */
typedef struct Return {
    tacContext *ctx;
    const double *u;
    tacColumns c;
    double *q, *v;     /* nv */
    double *kick;      /* nv */
    double *given;     /* nv: weights of the velocity that the rows added in the kick */
    double left;       /* of the time that is left */
    tacGrad direct;    /* u, theta: sums over the impacts and their times; x: of one impact */
    double *move, *tv; /* nv: scratch */
} Return;

static int layout(Return *r, const tacModel *m, tacColumns c, tacArena *arena) {
    double **arrays[] = {&r->q, &r->v, &r->kick, &r->given, &r->move, &r->tv};
    int ok = 1;
    r->c = c;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        ok &= (*arrays[i] = TAC_TAKE(arena, m->nv, double)) != NULL;
    r->direct.x = TAC_TAKE(arena, c.nx, double);
    r->direct.u = TAC_TAKE(arena, c.nu, double);
    r->direct.theta = TAC_TAKE(arena, c.np, double);
    return ok && r->direct.x && r->direct.u && r->direct.theta;
}

static tacStatus begin(tacContext *ctx, const double *u, const double *ybar, Return *r) {
    size_t nv = (size_t)ctx->model->nv;
    *r = (Return){.ctx = ctx, .u = u};
    if (!layout(r, ctx->model, tac_count_columns(ctx), &ctx->arena)) return TAC_ERR_ARENA_FULL;
    memcpy(r->q, ybar, nv * sizeof(double));
    memcpy(r->v, ybar + nv, nv * sizeof(double));
    memset(r->kick, 0, nv * sizeof(double));
    memset(r->given, 0, nv * sizeof(double));
    memset(r->direct.u, 0, (size_t)r->c.nu * sizeof(double));
    memset(r->direct.theta, 0, (size_t)r->c.np * sizeof(double));
    return TAC_OK;
}

/* q' = q (+) t v at a fixed t:  qbar <- P^T qbar, vbar += t Q^T qbar */
static void pull_drift(Return *r, const double *v, double t) {
    const tacModel *m = r->ctx->model;
    for (int i = 0; i < m->nv; i++)
        r->tv[i] = t * v[i];
    memcpy(r->move, r->q, (size_t)m->nv * sizeof(double));
    tac_move_vjp(m, r->tv, t, r->move, r->q, r->v);
}

/* The time t of a drift moves q' by v dt and the time left by -dt. At t the distance of two geoms reaches its level, so
 * dt = -(G dq' + ddist) / (G v). Needs: geoms placed at the impact. */
static tacStatus pull_time(Return *r, const tacFlight *f) {
    tacContext *ctx = r->ctx;
    const tacModel *m = ctx->model;
    tacContact contact;
    tacContactSystem c;
    tacSmoothPoint x = tac_point_of(ctx, f->x, f->u);
    const double *v = f->x + m->nq;
    double *G = r->move, rate = 0, bar = tac_dense_dot(m->nv, v, r->q) - r->left;
    TAC_TRY(tac_scene_distance(&ctx->scene, m, f->met[0], f->met[1], &contact));
    TAC_TRY(tac_contact_prepare(m, &ctx->scene, &contact, &c));
    for (int j = 0; j < m->nv; j++) {
        tacMover mover = tac_dof_mover(m, &ctx->work, j);
        int moves = tac_moves_body(m, &mover, c.body[0]) || tac_moves_body(m, &mover, c.body[1]);
        G[j] = moves ? tac_contact_along(m, &ctx->work, &c, &mover).dist : 0;
        rate += G[j] * v[j];
    }
    if (!(rate < 0)) return TAC_ERR_DEGENERATE;
    tac_dense_axpy(m->nv, -bar / rate, G, r->q);
    int mocap = ctx->inputs.mocap;
    for (int i = 0; i < ctx->inputs.nmocap; i++) {
        tacMover mover;
        tac_mocap_mover(m, &ctx->work, i, x.u.mocap, &mover);
        r->direct.u[mocap + i] -= bar / rate * tac_contact_along(m, &ctx->work, &c, &mover).dist;
    }
    for (int i = 0; i < m->nmember; i++) {
        tacContactTangent t = {0};
        if (tac_contact_param(m, &ctx->work, &c, &ctx->tangents[i], &x, ctx->scene.corner_change, &t))
            r->direct.theta[ctx->tangents[i].column] -= bar / rate * t.dist;
    }
    return TAC_OK;
}

/* Adds to the gradient by the time step, if that is a parameter. */
static void add_time(Return *r, double change) {
    int time = tac_param_of_time(r->ctx->model);
    if (time >= 0) r->direct.theta[time] += change;
}

/* Pulls the rows' change by (1 + e) J d(lag), lag = (t/h - 1/2) kick, and by the time left. */
static void pull_lag(Return *r, const tacFlight *f, const tacLcp *lcp, const double *mu, const double *weight) {
    double h = r->ctx->options.dt, share = (h - f->left) / h - 0.5, *lag = r->move;
    int nv = r->ctx->model->nv;
    memset(lag, 0, (size_t)nv * sizeof *lag);
    for (int k = 0; k < lcp->rows.n; k++) {
        if (mu[k] == 0) continue;
        tac_row_add_force(&lcp->rows, k, -mu[k] * tac_lcp_lag_share(lcp, k), lag);
        r->left -= mu[k] * tac_flight_span_rate(lcp, k);
    }
    for (int i = 0; lcp->limited > 0 && i < lcp->nisland; i++) /* dE has -Q . d(lag) */
        if (weight[i] != 0) tac_lcp_share_impulse(r->ctx, lcp, i, weight[i], 0, lag);
    tac_dense_axpy(nv, share, lag, r->kick);
    double along = tac_dense_dot(nv, f->kick, lag);
    r->left -= along / h;
    add_time(r, along * f->left / (h * h));
}

/* undone = (t/h - 1/2) given moves v' by itself and through the rows; vbar: of v'. */
static void pull_undone(Return *r, const tacFlight *f, const tacLcp *lcp, const double *mu, const double *weight,
                        const double *vbar) {
    double h = r->ctx->options.dt, share = (h - f->left) / h - 0.5, *bar = r->move;
    int nv = r->ctx->model->nv;
    if (f->nheld == 0) return;
    memcpy(bar, vbar, (size_t)nv * sizeof *bar);
    for (int k = 0; k < lcp->rows.n; k++)
        if (mu[k] != 0) tac_row_add_force(&lcp->rows, k, -mu[k], bar);
    for (int i = 0; lcp->limited > 0 && i < lcp->nisland; i++) /* dE has (Q_N - Q/2) . d(undone) */
        if (weight[i] != 0) {
            tac_lcp_share_impulse(r->ctx, lcp, i, -weight[i] / 2, 0, bar);
            tac_lcp_share_impulse(r->ctx, lcp, i, weight[i], 1, bar);
        }
    for (int i = 0; i < nv; i++)
        if (!f->undo[i]) bar[i] = 0;
    tac_dense_axpy(nv, share, bar, r->given);
    double along = tac_dense_dot(nv, f->given, bar);
    r->left -= along / h;
    add_time(r, along * f->left / (h * h));
}

/* bar -= d(M a)^T lambda. R is linear in a plus a part without a. */
static void pull_inertia(Return *r, const tacFlight *f, double *lambda) {
    size_t nv = (size_t)r->ctx->model->nv;
    double *qacc = r->ctx->work.qacc;
    tac_residual_vjp(r->ctx, f->x, f->u, 0, lambda, &r->direct);
    memset(qacc, 0, nv * sizeof *qacc);
    for (size_t i = 0; i < nv; i++)
        lambda[i] = -lambda[i];
    tac_residual_vjp(r->ctx, f->x, f->u, 0, lambda, &r->direct);
}

/* Covectors of an impact's equations and rows. */
typedef struct Impact {
    double *lambda, *v; /* nv: v: of v' */
    double *mu, *share; /* rows + 1, islands */
} Impact;

static int impact_layout(Impact *d, const tacModel *m, int rows, tacArena *arena) {
    d->lambda = TAC_TAKE(arena, m->nv, double);
    d->mu = TAC_TAKE(arena, rows + 1, double);
    d->share = TAC_TAKE(arena, rows + 1, double);
    d->v = TAC_TAKE(arena, m->nv, double);
    return d->lambda && d->mu && d->share && d->v;
}

/* v' = v + h a through the current impact (L6). Needs: its problem, v' in w->next, a in w->qacc, the factor of M. */
static tacStatus pull_impact(Return *r, const tacFlight *f, const tacLcp *lcp) {
    tacContext *ctx = r->ctx;
    TAC_SCOPE(&ctx->arena);
    size_t nv = (size_t)ctx->model->nv;
    Impact d;
    TAC_TRY(tac_lcp_check_rows(lcp));
    if (!impact_layout(&d, ctx->model, lcp->rows.n, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    for (size_t i = 0; i < nv; i++)
        d.lambda[i] = ctx->options.dt * r->v[i];
    memset(r->direct.x, 0, (size_t)r->c.nx * sizeof(double));
    memcpy(d.v, r->v, nv * sizeof(double));
    add_time(r, tac_dense_dot((int)nv, r->v, ctx->work.qacc));
    tac_solve(ctx->model, &ctx->work, d.lambda);
    TAC_TRY(tac_lcp_answer_reverse(ctx, lcp, NULL, d.lambda, d.mu, d.share));
    TAC_TRY(tac_lcp_residuals_vjp(ctx, f->x, f->u, lcp, d.lambda, d.mu, d.share, NULL, &r->direct));
    pull_inertia(r, f, d.lambda);
    tac_dense_axpy((int)nv, 1, r->direct.x, r->q);
    tac_dense_axpy((int)nv, 1, r->direct.x + nv, r->v);
    pull_lag(r, f, lcp, d.mu, d.share);
    pull_undone(r, f, lcp, d.mu, d.share, d.v);
    return TAC_OK;
}

/* Impact number k (from 1) with its time and the drift that leads to it. */
static tacStatus pull_stop(Return *r, const tacFlight *first, const double *x, int k) {
    TAC_SCOPE(&r->ctx->arena);
    tacFlight f;
    tacLcp lcp = {.unsolved = 0};
    TAC_TRY(tac_flight_to_impact(first, x, k, &f, &lcp));
    TAC_TRY(pull_impact(r, &f, &lcp));
    TAC_TRY(pull_time(r, &f));
    pull_drift(r, f.x + r->ctx->model->nq, f.since);
    return TAC_OK;
}

static void add_to(int n, const double *from, double *to) {
    if (to != NULL) tac_dense_axpy(n, 1, from, to);
}

static double *ybar_layout(const tacModel *m, tacArena *arena) { return TAC_TAKE(arena, tac_ndx(m), double); }

/* A gradient of its own. */
static int grad_layout(tacGrad *g, tacColumns c, tacArena *arena) {
    *g = (tacGrad){.x = TAC_TAKE(arena, c.nx, double)};
    g->u = TAC_TAKE(arena, c.nu, double);
    g->theta = TAC_TAKE(arena, c.np, double);
    return g->x && g->u && g->theta;
}

/* The part of the kick by the rows is the kick minus the kick without rows, k_0 = v_free - v. The latter is pulled back
 * like a step without rows. ybar: scratch. Needs: w as the kick leaves it. */
static tacStatus pull_free_kick(Return *r, tacFlight *f, const double *x, double *ybar, const tacGrad *g) {
    tacContext *ctx = r->ctx;
    const tacModel *m = ctx->model;
    size_t nv = (size_t)m->nv;
    tacLcp none = {.h = ctx->options.dt};
    tacGrad own;
    if (f->nheld == 0) return TAC_OK;
    TAC_SCOPE(&ctx->arena);
    if (!grad_layout(&own, r->c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    memset(ybar, 0, (size_t)tac_ndx(m) * sizeof *ybar);
    for (size_t i = 0; i < nv; i++) {
        ybar[nv + i] = -r->given[i];
        ctx->work.qacc[i] = (f->v_free[i] - x[m->nq + (int)i]) / ctx->options.dt;
    }
    TAC_TRY(tac_lcp_pull(ctx, x, r->u, &none, r->tv, ybar, &own, NULL));
    tac_dense_axpy((int)nv, 1, r->given, own.x + nv); /* v itself is no part of k_0 */
    add_to(r->c.nx, own.x, g->x);
    add_to(r->c.nu, own.u, g->u);
    add_to(r->c.np, own.theta, g->theta);
    return TAC_OK;
}

/* The kick as a step that leaves q: hv = 0, v+ = v + kick. The covector h qbar of v+, which such a step adds, is
 * subtracted again. The covector of the kick alone does not act on v. */
static tacStatus pull_kick(Return *r, tacFlight *f, const double *x, const double *actbar, const tacGrad *g) {
    tacContext *ctx = r->ctx;
    size_t nv = (size_t)ctx->model->nv, na = (size_t)ctx->model->na;
    tacLcp lcp = {.unsolved = 0};
    double *ybar = ybar_layout(ctx->model, &ctx->arena);
    if (ybar == NULL) return TAC_ERR_ARENA_FULL;
    for (size_t i = 0; i < nv; i++) {
        ybar[i] = r->q[i];
        ybar[nv + i] = r->v[i] + r->kick[i] + r->given[i] - ctx->options.dt * r->q[i];
    }
    memcpy(ybar + 2 * nv, actbar, na * sizeof *ybar);
    memset(r->tv, 0, nv * sizeof *r->tv);
    TAC_TRY(tac_flight_kick_again(f, x, &lcp));
    TAC_TRY(tac_lcp_pull(ctx, x, r->u, &lcp, r->tv, ybar, g, NULL));
    if (g->x != NULL) {
        tac_dense_axpy((int)nv, -1, r->kick, g->x + nv);
        tac_dense_axpy((int)nv, -1, r->given, g->x + nv);
    }
    TAC_TRY(pull_free_kick(r, f, x, ybar, g));
    add_time(r, r->left); /* all of h was left */
    add_to(r->c.nu, r->direct.u, g->u);
    add_to(r->c.np, r->direct.theta, g->theta);
    return TAC_OK;
}

tacStatus tac_flight_pull(tacFlight *f, const double *x, int landed, const double *ybar, const tacGrad *g) {
    tacContext *ctx = f->ctx;
    const tacModel *m = ctx->model;
    int impacts = ctx->info.impacts;
    Return r;
    TAC_TRY(begin(ctx, f->u, ybar, &r));
    if (landed) r.left = tac_dense_dot(m->nv, f->x + m->nq, r.q);
    pull_drift(&r, f->x + m->nq, f->since);
    for (int k = impacts; k > 0; k--)
        TAC_TRY(pull_stop(&r, f, x, k));
    return pull_kick(&r, f, x, ybar + 2 * m->nv, g);
}

static void measure_stop(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    Impact d;
    tac_flight_measure(m, options, dry);
    tac_flight_measure_solve(m, options, dry);
    impact_layout(&d, m, tac_lcp_deriv_rows(m, options), dry);
    tac_lcp_measure_answer_reverse(m, options, dry);
    tac_lcp_measure_residuals(m, options, dry);
}

void tac_flight_measure_pull(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    Return r;
    tacGrad own;
    layout(&r, m, tac_columns_of(m, options), dry);
    measure_stop(m, options, dry);
    ybar_layout(m, dry);
    tac_flight_measure_solve(m, options, dry);
    grad_layout(&own, tac_columns_of(m, options), dry);
    tac_lcp_measure_pull(m, options, dry);
}
