#include "solve/ode/march.h"

#include "math/scalar.h"

#include <string.h>

/* --- Memory ------------------------------------------------------------------------------------------------------- */

int tac_march_state_layout(tacMarchState *s, const tacFlow *flow, tacArena *arena) {
    *s = (tacMarchState){.x = TAC_TAKE(arena, flow->nx, double),
                         .f = TAC_TAKE(arena, flow->nd, double),
                         .sign = TAC_TAKE(arena, flow->max_signals, unsigned char)};
    return s->x && s->f && s->sign;
}

void tac_march_state_copy(const tacFlow *flow, const tacMarchState *from, tacMarchState *to) {
    tacMarchState copy = *from;
    copy.x = memcpy(to->x, from->x, (size_t)flow->nx * sizeof *copy.x);
    copy.f = memcpy(to->f, from->f, (size_t)flow->nd * sizeof *copy.f);
    copy.sign = memcpy(to->sign, from->sign, (size_t)flow->max_signals);
    *to = copy;
}

int tac_march_layout(tacMarch *m, const tacFlow *flow, const tacInnerOptions *options, tacArena *arena) {
    *m = (tacMarch){.flow = flow, .options = options};
    int ok = tac_inner_layout(&m->inner, flow, tac_ode_method(options->integrator), arena) &&
             tac_march_state_layout(&m->now, flow, arena);
    m->gap = TAC_TAKE(arena, flow->max_gaps, tacGap);
    return ok && m->gap != NULL;
}

/* --- Beginning ---------------------------------------------------------------------------------------------------- */

static tacStatus open_set(tacMarch *m, int begun, int *onsets, int *changed) {
    *onsets = 0;
    *changed = 0;
    return m->flow->call->open == NULL ? TAC_OK : m->flow->call->open(m->flow->user, m->now.x, begun, onsets, changed);
}

tacStatus tac_march_begin(tacMarch *m, double span, const double *x, tacStepInfo *info) {
    int onsets, changed;
    memcpy(m->now.x, x, (size_t)m->flow->nx * sizeof *x);
    memset(m->now.f, 0, (size_t)m->flow->nd * sizeof *x);
    memset(m->now.sign, 0, (size_t)m->flow->max_signals);
    m->now.t = 0;
    m->now.h = tac_min(m->options->inner_dt, span);
    m->now.before = 1;
    m->now.cross = 0;
    m->now.begun = -1;
    m->now.target = m->now.fresh = m->now.arrived = 0;
    m->span = span;
    m->unsolved = 0;
    m->info = info;
    TAC_TRY(open_set(m, 0, &onsets, &changed));
    if (onsets > 0) m->now.begun = 0; /* each begins by a step of its own */
    return TAC_OK;
}

tacStatus tac_march_resume(tacMarch *m, const tacMarchState *state) {
    int onsets, changed;
    tac_march_state_copy(m->flow, state, &m->now);
    return open_set(m, m->now.begun, &onsets, &changed);
}

/* Stage 0 from the state. Rates that are fresh are taken from it. */
static tacStatus start(tacMarch *m) {
    tacInner *s = &m->inner;
    tacMarchState *now = &m->now;
    size_t bytes = (size_t)m->flow->nd * sizeof(double);
    if (now->fresh) {
        memcpy(s->X[0], now->x, (size_t)m->flow->nx * sizeof(double));
        memset(s->z[0], 0, bytes);
        memcpy(s->f[0], now->f, bytes);
        memcpy(s->k[0], now->f, bytes);
        return TAC_OK;
    }
    TAC_TRY(tac_inner_start(s, now->x));
    memcpy(now->f, s->f[0], bytes);
    for (int j = 0; j < s->nsignal; j++)
        now->sign[j] = s->signal[0][j] > 0;
    now->fresh = 1;
    return TAC_OK;
}

/* --- One step ----------------------------------------------------------------------------------------------------- */

static int is_fixed(const tacMarch *m) { return m->options->inner_steps > 0; }

static double target_time(const tacMarch *m, int k) {
    return k == m->options->inner_steps ? m->span : m->span * k / m->options->inner_steps;
}

/* The share of the span that the next step may aim at, and the time to it. */
double tac_march_rest(const tacMarch *m, double *share) {
    *share = is_fixed(m) ? (double)(m->now.target + 1) / m->options->inner_steps : 1;
    double end = is_fixed(m) ? target_time(m, m->now.target + 1) : m->span;
    return tac_max(0, end - m->now.t);
}

static tacStatus use_up(tacMarch *m) {
    m->info->stop_time = m->now.t;
    return m->info->inner_accepted + m->info->inner_rejected < m->options->inner_max ? TAC_OK : TAC_ERR_INNER_MAX;
}

static tacStatus reject(tacMarch *m, double h, double *next) {
    m->info->inner_rejected++;
    m->now.h = *next;
    if (is_fixed(m)) return TAC_ERR_NONFINITE;
    return h > TAC_MARCH_LEAST && *next > TAC_MARCH_LEAST ? TAC_OK : TAC_ERR_INNER_STEP;
}

/* Runs steps until one is within the tolerance. TARGET or FREE. */
static tacStatus take_within(tacMarch *m, double *error) {
    tacInner *s = &m->inner;
    for (;;) {
        double share, rest = tac_march_rest(m, &share), h = is_fixed(m) ? rest : tac_min(m->now.h, rest);
        double longest = m->flow->call->longest == NULL ? h : m->flow->call->longest(m->flow->user, m->now.x);
        TAC_TRY(use_up(m));
        if (!is_fixed(m)) h = tac_min(h, longest);
        if (rest - h < TAC_MARCH_LEAST) h = rest;
        m->step = (tacMarchStep){.kind = h >= rest ? TAC_MARCH_TARGET : TAC_MARCH_FREE, .h = h, .share = share};
        tacStatus status = tac_inner_run(s, h);
        if (status != TAC_OK && status != TAC_ERR_NONFINITE && status != TAC_ERR_DEGENERATE) return status;
        *error = status == TAC_OK ? tac_inner_error(s, m->options->rtol, m->options->atol) : TAC_INFINITY;
        if (status == TAC_OK && (is_fixed(m) || *error <= 1)) return TAC_OK;
        double next = h * (tac_finite(*error) ? tac_min(1, tac_march_factor(m, 1 / *error, m->now.before)) : 0.2);
        TAC_TRY(reject(m, h, &next));
    }
}

/* The next step by error control, after a step with this error. */
static void control(tacMarch *m, double error, int event) {
    const double least = 1e-10; /* of errors: the factor is at its bound long before */
    double inverse = 1 / tac_max(error, least);
    if (!is_fixed(m)) m->info->error_estimate = tac_max(m->info->error_estimate, error);
    if (event) {
        m->now.before = 1;
        return;
    }
    double h = m->step.h * tac_march_factor(m, inverse, m->now.before);
    /* a step that the end of the span cut tells nothing of longer ones */
    m->now.h = m->step.kind == TAC_MARCH_TARGET ? tac_max(h, m->now.h) : h;
    m->now.before = inverse;
}

static tacStatus count_event(tacMarch *m, const tacEvent *event) {
    tacStepInfo *info = m->info;
    if (event->kind == TAC_EVENT_SWITCH) info->switches++;
    if (event->kind != TAC_EVENT_ONSET && event->kind != TAC_EVENT_END) return TAC_OK;
    if (++info->events <= m->options->event_max) return TAC_OK;
    info->stop_time = m->now.t + event->at * m->step.h;
    if (m->flow->call->name != NULL) m->flow->call->name(m->flow->user, event->which, info);
    return TAC_ERR_EVENTS;
}

static tacMarchKind kind_of(const tacEvent *event) {
    return event->kind == TAC_EVENT_ONSET ? TAC_MARCH_ONSET
           : event->kind == TAC_EVENT_END ? TAC_MARCH_END
                                          : TAC_MARCH_FREE;
}

/* The same, and no stage strays into a zone where the step does not go, down to this share of the first trial. */
static tacStatus take_whole(tacMarch *m, double *error, tacEvent *event) {
    const double least = 1e-3;
    double first = 0;
    for (;;) {
        TAC_TRY(take_within(m, error));
        if (m->options->event_max >= 0) TAC_TRY(tac_march_find_event(m, event));
        if (event->kind != TAC_EVENT_STRAY) return TAC_OK;
        event->kind = TAC_EVENT_NONE;
        first = tac_max(first, m->step.h);
        if (is_fixed(m) || m->step.h < least * first) return TAC_OK;
        m->now.h = 0.5 * m->step.h;
        m->info->inner_rejected++;
    }
}

tacStatus tac_march_take(tacMarch *m) {
    tacEvent event = {.kind = TAC_EVENT_NONE};
    double error = 0;
    m->crossing_next = 0;
    TAC_TRY(start(m));
    if (m->now.begun >= 0) { /* an onset at the same time */
        int reset = m->flow->call->reset != NULL;
        m->step = (tacMarchStep){.kind = TAC_MARCH_AGAIN, .member = m->now.begun, .reset = reset};
        m->info->events++;
        return m->info->events <= m->options->event_max ? TAC_OK : TAC_ERR_EVENTS;
    }
    if (m->now.cross == 0 && m->now.h == 0 && !is_fixed(m)) TAC_TRY(tac_march_guess(m, &m->now.h));
    if (m->now.cross > 0) {
        m->info->inner_accepted++;
        return tac_march_cross(m);
    }
    TAC_TRY(take_whole(m, &error, &event));
    m->info->inner_accepted++;
    if (event.kind != TAC_EVENT_NONE) {
        m->now.h = tac_max(m->step.h, m->now.h);
        TAC_TRY(count_event(m, &event));
        TAC_TRY(tac_march_locate(m, &event));
        tacMarchKind kind = kind_of(&event);
        if (kind != TAC_MARCH_FREE || m->inner.h < m->step.h) m->step = (tacMarchStep){.kind = kind, .h = m->inner.h};
        m->step.reset = kind == TAC_MARCH_ONSET && m->flow->call->reset != NULL;
    }
    control(m, error, event.kind != TAC_EVENT_NONE);
    return TAC_OK;
}

tacStatus tac_march_repeat(tacMarch *m, const tacMarchStep *step) {
    m->step = *step;
    TAC_TRY(start(m));
    return step->kind == TAC_MARCH_AGAIN ? TAC_OK : tac_inner_run(&m->inner, step->h);
}

/* --- Its end ------------------------------------------------------------------------------------------------------ */

static void move_to_end(tacMarch *m) {
    tacInner *s = &m->inner;
    tacMarchState *now = &m->now;
    int last = tac_inner_last(s);
    memcpy(now->x, s->X[last], (size_t)m->flow->nx * sizeof(double));
    memcpy(now->f, s->f[last], (size_t)m->flow->nd * sizeof(double));
    for (int j = 0; j < s->nsignal; j++)
        now->sign[j] = s->signal[last][j] > 0;
    now->t += m->step.h;
    m->unsolved |= s->unsolved;
    now->cross = m->crossing_next;
    now->crossing = m->crossing_signal;
    m->crossing_next = 0;
    if (m->step.kind != TAC_MARCH_TARGET) return;
    now->target++;
    now->t = is_fixed(m) ? target_time(m, now->target) : m->span;
    now->arrived = !is_fixed(m) || now->target == m->options->inner_steps;
}

/* Onsets at the end of the step: the first has begun. Where none is found to rounding, the derivative lacks its
 * jump. */
static tacStatus begin_onsets(tacMarch *m) {
    int changed, onsets;
    m->now.fresh = 0;
    TAC_TRY(open_set(m, 1, &onsets, &changed));
    m->now.begun = onsets > 1 ? 1 : -1;
    m->step.member = onsets > 0 ? 0 : -1;
    if (onsets == 0) m->info->ties++;
    return TAC_OK;
}

tacStatus tac_march_reach(tacMarch *m) {
    int onsets, changed;
    tacMarchState *now = &m->now;
    if (m->step.kind == TAC_MARCH_AGAIN) {
        const tacFlowCalls *call = m->flow->call;
        int couples =
            now->begun > 0 && (call->couples == NULL || call->couples(m->flow->user, now->begun - 1, now->begun));
        m->info->ties += couples;
        TAC_TRY(open_set(m, now->begun + 1, &onsets, &changed));
        now->begun = now->begun + 1 < onsets ? now->begun + 1 : -1;
        now->fresh = 0;
        return TAC_OK;
    }
    move_to_end(m);
    if (m->step.kind == TAC_MARCH_ONSET) return begin_onsets(m);
    TAC_TRY(open_set(m, -1, &onsets, &changed));
    now->fresh = !changed && m->step.kind != TAC_MARCH_END;
    if (changed) now->cross = 0; /* its signal is another one's, or none's */
    return TAC_OK;
}

tacStatus tac_march_reset(tacMarch *m, double *x_x, double *x_p) {
    int onsets, changed;
    if (!m->step.reset || m->step.member < 0) return TAC_OK;
    if (m->flow->call->reset(m->flow->user, m->step.member, m->now.x, x_x, x_p)) return TAC_ERR_NONFINITE;
    TAC_TRY(open_set(m, 0, &onsets, &changed));
    m->now.begun = onsets > 0 ? 0 : -1;
    return TAC_OK;
}

tacStatus tac_march_arrive(tacMarch *m) {
    TAC_TRY(tac_march_reach(m));
    return tac_march_reset(m, NULL, NULL);
}

tacStatus tac_march_run(tacMarch *m, double span, const double *x, tacStepInfo *info) {
    TAC_TRY(tac_march_begin(m, span, x, info));
    while (!tac_march_is_done(m)) {
        TAC_TRY(tac_march_take(m));
        TAC_TRY(tac_march_arrive(m));
    }
    info->stop_time = span;
    return TAC_OK;
}
