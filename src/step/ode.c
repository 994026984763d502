/* Differential equations given by functions: the march of inner steps (solve/ode) on a flat space. */
#include "tactus/ode.h"

#include "base/error.h"
#include "math/dense.h"
#include "math/scalar.h"
#include "solve/ode/march.h"
#include "step/options.h"

#include <stdint.h>
#include <string.h>

#define COOKIE 0x7ac70de1u
/* Most numbers, parameters and gaps: products of two fit an int. */
enum { MOST_NUMBERS = 1 << 15 };

/* A user's equation as a flow. */
typedef struct Given {
    const tacOde *ode;
    const double *theta;
    int has_events;     /* 0: events are not located */
    unsigned char *on;  /* ngap: what acts */
    unsigned char *was; /* ngap */
    int *onset;         /* ngap: onsets of the last open */
    int nonset;
    double *gap, *grad, *grad_p; /* ngap, ngap n, ngap ntheta */
    double *f, *f_x, *f_p;       /* n, n n, n ntheta */
} Given;

static int given_layout(Given *g, const tacOde *ode, tacArena *arena) {
    int n = ode->n, np = ode->ntheta, ng = ode->ngap;
    g->ode = ode;
    g->on = TAC_TAKE(arena, ng, unsigned char);
    g->was = TAC_TAKE(arena, ng, unsigned char);
    g->onset = TAC_TAKE(arena, ng, int);
    g->gap = TAC_TAKE(arena, ng, double);
    g->grad = TAC_TAKE(arena, ng * n, double);
    g->grad_p = TAC_TAKE(arena, ng * np, double);
    g->f = TAC_TAKE(arena, n, double);
    g->f_x = TAC_TAKE(arena, n * n, double);
    g->f_p = TAC_TAKE(arena, n * np, double);
    return g->f_p != NULL;
}

static tacStatus answer(int failed) { return failed ? TAC_ERR_NONFINITE : TAC_OK; }

/* --- Rates -------------------------------------------------------------------------------------------------------- */

static tacStatus set_gaps(Given *g, const double *x) {
    if (g->ode->ngap == 0) return TAC_OK;
    return answer(g->ode->gaps(g->ode->user, x, g->theta, g->gap, g->grad, g->grad_p));
}

/* Without events the set that acts follows from the state in every stage. */
static tacStatus act_now(Given *g, const double *x) {
    if (g->has_events) return TAC_OK;
    TAC_TRY(set_gaps(g, x));
    for (int i = 0; i < g->ode->ngap; i++)
        g->on[i] = g->gap[i] < 0 && g->ode->reset == NULL;
    return TAC_OK;
}

static tacStatus rate(void *user, const double *x, double *f) {
    Given *g = user;
    TAC_TRY(act_now(g, x));
    TAC_TRY(answer(g->ode->f(g->ode->user, x, g->theta, g->on, f)));
    return tac_first_nonfinite(g->ode->n, f) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

static tacStatus rate_parts(Given *g, const double *x) {
    TAC_TRY(act_now(g, x));
    return answer(g->ode->f_jac(g->ode->user, x, g->theta, g->on, g->f_x, g->ode->ntheta > 0 ? g->f_p : NULL));
}

static tacStatus rate_jac(void *user, const double *x, double *F) {
    Given *g = user;
    size_t n = (size_t)g->ode->n, np = (size_t)g->ode->ntheta;
    TAC_TRY(rate_parts(g, x));
    for (size_t i = 0; i < n; i++) {
        memcpy(F + i * (n + np), g->f_x + i * n, n * sizeof *F);
        memcpy(F + i * (n + np) + n, g->f_p + i * np, np * sizeof *F);
    }
    return TAC_OK;
}

static tacStatus rate_vjp(void *user, const double *x, const double *bar, double *x_bar, double *p_bar) {
    Given *g = user;
    int n = g->ode->n, np = g->ode->ntheta;
    TAC_TRY(rate_parts(g, x));
    for (int i = 0; i < n; i++) {
        tac_dense_axpy(n, bar[i], g->f_x + (size_t)i * (size_t)n, x_bar);
        tac_dense_axpy(np, bar[i], g->f_p + (size_t)i * (size_t)np, p_bar);
    }
    return TAC_OK;
}

/* --- Gaps --------------------------------------------------------------------------------------------------------- */

static double gap_rate(const Given *g, int i) {
    return tac_dense_dot(g->ode->n, g->grad + (size_t)i * (size_t)g->ode->n, g->f);
}

/* Gaps at their margin begin if they fall with the rates of those that are beyond it. */
static tacStatus open_set(void *user, const double *x, int begun, int *onsets, int *changed) {
    Given *g = user;
    const tacOde *ode = g->ode;
    *onsets = *changed = 0;
    if (!g->has_events || ode->ngap == 0) return TAC_OK;
    memcpy(g->was, g->on, (size_t)ode->ngap);
    TAC_TRY(set_gaps(g, x));
    for (int i = 0; i < ode->ngap; i++)
        g->on[i] = g->gap[i] < -TAC_GAP_ROUNDING && ode->reset == NULL;
    TAC_TRY(answer(ode->f(ode->user, x, g->theta, g->on, g->f)));
    g->nonset = 0;
    for (int i = 0; i < ode->ngap; i++) {
        if (tac_abs(g->gap[i]) > TAC_GAP_ROUNDING || !(gap_rate(g, i) < 0)) continue;
        g->onset[g->nonset++] = i;
        g->on[i] = ode->reset == NULL && (begun < 0 || g->nonset <= begun);
    }
    *onsets = g->nonset;
    *changed = memcmp(g->was, g->on, (size_t)ode->ngap) != 0;
    return TAC_OK;
}

static tacStatus end_of_gaps(Given *g, const double *x, int end, tacGap *gap) {
    TAC_TRY(set_gaps(g, x));
    TAC_TRY(answer(g->ode->f(g->ode->user, x, g->theta, g->on, g->f)));
    for (int i = 0; i < g->ode->ngap; i++) {
        gap[i].at[end] = g->gap[i];
        gap[i].rate[end] = gap_rate(g, i);
        gap[i].acts = g->on[i];
    }
    return TAC_OK;
}

static tacStatus watch(void *user, const double *x0, const double *x1, double h, tacGap *gap, int *n, int *same) {
    Given *g = user;
    (void)h;
    *n = g->ode->ngap;
    *same = 1;
    TAC_TRY(end_of_gaps(g, x0, 0, gap));
    return end_of_gaps(g, x1, 1, gap);
}

static tacStatus gap_at(void *user, int i, const double *x, double *value, double *slope) {
    Given *g = user;
    TAC_TRY(set_gaps(g, x));
    TAC_TRY(answer(g->ode->f(g->ode->user, x, g->theta, g->on, g->f)));
    *value = g->gap[i];
    *slope = gap_rate(g, i);
    return TAC_OK;
}

/* The gap nearest to its margin, of those that do not act. */
static int nearest(const Given *g) {
    int best = 0;
    for (int i = 1; i < g->ode->ngap; i++)
        if (tac_abs(g->gap[i]) < tac_abs(g->gap[best])) best = i;
    return best;
}

static tacStatus gap_jac(void *user, int member, int falls, const double *x, double *grad, double *grad_p) {
    Given *g = user;
    size_t n = (size_t)g->ode->n, np = (size_t)g->ode->ntheta;
    TAC_TRY(set_gaps(g, x));
    size_t i = (size_t)(falls ? g->onset[member] : nearest(g));
    memcpy(grad, g->grad + i * n, n * sizeof *grad);
    memcpy(grad_p, g->grad_p + i * np, np * sizeof *grad);
    return TAC_OK;
}

static int reset(void *user, int member, double *x, double *x_x, double *x_p) {
    Given *g = user;
    return g->ode->reset(g->ode->user, g->onset[member], x, g->theta, x_x, x_p);
}

static const tacFlowCalls CALLS = {.rate = rate,
                                   .rate_jac = rate_jac,
                                   .rate_vjp = rate_vjp,
                                   .open = open_set,
                                   .watch = watch,
                                   .gap = gap_at,
                                   .gap_jac = gap_jac};
static const tacFlowCalls CALLS_WITH_RESET = {.rate = rate,
                                              .rate_jac = rate_jac,
                                              .rate_vjp = rate_vjp,
                                              .open = open_set,
                                              .watch = watch,
                                              .gap = gap_at,
                                              .gap_jac = gap_jac,
                                              .reset = reset};

/* --- Options ------------------------------------------------------------------------------------------------------ */

static double default_of(const char *name) {
    const tacOptionInfo *o;
    for (int i = 0; (o = tac_option_info(i)) != NULL; i++)
        if (strcmp(o->name, name) == 0) return o->value;
    return 0;
}

tacOdeOptions tac_default_ode_options(void) {
    return (tacOdeOptions){.cookie = COOKIE,
                           .integrator = TAC_INTEGRATOR_TSIT5,
                           .rtol = default_of("rtol"),
                           .atol = default_of("atol"),
                           .inner_dt = default_of("inner_dt"),
                           .inner_steps = (int)default_of("inner_steps"),
                           .inner_max = (int)default_of("inner_max"),
                           .event_max = (int)default_of("event_max"),
                           .inner_checkpoints = (int)default_of("inner_checkpoints")};
}

static tacStatus check_options(const tacOdeOptions *o, tacError *err) {
    const struct {
        const char *name;
        double value;
    } rows[] = {{"rtol", o->rtol},
                {"atol", o->atol},
                {"inner_dt", o->inner_dt},
                {"inner_steps", o->inner_steps},
                {"inner_max", o->inner_max},
                {"event_max", o->event_max},
                {"inner_checkpoints", o->inner_checkpoints}};
    if (o->cookie != COOKIE) return tac_fail(err, TAC_ERR_OPTIONS, "options were not made by tac_default_ode_options");
    if (!tac_ode_has_method(o->integrator))
        return tac_fail(err, TAC_ERR_UNSUPPORTED,
                        "option integrator is %d, expected TAC_INTEGRATOR_TSIT5 to TAC_INTEGRATOR_STIFF",
                        (int)o->integrator);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        TAC_TRY(tac_check_option(rows[i].name, rows[i].value, err));
    return TAC_OK;
}

static tacStatus check_ode(const tacOde *ode, const tacOdeOptions *o, tacError *err) {
    const struct {
        const char *name;
        int n, least;
    } rows[] = {{"n", ode->n, 1}, {"ntheta", ode->ntheta, 0}, {"ngap", ode->ngap, 0}};
    for (int i = 0; i < 3; i++)
        if (rows[i].n < rows[i].least || rows[i].n > MOST_NUMBERS)
            return tac_fail(err, TAC_ERR_ARGUMENT, "ode->%s is %d, expected %d to %d", rows[i].name, rows[i].n,
                            rows[i].least, (int)MOST_NUMBERS);
    if (ode->f == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "ode->f is NULL");
    if (ode->gaps == NULL && ode->ngap > 0)
        return tac_fail(err, TAC_ERR_ARGUMENT, "ode->gaps is NULL with %d gaps", ode->ngap);
    if (ode->f_jac == NULL && o->integrator == TAC_INTEGRATOR_STIFF)
        return tac_fail(err, TAC_ERR_ARGUMENT, "ode->f_jac is NULL, which integrator stiff needs");
    return TAC_OK;
}

/* --- Running ------------------------------------------------------------------------------------------------------ */

typedef struct Run {
    Given given;
    tacFlow flow;
    tacInnerOptions options;
    tacMarch march;
    tacStepInfo info;
    tacArena arena;
} Run;

/* Takes what all three functions need. */
static int layout(Run *r, const tacOde *ode, const tacOdeOptions *o, tacArena *arena) {
    r->options = (tacInnerOptions){o->integrator,  o->rtol,      o->atol,      o->inner_dt,
                                   o->inner_steps, o->inner_max, o->event_max, o->inner_checkpoints};
    r->flow = (tacFlow){.user = &r->given,
                        .call = ode->reset == NULL ? &CALLS : &CALLS_WITH_RESET,
                        .nx = ode->n,
                        .nd = ode->n,
                        .np = ode->ntheta,
                        .max_gaps = ode->ngap};
    r->given.has_events = o->event_max >= 0;
    return given_layout(&r->given, ode, arena) && tac_march_layout(&r->march, &r->flow, &r->options, arena);
}

/* A direction of x, theta and span. */
static double *along_layout(const tacOde *ode, tacArena *arena) {
    return TAC_TAKE(arena, ode->n + ode->ntheta + 1, double);
}

size_t tac_ode_bytes(const tacOde *ode, const tacOdeOptions *options, tacError *err) {
    if (ode == NULL || options == NULL) {
        tac_fail(err, TAC_ERR_ARGUMENT, "ode or options is NULL");
        return 0;
    }
    if (check_options(options, err) != TAC_OK || check_ode(ode, options, err) != TAC_OK) return 0;
    tacArena dry = tac_arena_dry();
    Run r;
    layout(&r, ode, options, &dry);
    {
        TAC_SCOPE(&dry);
        tacMarchJac jac;
        tac_march_jac_layout(&jac, &r.flow, &r.options, &dry);
        along_layout(ode, &dry);
    }
    tacMarchPull pull;
    tac_march_pull_layout(&pull, &r.flow, &r.options, &dry);
    return dry.peak;
}

static tacStatus check_call(const tacOde *ode, const tacOdeOptions *options, double span, const double *x,
                            const double *theta, const void *memory, int derivative) {
    if (ode == NULL || options == NULL || x == NULL || memory == NULL) return TAC_ERR_ARGUMENT;
    TAC_TRY(check_options(options, NULL));
    TAC_TRY(check_ode(ode, options, NULL));
    if ((theta == NULL && ode->ntheta > 0) || !(span > 0) || !tac_finite(span)) return TAC_ERR_ARGUMENT;
    if ((uintptr_t)memory % TAC_ARENA_ALIGN != 0 || (derivative && ode->f_jac == NULL)) return TAC_ERR_ARGUMENT;
    if (tac_first_nonfinite(ode->n, x) >= 0) return TAC_ERR_NONFINITE;
    return theta == NULL || tac_first_nonfinite(ode->ntheta, theta) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

static tacStatus start(Run *r, const tacOde *ode, const tacOdeOptions *options, const double *theta) {
    r->info = (tacStepInfo){.bad_index = -1, .graze_margin = TAC_INFINITY, .first_unsolved = -1};
    if (!layout(r, ode, options, &r->arena)) return TAC_ERR_ARENA_FULL;
    r->given.theta = theta;
    if (ode->ngap > 0) memset(r->given.on, 0, (size_t)ode->ngap);
    return TAC_OK;
}

static tacStatus report(Run *r, tacStatus status, tacStepInfo *info) {
    r->info.status = status;
    if (info != NULL) *info = r->info;
    return status;
}

static tacStatus march_values(Run *r, const tacOde *ode, double span, const double *x0, double *x1) {
    TAC_TRY(tac_march_run(&r->march, span, x0, &r->info));
    memcpy(x1, r->march.now.x, (size_t)ode->n * sizeof *x1);
    return TAC_OK;
}

tacStatus tac_ode_solve(const tacOde *ode, const tacOdeOptions *options, double span, const double *x0,
                        const double *theta, double *x1, void *memory, tacStepInfo *info) {
    Run r;
    if (x1 == NULL) return TAC_ERR_ARGUMENT;
    TAC_TRY(check_call(ode, options, span, x0, theta, memory, 0));
    TAC_BORROW(&r.arena, memory, tac_ode_bytes(ode, options, NULL));
    tacStatus status = start(&r, ode, options, theta);
    if (status == TAC_OK) status = march_values(&r, ode, span, x0, x1);
    return report(&r, status, info);
}

/* Columns [from, from + n) of S. */
static void copy_columns(const tacMarchJac *j, int rows, int from, int n, double *out) {
    for (int r = 0; r < rows && out != NULL; r++)
        memcpy(out + (size_t)r * (size_t)n, j->S + (size_t)r * (size_t)j->n + from, (size_t)n * sizeof *out);
}

static tacStatus march_matrices(Run *r, const tacOde *ode, double span, const double *x0, double *x1,
                                const tacOdeJac *jac) {
    tacMarchJac j;
    if (!tac_march_jac_layout(&j, &r->flow, &r->options, &r->arena)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_march_run_jac(&r->march, &j, span, x0, &r->info));
    if (x1 != NULL) memcpy(x1, r->march.now.x, (size_t)ode->n * sizeof *x1);
    copy_columns(&j, ode->n, 0, ode->n, jac->x);
    copy_columns(&j, ode->n, ode->n, ode->ntheta, jac->theta);
    copy_columns(&j, ode->n, ode->n + ode->ntheta, 1, jac->span);
    return TAC_OK;
}

tacStatus tac_ode_jac(const tacOde *ode, const tacOdeOptions *options, double span, const double *x0,
                      const double *theta, double *x1, const tacOdeJac *jac, void *memory, tacStepInfo *info) {
    Run r;
    if (jac == NULL) return TAC_ERR_ARGUMENT;
    TAC_TRY(check_call(ode, options, span, x0, theta, memory, 1));
    TAC_BORROW(&r.arena, memory, tac_ode_bytes(ode, options, NULL));
    tacStatus status = start(&r, ode, options, theta);
    if (status == TAC_OK) status = march_matrices(&r, ode, span, x0, x1, jac);
    return report(&r, status, info);
}

static void set_part(double *to, int n, const double *from) {
    if (from != NULL)
        memcpy(to, from, (size_t)n * sizeof *to);
    else
        memset(to, 0, (size_t)n * sizeof *to);
}

static tacStatus check_along(const tacOde *ode, const tacOdeTangent *along) {
    int bad = (along->x != NULL && tac_first_nonfinite(ode->n, along->x) >= 0) ||
              (along->theta != NULL && tac_first_nonfinite(ode->ntheta, along->theta) >= 0) || !tac_finite(along->span);
    return bad ? TAC_ERR_NONFINITE : TAC_OK;
}

static tacStatus march_along(Run *r, const tacOde *ode, double span, const double *x0, const tacOdeTangent *along,
                             double *dx1) {
    tacMarchJac j;
    if (!tac_march_jac_layout(&j, &r->flow, &r->options, &r->arena)) return TAC_ERR_ARENA_FULL;
    double *d = along_layout(ode, &r->arena);
    if (d == NULL) return TAC_ERR_ARENA_FULL;
    set_part(d, ode->n, along->x);
    set_part(d + ode->n, ode->ntheta, along->theta);
    d[ode->n + ode->ntheta] = along->span;
    tac_march_go_along(&j, d);
    TAC_TRY(tac_march_run_jac(&r->march, &j, span, x0, &r->info));
    copy_columns(&j, ode->n, 0, 1, dx1);
    return TAC_OK;
}

tacStatus tac_ode_jvp(const tacOde *ode, const tacOdeOptions *options, double span, const double *x0,
                      const double *theta, const tacOdeTangent *along, double *dx1, void *memory, tacStepInfo *info) {
    Run r;
    if (along == NULL || dx1 == NULL) return TAC_ERR_ARGUMENT;
    TAC_TRY(check_call(ode, options, span, x0, theta, memory, 1));
    TAC_TRY(check_along(ode, along));
    TAC_BORROW(&r.arena, memory, tac_ode_bytes(ode, options, NULL));
    tacStatus status = start(&r, ode, options, theta);
    if (status == TAC_OK) status = march_along(&r, ode, span, x0, along, dx1);
    return report(&r, status, info);
}

static tacStatus march_back(Run *r, const tacOde *ode, double span, const double *x0, const double *xbar,
                            const tacOdeGrad *grad) {
    tacMarchPull p;
    if (!tac_march_pull_layout(&p, &r->flow, &r->options, &r->arena)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_march_run_vjp(&r->march, &p, span, x0, xbar, &r->info));
    if (grad->x != NULL) memcpy(grad->x, p.x, (size_t)ode->n * sizeof *p.x);
    if (grad->theta != NULL) memcpy(grad->theta, p.p, (size_t)ode->ntheta * sizeof *p.p);
    if (grad->span != NULL) *grad->span = p.span;
    return TAC_OK;
}

tacStatus tac_ode_vjp(const tacOde *ode, const tacOdeOptions *options, double span, const double *x0,
                      const double *theta, const double *xbar, const tacOdeGrad *grad, void *memory,
                      tacStepInfo *info) {
    Run r;
    if (grad == NULL || xbar == NULL) return TAC_ERR_ARGUMENT;
    TAC_TRY(check_call(ode, options, span, x0, theta, memory, 1));
    if (tac_first_nonfinite(ode->n, xbar) >= 0) return TAC_ERR_NONFINITE;
    TAC_BORROW(&r.arena, memory, tac_ode_bytes(ode, options, NULL));
    tacStatus status = start(&r, ode, options, theta);
    if (status == TAC_OK) status = march_back(&r, ode, span, x0, xbar, grad);
    return report(&r, status, info);
}
