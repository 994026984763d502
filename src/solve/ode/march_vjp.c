/* The reverse of march_jac.c (docs/theory/adaptive.md, AD13). Steps are counted in a first pass, which keeps the states
 * it has room for. If there are more, binomial checkpointing chooses which to keep. */
#include "solve/ode/march.h"

#include "math/dense.h"
#include "solve/checkpoint.h"

#include <string.h>

int tac_march_pull_layout(tacMarchPull *p, const tacFlow *flow, const tacInnerOptions *options, tacArena *arena) {
    int nd = flow->nd, np = flow->np, resets = flow->call->reset != NULL, ok = 1;
    *p = (tacMarchPull){.slots = options->checkpoints};
    p->kept = TAC_TAKE(arena, p->slots, tacMarchState);
    p->at = TAC_TAKE(arena, p->slots, int);
    p->taken = TAC_TAKE(arena, p->slots, tacMarchStep);
    for (int i = 0; i < p->slots && ok; i++) {
        tacMarchState kept;
        ok = tac_march_state_layout(&kept, flow, arena);
        if (ok && !tac_arena_is_dry(arena)) p->kept[i] = kept;
    }
    for (int i = 0; i < tac_ode_method(options->integrator)->stages; i++)
        p->kbar[i] = TAC_TAKE(arena, nd, double);
    double **vectors[] = {&p->xbar, &p->zbar, &p->fbar, &p->turned, &p->grad, &p->other, &p->x};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = TAC_TAKE(arena, nd, double);
    p->grad_p = TAC_TAKE(arena, np, double);
    p->other_p = TAC_TAKE(arena, np, double);
    p->p = TAC_TAKE(arena, np, double);
    ok &= tac_march_state_layout(&p->here, flow, arena);
    p->x_x = TAC_TAKE(arena, resets ? nd * nd : 0, double);
    p->x_p = TAC_TAKE(arena, resets ? nd * np : 0, double);
    return ok && p->x_p != NULL;
}

/* --- One step ----------------------------------------------------------------------------------------------------- */

static void clear(int n, double *x) { memset(x, 0, (size_t)n * sizeof *x); }

/* bar of k_i -> p, x_bar (+=) and z_bar, through f at X_i. */
static tacStatus pull_rate(tacMarch *m, tacMarchPull *p, int i, const double *bar, double *x, double *params) {
    const tacFlow *flow = m->flow;
    const tacInner *s = &m->inner;
    clear(flow->nd, p->fbar);
    clear(flow->nd, p->turned);
    tac_flow_correct_vjp(flow, s->z[i], s->f[i], bar, p->fbar, p->zbar);
    TAC_TRY(flow->call->rate_vjp(flow->user, s->X[i], p->fbar, p->turned, params));
    if (i == 0)
        tac_dense_axpy(flow->nd, 1, p->turned, x);
    else
        tac_flow_place_vjp(flow, s->z[i], p->turned, x, p->zbar);
    return TAC_OK;
}

/* z_bar of stage i -> k_bar of those before, and the length's. */
static double pull_sum(const tacMarch *m, tacMarchPull *p, int i) {
    const tacInner *s = &m->inner;
    double sum = 0;
    for (int j = 0; j <= i; j++) {
        double a = j == i ? s->method->diagonal : tac_ode_coefficient(s->method, i, j);
        if (a == 0) continue;
        sum += a * tac_dense_dot(m->flow->nd, p->zbar, s->k[j]);
        if (j < i) tac_dense_axpy(m->flow->nd, s->h * a, p->zbar, p->kbar[j]);
    }
    return sum;
}

/* bar of the end at fixed length -> x (set), params (+=), and bar . x_h. */
static tacStatus pull_stages(tacMarch *m, tacMarchPull *p, const double *bar, double *x, double *params,
                             double *length) {
    tacInner *s = &m->inner;
    int nd = m->flow->nd, last = tac_inner_last(s);
    double gain = s->h * s->method->diagonal;
    *length = 0;
    clear(nd, x);
    for (int i = 0; i <= last; i++)
        clear(nd, p->kbar[i]);
    for (int i = last; i >= 1; i--) {
        clear(nd, p->zbar);
        if (i == last) tac_flow_place_vjp(m->flow, s->z[i], bar, x, p->zbar);
        if (gain != 0) {
            tac_dense_axpy(nd, gain, p->zbar, p->kbar[i]);
            TAC_TRY(tac_inner_factor(s, i));
            tac_lu_solve_transposed(nd, s->M, s->pivot, p->kbar[i]);
        }
        if (i < last || gain != 0) TAC_TRY(pull_rate(m, p, i, p->kbar[i], x, params));
        *length += pull_sum(m, p, i);
    }
    clear(nd, p->zbar);
    return pull_rate(m, p, 0, p->kbar[0], x, params);
}

/* xbar <- x_x^T xbar, p += x_p^T xbar: a reset. */
static void pull_reset(const tacMarch *m, tacMarchPull *p) {
    const tacFlow *flow = m->flow;
    tac_dense_multv(flow->nd, flow->np, p->x_p, p->xbar, p->other_p);
    tac_dense_axpy(flow->np, 1, p->other_p, p->p);
    tac_dense_multv(flow->nd, flow->nd, p->x_x, p->xbar, p->other);
    memcpy(p->xbar, p->other, (size_t)flow->nd * sizeof *p->xbar);
}

/* An event at the end: the length of the step follows from the gap. member, falls: as for gap_jac. */
static tacStatus pull_event(tacMarch *m, tacMarchPull *p, const tacMarchState *start, tacMarchStep step, double *x) {
    const tacFlow *flow = m->flow;
    double length, rate;
    int falls = step.kind == TAC_MARCH_ONSET;
    TAC_TRY(tac_march_reach(m));
    int lost = falls && m->step.member < 0;
    if (!lost) TAC_TRY(flow->call->gap_jac(flow->user, falls ? 0 : -1, falls, m->now.x, p->grad, p->grad_p));
    TAC_TRY(tac_march_reset(m, p->x_x, p->x_p));
    if (step.reset && !lost) pull_reset(m, p);
    tacMarchStep taken = m->step;
    TAC_TRY(tac_march_resume(m, start));
    tac_march_hold(m, &taken);
    m->step = taken;
    TAC_TRY(pull_stages(m, p, p->xbar, x, p->p, &length));
    if (lost) return TAC_OK;
    clear(flow->np, p->other_p);
    TAC_TRY(pull_stages(m, p, p->grad, p->other, p->other_p, &rate));
    tac_dense_axpy(flow->np, 1, p->grad_p, p->other_p);
    double share = rate == 0 ? 0 : -(length + p->time) / rate;
    tac_dense_axpy(flow->nd, share, p->other, x);
    tac_dense_axpy(flow->np, share, p->other_p, p->p);
    return TAC_OK;
}

/* Another onset at the same time: x_h = f. */
static tacStatus pull_again(tacMarch *m, tacMarchPull *p, const tacMarchState *start, tacMarchStep step) {
    const tacFlow *flow = m->flow;
    const double *f = m->inner.f[0];
    if (step.reset) {
        TAC_TRY(tac_march_reach(m));
        TAC_TRY(tac_march_reset(m, p->x_x, p->x_p));
        pull_reset(m, p);
        TAC_TRY(tac_march_resume(m, start));
        TAC_TRY(tac_march_repeat(m, &step));
    }
    TAC_TRY(flow->call->gap_jac(flow->user, step.member, 1, m->inner.X[0], p->grad, p->grad_p));
    double rate = tac_dense_dot(flow->nd, p->grad, f);
    double share = rate == 0 ? 0 : -(tac_dense_dot(flow->nd, p->xbar, f) + p->time) / rate;
    memcpy(p->x, p->xbar, (size_t)flow->nd * sizeof *p->x);
    tac_dense_axpy(flow->nd, share, p->grad, p->x);
    tac_dense_axpy(flow->np, share, p->grad_p, p->p);
    return TAC_OK;
}

/* p->xbar, at the end of the step from a state, -> p->x, at its start. */
static tacStatus pull_step(tacMarch *m, tacMarchPull *p, const tacMarchState *start, const tacMarchStep *step) {
    double length;
    if (step->kind == TAC_MARCH_AGAIN) return pull_again(m, p, start, *step);
    if (step->kind == TAC_MARCH_ONSET || step->kind == TAC_MARCH_END) return pull_event(m, p, start, *step, p->x);
    TAC_TRY(pull_stages(m, p, p->xbar, p->x, p->p, &length));
    if (step->kind != TAC_MARCH_TARGET) return TAC_OK;
    p->span += step->share * (length + p->time);
    p->time = -length;
    return TAC_OK;
}

/* --- All steps ---------------------------------------------------------------------------------------------------- */

static void keep(tacMarch *m, tacMarchPull *p, int k) {
    tac_march_state_copy(m->flow, &m->now, &p->kept[p->used]);
    p->at[p->used] = k;
    p->taken[p->used++].h = -1;
}

/* The first pass: the number of steps, with the first states kept. */
static tacStatus count_steps(tacMarch *m, tacMarchPull *p, double span, const double *x, tacStepInfo *info, int *n) {
    TAC_TRY(tac_march_begin(m, span, x, info));
    for (*n = 0; !tac_march_is_done(m); ++*n) {
        int kept = p->used < p->slots;
        if (kept) keep(m, p, *n);
        TAC_TRY(tac_march_take(m));
        if (kept) tac_march_state_learn(m->flow, &m->now, &p->kept[p->used - 1]);
        TAC_TRY(tac_march_arrive(m));
        if (kept) p->taken[p->used - 1] = m->step;
    }
    info->stop_time = span;
    return TAC_OK;
}

/* Goes on from the top of the kept states to number `to`. */
static tacStatus march_to(tacMarch *m, tacMarchPull *p, int to) {
    TAC_TRY(tac_march_resume(m, &p->kept[p->used - 1]));
    for (int k = p->at[p->used - 1]; k < to; k++) {
        TAC_TRY(tac_march_take(m));
        TAC_TRY(tac_march_arrive(m));
    }
    return TAC_OK;
}

/* Brings the march to state k. Keeps states on the way. */
static tacStatus find_state(tacMarch *m, tacMarchPull *p, int k) {
    while (p->at[p->used - 1] < k && p->used < p->slots) {
        int below = p->at[p->used - 1], free_slots = p->slots - p->used;
        TAC_TRY(march_to(m, p, below + tac_checkpoint_split(k + 1 - below, free_slots)));
        keep(m, p, below + tac_checkpoint_split(k + 1 - below, free_slots));
    }
    return march_to(m, p, k);
}

/* The step from state k. */
static tacStatus pull_number(tacMarch *m, tacMarchPull *p, int k) {
    tacMarchState *here = &p->here;
    TAC_TRY(find_state(m, p, k));
    int top = p->used - 1, kept = p->at[top] == k;
    if (kept && p->taken[top].h >= 0)
        TAC_TRY(tac_march_repeat(m, &p->taken[top]));
    else
        TAC_TRY(tac_march_take(m));
    tac_march_state_copy(m->flow, &m->now, here);
    tacMarchStep step = m->step;
    TAC_TRY(pull_step(m, p, here, &step));
    memcpy(p->xbar, p->x, (size_t)m->flow->nd * sizeof *p->x);
    if (kept && k > 0) p->used--;
    return TAC_OK;
}

tacStatus tac_march_run_vjp(tacMarch *m, tacMarchPull *p, double span, const double *x, const double *xbar,
                            tacStepInfo *info) {
    int n, nd = m->flow->nd;
    tacStepInfo again;
    memcpy(p->xbar, xbar, (size_t)nd * sizeof *xbar);
    memcpy(p->x, xbar, (size_t)nd * sizeof *xbar);
    clear(m->flow->np, p->p);
    p->span = p->time = 0;
    p->used = 0;
    TAC_TRY(count_steps(m, p, span, x, info, &n));
    if (n > p->slots) p->used = 1; /* the other states are not those that the rule keeps */
    again = *info;
    for (int k = n - 1; k >= 0; k--) {
        again.inner_accepted = again.inner_rejected = again.events = 0;
        m->info = &again;
        TAC_TRY(pull_number(m, p, k));
    }
    m->info = info;
    return TAC_OK;
}
