/* Rates of a model and their derivatives, and activations at their range (smooth/adaptive.h). */
#include "smooth/adaptive.h"

#include "dynamics/actuator.h"
#include "dynamics/param_deriv.h"
#include "math/scalar.h"
#include "model/model.h"

#include <string.h>

/* --- Rates -------------------------------------------------------------------------------------------------------- */

void tac_adaptive_finish_rate(tacAdaptive *a, const double *x, double *f) {
    const tacModel *m = a->ctx->model;
    if (a->ties < 0) a->ties = a->ctx->work.ties;
    memcpy(f, x + m->nq, (size_t)m->nv * sizeof *f);
    for (int j = 0; j < m->na; j++)
        f[2 * m->nv + j] = a->held[j] ? 0 : a->ctx->work.act_dot[j];
}

/* Rows of activations, columns [x | u | theta]. Needs: the forces there. */
static void activation_rows(tacAdaptive *a, const double *x, tacColumns c, double *F) {
    tacContext *ctx = a->ctx;
    const tacModel *m = ctx->model;
    size_t n = (size_t)c.n, act = 2 * (size_t)m->nv;
    double *rows = F + act * n;
    memset(rows, 0, (size_t)m->na * n * sizeof *rows);
    tacSink act_sink = {.matrix = rows + act, .ld = c.n}, ctrl_sink = {.matrix = rows + c.nx, .ld = c.n};
    tac_activation_rates_jac(m, &ctx->work, a->u, &act_sink, &ctrl_sink);
    tac_activation_rates_param(ctx, x, a->u, &(tacSink){.matrix = rows + c.nx + c.nu, .ld = c.n});
    for (int j = 0; j < m->na; j++)
        if (a->held[j]) memset(rows + (size_t)j * n, 0, n * sizeof *rows);
}

tacStatus tac_adaptive_rate_jac(void *user, const double *x, double *F) {
    tacAdaptive *a = user;
    tacContext *ctx = a->ctx;
    const tacModel *m = ctx->model;
    tacColumns c = tac_count_columns(ctx);
    size_t n = (size_t)c.n, nv = (size_t)m->nv;
    tacStatus status = ctx->stepper->acceleration_jac(ctx, x, a->u, c, NULL, F + nv * n);
    if (!tac_went_on(status)) return status;
    memset(F, 0, nv * n * sizeof *F);
    for (size_t i = 0; i < nv; i++)
        F[i * n + nv + i] = 1;
    activation_rows(a, x, c, F);
    return tac_first_nonfinite((int)(nv * n), F + nv * n) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

tacStatus tac_adaptive_rate_jvp(void *user, const double *x, const double *along, double *df) {
    tacAdaptive *a = user;
    tacContext *ctx = a->ctx;
    const tacModel *m = ctx->model;
    tacColumns c = tac_count_columns(ctx);
    double *act = df + 2 * m->nv;
    c.n = 1;
    c.along = along;
    tacStatus status = ctx->stepper->acceleration_jac(ctx, x, a->u, c, NULL, df + m->nv);
    if (!tac_went_on(status)) return status;
    memcpy(df, along + m->nv, (size_t)m->nv * sizeof *df);
    memset(act, 0, (size_t)m->na * sizeof *act);
    tacSink act_sink = tac_columns_sink(c, act, 2 * m->nv), ctrl_sink = tac_columns_sink(c, act, c.nx);
    tacSink theta_sink = tac_columns_sink(c, act, c.nx + c.nu);
    tac_activation_rates_jac(m, &ctx->work, a->u, &act_sink, &ctrl_sink);
    if (c.np > 0) tac_activation_rates_param(ctx, x, a->u, &theta_sink);
    for (int j = 0; j < m->na; j++)
        if (a->held[j]) act[j] = 0;
    return tac_first_nonfinite(m->nv + m->na, df + m->nv) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

tacStatus tac_adaptive_rate_vjp(void *user, const double *x, const double *bar, double *x_bar, double *p_bar) {
    tacAdaptive *a = user;
    tacContext *ctx = a->ctx;
    const tacModel *m = ctx->model;
    tacColumns c = tac_count_columns(ctx);
    const double *act = bar + 2 * m->nv;
    tacGrad to = {x_bar, p_bar, c.np > 0 ? p_bar + c.nu : NULL};
    for (int i = 0; i < m->nv; i++)
        x_bar[m->nv + i] += bar[i];
    tacStatus status = ctx->stepper->acceleration_vjp(ctx, x, a->u, bar + m->nv, &to);
    if (!tac_went_on(status)) return status;
    for (int j = 0; j < m->na; j++)
        a->bar[j] = a->held[j] ? 0 : act[j];
    tacSink act_sink = {.lambda = a->bar, .bar = x_bar + 2 * m->nv}, ctrl_sink = {.lambda = a->bar, .bar = p_bar};
    tac_activation_rates_jac(m, &ctx->work, a->u, &act_sink, &ctrl_sink);
    if (to.theta != NULL) tac_activation_rates_param(ctx, x, a->u, &(tacSink){.lambda = a->bar, .bar = to.theta});
    return TAC_OK;
}

/* f has a kink where an actuator reaches its force range: signals of the unclamped forces. */
int tac_adaptive_signals(const tacAdaptive *a, const double *x, double *signal) {
    const tacModel *m = a->ctx->model;
    for (int i = 0; i < m->nu; i++) {
        double ignored;
        signal[2 * i] = signal[2 * i + 1] = 0;
        if (!m->actuator_forcelimited[i] || m->actuator_without_force[i]) continue;
        double force = tac_force_jac(m, &a->ctx->work, i, x + m->nq + m->nv, 0, &ignored).value;
        signal[2 * i] = force - m->actuator_forcerange[2 * i];
        signal[2 * i + 1] = force - m->actuator_forcerange[2 * i + 1];
    }
    return 2 * m->nu;
}

void tac_adaptive_hold(void *user, const unsigned char *sign, const double *rate) {
    tacAdaptive *a = user;
    (void)rate;
    a->ctx->work.force_sign = sign;
}

/* --- Activations at their range ----------------------------------------------------------------------------------- */

/* The actuator of an activation with a range, or -1. */
static int limited_actuator(const tacModel *m, int j) {
    for (int a = 0; a < m->nu; a++)
        if (j >= m->actuator_act_adr[a] && j < m->actuator_act_adr[a] + m->actuator_act_num[a])
            return m->actuator_actlimited[a] ? a : -1;
    return -1;
}

static double room_of(const tacModel *m, int actuator, int j, int side, const double *x) {
    const double *range = m->actuator_actrange + 2 * actuator;
    double act = x[m->nq + m->nv + j];
    return side == 0 ? act - range[0] : range[1] - act;
}

static double closing(int side, double rate) { return side == 0 ? rate : -rate; }

static int any_at_bound(const tacModel *m, const double *x) {
    for (int j = 0; j < m->na; j++) {
        int actuator = limited_actuator(m, j);
        for (int side = 0; actuator >= 0 && side < 2; side++)
            if (room_of(m, actuator, j, side, x) <= TAC_GAP_ROUNDING) return 1;
    }
    return 0;
}

tacStatus tac_held_open(tacAdaptive *a, const double *x, int first, int begun, int *changed) {
    const tacModel *m = a->ctx->model;
    memcpy(a->was_held, a->held, (size_t)m->na);
    memset(a->held, 0, (size_t)m->na);
    a->nonset = 0;
    if (any_at_bound(m, x)) {
        tac_evaluate(a->ctx, x, a->u);
        for (int j = 0; j < m->na; j++) {
            int actuator = limited_actuator(m, j);
            for (int side = 0; actuator >= 0 && side < 2; side++) {
                double room = room_of(m, actuator, j, side, x), rate = closing(side, a->ctx->work.act_dot[j]);
                if (room > TAC_GAP_ROUNDING || rate >= 0) continue;
                int begins = room >= -TAC_GAP_ROUNDING;
                if (begins) a->onset[a->nonset++] = 2 * j + side;
                a->held[j] = !begins || begun < 0 || first + a->nonset <= begun;
            }
        }
    }
    *changed |= memcmp(a->was_held, a->held, (size_t)m->na) != 0;
    return TAC_OK;
}

tacStatus tac_held_watch(tacAdaptive *a, const double *x0, const double *x1, tacGap *gap) {
    const tacModel *m = a->ctx->model;
    const double *x[2] = {x0, x1};
    a->nbound = 0;
    for (int j = 0; j < m->na; j++)
        for (int side = 0; limited_actuator(m, j) >= 0 && !a->held[j] && side < 2; side++)
            a->bound[a->nbound++] = 2 * j + side;
    for (int i = 0; i < a->nbound; i++)
        gap[i].acts = 0;
    for (int end = 0; end < 2 && a->nbound > 0; end++)
        for (int i = 0; i < a->nbound; i++)
            TAC_TRY(tac_held_gap(a, i, x[end], &gap[i].at[end], &gap[i].rate[end]));
    return TAC_OK;
}

tacStatus tac_held_gap(tacAdaptive *a, int i, const double *x, double *value, double *rate) {
    const tacModel *m = a->ctx->model;
    int j = a->bound[i] / 2, side = a->bound[i] % 2;
    tac_evaluate(a->ctx, x, a->u);
    *value = room_of(m, limited_actuator(m, j), j, side, x);
    *rate = closing(side, a->ctx->work.act_dot[j]);
    return TAC_OK;
}

void tac_held_gap_jac(tacAdaptive *a, int member, double *grad, double *grad_p) {
    const tacModel *m = a->ctx->model;
    tacColumns c = tac_count_columns(a->ctx);
    int j = a->onset[member] / 2, side = a->onset[member] % 2, actuator = limited_actuator(m, j);
    memset(grad, 0, (size_t)c.nx * sizeof *grad);
    memset(grad_p, 0, (size_t)(c.nu + c.np) * sizeof *grad_p);
    grad[2 * m->nv + j] = side == 0 ? 1 : -1;
    for (int k = 0; k < m->nmember; k++)
        if (tac_param_at(m, m->param_field[k], m->param_index[k]) == m->actuator_actrange + 2 * actuator + side)
            grad_p[c.nu + m->param_theta[k]] += side == 0 ? -1 : 1;
}
