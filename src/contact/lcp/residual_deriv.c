/* What constraints add to the derivatives of the step's residuals (contact/lcp/problem.h, L4), forwards and in
 * reverse. */
#include "contact/lcp/predict.h"
#include "contact/lcp/step.h"

#include <string.h>

/* Velocities of bodies at v+, at v, at the lag and at v+ - v, which is `gained`. */
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

/* Emits all that constraints add to dR and dr. mocap, theta: NULL skips. */
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

void tac_lcp_measure_residuals(const tacModel *m, tacArena *dry) {
    tac_lcp_measure_predict_deriv(m, dry);
    TAC_SCOPE(dry);
    Velocities v;
    layout(&v, m, dry);
}

/* 1: w has J v+. */
static int moves_with_v(const tacLcp *lcp, int k) {
    return lcp->rows.row[k].kind != TAC_ROW_EQUALITY || !tac_lcp_is_predicted(lcp, k);
}

static tacSink columns_of(double *matrix, int first, tacColumns c) {
    return (tacSink){.matrix = matrix == NULL ? NULL : matrix + first, .ld = c.n};
}

tacStatus tac_lcp_residuals_jac(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, tacColumns c,
                                double *dR, double *dr, double *wrench) {
    const tacModel *m = ctx->model;
    int mocap = ctx->inputs.mocap, places[3] = {0, c.nx + (mocap < 0 ? 0 : mocap), c.nx + c.nu};
    tacLcpSink sink[3]; /* dofs, mocap numbers, parameters */
    for (int i = 0; i < 3; i++)
        sink[i] = (tacLcpSink){.force = columns_of(dR, places[i], c),
                               .row = columns_of(dr, places[i], c),
                               .wrench = columns_of(wrench, places[i], c)};
    memset(dr, 0, (size_t)lcp->rows.n * (size_t)c.n * sizeof *dr);
    for (int k = 0; k < lcp->rows.n; k++) { /* d(J v+ + e J v)/dv at fixed a; closed equalities have J (v+ - v) */
        if (!moves_with_v(lcp, k)) continue;
        tac_row_add_force(&lcp->rows, k, 1 + lcp->bounce[k], dr + (size_t)k * (size_t)c.n + m->nv);
    }
    TAC_TRY(tac_lcp_predict_jac(ctx, x, lcp, c, dr));
    return emit(ctx, x, u, lcp, &sink[0], mocap < 0 ? NULL : &sink[1], c.np > 0 ? &sink[2] : NULL);
}

tacStatus tac_lcp_residuals_vjp(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp,
                                const double *lambda, const double *mu, const double *wrenchbar, const tacGrad *bar) {
    int mocap = ctx->inputs.mocap;
    double *places[3] = {bar->x, bar->u + (mocap < 0 ? 0 : mocap), bar->theta};
    tacLcpSink sink[3];
    for (int i = 0; i < 3; i++)
        sink[i] = (tacLcpSink){.force = {.lambda = lambda, .bar = places[i], .negate = 1},
                               .row = {.lambda = mu, .bar = places[i], .negate = 1},
                               .wrench = {.lambda = wrenchbar, .bar = places[i]}};
    for (int k = 0; k < lcp->rows.n; k++)
        if (mu[k] != 0 && moves_with_v(lcp, k))
            tac_row_add_force(&lcp->rows, k, -mu[k] * (1 + lcp->bounce[k]), bar->x + ctx->model->nv);
    TAC_TRY(tac_lcp_predict_vjp(ctx, x, lcp, mu, bar));
    return emit(ctx, x, u, lcp, &sink[0], mocap < 0 ? NULL : &sink[1], bar->theta == NULL ? NULL : &sink[2]);
}
