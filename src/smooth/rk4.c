/* Contact none, Runge-Kutta 4 on the manifold (step.md, ST5). With the rates f = (w, a, act_dot) at a state,
 *
 *   X_1 = x,   X_i = x (+) h c_i f(X_{i-1}),   y = x (+) h sum_i b_i f(X_i),   c = 0 1/2 1/2 1,   b = 1/6 1/3 1/3 1/6
 *
 * Positions move by q (+). Activations take the mean of their rates by their own kind of step. The integrator uses the
 * continuous-time acceleration of the stepper's table and its derivatives.
 *
 * RK4 has w = v, as in MuJoCo. It is of order four for hinges and slides, and of order two where ball or free joints
 * turn. RKMK4 [MuntheKaas1998] has w = u', the rate of u in q = q_0 (+) u (tangent.h). It is of order four for all
 * joints. */
#include "smooth/rk4.h"
#include "smooth/rk4_stages.h"
#include "smooth/tangent.h"

#include "dynamics/actuator.h"
#include "math/dense.h"

#include <string.h>

const double TAC_RK4_SPAN[TAC_RK4_STAGES] = {0, 0.5, 0.5, 1};
const double TAC_RK4_WEIGHT[TAC_RK4_STAGES] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

static int layout_stages(const tacModel *m, tacArena *arena, tacRk4Stages *s) {
    for (int i = 0; i < TAC_RK4_STAGES; i++) {
        s->x[i] = TAC_TAKE(arena, tac_nx(m), double);
        s->hv[i] = TAC_TAKE(arena, m->nv, double);
        s->w[i] = TAC_TAKE(arena, m->nv, double);
        s->acc[i] = TAC_TAKE(arena, m->nv, double);
        s->rate[i] = TAC_TAKE(arena, m->na, double);
    }
    s->hv[TAC_RK4_STAGES] = TAC_TAKE(arena, m->nv, double);
    s->mean_acc = TAC_TAKE(arena, m->nv, double);
    s->mean_rate = TAC_TAKE(arena, m->na, double);
    return s->mean_rate != NULL; /* the last is NULL when any before it is */
}

static void add_scaled(int n, const double *x, double s, const double *d, double *out) {
    for (int i = 0; i < n; i++)
        out[i] = x[i] + s * d[i];
}

/* X_i from the rates of the stage before, and the rate of its position. */
static void place_stage(const tacContext *ctx, const double *x, int i, tacRk4Stages *s) {
    const tacModel *m = ctx->model;
    double span = TAC_RK4_SPAN[i] * ctx->options.dt, *v = s->x[i] + m->nq;
    memcpy(s->x[i], x, (size_t)tac_nx(m) * sizeof *x);
    memset(s->hv[i], 0, (size_t)m->nv * sizeof(double));
    if (i > 0) {
        add_scaled(m->nv, s->hv[i], span, s->w[i - 1], s->hv[i]);
        tac_qpos_add(m, x, s->hv[i], s->x[i]);
        add_scaled(m->nv, v, span, s->acc[i - 1], v);
        add_scaled(m->na, v + m->nv, span, s->rate[i - 1], v + m->nv);
    }
    if (tac_rk4_corrects_rotations(ctx))
        tac_log_rate(m, s->hv[i], v, s->w[i]);
    else
        memcpy(s->w[i], v, (size_t)m->nv * sizeof *v);
}

/* Computes the first n stages with their rates, and the state of the next one if there is one. */
static tacStatus run_stages(tacContext *ctx, const double *x, const double *u, int n, tacRk4Stages *s) {
    for (int i = 0; i < TAC_RK4_STAGES && i <= n; i++) {
        place_stage(ctx, x, i, s);
        if (i == n) break;
        tacStatus status = ctx->stepper->acceleration(ctx, s->x[i], u, s->acc[i]);
        if (!tac_went_on(status)) return status;
        memcpy(s->rate[i], ctx->work.act_dot, (size_t)ctx->model->na * sizeof(double));
    }
    return TAC_OK;
}

/* The move of the whole step: h times the mean of w. */
static void average_moves(const tacContext *ctx, tacRk4Stages *s) {
    const tacModel *m = ctx->model;
    double *hv = s->hv[TAC_RK4_STAGES];
    memset(hv, 0, (size_t)m->nv * sizeof *hv);
    for (int i = 0; i < TAC_RK4_STAGES; i++)
        add_scaled(m->nv, hv, TAC_RK4_WEIGHT[i], s->w[i], hv);
    for (int k = 0; k < m->nv; k++)
        hv[k] *= ctx->options.dt;
}

/* Means of the other rates. */
static void average_rates(const tacModel *m, tacRk4Stages *s) {
    memset(s->mean_acc, 0, (size_t)m->nv * sizeof(double));
    memset(s->mean_rate, 0, (size_t)m->na * sizeof(double));
    for (int i = 0; i < TAC_RK4_STAGES; i++) {
        add_scaled(m->nv, s->mean_acc, TAC_RK4_WEIGHT[i], s->acc[i], s->mean_acc);
        add_scaled(m->na, s->mean_rate, TAC_RK4_WEIGHT[i], s->rate[i], s->mean_rate);
    }
}

tacStatus tac_rk4_advance(tacContext *ctx, const double *x, const double *u, tacRk4Stages *s) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    double h = ctx->options.dt, *next = w->next;
    if (!layout_stages(ctx->model, &ctx->arena, s)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(run_stages(ctx, x, u, TAC_RK4_STAGES, s));
    average_moves(ctx, s);
    average_rates(m, s);
    tac_qpos_add(m, x, s->hv[TAC_RK4_STAGES], next);
    add_scaled(m->nv, x + m->nq, h, s->mean_acc, next + m->nq);
    memcpy(w->act_dot, s->mean_rate, (size_t)m->na * sizeof(double));
    tac_advance_activations(m, w, x + m->nq + m->nv, h, next + m->nq + m->nv);
    return tac_first_nonfinite(tac_nx(m), next) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

tacStatus tac_rk4_step(tacContext *ctx, const double *x, const double *u, double *y) {
    TAC_SCOPE(&ctx->arena);
    tacRk4Stages s;
    tacStatus status = tac_rk4_advance(ctx, x, u, &s);
    return tac_end_step(ctx, status, 0, y);
}

/* --- Jacobian ----------------------------------------------------------------------------------------------------- */

/* Derivatives of a stage's state, of its rates, and of their weighted sum. Rows are dq, dv, da; columns are [x | u |
 * theta]. */
typedef struct Chain {
    tacColumns c;
    double *dX, *df, *sum; /* ndx x c.n */
    double *D, *Dx;        /* nv x c.n, nv x ndx: derivative of the acceleration at the stage; its first columns */
    double *ones, *act;    /* na: ones; d(rate)/d(activation), diagonal */
} Chain;

static int layout_chain(const tacModel *m, tacColumns c, tacArena *arena, Chain *k) {
    k->c = c;
    k->dX = TAC_TAKE(arena, k->c.nx * k->c.n, double);
    k->df = TAC_TAKE(arena, k->c.nx * k->c.n, double);
    k->sum = TAC_TAKE(arena, k->c.nx * k->c.n, double);
    k->D = TAC_TAKE(arena, m->nv * k->c.n, double);
    k->Dx = TAC_TAKE(arena, m->nv * k->c.nx, double);
    k->ones = TAC_TAKE(arena, m->na, double);
    k->act = TAC_TAKE(arena, m->na, double);
    return k->act != NULL;
}

static tacStatus open_chain(tacContext *ctx, Chain *k) {
    const tacModel *m = ctx->model;
    if (!layout_chain(m, tac_count_columns(ctx), &ctx->arena, k)) return TAC_ERR_ARENA_FULL;
    memset(k->sum, 0, (size_t)k->c.nx * (size_t)k->c.n * sizeof *k->sum);
    for (int j = 0; j < m->na; j++)
        k->ones[j] = 1;
    return TAC_OK;
}

/* The column of the time step: d(h c f)/dh = c f at fixed f. Of the position it is hv/h, since Q hv = hv. of: c. */
static void add_time(const tacModel *m, double h, double of, const double *hv, const double *acc, const double *rate,
                     int ld, double *column) {
    size_t n = (size_t)ld, nv = (size_t)m->nv;
    for (size_t i = 0; i < nv; i++) {
        column[i * n] += hv[i] / h;
        column[(nv + i) * n] += of * acc[i];
    }
    for (size_t j = 0; rate != NULL && j < (size_t)m->na; j++)
        column[(2 * nv + j) * n] += of * rate[j];
}

/* dX = (P dq + h c Q dv, dv + h c da, dact + h c drate) with the rates of the stage before. */
static void chain_place(const tacModel *m, double span, const double *hv, Chain *k) {
    size_t n = (size_t)k->c.n, first = (size_t)m->nv * n, rest = (size_t)(m->nv + m->na) * n;
    if (span == 0) {
        memset(k->dX, 0, (size_t)k->c.nx * n * sizeof *k->dX);
    } else {
        tac_move_jac(m, hv, span, k->c.n, k->c.n, k->df, k->c.n, k->dX);
        for (size_t i = 0; i < rest; i++)
            k->dX[first + i] = span * k->df[first + i];
    }
    if (span == 0)
        for (size_t i = 0; i < (size_t)m->nv; i++)
            k->dX[i * n + i] = 1;
    else
        tac_move_start_jac(m, hv, k->c.n, k->dX);
    for (size_t i = (size_t)m->nv; i < (size_t)k->c.nx; i++)
        k->dX[i * n + i] += 1;
}

/* dw is dv, or its corrected form, in which hv = span w of the stage before moves too. */
static void chain_position_rate(const tacContext *ctx, int i, const tacRk4Stages *s, Chain *k) {
    const tacModel *m = ctx->model;
    size_t rows = (size_t)m->nv * (size_t)k->c.n;
    const double *dv = k->dX + rows;
    if (!tac_rk4_corrects_rotations(ctx) || i == 0) {
        memcpy(k->df, dv, rows * sizeof *dv);
        return;
    }
    for (size_t j = 0; j < rows; j++)
        k->df[j] *= TAC_RK4_SPAN[i] * ctx->options.dt;
    int time = tac_param_of_time(m);
    for (int j = 0; time >= 0 && j < m->nv; j++)
        k->df[(size_t)j * (size_t)k->c.n + (size_t)(k->c.nx + k->c.nu + time)] += s->hv[i][j] / ctx->options.dt;
    tac_log_rate_jac(m, s->hv[i], s->x[i] + m->nq, k->c.n, k->c.n, dv, k->df);
}

/* da = D_x dX + [0 | D_u | D_theta] */
static void chain_acceleration(const tacModel *m, int first, Chain *k) {
    size_t n = (size_t)k->c.n, nx = (size_t)k->c.nx;
    double *da = k->df + (size_t)m->nv * n;
    if (first) { /* dX is the identity */
        memcpy(da, k->D, (size_t)m->nv * n * sizeof *da);
        return;
    }
    for (size_t i = 0; i < (size_t)m->nv; i++)
        memcpy(k->Dx + i * nx, k->D + i * n, nx * sizeof *k->Dx);
    tac_dense_mul(m->nv, k->c.nx, k->c.n, k->Dx, k->dX, da);
    for (size_t i = 0; i < (size_t)m->nv; i++)
        for (size_t j = nx; j < n; j++)
            da[i * n + j] += k->D[i * n + j];
}

void tac_activation_rates_param(tacContext *ctx, const double *x, const double *u, const tacSink *sink) {
    const tacModel *m = ctx->model;
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    for (int a = 0; a < m->nu; a++)
        for (int p = 0; m->actuator_act_num[a] > 0 && p < m->nmember; p++)
            tac_emit(sink, m->actuator_act_adr[a] + m->actuator_act_num[a] - 1, ctx->tangents[p].column,
                     tac_param_rate(m, &ctx->work, &point, &ctx->tangents[p], a));
}

void tac_rk4_emit_spans(const tacContext *ctx, const double *x, const tacRk4Stages *s, const tacSink *sink) {
    const tacModel *m = ctx->model;
    const double *act = x + m->nq + m->nv;
    for (int a = 0; a < m->nu; a++) {
        int j = m->actuator_act_adr[a] + m->actuator_act_num[a] - 1;
        for (int p = 0; m->actuator_act_num[a] > 0 && p < m->nmember; p++)
            tac_emit(sink, j, ctx->tangents[p].column,
                     tac_param_span(m, &ctx->tangents[p], a, act[j], s->mean_rate[j], ctx->options.dt));
    }
}

/* d(act_dot) of the stage. Needs: the forces there. */
static void chain_rates(tacContext *ctx, const double *x, const double *u, Chain *k) {
    const tacModel *m = ctx->model;
    size_t n = (size_t)k->c.n, act = 2 * (size_t)m->nv;
    double *drate = k->df + act * n, *dact = k->dX + act * n;
    tacSink act_sink = {.lambda = k->ones, .bar = k->act};
    memset(k->act, 0, (size_t)m->na * sizeof *k->act);
    memset(drate, 0, (size_t)m->na * n * sizeof *drate);
    tac_activation_rates_jac(m, &ctx->work, u, &act_sink, &(tacSink){.matrix = drate + k->c.nx, .ld = k->c.n});
    for (size_t j = 0; j < (size_t)m->na; j++)
        for (size_t i = 0; i < n; i++)
            drate[j * n + i] += k->act[j] * dact[j * n + i];
    tac_activation_rates_param(ctx, x, u, &(tacSink){.matrix = drate + k->c.nx + k->c.nu, .ld = k->c.n});
}

static tacStatus run_chain(tacContext *ctx, const double *u, const tacRk4Stages *s, Chain *k) {
    const tacModel *m = ctx->model;
    size_t n = (size_t)k->c.n;
    int time = tac_param_of_time(m);
    for (int i = 0; i < TAC_RK4_STAGES; i++) {
        tacStatus status = ctx->stepper->acceleration_jac(ctx, s->x[i], u, k->c, NULL, k->D);
        if (!tac_went_on(status)) return status;
        chain_place(m, TAC_RK4_SPAN[i] * ctx->options.dt, s->hv[i], k);
        if (time >= 0 && i > 0)
            add_time(m, ctx->options.dt, TAC_RK4_SPAN[i], s->hv[i], s->acc[i - 1], s->rate[i - 1], k->c.n,
                     k->dX + k->c.nx + k->c.nu + time);
        chain_position_rate(ctx, i, s, k);
        chain_acceleration(m, i == 0, k);
        chain_rates(ctx, s->x[i], u, k);
        for (size_t j = 0; j < (size_t)k->c.nx * n; j++)
            k->sum[j] += TAC_RK4_WEIGHT[i] * k->df[j];
    }
    return TAC_OK;
}

/* Columns [from, from + n) of dy without the direct part of the start. */
static void copy_block(const tacModel *m, const double *hv, double h, const Chain *k, int from, int n, double *out) {
    size_t ld = (size_t)k->c.n, width = (size_t)n;
    const double *sum = k->sum + from;
    tac_move_jac(m, hv, h, n, k->c.n, sum, n, out);
    for (size_t i = (size_t)m->nv; i < (size_t)k->c.nx; i++)
        for (size_t j = 0; j < width; j++)
            out[i * width + j] = h * sum[i * ld + j];
}

/* Rows of the activations. They hold h d(mean rate) so far. */
static void finish_activations(const tacModel *m, const double *act, const double *rate, double h, int n, int start,
                               double *out) {
    for (int a = 0; a < m->nu; a++)
        for (int j = m->actuator_act_adr[a]; j < m->actuator_act_adr[a] + m->actuator_act_num[a]; j++) {
            tacNextActivation d = tac_next_activation_jac(m, a, act[j], rate[j], h);
            double *row = out + (size_t)(2 * m->nv + j) * (size_t)n;
            for (int c = 0; c < n; c++)
                row[c] *= d.rate / h;
            if (start) row[2 * m->nv + j] += d.act;
        }
}

static void assemble(tacContext *ctx, const double *x, const tacRk4Stages *s, const Chain *k, const tacJac *J) {
    const tacModel *m = ctx->model;
    const double *hv = s->hv[TAC_RK4_STAGES], *act = x + m->nq + m->nv;
    double h = ctx->options.dt, *const blocks[3] = {J->A, J->B, J->P};
    const int from[3] = {0, k->c.nx, k->c.nx + k->c.nu}, width[3] = {k->c.nx, k->c.nu, k->c.np};
    for (int b = 0; b < 3; b++) {
        if (blocks[b] == NULL) continue;
        copy_block(m, hv, h, k, from[b], width[b], blocks[b]);
        finish_activations(m, act, s->mean_rate, h, width[b], b == 0, blocks[b]);
    }
    int time = tac_param_of_time(m);
    if (J->P != NULL && time >= 0) add_time(m, h, 1, hv, s->mean_acc, NULL, k->c.np, J->P + time);
    if (J->P != NULL)
        tac_rk4_emit_spans(ctx, x, s, &(tacSink){.matrix = J->P + 2 * (size_t)m->nv * (size_t)k->c.np, .ld = k->c.np});
    if (J->A == NULL) return;
    tac_move_start_jac(m, hv, k->c.nx, J->A);
    for (size_t i = (size_t)m->nv; i < 2 * (size_t)m->nv; i++)
        J->A[i * (size_t)k->c.nx + i] += 1;
}

static tacStatus fill_jac(tacContext *ctx, const double *x, const double *u, const tacRk4Stages *s, const tacJac *J) {
    Chain k;
    TAC_TRY(open_chain(ctx, &k));
    TAC_TRY(run_chain(ctx, u, s, &k));
    size_t slopes = (size_t)k.c.nx * (size_t)k.c.n;
    if (!tac_slopes_are_finite((size_t)ctx->model->nv, s->hv[TAC_RK4_STAGES], slopes, k.sum)) return TAC_ERR_NONFINITE;
    assemble(ctx, x, s, &k, J);
    return TAC_OK;
}

void tac_rk4_keep_info(tacContext *ctx, tacStepInfo *step) {
    step->conditioning = ctx->info.conditioning;
    step->force_margin = ctx->info.force_margin;
    ctx->info = *step;
}

tacStatus tac_rk4_jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J) {
    TAC_SCOPE(&ctx->arena);
    tacRk4Stages s;
    tacStatus status = tac_rk4_advance(ctx, x, u, &s);
    tacStepInfo step = ctx->info;
    if (status == TAC_OK) status = fill_jac(ctx, x, u, &s, J);
    tac_rk4_keep_info(ctx, &step);
    return tac_end_step(ctx, status, 0, y);
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

/* Gradients with respect to the state of a stage, its rates, and the means of rates. */
typedef struct Pull {
    double *X, *w, *acc, *rate;       /* ndx, nv, nv, na: of the stage at work */
    double *hv;                       /* nv: of the move that leads to it, through w */
    double *turned;                   /* nv */
    double *mean_w, *mean_a, *mean_r; /* nv, nv, na */
    tacGrad bar;                      /* of x, u, theta */
} Pull;

static int layout_pull(const tacModel *m, tacColumns c, tacArena *arena, Pull *p) {
    double **vectors[] = {&p->w, &p->acc, &p->hv, &p->turned, &p->mean_w, &p->mean_a};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = TAC_TAKE(arena, m->nv, double);
    p->rate = TAC_TAKE(arena, m->na, double);
    p->mean_r = TAC_TAKE(arena, m->na, double);
    p->X = TAC_TAKE(arena, c.nx, double);
    p->bar.x = TAC_TAKE(arena, c.nx, double);
    p->bar.u = TAC_TAKE(arena, c.nu, double);
    p->bar.theta = TAC_TAKE(arena, c.np, double);
    return p->bar.theta != NULL;
}

static tacStatus open_pull(tacContext *ctx, int theta, Pull *p) {
    const tacModel *m = ctx->model;
    tacColumns c = tac_count_columns(ctx);
    if (!layout_pull(m, c, &ctx->arena, p)) return TAC_ERR_ARENA_FULL;
    memset(p->bar.x, 0, (size_t)c.nx * sizeof(double));
    memset(p->bar.u, 0, (size_t)c.nu * sizeof(double));
    memset(p->bar.theta, 0, (size_t)c.np * sizeof(double));
    if (!theta) p->bar.theta = NULL;
    memset(p->X, 0, (size_t)c.nx * sizeof(double));
    memset(p->w, 0, (size_t)m->nv * sizeof(double));
    memset(p->acc, 0, (size_t)m->nv * sizeof(double));
    memset(p->rate, 0, (size_t)m->na * sizeof(double));
    return TAC_OK;
}

/* The time step's part of the sums that add_time adds to. */
static double pull_time(const tacModel *m, double h, double of, const double *hv, const double *acc, const double *rate,
                        const double *bar) {
    double sum = 0;
    for (int i = 0; i < m->nv; i++)
        sum += bar[i] * hv[i] / h + bar[m->nv + i] * of * acc[i];
    for (int j = 0; rate != NULL && j < m->na; j++)
        sum += bar[2 * m->nv + j] * of * rate[j];
    return sum;
}

static int time_asked_for(const tacContext *ctx, const double *theta) {
    return theta == NULL ? -1 : tac_param_of_time(ctx->model);
}

/* ybar -> the means of the rates, and the direct part of the start. */
static void pull_end(const tacContext *ctx, const double *x, const double *ybar, const tacRk4Stages *s, Pull *p) {
    const tacModel *m = ctx->model;
    const double *act = x + m->nq + m->nv, *vbar = ybar + m->nv, *actbar = vbar + m->nv;
    double h = ctx->options.dt, *act_start = p->bar.x + 2 * m->nv;
    memset(p->mean_w, 0, (size_t)m->nv * sizeof(double));
    tac_move_vjp(m, s->hv[TAC_RK4_STAGES], h, ybar, p->bar.x, p->mean_w);
    for (int i = 0; i < m->nv; i++) {
        p->bar.x[m->nv + i] = vbar[i];
        p->mean_a[i] = h * vbar[i];
    }
    for (int a = 0; a < m->nu; a++)
        for (int j = m->actuator_act_adr[a]; j < m->actuator_act_adr[a] + m->actuator_act_num[a]; j++) {
            tacNextActivation d = tac_next_activation_jac(m, a, act[j], s->mean_rate[j], h);
            act_start[j] = d.act * actbar[j];
            p->mean_r[j] = d.rate * actbar[j];
        }
    if (p->bar.theta != NULL) tac_rk4_emit_spans(ctx, x, s, &(tacSink){.lambda = actbar, .bar = p->bar.theta});
    int time = time_asked_for(ctx, p->bar.theta);
    if (time >= 0) p->bar.theta[time] += pull_time(m, h, 1, s->hv[TAC_RK4_STAGES], s->mean_acc, NULL, ybar);
}

/* Adds the stage's part of the means; w, acc and rate hold the part from the stage after. Then pulls all of it through
 * the rates of the stage, into X and into the move that leads to it. */
static tacStatus pull_rates(tacContext *ctx, const double *u, int i, const tacRk4Stages *s, Pull *p) {
    const tacModel *m = ctx->model;
    double *vbar = p->X + m->nv, *actbar = vbar + m->nv;
    add_scaled(m->nv, p->w, TAC_RK4_WEIGHT[i], p->mean_w, p->w);
    add_scaled(m->nv, p->acc, TAC_RK4_WEIGHT[i], p->mean_a, p->acc);
    add_scaled(m->na, p->rate, TAC_RK4_WEIGHT[i], p->mean_r, p->rate);
    memset(p->hv, 0, (size_t)m->nv * sizeof(double));
    if (tac_rk4_corrects_rotations(ctx))
        tac_log_rate_vjp(m, s->hv[i], s->x[i] + m->nq, p->w, vbar, p->hv);
    else
        add_scaled(m->nv, vbar, 1, p->w, vbar);
    tacGrad bar = {p->X, p->bar.u, p->bar.theta};
    tacStatus status = ctx->stepper->acceleration_vjp(ctx, s->x[i], u, p->acc, &bar);
    if (!tac_went_on(status)) return status;
    tacSink act_sink = {.lambda = p->rate, .bar = actbar}, ctrl_sink = {.lambda = p->rate, .bar = p->bar.u};
    tac_activation_rates_jac(m, &ctx->work, u, &act_sink, &ctrl_sink);
    if (bar.theta != NULL) tac_activation_rates_param(ctx, s->x[i], u, &(tacSink){.lambda = p->rate, .bar = bar.theta});
    return TAC_OK;
}

/* X and hv of stage i -> the start and the rates of the stage before:  X_i = x (+) span f(X_{i-1}), hv = span w. */
static void pull_place(const tacContext *ctx, int i, const tacRk4Stages *s, Pull *p) {
    const tacModel *m = ctx->model;
    double h = ctx->options.dt, span = TAC_RK4_SPAN[i] * h, *vbar = p->X + m->nv, *start = p->bar.x;
    int time = time_asked_for(ctx, p->bar.theta);
    if (time >= 0) {
        p->bar.theta[time] += pull_time(m, h, TAC_RK4_SPAN[i], s->hv[i], s->acc[i - 1], s->rate[i - 1], p->X);
        p->bar.theta[time] += tac_dense_dot(m->nv, p->hv, s->hv[i]) / h;
    }
    for (int k = 0; k < m->nv; k++) {
        p->w[k] = span * p->hv[k];
        p->acc[k] = span * vbar[k];
    }
    for (int k = 0; k < m->na; k++)
        p->rate[k] = span * vbar[m->nv + k];
    tac_move_vjp(m, s->hv[i], span, p->X, p->turned, p->w);
    memcpy(p->X, p->turned, (size_t)m->nv * sizeof(double));
    add_scaled(tac_ndx(m), start, 1, p->X, start);
    memset(p->X, 0, (size_t)tac_ndx(m) * sizeof(double));
}

/* Only the mean rate of activations and the time step need the acceleration of the last stage. Otherwise it is solved
 * once, on the way back. */
static tacStatus pull_step(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    const tacModel *m = ctx->model;
    tacRk4Stages s;
    Pull p;
    int whole = m->na > 0 || time_asked_for(ctx, g->theta) >= 0;
    if (!layout_stages(m, &ctx->arena, &s)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(run_stages(ctx, x, u, whole ? TAC_RK4_STAGES : TAC_RK4_STAGES - 1, &s));
    TAC_TRY(open_pull(ctx, g->theta != NULL, &p));
    average_moves(ctx, &s);
    if (whole) average_rates(m, &s);
    pull_end(ctx, x, ybar, &s, &p);
    tacStepInfo step = ctx->info;
    for (int i = TAC_RK4_STAGES - 1; i >= 0; i--) {
        TAC_TRY(pull_rates(ctx, u, i, &s, &p));
        if (i == TAC_RK4_STAGES - 1 && !whole) step = ctx->info; /* of all stages by now */
        if (i > 0) pull_place(ctx, i, &s, &p);
    }
    tac_rk4_keep_info(ctx, &step);
    add_scaled(tac_ndx(m), p.bar.x, 1, p.X, p.bar.x);
    return tac_copy_grad(&p.bar, tac_count_columns(ctx), g);
}

tacStatus tac_rk4_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    TAC_SCOPE(&ctx->arena);
    return pull_step(ctx, x, u, ybar, g);
}

void tac_rk4_measure(const tacModel *m, const tacOptions *options, tacMeasure acceleration, tacArena *dry) {
    tacColumns c = tac_columns_of(m, options);
    TAC_SCOPE(dry);
    tacRk4Stages stages;
    layout_stages(m, dry, &stages);
    {
        TAC_SCOPE(dry);
        Chain chain;
        layout_chain(m, c, dry, &chain);
        acceleration(m, options, dry);
    }
    {
        TAC_SCOPE(dry);
        tac_rk4_layout_along(m, c, dry);
        acceleration(m, options, dry);
    }
    Pull pull;
    layout_pull(m, c, dry, &pull);
    acceleration(m, options, dry);
}

static void measure(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tac_rk4_measure(m, options, tac_smooth_measure, dry);
}

const tacStepper TAC_STEPPER_RK4 = {.integrators = TAC_HAS(TAC_INTEGRATOR_RK4) | TAC_HAS(TAC_INTEGRATOR_RKMK4),
                                    .step = tac_rk4_step,
                                    .jac = tac_rk4_jac,
                                    .jvp = tac_rk4_jvp,
                                    .vjp = tac_rk4_vjp,
                                    TAC_SMOOTH_ACCELERATION,
                                    .measure = measure};
