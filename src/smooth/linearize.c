#include "smooth/linearize.h"

#include "dynamics/actuator.h"
#include "dynamics/param_deriv.h"
#include "math/scalar.h"
#include "smooth/tangent.h"

#include <string.h>

tacSmoothPoint tac_point_of(const tacContext *ctx, const double *x, const double *u) {
    const tacModel *m = ctx->model;
    return (tacSmoothPoint){x, x + m->nq, x + m->nq + m->nv, tac_inputs_of(&ctx->inputs, u), tac_lookahead(ctx)};
}

tacColumns tac_columns_of(const tacModel *m, const tacOptions *options) {
    int nx = tac_ndx(m), nu = tac_ninput(m, options), np = m->nparam;
    return (tacColumns){nx + nu + np, nx, nu, np, NULL};
}

tacColumns tac_count_columns(const tacContext *ctx) { return tac_columns_of(ctx->model, &ctx->options); }

/* dR along every number of the mocap poses; column 0 of the sink is the first. */
static void emit_mocap(tacContext *ctx, const tacSmoothPoint *x, const tacSink *sink) {
    const tacModel *m = ctx->model;
    for (int i = 0; i < ctx->inputs.nmocap; i++) {
        tacMover mover;
        tac_mocap_mover(m, &ctx->work, i, x->u.mocap, &mover);
        tac_residual_move(m, &ctx->work, x, ctx->work.qacc, &mover, i, sink);
    }
}

/* dR along every registered parameter. span: time that joint damping acts implicitly. */
static void emit_params(tacContext *ctx, const tacSmoothPoint *x, double span, const tacSink *sink) {
    for (int p = 0; p < ctx->model->nmember; p++)
        tac_param_jac(ctx->model, &ctx->work, x, ctx->work.qacc, span, &ctx->tangents[p], ctx->tangents[p].column,
                      sink);
}

/* The parameters of the activations themselves. */
static void emit_param_activations(tacContext *ctx, const tacSmoothPoint *x, const tacSink *sink) {
    for (int p = 0; p < ctx->model->nmember; p++)
        tac_param_activation_jac(ctx->model, &ctx->work, x, &ctx->tangents[p], ctx->tangents[p].column, sink);
}

/* --- Jacobian ----------------------------------------------------------------------------------------------------- */

static void residual_along(tacContext *ctx, const tacSmoothPoint *x, tacColumns c, double *dR) {
    const tacModel *m = ctx->model;
    const tacInputLayout *blocks = &ctx->inputs;
    tacSmoothDirection d = {c.along, c.along + m->nv, c.along + 2 * m->nv, c.along + c.nx, NULL, NULL};
    if (blocks->qfrc >= 0) d.qfrc = d.ctrl + blocks->qfrc;
    if (blocks->xfrc >= 0) d.xfrc = d.ctrl + blocks->xfrc;
    tac_smooth_jvp(m, &ctx->work, x, ctx->work.qacc, &d, dR);
}

static void residual_columns(tacContext *ctx, const tacSmoothPoint *x, tacColumns c, double *W) {
    const tacModel *m = ctx->model;
    const tacInputLayout *blocks = &ctx->inputs;
    tacSmoothJac R = {.ld = c.n, .dq = W, .dv = W + m->nv, .dact = W + 2 * m->nv, .dctrl = W + c.nx};
    if (blocks->qfrc >= 0) R.dqfrc = R.dctrl + blocks->qfrc;
    if (blocks->xfrc >= 0) R.dxfrc = R.dctrl + blocks->xfrc;
    memset(W, 0, (size_t)m->nv * (size_t)c.n * sizeof *W);
    tac_smooth_jac(m, &ctx->work, x, ctx->work.qacc, &R);
}

void tac_residual_jac(tacContext *ctx, const double *x, const double *u, double span, tacColumns c, double *W) {
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    tacSink mocap = tac_columns_sink(c, W, c.nx + (ctx->inputs.mocap < 0 ? 0 : ctx->inputs.mocap));
    tacSink theta = tac_columns_sink(c, W, c.nx + c.nu);
    (c.along != NULL ? residual_along : residual_columns)(ctx, &point, c, W);
    if (ctx->inputs.mocap >= 0) emit_mocap(ctx, &point, &mocap);
    emit_params(ctx, &point, span, &theta);
}

/* Rows dq+ and dv+ of n columns of W = -da that begin at `from`: dv+ = h da, plus dv itself for the columns of v (the
 * first of them is `velocity`, or -1), and dq+ = h Q dv+. */
static void copy_block(const tacModel *m, const double *hv, double h, tacColumns c, const double *W, int from, int n,
                       int velocity, double *out) {
    size_t rows = (size_t)m->nv, ld = (size_t)n;
    for (size_t i = 0; i < rows; i++) {
        const double *w = W + i * (size_t)c.n + from;
        double *dq = out + i * ld, *dv = out + (rows + i) * ld;
        size_t k = 0;
        for (; k + 2 <= ld; k += 2) { /* two at a time: compilers use 128-bit registers at -O2 */
            double one = -h * w[k], two = -h * w[k + 1];
            dv[k] = one;
            dv[k + 1] = two;
            dq[k] = h * one;
            dq[k + 1] = h * two;
        }
        if (k < ld) {
            dv[k] = -h * w[k];
            dq[k] = h * dv[k];
        }
        if (velocity < 0) continue;
        dv[velocity + (int)i] += 1;
        dq[velocity + (int)i] = h * dv[velocity + (int)i];
    }
    tac_turn_jac(m, hv, n, n, out);
    memset(out + 2 * rows * ld, 0, (size_t)m->na * ld * sizeof *out);
}

/* v+ = v + h a and q+ = q (+) h v+ by h alone. The column of the time step gets a, and v+ + Q h a, since Q v+ = v+. */
static void add_time(const tacContext *ctx, const double *hv, int np, double *P) {
    const tacModel *m = ctx->model;
    int k = tac_param_of_time(m);
    double h = ctx->options.dt, *move = ctx->work.vec[1];
    if (k < 0) return;
    for (int i = 0; i < m->nv; i++)
        move[i] = h * ctx->work.qacc[i];
    tac_turn_jac(m, hv, 1, 1, move);
    for (int i = 0; i < m->nv; i++) {
        P[(size_t)i * (size_t)np + (size_t)k] += hv[i] / h + move[i];
        P[(size_t)(m->nv + i) * (size_t)np + (size_t)k] += ctx->work.qacc[i];
    }
}

/* Its reverse: qbar of q+, and vbar of v+ including the part from q+. a NULL: v+ does not move with h. */
static void pull_time(const tacContext *ctx, const double *qbar, const double *vbar, const double *a, double *theta) {
    int k = theta == NULL ? -1 : tac_param_of_time(ctx->model);
    const double *hv = ctx->work.vec[0];
    for (int i = 0; k >= 0 && i < ctx->model->nv; i++)
        theta[k] += (a == NULL ? 0 : vbar[i] * a[i]) + qbar[i] * hv[i] / ctx->options.dt;
}

/* Limits of motions and slopes (SI units). Beyond them, squares and sums overflow. */
#define MOST_MOTION 1e150
#define MOST_SLOPE  1e300

/* 1: the sum of |x| is below `most`. NaN is not. Four sums, so that an addition does not wait for the last one. */
static int is_within(size_t n, const double *x, double most) {
    double sum[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        sum[0] += tac_abs(x[i]);
        sum[1] += tac_abs(x[i + 1]);
        sum[2] += tac_abs(x[i + 2]);
        sum[3] += tac_abs(x[i + 3]);
    }
    for (; i < n; i++)
        sum[0] += tac_abs(x[i]);
    return sum[0] + sum[1] + sum[2] + sum[3] < most;
}

int tac_slopes_are_finite(size_t nhv, const double *hv, size_t n, const double *slopes) {
    return is_within(nhv, hv, MOST_MOTION) && is_within(n, slopes, MOST_SLOPE);
}

tacStatus tac_assemble_jac(tacContext *ctx, const double *x, const double *u, const double *hv, tacColumns c,
                           const double *W, const tacJac *J) {
    const tacModel *m = ctx->model;
    double h = ctx->options.dt;
    if (!tac_slopes_are_finite((size_t)m->nv, hv, (size_t)m->nv * (size_t)c.n, W)) return TAC_ERR_NONFINITE;
    if (J->A != NULL) copy_block(m, hv, h, c, W, 0, c.nx, m->nv, J->A);
    if (J->B != NULL) copy_block(m, hv, h, c, W, c.nx, c.nu, -1, J->B);
    if (J->P != NULL) copy_block(m, hv, h, c, W, c.nx + c.nu, c.np, -1, J->P);
    if (J->P != NULL) add_time(ctx, hv, c.np, J->P);
    if (J->A != NULL) tac_move_start_jac(m, hv, c.nx, J->A);
    size_t act = 2 * (size_t)m->nv; /* first row (and column of A) of the activations */
    tacSink act_sink = {.matrix = J->A == NULL ? NULL : J->A + act * (size_t)c.nx + act, .ld = c.nx};
    tacSink ctrl_sink = {.matrix = J->B == NULL ? NULL : J->B + act * (size_t)c.nu, .ld = c.nu};
    tac_advance_activations_jac(m, &ctx->work, u, x + m->nq + m->nv, h, &act_sink, &ctrl_sink);
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    if (J->P != NULL) emit_param_activations(ctx, &point, &(tacSink){.matrix = J->P + act * (size_t)c.np, .ld = c.np});
    return TAC_OK;
}

/* dv+ = dv + h da, dq+ = P dq + h Q dv+, and what h alone adds, as add_time. */
static void move_along(const tacContext *ctx, const double *hv, tacColumns c, const double *W, double *dq, double *dv) {
    const tacModel *m = ctx->model;
    int k = tac_param_of_time(m);
    double h = ctx->options.dt, dh = k < 0 ? 0 : c.along[c.nx + c.nu + k], *start = ctx->work.vec[1];
    memcpy(start, c.along, (size_t)m->nv * sizeof *start);
    for (int i = 0; i < m->nv; i++) {
        dv[i] = c.along[m->nv + i] - h * W[i];
        if (k >= 0) dv[i] += dh * ctx->work.qacc[i];
        dq[i] = h * dv[i];
    }
    tac_turn_jac(m, hv, 1, 1, dq);
    tac_move_back_jac(m, hv, 1, start);
    for (int i = 0; i < m->nv; i++)
        dq[i] += start[i] + dh * hv[i] / h;
}

tacStatus tac_assemble_jvp(tacContext *ctx, const double *x, const double *u, const double *hv, tacColumns c,
                           const double *W, double *dy) {
    const tacModel *m = ctx->model;
    size_t act = 2 * (size_t)m->nv;
    if (!tac_slopes_are_finite((size_t)m->nv, hv, (size_t)m->nv, W)) return TAC_ERR_NONFINITE;
    move_along(ctx, hv, c, W, dy, dy + m->nv);
    memset(dy + act, 0, (size_t)m->na * sizeof *dy);
    tacSink act_sink = tac_columns_sink(c, dy + act, (int)act), ctrl_sink = tac_columns_sink(c, dy + act, c.nx);
    tacSink theta = tac_columns_sink(c, dy + act, c.nx + c.nu);
    tac_advance_activations_jac(m, &ctx->work, u, x + m->nq + m->nv, ctx->options.dt, &act_sink, &ctrl_sink);
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    emit_param_activations(ctx, &point, &theta);
    return TAC_OK;
}

int tac_jac_layout(const tacModel *m, tacColumns c, tacArena *arena, tacJacRows *rows) {
    rows->W = TAC_TAKE(arena, (size_t)m->nv * (size_t)c.n, double);
    rows->hv = TAC_TAKE(arena, m->nv, double);
    return rows->W != NULL && rows->hv != NULL;
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

int tac_adjoint_layout(const tacModel *m, tacColumns c, tacArena *arena, tacAdjoint *adjoint) {
    adjoint->lambda = TAC_TAKE(arena, m->nv, double);
    adjoint->bar.x = TAC_TAKE(arena, c.nx, double);
    adjoint->bar.u = TAC_TAKE(arena, c.nu, double);
    adjoint->bar.theta = TAC_TAKE(arena, c.np, double);
    return adjoint->lambda != NULL && adjoint->bar.x != NULL && adjoint->bar.u != NULL && adjoint->bar.theta != NULL;
}

/* Common beginning: lambda = vbar+, and q of bar. */
static tacStatus begin(tacContext *ctx, const double *ybar, int theta, tacAdjoint *adjoint) {
    const tacModel *m = ctx->model;
    tacColumns c = tac_count_columns(ctx);
    adjoint->ybar = ybar;
    tacGrad *bar = &adjoint->bar;
    if (!tac_adjoint_layout(m, c, &ctx->arena, adjoint)) return TAC_ERR_ARENA_FULL;
    memset(bar->x, 0, (size_t)c.nx * sizeof(double));
    memset(bar->u, 0, (size_t)c.nu * sizeof(double));
    memset(bar->theta, 0, (size_t)c.np * sizeof(double));
    if (!theta) bar->theta = NULL;
    memcpy(adjoint->lambda, ybar + m->nv, (size_t)m->nv * sizeof(double));
    tac_move_vjp(m, ctx->work.vec[0], ctx->options.dt, ybar, bar->x, adjoint->lambda);
    return TAC_OK;
}

tacStatus tac_adjoint_begin_velocity(tacContext *ctx, const double *ybar, int theta, tacAdjoint *adjoint) {
    TAC_TRY(begin(ctx, ybar, theta, adjoint));
    pull_time(ctx, ybar, adjoint->lambda, NULL, adjoint->bar.theta);
    return TAC_OK;
}

tacStatus tac_adjoint_begin(tacContext *ctx, const double *ybar, int theta, tacAdjoint *adjoint) {
    int nv = ctx->model->nv;
    TAC_TRY(begin(ctx, ybar, theta, adjoint));
    pull_time(ctx, ybar, adjoint->lambda, ctx->work.qacc, adjoint->bar.theta);
    memcpy(adjoint->bar.x + nv, adjoint->lambda, (size_t)nv * sizeof(double));
    for (int i = 0; i < nv; i++)
        adjoint->lambda[i] *= ctx->options.dt;
    return TAC_OK;
}

void tac_residual_vjp(tacContext *ctx, const double *x, const double *u, double span, const double *lambda,
                      const tacGrad *bar) {
    const tacModel *m = ctx->model;
    const tacInputLayout *blocks = &ctx->inputs;
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    tacSmoothBar smooth = {bar->x, bar->x + m->nv, bar->x + 2 * m->nv, bar->u, NULL, NULL};
    if (blocks->qfrc >= 0) smooth.qfrc = bar->u + blocks->qfrc;
    if (blocks->xfrc >= 0) smooth.xfrc = bar->u + blocks->xfrc;
    tac_smooth_vjp(m, &ctx->work, &point, ctx->work.qacc, lambda, &smooth);
    if (blocks->mocap >= 0)
        emit_mocap(ctx, &point, &(tacSink){.lambda = lambda, .bar = bar->u + blocks->mocap, .negate = 1});
    if (bar->theta != NULL)
        emit_params(ctx, &point, span, &(tacSink){.lambda = lambda, .bar = bar->theta, .negate = 1});
}

static int is_finite(const tacGrad *g, tacColumns c) {
    return tac_first_nonfinite(c.nx, g->x) < 0 && tac_first_nonfinite(c.nu, g->u) < 0 &&
           (g->theta == NULL || tac_first_nonfinite(c.np, g->theta) < 0);
}

tacStatus tac_copy_grad(const tacGrad *from, tacColumns c, const tacGrad *to) {
    if (!is_finite(from, c)) return TAC_ERR_NONFINITE;
    if (to->x != NULL) memcpy(to->x, from->x, (size_t)c.nx * sizeof(double));
    if (to->u != NULL && c.nu > 0) memcpy(to->u, from->u, (size_t)c.nu * sizeof(double));
    if (to->theta != NULL && c.np > 0) memcpy(to->theta, from->theta, (size_t)c.np * sizeof(double));
    return TAC_OK;
}

tacStatus tac_adjoint_end(tacContext *ctx, const double *x, const double *u, double span, const tacAdjoint *adjoint,
                          const tacGrad *g) {
    const tacModel *m = ctx->model;
    tacColumns c = tac_count_columns(ctx);
    const tacGrad *bar = &adjoint->bar;
    const double *actbar = adjoint->ybar + 2 * m->nv; /* of the next activations */
    tacSink act_sink = {.lambda = actbar, .bar = bar->x + 2 * m->nv}, ctrl_sink = {.lambda = actbar, .bar = bar->u};
    tac_advance_activations_jac(m, &ctx->work, u, x + m->nq + m->nv, ctx->options.dt, &act_sink, &ctrl_sink);
    tac_residual_vjp(ctx, x, u, span, adjoint->lambda, bar);
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    if (bar->theta != NULL) emit_param_activations(ctx, &point, &(tacSink){.lambda = actbar, .bar = bar->theta});
    return tac_copy_grad(bar, c, g);
}
