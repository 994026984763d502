#include "solve/ode/march.h"

#include "math/scalar.h"

#include <string.h>

/* Signs that are set right at one state before none is held. */
enum { MOST_TURNED = 16 };

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

void tac_march_state_learn(const tacFlow *flow, const tacMarchState *from, tacMarchState *to) {
    memcpy(to->f, from->f, (size_t)flow->nd * sizeof *to->f);
    memcpy(to->sign, from->sign, (size_t)flow->max_signals);
    to->fresh = from->fresh;
    to->crossed = from->crossed;
    to->switched = from->switched;
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
    m->now.crossed = m->now.switched = 0;
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

static void hold(const tacMarch *m, const unsigned char *sign) {
    if (m->flow->call->hold != NULL) m->flow->call->hold(m->flow->user, sign, m->now.f);
}

/* A change of features is counted where the rate jumps. Where one feature hands over to another at the same point it
 * does not. */
static void count_switch(tacMarch *m) {
    const double jump = 1e-8; /* relative to the largest rate */
    double most = 0, change = 0;
    for (int j = 0; j < m->flow->nd; j++) {
        most = tac_max(most, tac_abs(m->inner.f[0][j]));
        change = tac_max(change, tac_abs(m->inner.f[0][j] - m->now.f[j]));
    }
    m->info->switches += m->now.switched && !(change <= jump * most);
    m->now.switched = 0;
}

/* Stage 0 from the state. Rates that are fresh are taken from it; else its signals tell which signs are held, but for
 * one that has just changed. */
static tacStatus start(tacMarch *m) {
    tacInner *s = &m->inner;
    tacMarchState *now = &m->now;
    size_t bytes = (size_t)m->flow->nd * sizeof(double);
    if (now->fresh) {
        memcpy(s->X[0], now->x, (size_t)m->flow->nx * sizeof(double));
        memset(s->z[0], 0, bytes);
        memcpy(s->f[0], now->f, bytes);
        memcpy(s->k[0], now->f, bytes);
        hold(m, now->sign);
        return TAC_OK;
    }
    hold(m, NULL);
    TAC_TRY(tac_inner_start(s, now->x));
    count_switch(m);
    memcpy(now->f, s->f[0], bytes);
    for (int j = 0; j < s->nsignal; j++)
        now->sign[j] = s->signal[0][j] > 0;
    if (now->crossed > 0) now->sign[now->crossed - 1] = (unsigned char)now->crossed_sign;
    now->crossed = 0;
    now->fresh = 1;
    hold(m, now->sign);
    return TAC_OK;
}

/* --- One step ----------------------------------------------------------------------------------------------------- */

static int is_fixed(const tacMarch *m) { return m->options->inner_steps > 0; }

static double target_time(const tacMarch *m, int k) {
    return k == m->options->inner_steps ? m->span : m->span * k / m->options->inner_steps;
}

/* The share of the span that the next step may aim at, and the time to it. */
static double rest_of(const tacMarch *m, double *share) {
    *share = is_fixed(m) ? (double)(m->now.target + 1) / m->options->inner_steps : 1;
    double end = is_fixed(m) ? target_time(m, m->now.target + 1) : m->span;
    return tac_max(0, end - m->now.t);
}

static tacStatus use_up(tacMarch *m) {
    m->info->stop_time = m->now.t;
    return m->info->inner_accepted + m->info->inner_rejected < m->options->inner_max ? TAC_OK : TAC_ERR_INNER_MAX;
}

static tacStatus reject(tacMarch *m, double h, double next) {
    m->info->inner_rejected++;
    m->now.h = next;
    if (is_fixed(m)) return TAC_ERR_NONFINITE;
    return h > TAC_MARCH_LEAST && next > TAC_MARCH_LEAST ? TAC_OK : TAC_ERR_INNER_STEP;
}

static int has_no_value(tacStatus status) { return status == TAC_ERR_NONFINITE || status == TAC_ERR_DEGENERATE; }

/* Goes on without held signs. 0: none is held. */
static int let_loose(tacMarch *m) {
    if (m->loose || m->flow->call->hold == NULL) return 0;
    m->loose = 1;
    hold(m, NULL);
    return 1;
}

/* Share of the step's end below which a step without a value is tried without held signs. */
#define LEAST_HELD_SHARE 1e-6

/* A trial without a value: a shorter one, or one without held signs. */
static tacStatus try_again(tacMarch *m, double h) {
    if ((is_fixed(m) || h < LEAST_HELD_SHARE * m->span) && let_loose(m)) return TAC_OK;
    return reject(m, h, 0.2 * h);
}

/* Runs steps until one is within the tolerance. TARGET or FREE. */
static tacStatus take_within(tacMarch *m, double *error) {
    tacInner *s = &m->inner;
    for (;;) {
        double share, rest = rest_of(m, &share), h = is_fixed(m) ? rest : tac_min(m->now.h, rest);
        double longest = m->flow->call->longest == NULL ? h : m->flow->call->longest(m->flow->user, m->now.x);
        TAC_TRY(use_up(m));
        if (!is_fixed(m)) h = tac_min(h, longest);
        if (rest - h < TAC_MARCH_LEAST) h = rest;
        m->step = (tacMarchStep){.kind = h >= rest ? TAC_MARCH_TARGET : TAC_MARCH_FREE, .h = h, .share = share};
        m->step.loose = m->loose;
        tacStatus status = tac_inner_run(s, h);
        if (status != TAC_OK && !has_no_value(status)) return status;
        *error = status == TAC_OK ? tac_inner_error(s, m->options->rtol, m->options->atol) : TAC_INFINITY;
        if (status == TAC_OK && (is_fixed(m) || *error <= 1)) return TAC_OK;
        if (tac_finite(*error))
            TAC_TRY(reject(m, h, h * tac_min(1, tac_march_factor(m, 1 / *error, m->now.before))));
        else
            TAC_TRY(try_again(m, h));
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
    if (event->kind != TAC_EVENT_ONSET && event->kind != TAC_EVENT_END) return TAC_OK;
    if (++info->events <= m->options->event_max) return TAC_OK;
    info->stop_time = m->now.t + event->at * m->step.h;
    if (m->flow->call->name != NULL) m->flow->call->name(m->flow->user, event->which, info);
    return TAC_ERR_EVENTS;
}

/* Of an event that was not reached. */
static void uncount_event(tacMarch *m, const tacEvent *event) {
    m->info->events -= event->kind == TAC_EVENT_ONSET || event->kind == TAC_EVENT_END;
}

static tacMarchKind kind_of(const tacEvent *event) {
    return event->kind == TAC_EVENT_ONSET ? TAC_MARCH_ONSET
           : event->kind == TAC_EVENT_END ? TAC_MARCH_END
                                          : TAC_MARCH_FREE;
}

static tacStatus locate(tacMarch *m, const tacEvent *event) {
    m->now.h = tac_max(m->step.h, m->now.h);
    TAC_TRY(count_event(m, event));
    return tac_march_locate(m, event);
}

/* The same up to its first event, after signs that are wrong all the time are set right. */
static tacStatus take_whole(tacMarch *m, double *error, tacEvent *event) {
    const double first = m->now.h;
    for (int turned = 0;;) {
        TAC_TRY(take_within(m, error));
        if (m->options->event_max < 0) return TAC_OK;
        tacStatus status = tac_march_find_event(m, event);
        if (status != TAC_OK && !has_no_value(status)) return status;
        if (status != TAC_OK) {
            TAC_TRY(try_again(m, m->step.h));
            continue;
        }
        if (event->kind != TAC_EVENT_ZONE || event->which < 0 || event->at > 0) {
            status = event->kind == TAC_EVENT_NONE ? TAC_OK : locate(m, event);
            if (!has_no_value(status)) return status;
            uncount_event(m, event);
            TAC_TRY(try_again(m, m->step.h));
            continue;
        }
        m->info->inner_rejected++;
        if (turned++ == MOST_TURNED) {
            let_loose(m);
        } else {
            m->now.sign[event->which] = !m->now.sign[event->which];
            hold(m, m->now.sign);
        }
        m->now.h = first; /* as if the signs had been right from the outset */
    }
}

tacStatus tac_march_take(tacMarch *m) {
    tacEvent event = {.kind = TAC_EVENT_NONE};
    double error = 0;
    m->loose = 0;
    TAC_TRY(start(m));
    if (m->now.begun >= 0) { /* an onset at the same time */
        int reset = m->flow->call->reset != NULL;
        m->step = (tacMarchStep){.kind = TAC_MARCH_AGAIN, .member = m->now.begun, .reset = reset};
        m->info->events++;
        return m->info->events <= m->options->event_max ? TAC_OK : TAC_ERR_EVENTS;
    }
    if (m->now.h == 0 && !is_fixed(m)) {
        hold(m, NULL); /* signs may still turn at this state; the guess may not */
        TAC_TRY(tac_march_guess(m, &m->now.h));
        hold(m, m->now.sign);
    }
    TAC_TRY(take_whole(m, &error, &event));
    m->info->inner_accepted++;
    if (event.kind != TAC_EVENT_NONE) {
        tacMarchKind kind = kind_of(&event);
        if (kind != TAC_MARCH_FREE || m->inner.h < m->step.h)
            m->step = (tacMarchStep){.kind = kind, .h = m->inner.h, .loose = m->loose};
        m->step.reset = kind == TAC_MARCH_ONSET && m->flow->call->reset != NULL;
        m->step.switches = event.kind == TAC_EVENT_SWITCH;
        m->step.crosses = event.kind == TAC_EVENT_ZONE ? event.which + 1 : 0;
    }
    control(m, error, event.kind != TAC_EVENT_NONE);
    return TAC_OK;
}

void tac_march_hold(const tacMarch *m, const tacMarchStep *step) { hold(m, step->loose ? NULL : m->now.sign); }

tacStatus tac_march_repeat(tacMarch *m, const tacMarchStep *step) {
    m->step = *step;
    TAC_TRY(start(m));
    if (step->loose) hold(m, NULL);
    return step->kind == TAC_MARCH_AGAIN ? TAC_OK : tac_inner_run(&m->inner, step->h);
}

/* --- Its end ------------------------------------------------------------------------------------------------------ */

/* 1: the signal crosses zero at the end of the step together with the one that ends it, to rounding of their share. */
static int crosses_too(const tacMarch *m, int j) {
    const double together = 1e-6;
    const tacInner *s = &m->inner;
    double early = s->signal[1][j], end = s->signal[tac_inner_last(s)][j];
    return (early > 0) == m->now.sign[j] && tac_abs(end) <= together * tac_abs(early);
}

/* 1: the signs of the signals at the end are those held, but for those that cross there, which turn. */
static int turn_signs(tacMarch *m) {
    const tacInner *s = &m->inner;
    tacMarchState *now = &m->now;
    int same = !m->step.loose, crossed = m->step.crosses - 1;
    for (int j = 0; j < s->nsignal; j++) {
        if (j == crossed || (crossed >= 0 && crosses_too(m, j)))
            now->sign[j] = !now->sign[j];
        else
            same &= !tac_march_is_wrong(s->signal[tac_inner_last(s)][j], now->sign[j]);
    }
    now->crossed = m->step.crosses;
    now->crossed_sign = crossed >= 0 && now->sign[crossed];
    return same;
}

static void move_to_end(tacMarch *m) {
    tacInner *s = &m->inner;
    tacMarchState *now = &m->now;
    int last = tac_inner_last(s);
    memcpy(now->x, s->X[last], (size_t)m->flow->nx * sizeof(double));
    memcpy(now->f, s->f[last], (size_t)m->flow->nd * sizeof(double));
    now->fresh = turn_signs(m) && !m->step.switches;
    now->switched = m->step.switches;
    now->t += m->step.h;
    m->unsolved |= s->unsolved;
    if (m->step.kind != TAC_MARCH_TARGET) return;
    now->target++;
    now->t = is_fixed(m) ? target_time(m, now->target) : m->span;
    now->arrived = !is_fixed(m) || now->target == m->options->inner_steps;
    m->info->switches += now->arrived && now->switched;
}

/* Onsets at the end of the step: the first has begun. Where none is found to rounding, the derivative lacks its
 * jump. */
static tacStatus begin_onsets(tacMarch *m) {
    int changed, onsets;
    m->now.fresh = m->now.crossed = 0;
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
    now->fresh &= !changed && m->step.kind != TAC_MARCH_END;
    if (changed) now->crossed = 0; /* its signal is another one's, or none's */
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
