/* Runge-Kutta 4 along one direction: the chain of rk4.c with one column   (step.md, ST5, ST6) */
#include "smooth/rk4.h"
#include "smooth/rk4_stages.h"
#include "smooth/tangent.h"

#include "dynamics/actuator.h"

#include <string.h>

/* Changes along the direction c.along. */
typedef struct Along {
    tacColumns c; /* of a stage's state, all inputs and parameters: c.along is `stage` */
    double *stage;
    double *df, *sum; /* nx: of a stage's rates; of their weighted sum */
    double *start;    /* nv */
    double dh;
} Along;

double *tac_rk4_layout_along(const tacModel *m, tacColumns c, tacArena *arena) {
    return TAC_TAKE(arena, c.nx + c.nu + c.np + 2 * c.nx + m->nv, double);
}

static int open_along(tacContext *ctx, tacColumns c, Along *d) {
    int n = c.nx + c.nu + c.np, time = tac_param_of_time(ctx->model);
    d->stage = tac_rk4_layout_along(ctx->model, c, &ctx->arena);
    if (d->stage == NULL) return 0;
    d->c = (tacColumns){1, c.nx, c.nu, c.np, d->stage};
    d->df = d->stage + n;
    d->sum = d->df + c.nx;
    d->start = d->sum + c.nx;
    d->dh = time < 0 ? 0 : c.along[c.nx + c.nu + time];
    memcpy(d->stage, c.along, (size_t)n * sizeof *d->stage);
    memset(d->sum, 0, (size_t)c.nx * sizeof *d->sum);
    return 1;
}

/* dq = span Q dw + P dq_0 + dh hv/h */
static void move_along(const tacModel *m, const double *hv, double span, const double *dw, const double *dq0,
                       double share, double *start, double *dq) {
    memcpy(start, dq0, (size_t)m->nv * sizeof *start);
    tac_move_back_jac(m, hv, 1, start);
    tac_move_jac(m, hv, span, 1, 1, dw, 1, dq);
    for (int i = 0; i < m->nv; i++)
        dq[i] += start[i] + share * hv[i];
}

/* The stage's state, with the rates of the stage before. */
static void place_along(const tacContext *ctx, tacColumns c, int i, const tacRk4Stages *s, const Along *d) {
    const tacModel *m = ctx->model;
    double h = ctx->options.dt, span = TAC_RK4_SPAN[i] * h, more = d->dh * TAC_RK4_SPAN[i];
    if (i == 0) return;
    move_along(m, s->hv[i], span, d->df, c.along, d->dh / h, d->start, d->stage);
    for (int k = m->nv; k < 2 * m->nv; k++)
        d->stage[k] = c.along[k] + span * d->df[k] + more * s->acc[i - 1][k - m->nv];
    for (int k = 2 * m->nv; k < c.nx; k++)
        d->stage[k] = c.along[k] + span * d->df[k] + more * s->rate[i - 1][k - 2 * m->nv];
}

/* dw is dv, or its corrected form, in which hv = span w of the stage before moves too. */
static void position_rate_along(const tacContext *ctx, int i, const tacRk4Stages *s, const Along *d) {
    const tacModel *m = ctx->model;
    const double *dv = d->stage + m->nv;
    double h = ctx->options.dt;
    if (!tac_rk4_corrects_rotations(ctx) || i == 0) {
        memcpy(d->df, dv, (size_t)m->nv * sizeof *dv);
        return;
    }
    for (int k = 0; k < m->nv; k++)
        d->df[k] = TAC_RK4_SPAN[i] * h * d->df[k] + d->dh * s->hv[i][k] / h;
    tac_log_rate_jac(m, s->hv[i], s->x[i] + m->nq, 1, 1, dv, d->df);
}

/* Needs: the forces at the stage. */
static void rates_along(tacContext *ctx, const double *x, const double *u, const Along *d) {
    const tacModel *m = ctx->model;
    int act = 2 * m->nv;
    double *drate = d->df + act;
    tacSink by_act = tac_columns_sink(d->c, drate, act), by_ctrl = tac_columns_sink(d->c, drate, d->c.nx);
    tacSink by_theta = tac_columns_sink(d->c, drate, d->c.nx + d->c.nu);
    memset(drate, 0, (size_t)m->na * sizeof *drate);
    tac_activation_rates_jac(m, &ctx->work, u, &by_act, &by_ctrl);
    tac_activation_rates_param(ctx, x, u, &by_theta);
}

static tacStatus run_along(tacContext *ctx, const double *u, tacColumns c, const tacRk4Stages *s, const Along *d) {
    for (int i = 0; i < TAC_RK4_STAGES; i++) {
        place_along(ctx, c, i, s, d);
        position_rate_along(ctx, i, s, d);
        tacStatus status = ctx->stepper->acceleration_jac(ctx, s->x[i], u, d->c, NULL, d->df + ctx->model->nv);
        if (!tac_went_on(status)) return status;
        rates_along(ctx, s->x[i], u, d);
        for (int k = 0; k < c.nx; k++)
            d->sum[k] += TAC_RK4_WEIGHT[i] * d->df[k];
    }
    return TAC_OK;
}

static void end_along(const tacContext *ctx, const double *x, tacColumns c, const tacRk4Stages *s, const Along *d,
                      double *dy) {
    const tacModel *m = ctx->model;
    const double *act = x + m->nq + m->nv, *dact = c.along + 2 * m->nv;
    double h = ctx->options.dt, *next = dy + 2 * m->nv;
    move_along(m, s->hv[TAC_RK4_STAGES], h, d->sum, c.along, d->dh / h, d->start, dy);
    for (int k = m->nv; k < 2 * m->nv; k++)
        dy[k] = c.along[k] + h * d->sum[k] + d->dh * s->mean_acc[k - m->nv];
    for (int a = 0; a < m->nu; a++)
        for (int j = m->actuator_act_adr[a]; j < m->actuator_act_adr[a] + m->actuator_act_num[a]; j++) {
            tacNextActivation by = tac_next_activation_jac(m, a, act[j], s->mean_rate[j], h);
            next[j] = by.act * dact[j] + by.rate * d->sum[2 * m->nv + j];
        }
    tacSink theta = tac_columns_sink(c, next, c.nx + c.nu);
    tac_rk4_emit_spans(ctx, x, s, &theta);
}

static tacStatus fill_jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, const tacRk4Stages *s,
                          double *dy) {
    Along d;
    if (!open_along(ctx, c, &d)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(run_along(ctx, u, c, s, &d));
    if (!tac_slopes_are_finite((size_t)ctx->model->nv, s->hv[TAC_RK4_STAGES], (size_t)c.nx, d.sum))
        return TAC_ERR_NONFINITE;
    end_along(ctx, x, c, s, &d, dy);
    return TAC_OK;
}

tacStatus tac_rk4_jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, double *y, double *dy) {
    TAC_SCOPE(&ctx->arena);
    tacRk4Stages s;
    tacStatus status = tac_rk4_advance(ctx, x, u, &s);
    tacStepInfo step = ctx->info;
    if (status == TAC_OK) status = fill_jvp(ctx, x, u, c, &s, dy);
    tac_rk4_keep_info(ctx, &step);
    return tac_end_step(ctx, status, 0, y);
}
