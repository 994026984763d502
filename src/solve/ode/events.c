/* Events within a step (docs/theory/adaptive.md, AD9): gaps that fall or rise through their margins, signals that
 * change sign, features that change. Points between the ends come from dense output. */
#include "solve/ode/march.h"

#include "math/scalar.h"

#include <string.h>

enum { MOST_ROOT = 80, MOST_HALVINGS = 30 };
/* Share of a step within which a root is located here. */
#define ROOT_SHARE 1e-12
/* A signal or feature that changes within this share of the step has changed at its start. */
#define LEAST_SHARE 1e-9
/* Part of the step up to a change of zone within which dense output locates it. */
#define SIGNAL_SHARE 1e-5
/* m, rad: a gap that the polynomial of its ends keeps farther away is not looked at between them. */
#define FAR 2e-3

/* A number along the step, at a share of it. */
typedef struct Search {
    tacMarch *m;
    int which;
    tacStatus (*value)(struct Search *s, double at, double *value);
} Search;

static tacStatus gap_at(Search *s, double at, double *value) {
    double rate;
    tac_inner_dense(&s->m->inner, at);
    return s->m->flow->call->gap(s->m->flow->user, s->which, s->m->inner.at, value, &rate);
}

static tacStatus gap_rate_at(Search *s, double at, double *rate) {
    double value;
    tac_inner_dense(&s->m->inner, at);
    return s->m->flow->call->gap(s->m->flow->user, s->which, s->m->inner.at, &value, rate);
}

/* Rates and signals of the state there. */
static tacStatus rate_at(tacMarch *m, double at) {
    tacInner *s = &m->inner;
    tac_inner_dense(s, at);
    TAC_TRY(m->flow->call->rate(m->flow->user, s->at, s->error));
    if (m->flow->call->signals != NULL) m->flow->call->signals(m->flow->user, s->signal_at);
    return TAC_OK;
}

/* The root between two shares of other signs, by the Illinois method: *high gets the side of the second. */
static tacStatus find_root(Search *s, double low, double v, double *high, double w) {
    int side = 0;

    for (int k = 0; k<MOST_ROOT && * high - low> ROOT_SHARE && w != 0; k++) {
        double at = low + (*high - low) * v / (v - w), x;
        if (!(at > low && at < *high) || k % 8 == 7) at = 0.5 * (low + *high);
        if (at <= low || at >= *high) return TAC_OK;
        TAC_TRY(s->value(s, at, &x));
        int behind = (x > 0) == (w > 0);
        *(behind ? high : &low) = at;
        *(behind ? &w : &v) = x;
        if (side == (behind ? 1 : -1)) *(behind ? &v : &w) *= 0.5;
        side = behind ? 1 : -1;
    }
    return TAC_OK;
}

static void keep_first(tacEventKind kind, int which, double at, tacEvent *event) {
    if (event->kind == TAC_EVENT_NONE || at < event->at) *event = (tacEvent){kind, which, at, 0};
}

/* --- Gaps --------------------------------------------------------------------------------------------------------- */

/* The extreme of the cubic polynomial with the gap's values and rates, in the direction `sign` (1: a largest one): its
 * share. */
static double extreme_of(const tacGap *g, double h, double *value) {
    double a = g->at[0], b = h * g->rate[0], d = g->at[1] - a - b, e = h * g->rate[1] - b;
    double c2 = 3 * d - e, c3 = e - 2 * d; /* a + b t + c2 t^2 + c3 t^3 */
    double root = tac_sqrt(tac_max(0, c2 * c2 - 3 * c3 * b)), q = -(c2 + (c2 > 0 ? root : -root)), t = 0.5;
    double t1 = c3 != 0 ? q / (3 * c3) : -1, t2 = q != 0 ? b / q : -1;
    if (t1 > 0 && t1 < 1) t = t1;
    if (t2 > 0 && t2 < 1) t = t2;
    *value = a + t * (b + t * (c2 + t * c3));
    return t;
}

/* The crossing before the share `beyond`, where the gap has its new sign. */
static tacStatus cross(tacMarch *m, int i, double beyond, double value, double *at) {
    Search s = {m, i, gap_at};
    double low = 0, v = m->gap[i].at[0], sign = m->gap[i].acts ? -1 : 1;
    for (int k = 0; sign * v <= 0 || (low == 0 && sign * v <= TAC_GAP_ROUNDING); k++) { /* it left its margin there */
        if (k == MOST_HALVINGS) {
            *at = -1;
            return TAC_OK;
        }
        low = (k == 0 ? beyond : low) / 2;
        TAC_TRY(gap_at(&s, low, &v));
    }
    *at = beyond;
    return find_root(&s, low, v, at, value);
}

/* A gap that turns back within the step: *turn is where, *value what it is there. */
static tacStatus find_turn(tacMarch *m, int i, double *turn, double *value) {
    const tacGap *g = &m->gap[i];
    Search s = {m, i, gap_rate_at};
    *turn = extreme_of(g, m->step.h, value);
    double ends = tac_min(tac_abs(g->at[0]), tac_abs(g->at[1]));
    if (tac_abs(*value) > FAR && tac_abs(*value) > 0.2 * ends && (*value > 0) == (g->at[0] > 0)) return TAC_OK;
    *turn = 1;
    TAC_TRY(find_root(&s, 0, g->rate[0], turn, g->rate[1]));
    s.value = gap_at;
    return gap_at(&s, *turn, value);
}

/* Where the gap changes its sign first, or -1. */
static tacStatus find_crossing(tacMarch *m, int i, double *at) {
    const tacGap *g = &m->gap[i];
    double sign = g->acts ? -1 : 1, turn = 1, value = g->at[1];
    *at = -1;
    if (sign * value >= 0) { /* it may have turned back */
        if (!(sign * g->rate[0] < 0 && sign * g->rate[1] > 0)) return TAC_OK;
        TAC_TRY(find_turn(m, i, &turn, &value));
        if (sign * value >= 0) {
            m->info->graze_margin = tac_min(m->info->graze_margin, sign * value);
            return TAC_OK;
        }
        if (!g->acts) m->info->graze_margin = tac_min(m->info->graze_margin, -value);
    }
    TAC_TRY(cross(m, i, turn, value, at));
    if (*at >= 0) return TAC_OK;
    /* it turned back at rounding: bounces without end, or a touch without a jump */
    m->info->graze_margin = 0;
    return m->flow->call->reset == NULL ? TAC_OK : TAC_ERR_EVENTS;
}

/* A gap that acts and rises: it ends with a jump where it still pushes; where it pushes later, it ends without. */
static tacStatus keep_rise(tacMarch *m, int i, double at, tacEvent *event) {
    const tacFlowCalls *call = m->flow->call;
    TAC_TRY(rate_at(m, at));
    int now = call->pushes == NULL || call->pushes(m->flow->user, i);
    if (now)
        keep_first(TAC_EVENT_END, i, at, event);
    else if (m->gap[i].acts > 1)
        keep_first(TAC_EVENT_ZONE, -1, at, event);
    return TAC_OK;
}

static tacStatus find_gap_event(tacMarch *m, tacEvent *event) {
    for (int i = 0; i < m->ngap; i++) {
        double at;
        TAC_TRY(find_crossing(m, i, &at));
        if (at < 0) continue;
        if (!m->gap[i].acts)
            keep_first(TAC_EVENT_ONSET, i, at, event);
        else
            TAC_TRY(keep_rise(m, i, at, event));
    }
    return TAC_OK;
}

/* --- Signals and features ----------------------------------------------------------------------------------------- */

static double share_of(const tacOdeMethod *method, int i) {
    double c = method->diagonal;
    for (int j = 0; j < i; j++)
        c += tac_ode_coefficient(method, i, j);
    return tac_min(c, 1);
}

/* All signals between two shares: at the first no sign is wrong, at the second some are. */
typedef struct Bracket {
    double low, high;
    double *at_low, *at_high;     /* nsignal */
    double weigh_low, weigh_high; /* of the values in secants: half of it at an end that stays (Illinois) */
} Bracket;

/* The first of the signals that are wrong at the end of the bracket, by secants: its share. */
static double first_secant(const tacMarch *m, const Bracket *b, int *which) {
    double first = 2;
    for (int j = 0; j < m->inner.nsignal; j++) {
        double v = b->weigh_low * b->at_low[j], w = b->weigh_high * b->at_high[j];
        if (!tac_march_is_wrong(b->at_high[j], m->now.sign[j])) continue;
        double at = (v > 0) != m->now.sign[j] || v == 0 ? 0 : v / (v - w);
        if (at >= first) continue;
        first = at;
        *which = j;
    }
    return b->low + first * (b->high - b->low);
}

static int any_wrong(const tacMarch *m, const double *signal) {
    for (int j = 0; j < m->inner.nsignal; j++)
        if (tac_march_is_wrong(signal[j], m->now.sign[j])) return 1;
    return 0;
}

static tacStatus signals_at(tacMarch *m, double at, double *out) {
    TAC_TRY(rate_at(m, at));
    memcpy(out, m->inner.signal_at, (size_t)m->inner.nsignal * sizeof *out);
    return TAC_OK;
}

/* The earliest stage at which some sign is wrong, and is so on the path too; the end is on the path. 0: none. */
static tacStatus find_wrong(tacMarch *m, Bracket *b, int *found) {
    tacInner *s = &m->inner;
    int last = tac_inner_last(s);
    *found = 0;
    for (double before = 0; before < 1;) {
        int stage = last;
        double next = 1;
        for (int i = 1; i < last; i++) {
            double c = share_of(s->method, i);
            if (c <= before || c >= next || !any_wrong(m, s->signal[i])) continue;
            next = c;
            stage = i;
        }
        if (stage != last)
            TAC_TRY(signals_at(m, next, b->at_high));
        else
            memcpy(b->at_high, s->signal[last], (size_t)s->nsignal * sizeof(double));
        b->high = before = next;
        *found = any_wrong(m, b->at_high);
        if (*found) return TAC_OK;
    }
    return TAC_OK;
}

/* Shrinks the bracket until its end is just behind the first change. */
static tacStatus narrow(tacMarch *m, Bracket *b, int *which) {
    tacInner *s = &m->inner;
    int side = -1;
    for (int k = 0; k < MOST_ROOT; k++) {
        double width = b->high - b->low, near = SIGNAL_SHARE * b->high, at = first_secant(m, b, which);
        if (b->high - at <= near || width <= near || b->high <= LEAST_SHARE) return TAC_OK;
        at = tac_clamp(at + near / 2, b->low + 1e-3 * width, b->high - 1e-3 * width);
        if (k % 8 == 7) at = b->low + width / 2;
        TAC_TRY(rate_at(m, at));
        int behind = any_wrong(m, s->signal_at);
        memcpy(behind ? b->at_high : b->at_low, s->signal_at, (size_t)s->nsignal * sizeof(double));
        *(behind ? &b->high : &b->low) = at;
        *(behind ? &b->weigh_low : &b->weigh_high) *= side == behind ? 0.5 : 1;
        *(behind ? &b->weigh_high : &b->weigh_low) = 1;
        side = behind;
    }
    return TAC_OK;
}

/* A sign that is wrong from the start to the end of the step: its signal; -1: none. */
static int wrong_throughout(const tacMarch *m, const Bracket *b) {
    const tacInner *s = &m->inner;
    for (int j = 0; j < s->nsignal; j++)
        if (tac_march_is_wrong(b->at_low[j], m->now.sign[j]) && tac_march_is_wrong(b->at_high[j], m->now.sign[j]) &&
            tac_march_is_wrong(s->signal[tac_inner_last(s)][j], m->now.sign[j]))
            return j;
    return -1;
}

/* The first change of a sign. Signals that are behind their roots at the start come back in this step, or have been
 * wrong all the time. */
static tacStatus find_signal_event(tacMarch *m, tacEvent *event) {
    tacInner *s = &m->inner;
    Bracket b = {0, 1, s->signals_low, s->signals_high, 1, 1};
    int found, which = 0;
    TAC_TRY(find_wrong(m, &b, &found));
    if (!found) return TAC_OK;
    TAC_TRY(signals_at(m, 0, b.at_low));
    which = wrong_throughout(m, &b);
    if (which >= 0) {
        *event = (tacEvent){TAC_EVENT_ZONE, which, 0, 0};
        return TAC_OK;
    }
    TAC_TRY(narrow(m, &b, &which));
    first_secant(m, &b, &which);
    if (b.high <= LEAST_SHARE) {
        *event = (tacEvent){TAC_EVENT_ZONE, which, 0, 0};
        return TAC_OK;
    }
    keep_first(TAC_EVENT_ZONE, which, b.high, event);
    double slope = (b.at_high[which] - b.at_low[which]) / (b.high - b.low);
    if (event->kind == TAC_EVENT_ZONE && event->which == which) event->slope = slope;
    return TAC_OK;
}

static tacStatus find_feature_event(tacMarch *m, tacEvent *event) {
    const tacFlowCalls *call = m->flow->call;
    double low = 0, high = 1;
    while (high - low > ROOT_SHARE) {
        double at = 0.5 * (low + high);
        int same;
        tac_inner_dense(&m->inner, at);
        TAC_TRY(call->same(m->flow->user, m->inner.at, &same));
        *(same ? &low : &high) = at;
    }
    if (high > LEAST_SHARE) keep_first(TAC_EVENT_SWITCH, 0, high, event);
    return TAC_OK;
}

tacStatus tac_march_find_event(tacMarch *m, tacEvent *event) {
    const tacFlowCalls *call = m->flow->call;
    int same = 1;
    event->kind = TAC_EVENT_NONE;
    m->ngap = 0;
    if (call->watch != NULL && m->flow->max_gaps > 0) {
        TAC_TRY(call->watch(m->flow->user, m->inner.X[0], m->inner.X[tac_inner_last(&m->inner)], m->step.h, m->gap,
                            &m->ngap, &same));
        for (int i = 0; i < m->ngap; i++) /* 2: it pushes at the end */
            m->gap[i].acts += m->gap[i].acts && (call->pushes == NULL || call->pushes(m->flow->user, i));
        TAC_TRY(find_gap_event(m, event));
        if (!same) TAC_TRY(find_feature_event(m, event));
    }
    return call->signals == NULL || m->loose ? TAC_OK : find_signal_event(m, event);
}
