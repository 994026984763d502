/* The step of inner steps and its derivatives, for any flow of a model (smooth/adaptive.h); the flow without
 * constraints. */
#include "smooth/adaptive.h"

#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

/* --- Memory ------------------------------------------------------------------------------------------------------- */

static int layout(const tacAdaptiveKind *kind, tacAdaptive *a, const tacModel *m, const tacOptions *o,
                  tacArena *arena) {
    tacColumns c = tac_columns_of(m, o);
    a->flow = (tacFlow){.user = a,
                        .call = &kind->calls,
                        .nx = tac_nx(m),
                        .nd = c.nx,
                        .np = c.nu + c.np,
                        .max_gaps = 2 * m->na,
                        .max_signals = 2 * m->nu,
                        .unsolved = &a->unsolved};
    a->options = (tacInnerOptions){o->integrator,  o->rtol,      o->atol,      o->inner_dt,
                                   o->inner_steps, o->inner_max, o->event_max, o->inner_checkpoints};
    a->held = TAC_TAKE(arena, m->na, unsigned char);
    a->was_held = TAC_TAKE(arena, m->na, unsigned char);
    a->bound = TAC_TAKE(arena, 2 * m->na, int);
    a->onset = TAC_TAKE(arena, 2 * m->na, int);
    a->bar = TAC_TAKE(arena, m->na, double);
    if (a->bar == NULL || (kind->layout != NULL && !kind->layout(a, m, o, arena))) return 0;
    a->signal = TAC_TAKE(arena, a->flow.max_signals, double);
    return a->signal != NULL;
}

/* A direction of the state, of all inputs and parameters, and of the span. */
static double *along_layout(const tacFlow *flow, tacArena *arena) {
    return TAC_TAKE(arena, flow->nd + flow->np + 1, double);
}

void tac_adaptive_measure(const tacAdaptiveKind *kind, const tacModel *m, const tacOptions *options,
                          tacMeasure acceleration, tacArena *dry) {
    TAC_SCOPE(dry);
    tacAdaptive a;
    tacMarch march;
    layout(kind, &a, m, options, dry);
    tac_march_layout(&march, &a.flow, &a.options, dry);
    {
        TAC_SCOPE(dry);
        tacMarchJac j;
        tac_march_jac_layout(&j, &a.flow, &a.options, dry);
        along_layout(&a.flow, dry);
        acceleration(m, options, dry);
        if (kind->measure != NULL) kind->measure(m, options, dry);
    }
    tacMarchPull p;
    tac_march_pull_layout(&p, &a.flow, &a.options, dry);
    acceleration(m, options, dry);
    if (kind->measure != NULL) kind->measure(m, options, dry);
}

/* --- Running ------------------------------------------------------------------------------------------------------ */

tacStatus tac_adaptive_open(const tacAdaptiveKind *kind, tacContext *ctx, const double *u, tacAdaptive *a,
                            tacMarch *march) {
    *a = (tacAdaptive){.ctx = ctx, .u = u};
    if (!layout(kind, a, ctx->model, &ctx->options, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    memset(a->held, 0, (size_t)ctx->model->na);
    a->ties = -1;
    ctx->info =
        (tacStepInfo){.class_margin = TAC_INFINITY, .feature_margin = TAC_INFINITY, .graze_margin = TAC_INFINITY};
    return tac_march_layout(march, &a->flow, &a->options, &ctx->arena) ? TAC_OK : TAC_ERR_ARENA_FULL;
}

/* Ends the step in every case. */
static tacStatus end_step(tacAdaptive *a, const tacMarch *march, tacStatus status, double *y) {
    tacContext *ctx = a->ctx;
    ctx->acting = NULL;
    ctx->work.force_sign = NULL;
    ctx->work.ties = a->ties > 0 ? a->ties : 0;
    if (status != TAC_OK) return status;
    memcpy(ctx->work.next, march->now.x, (size_t)tac_nx(ctx->model) * sizeof(double));
    if (tac_first_nonfinite(tac_nx(ctx->model), ctx->work.next) >= 0) return TAC_ERR_NONFINITE;
    return tac_end_step(ctx, TAC_OK, march->unsolved, y);
}

tacStatus tac_adaptive_step(const tacAdaptiveKind *kind, tacContext *ctx, const double *x, const double *u, double *y) {
    TAC_SCOPE(&ctx->arena);
    tacAdaptive a;
    tacMarch march;
    TAC_TRY(tac_adaptive_open(kind, ctx, u, &a, &march));
    tacStatus status = tac_march_run(&march, ctx->options.dt, x, &ctx->info);
    return end_step(&a, &march, status, y);
}

/* Columns [from, from + n) of S; the span's column goes to the time step's parameter as well. */
static void copy_columns(const tacContext *ctx, const tacMarchJac *j, int from, int n, int time, double *out) {
    for (int r = 0; r < tac_ndx(ctx->model) && out != NULL; r++) {
        const double *row = j->S + (size_t)r * (size_t)j->n;
        double *to = out + (size_t)r * (size_t)n;
        memcpy(to, row + from, (size_t)n * sizeof *out);
        if (time >= 0) to[time] += row[j->n - 2];
    }
}

tacStatus tac_adaptive_jac(const tacAdaptiveKind *kind, tacContext *ctx, const double *x, const double *u, double *y,
                           const tacJac *J) {
    TAC_SCOPE(&ctx->arena);
    tacAdaptive a;
    tacMarch march;
    tacMarchJac j;
    tacColumns c = tac_count_columns(ctx);
    int margins = ctx->margins;
    TAC_TRY(tac_adaptive_open(kind, ctx, u, &a, &march));
    if (!tac_march_jac_layout(&j, &a.flow, &a.options, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    ctx->margins = 0;
    tacStatus status = tac_march_run_jac(&march, &j, ctx->options.dt, x, &ctx->info);
    ctx->margins = margins;
    if (status == TAC_OK && tac_first_nonfinite(c.nx * j.n, j.S) >= 0) status = TAC_ERR_NONFINITE;
    if (status == TAC_OK) {
        copy_columns(ctx, &j, 0, c.nx, -1, J->A);
        copy_columns(ctx, &j, c.nx, c.nu, -1, J->B);
        copy_columns(ctx, &j, c.nx + c.nu, c.np, tac_param_of_time(ctx->model), J->P);
    }
    return end_step(&a, &march, status, y);
}

/* dy along c.along; the parameter of the time step moves the span. */
tacStatus tac_adaptive_jvp(const tacAdaptiveKind *kind, tacContext *ctx, const double *x, const double *u, tacColumns c,
                           double *y, double *dy) {
    TAC_SCOPE(&ctx->arena);
    tacAdaptive a;
    tacMarch march;
    tacMarchJac j;
    int n = c.nx + c.nu + c.np, time = tac_param_of_time(ctx->model);
    TAC_TRY(tac_adaptive_open(kind, ctx, u, &a, &march));
    if (!tac_march_jac_layout(&j, &a.flow, &a.options, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    double *along = along_layout(&a.flow, &ctx->arena);
    if (along == NULL) return TAC_ERR_ARENA_FULL;
    memcpy(along, c.along, (size_t)n * sizeof *along);
    along[n] = time < 0 ? 0 : c.along[c.nx + c.nu + time];
    tac_march_go_along(&j, along);
    tacStatus status = tac_march_run_jac(&march, &j, ctx->options.dt, x, &ctx->info);
    for (int i = 0; status == TAC_OK && i < c.nx; i++)
        dy[i] = j.S[(size_t)i * (size_t)j.n];
    return end_step(&a, &march, status, y);
}

tacStatus tac_adaptive_vjp(const tacAdaptiveKind *kind, tacContext *ctx, const double *x, const double *u,
                           const double *ybar, const tacGrad *g) {
    TAC_SCOPE(&ctx->arena);
    tacAdaptive a;
    tacMarch march;
    tacMarchPull p;
    tacColumns c = tac_count_columns(ctx);
    TAC_TRY(tac_adaptive_open(kind, ctx, u, &a, &march));
    if (!tac_march_pull_layout(&p, &a.flow, &a.options, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    tacStatus status = tac_march_run_vjp(&march, &p, ctx->options.dt, x, ybar, &ctx->info);
    int time = tac_param_of_time(ctx->model);
    if (status == TAC_OK && time >= 0) p.p[c.nu + time] += p.span;
    tacGrad bar = {p.x, p.p, c.np > 0 ? p.p + c.nu : NULL};
    if (status == TAC_OK) status = tac_copy_grad(&bar, c, g);
    return end_step(&a, &march, status, NULL);
}

/* --- Without constraints ------------------------------------------------------------------------------------------ */

static tacStatus rate(void *user, const double *x, double *f) {
    tacAdaptive *a = user;
    TAC_TRY(tac_smooth_acceleration(a->ctx, x, a->u, f + a->ctx->model->nv));
    tac_adaptive_finish_rate(a, x, f);
    a->nsignal = tac_adaptive_signals(a, x, a->signal);
    return TAC_OK;
}

int tac_adaptive_copy_signals(void *user, double *signal) {
    const tacAdaptive *a = user;
    memcpy(signal, a->signal, (size_t)a->nsignal * sizeof *signal);
    return a->nsignal;
}

static tacStatus open_set(void *user, const double *x, int begun, int *onsets, int *changed) {
    tacAdaptive *a = user;
    *changed = 0;
    if (a->options.event_max >= 0) TAC_TRY(tac_held_open(a, x, 0, begun, changed));
    *onsets = a->nonset;
    return TAC_OK;
}

static tacStatus watch(void *user, const double *x0, const double *x1, double h, tacGap *gap, int *n, int *same) {
    tacAdaptive *a = user;
    (void)h;
    *same = 1;
    TAC_TRY(tac_held_watch(a, x0, x1, gap));
    *n = a->nbound;
    return TAC_OK;
}

static tacStatus gap_at(void *user, int i, const double *x, double *value, double *slope) {
    return tac_held_gap(user, i, x, value, slope);
}

static tacStatus gap_jac(void *user, int member, int falls, const double *x, double *grad, double *grad_p) {
    (void)falls, (void)x;
    tac_held_gap_jac(user, member, grad, grad_p);
    return TAC_OK;
}

static const tacAdaptiveKind FREE = {.calls = {TAC_ADAPTIVE_TANGENT, .rate = rate, .rate_jac = tac_adaptive_rate_jac,
                                               .rate_jvp = tac_adaptive_rate_jvp, .rate_vjp = tac_adaptive_rate_vjp,
                                               .open = open_set, .watch = watch, .gap = gap_at, .gap_jac = gap_jac,
                                               .signals = tac_adaptive_copy_signals, .hold = tac_adaptive_hold}};

static tacStatus step(tacContext *ctx, const double *x, const double *u, double *y) {
    return tac_adaptive_step(&FREE, ctx, x, u, y);
}

static tacStatus jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J) {
    return tac_adaptive_jac(&FREE, ctx, x, u, y, J);
}

static tacStatus jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, double *y, double *dy) {
    return tac_adaptive_jvp(&FREE, ctx, x, u, c, y, dy);
}

static tacStatus vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    return tac_adaptive_vjp(&FREE, ctx, x, u, ybar, g);
}

static void measure(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tac_adaptive_measure(&FREE, m, options, tac_smooth_measure, dry);
}

const tacStepper TAC_STEPPER_ADAPTIVE = {.integrators = TAC_INNER_INTEGRATORS,
                                         .step = step,
                                         .jac = jac,
                                         .jvp = jvp,
                                         .vjp = vjp,
                                         TAC_SMOOTH_ACCELERATION,
                                         .measure = measure};
