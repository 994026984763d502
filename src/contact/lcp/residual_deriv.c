/* Constraint terms of the derivatives of the step's residuals (contact/lcp/problem.h, L4), in forward and reverse
 * mode. */
#include "contact/lcp/predict.h"
#include "contact/lcp/share.h"
#include "math/dense.h"

#include <string.h>

/* Velocities of bodies at v+, at v, at the lag and at the gain v+ - v. */
typedef struct Velocities {
    tacVec6 *V, *V_start, *V_lag, *V_gained; /* nbody */
    double *gained;                          /* nv */
} Velocities;

static int layout(Velocities *v, const tacModel *m, tacArena *arena) {
    v->V = TAC_TAKE(arena, m->nbody, tacVec6);
    v->V_start = TAC_TAKE(arena, m->nbody, tacVec6);
    v->V_lag = TAC_TAKE(arena, m->nbody, tacVec6);
    v->V_gained = TAC_TAKE(arena, m->nbody, tacVec6);
    v->gained = TAC_TAKE(arena, m->nv, double);
    return v->V && v->V_start && v->V_lag && v->V_gained && v->gained;
}

/* Emits all constraint terms of dR and dr. mocap, theta: NULL skips. */
static tacStatus emit(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, const tacLcpSink *q,
                      const tacLcpSink *mocap, const tacLcpSink *theta) {
    TAC_SCOPE(&ctx->arena);
    const tacModel *m = ctx->model;
    Velocities to;
    if (!layout(&to, m, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    const double *v_next = ctx->work.next + m->nq;
    tac_rows_body_velocity(m, &ctx->work, v_next, to.V);
    tac_rows_body_velocity(m, &ctx->work, point.v, to.V_start);
    if (lcp->lag != NULL) tac_rows_body_velocity(m, &ctx->work, lcp->lag, to.V_lag);
    for (int i = 0; i < m->nv; i++)
        to.gained[i] = v_next[i] - point.v[i];
    if (tac_rows_any_equality(m)) tac_rows_body_velocity(m, &ctx->work, to.gained, to.V_gained);
    tacLcpPoint p = {m,    &ctx->work, &ctx->scene, lcp,       &point,     v_next,
                     to.V, to.V_start, to.V_lag,    to.gained, to.V_gained};
    TAC_TRY(tac_lcp_contacts_jac(&p, q, mocap, theta, ctx->tangents));
    tac_lcp_other_jac(&p, q, theta, ctx->tangents);
    tac_lcp_equality_jac(&p, q, mocap, theta, ctx->tangents);
    return TAC_OK;
}

/* Terms of the shares of restitution in reverse. */
typedef struct ShareRoom {
    double *weight, *lambda, *f; /* nv, nv, rows */
    int *row_class;              /* rows */
} ShareRoom;

static int share_layout(ShareRoom *room, const tacModel *m, int rows, tacArena *arena) {
    room->weight = TAC_TAKE(arena, m->nv, double);
    room->lambda = TAC_TAKE(arena, m->nv, double);
    room->f = TAC_TAKE(arena, rows, double);
    room->row_class = TAC_TAKE(arena, rows, int);
    return room->weight && room->lambda && room->f && room->row_class;
}

void tac_lcp_measure_residuals(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    ShareRoom room;
    share_layout(&room, m, tac_lcp_deriv_rows(m, options), dry);
    tac_lcp_measure_predict_deriv(m, dry);
    Velocities v;
    layout(&v, m, dry);
}

/* 1: w has J v+. */
static int moves_with_v(const tacLcp *lcp, int k) {
    return lcp->rows.row[k].kind != TAC_ROW_EQUALITY || !tac_lcp_is_predicted(lcp, k);
}

tacStatus tac_lcp_residuals_jac(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, tacColumns c,
                                double *dR, double *dr, const tacLcpForceRows *forces) {
    const tacModel *m = ctx->model;
    int mocap = ctx->inputs.mocap, places[3] = {0, c.nx + (mocap < 0 ? 0 : mocap), c.nx + c.nu};
    tacLcpSink sink[3]; /* dofs, mocap numbers, parameters */
    for (int i = 0; i < 3; i++)
        sink[i] = (tacLcpSink){.force = tac_columns_sink(c, dR, places[i]),
                               .row = tac_columns_sink(c, dr, places[i]),
                               .wrench = tac_columns_sink(c, forces == NULL ? NULL : forces->wrench, places[i])};
    if (forces != NULL) sink[2].part = (tacSink){.matrix = forces->part, .ld = c.np};
    memset(dr, 0, (size_t)lcp->rows.n * (size_t)c.n * sizeof *dr);
    for (int k = 0; k < lcp->rows.n; k++) { /* d(J v+ + e J v)/dv at fixed a; closed equalities have J (v+ - v) */
        if (!moves_with_v(lcp, k)) continue;
        if (c.along != NULL)
            dr[k] += (1 + lcp->bounce[k]) * tac_row_velocity(&lcp->rows, k, c.along + m->nv);
        else
            tac_row_add_force(&lcp->rows, k, 1 + lcp->bounce[k], dr + (size_t)k * (size_t)c.n + m->nv);
    }
    TAC_TRY(tac_lcp_predict_jac(ctx, x, lcp, c, dr));
    return emit(ctx, x, u, lcp, &sink[0], mocap < 0 ? NULL : &sink[1], c.np > 0 ? &sink[2] : NULL);
}

/* --- Reverse ------------------------------------------------------------------------------------------------------ */

static void reverse_sinks(const tacContext *ctx, const double *lambda, const double *mu, const tacLcpForceBars *forces,
                          const tacGrad *bar, tacLcpSink sink[3]) {
    static const tacLcpForceBars NO_FORCES = {NULL, NULL};
    if (forces == NULL) forces = &NO_FORCES;
    int mocap = ctx->inputs.mocap;
    double *places[3] = {bar->x, bar->u + (mocap < 0 ? 0 : mocap), bar->theta};
    for (int i = 0; i < 3; i++)
        sink[i] = (tacLcpSink){.force = {.lambda = lambda, .bar = places[i], .negate = 1},
                               .row = {.lambda = mu, .bar = places[i], .negate = 1},
                               .wrench = {.lambda = forces->wrench, .bar = places[i]},
                               .part = {.lambda = forces->part, .bar = places[i]}};
}

static tacStatus emit_reverse(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, tacLcpSink sink[3],
                              const tacGrad *bar) {
    return emit(ctx, x, u, lcp, &sink[0], ctx->inputs.mocap < 0 ? NULL : &sink[1],
                bar->theta == NULL ? NULL : &sink[2]);
}

/* The weight of the share of each dof's island. */
static void weigh_dofs(const tacModel *m, const tacLcp *lcp, const double *share, double *weight) {
    memset(weight, 0, (size_t)m->nv * sizeof *weight);
    for (int i = 0; i < lcp->nisland; i++)
        for (int j = lcp->island_adr[i]; tac_lcp_is_limited(lcp, i) && j < lcp->island_adr[i + 1]; j++) {
            const tacRow *row = &lcp->rows.row[lcp->order[j]];
            for (int e = row->adr; e < row->adr + row->num; e++)
                weight[lcp->rows.dof[e]] = share[i];
        }
}

/* bar -= share v+ . d(J_N^T f_N) for the rows N, whose work is intended. They keep their forces; all others have
 * none. */
static tacStatus pull_meant(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, const ShareRoom *room,
                            const tacGrad *bar) {
    const double *v_next = ctx->work.next + ctx->model->nq;
    tacLcp meant = *lcp;
    tacLcpSink sink[3];
    int any = 0;
    meant.f = room->f;
    meant.row_class = room->row_class;
    for (int k = 0; k < lcp->rows.n; k++) {
        int is = tac_lcp_is_meant(ctx, lcp, k);
        room->f[k] = is ? lcp->f[k] : 0;
        room->row_class[k] = is ? TAC_ROW_FREE : TAC_ROW_OFF;
        any |= is;
    }
    if (!any) return TAC_OK;
    for (int d = 0; d < ctx->model->nv; d++)
        room->lambda[d] = -lcp->h * room->weight[d] * v_next[d];
    reverse_sinks(ctx, room->lambda, NULL, NULL, bar, sink);
    return emit_reverse(ctx, x, u, &meant, sink, bar);
}

/* bar -= share dE, without the part that goes with the forces of all rows (share_deriv.c): the velocity, the time step,
 * rows N. */
static tacStatus pull_share(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, const double *share,
                            const ShareRoom *room, const tacGrad *bar) {
    int nv = ctx->model->nv, time = bar->theta == NULL ? -1 : tac_param_of_time(ctx->model);
    double *g = room->lambda;
    for (int i = 0; i < lcp->nisland; i++) {
        if (!tac_lcp_is_limited(lcp, i) || share[i] == 0) continue;
        tac_lcp_share_impulse(ctx, lcp, i, share[i], 1, bar->x + nv);
        if (time < 0) continue;
        memset(g, 0, (size_t)nv * sizeof *g); /* dE/dh at fixed a and f/h: (Q_N - Q/2) . a */
        tac_lcp_share_impulse(ctx, lcp, i, 0.5, 0, g);
        tac_lcp_share_impulse(ctx, lcp, i, -1, 1, g);
        bar->theta[time] -= share[i] * tac_dense_dot(nv, g, ctx->work.qacc);
    }
    return pull_meant(ctx, x, u, lcp, room, bar);
}

tacStatus tac_lcp_residuals_vjp(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp,
                                const double *lambda, const double *mu, const double *share,
                                const tacLcpForceBars *forces, const tacGrad *bar) {
    TAC_SCOPE(&ctx->arena);
    const tacModel *m = ctx->model;
    int limited = share != NULL && lcp->limited > 0;
    tacLcpSink sink[3];
    ShareRoom room = {0};
    if (limited && !share_layout(&room, m, lcp->rows.n, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    for (int k = 0; k < lcp->rows.n; k++)
        if (mu[k] != 0 && moves_with_v(lcp, k))
            tac_row_add_force(&lcp->rows, k, -mu[k] * (1 + lcp->bounce[k]), bar->x + m->nv);
    TAC_TRY(tac_lcp_predict_vjp(ctx, x, lcp, mu, bar));
    if (limited) {
        weigh_dofs(m, lcp, share, room.weight);
        TAC_TRY(pull_share(ctx, x, u, lcp, share, &room, bar));
        for (int d = 0; d < m->nv; d++) { /* -y . d(J^T f) = h y . dR */
            double y = (x[m->nq + d] + ctx->work.next[m->nq + d]) / 2 + (lcp->lag == NULL ? 0 : lcp->lag[d]);
            room.lambda[d] = lambda[d] + room.weight[d] * lcp->h * y;
        }
    }
    reverse_sinks(ctx, limited ? room.lambda : lambda, mu, forces, bar, sink);
    return emit_reverse(ctx, x, u, lcp, sink, bar);
}
