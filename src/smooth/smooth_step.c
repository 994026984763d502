#include "smooth/smooth_step.h"

#include "dynamics/actuator.h"
#include "dynamics/mass.h"

#include <string.h>

void tac_evaluate(tacContext *ctx, const double *x, const double *u) {
    tacSmoothPoint p = tac_point_of(ctx, x, u);
    tac_smooth_forces(ctx->model, &ctx->work, p.q, p.v, p.act, p.u, p.h);
    tac_crba(ctx->model, &ctx->work);
}

double tac_damping_span(const tacContext *ctx) {
    return *ctx->model->option_disable & (TAC_DISABLE_EULERDAMP | TAC_DISABLE_DAMPER) ? 0 : ctx->options.dt;
}

const double *tac_implicit_damping(const tacContext *ctx, double *extra) {
    double span = tac_damping_span(ctx);
    if (span == 0) return NULL;
    for (int i = 0; i < ctx->model->nv; i++)
        extra[i] = span * ctx->model->dof_damping[i];
    return extra;
}

tacStatus tac_accelerate(tacContext *ctx, const double *extra) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    TAC_TRY(tac_factor(m, w, extra));
    memcpy(w->qacc, w->qfrc, (size_t)m->nv * sizeof *w->qacc);
    tac_solve(m, w, w->qacc);
    return TAC_OK;
}

tacStatus tac_advance_velocity(tacContext *ctx, const double *x) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    double h = ctx->options.dt, *hv = w->vec[0], *v_next = w->next + m->nq;
    const double *v = x + m->nq;
    for (int i = 0; i < m->nv; i++) {
        v_next[i] = v[i] + h * w->qacc[i];
        hv[i] = h * v_next[i];
    }
    return tac_first_nonfinite(m->nv, v_next) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

tacStatus tac_advance(tacContext *ctx, const double *x) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    tac_advance_velocity(ctx, x);
    tac_qpos_add(m, x, w->vec[0], w->next);
    tac_advance_activations(m, w, x + m->nq + m->nv, ctx->options.dt, w->next + m->nq + m->nv);
    return tac_first_nonfinite(tac_nx(m), w->next) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

tacStatus tac_end_step(const tacContext *ctx, tacStatus status, int unsolved, double *y) {
    if (tac_went_on(status) && y != NULL) memcpy(y, ctx->work.next, (size_t)tac_nx(ctx->model) * sizeof *y);
    return status == TAC_OK && unsolved ? TAC_ERR_UNSOLVED : status;
}

/* --- Acceleration in continuous time: M a = qfrc ------------------------------------------------------------------ */

tacStatus tac_smooth_acceleration(tacContext *ctx, const double *x, const double *u, double *qacc) {
    const tacModel *m = ctx->model;
    tac_evaluate(ctx, x, u);
    TAC_TRY(tac_accelerate(ctx, NULL));
    if (tac_first_nonfinite(m->nv, ctx->work.qacc) >= 0) return TAC_ERR_NONFINITE;
    if (qacc != NULL) memcpy(qacc, ctx->work.qacc, (size_t)m->nv * sizeof *qacc);
    return TAC_OK;
}

/* R = ID(q, v, a) - tau = 0:  da = -M^-1 dR   (dynamics.md, ID8) */
tacStatus tac_smooth_acceleration_jac(tacContext *ctx, const double *x, const double *u, tacColumns c, double *qacc,
                                      double *dqacc) {
    const tacModel *m = ctx->model;
    TAC_TRY(tac_smooth_acceleration(ctx, x, u, qacc));
    tac_residual_jac(ctx, x, u, 0, c, dqacc);
    tacTree tree = tac_dof_tree(m);
    tac_tree_solve_many(&tree, ctx->work.L, c.n, dqacc);
    for (size_t i = 0; i < (size_t)m->nv * (size_t)c.n; i++)
        dqacc[i] = -dqacc[i];
    return TAC_OK;
}

static double *layout_lambda(const tacModel *m, tacArena *arena) { return TAC_TAKE(arena, m->nv, double); }

tacStatus tac_smooth_acceleration_vjp(tacContext *ctx, const double *x, const double *u, const double *abar,
                                      const tacGrad *bar) {
    const tacModel *m = ctx->model;
    TAC_TRY(tac_smooth_acceleration(ctx, x, u, NULL));
    TAC_SCOPE(&ctx->arena);
    double *lambda = layout_lambda(m, &ctx->arena);
    if (lambda == NULL) return TAC_ERR_ARENA_FULL;
    memcpy(lambda, abar, (size_t)m->nv * sizeof *lambda);
    tac_solve(m, &ctx->work, lambda);
    tac_residual_vjp(ctx, x, u, 0, lambda, bar);
    return TAC_OK;
}

void tac_smooth_measure(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tacColumns c = tac_columns_of(m, options);
    {
        TAC_SCOPE(dry);
        tacJacRows rows;
        tac_jac_layout(m, c, dry, &rows);
    }
    TAC_SCOPE(dry);
    tacAdjoint adjoint;
    tac_adjoint_layout(m, c, dry, &adjoint);
    layout_lambda(m, dry);
}
