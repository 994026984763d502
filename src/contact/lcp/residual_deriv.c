/* What constraints add to the derivatives of the step's residuals (contact/lcp/problem.h, L4), forwards and in reverse. */
#include "contact/lcp/ahead.h"
#include "contact/lcp/step.h"

#include <string.h>

/* Emits all that constraints add to dR and dr. mocap, theta: NULL skips. */
static tacStatus emit(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, const tacLcpSink *q,
                      const tacLcpSink *mocap, const tacLcpSink *theta) {
    const tacModel *m = ctx->model;
    size_t mark = tac_arena_mark(&ctx->arena);
    tacVec6 *V = TAC_TAKE(&ctx->arena, m->nbody, tacVec6), *V_start = TAC_TAKE(&ctx->arena, m->nbody, tacVec6);
    tacVec6 *V_lag = TAC_TAKE(&ctx->arena, m->nbody, tacVec6), *V_gained = TAC_TAKE(&ctx->arena, m->nbody, tacVec6);
    double *gained = TAC_TAKE(&ctx->arena, m->nv, double);
    if (!V || !V_start || !V_lag || !V_gained || !gained) return TAC_ERR_ARENA_FULL;
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    const double *v_next = ctx->work.next + m->nq;
    tac_rows_body_velocity(m, &ctx->work, v_next, V);
    tac_rows_body_velocity(m, &ctx->work, point.v, V_start);
    if (lcp->lag != NULL) tac_rows_body_velocity(m, &ctx->work, lcp->lag, V_lag);
    for (int i = 0; i < m->nv; i++)
        gained[i] = v_next[i] - point.v[i];
    if (tac_rows_look(m)) tac_rows_body_velocity(m, &ctx->work, gained, V_gained);
    tacLcpPoint p = {m, &ctx->work, &ctx->scene, lcp, &point, v_next, V, V_start, V_lag, gained, V_gained};
    tacStatus status = tac_lcp_contacts_jac(&p, q, mocap, theta, ctx->tangents);
    if (status == TAC_OK) tac_lcp_other_jac(&p, q, theta, ctx->tangents);
    if (status == TAC_OK) tac_lcp_equality_jac(&p, q, mocap, theta, ctx->tangents);
    tac_arena_release(&ctx->arena, mark);
    return status;
}

/* 1: w has J v+. */
static int moves_with_v(const tacLcp *lcp, int k) {
    return lcp->rows.row[k].kind != TAC_ROW_EQUALITY || !tac_lcp_looks_ahead(lcp, k);
}

static tacSink columns_of(double *matrix, int first, tacColumns c) {
    return (tacSink){.matrix = matrix == NULL ? NULL : matrix + first, .ld = c.n};
}

tacStatus tac_lcp_residuals_jac(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, tacColumns c,
                                double *dR, double *dr, double *wrench) {
    const tacModel *m = ctx->model;
    int mocap = tac_mocap_column(ctx), places[3] = {0, c.nx + (mocap < 0 ? 0 : mocap), c.nx + c.nu};
    tacLcpSink sink[3]; /* dofs, mocap numbers, parameters */
    for (int i = 0; i < 3; i++)
        sink[i] = (tacLcpSink){.force = columns_of(dR, places[i], c),
                               .row = columns_of(dr, places[i], c),
                               .wrench = columns_of(wrench, places[i], c)};
    memset(dr, 0, (size_t)lcp->rows.n * (size_t)c.n * sizeof *dr);
    for (int k = 0; k < lcp->rows.n;
         k++) /* d(J v+ + e J v)/dv at fixed a; equalities that are closed have J (v+ - v) */
        if (moves_with_v(lcp, k))
            tac_row_add_force(&lcp->rows, k, 1 + lcp->bounce[k], dr + (size_t)k * (size_t)c.n + m->nv);
    tacStatus status = tac_ahead_jac(ctx, x, lcp, c, dr);
    if (status != TAC_OK) return status;
    return emit(ctx, x, u, lcp, &sink[0], mocap < 0 ? NULL : &sink[1], c.np > 0 ? &sink[2] : NULL);
}

tacStatus tac_lcp_residuals_vjp(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp,
                                const double *lambda, const double *mu, const double *wrenchbar, const tacGrad *bar) {
    int mocap = tac_mocap_column(ctx);
    double *places[3] = {bar->x, bar->u + (mocap < 0 ? 0 : mocap), bar->theta};
    tacLcpSink sink[3];
    for (int i = 0; i < 3; i++)
        sink[i] = (tacLcpSink){.force = {.lambda = lambda, .bar = places[i], .negate = 1},
                               .row = {.lambda = mu, .bar = places[i], .negate = 1},
                               .wrench = {.lambda = wrenchbar, .bar = places[i]}};
    for (int k = 0; k < lcp->rows.n; k++)
        if (mu[k] != 0 && moves_with_v(lcp, k))
            tac_row_add_force(&lcp->rows, k, -mu[k] * (1 + lcp->bounce[k]), bar->x + ctx->model->nv);
    tacStatus status = tac_ahead_vjp(ctx, x, lcp, mu, bar);
    if (status != TAC_OK) return status;
    return emit(ctx, x, u, lcp, &sink[0], mocap < 0 ? NULL : &sink[1], bar->theta == NULL ? NULL : &sink[2]);
}
