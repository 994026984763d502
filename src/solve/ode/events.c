/* Events within a step (docs/theory/adaptive.md, AD9): gaps that fall or rise through their margins, signals that
 * change sign, features that change. Points between the ends come from dense output. */
#include "solve/ode/march.h"

#include "math/scalar.h"

enum { MOST_ROOT = 80, MOST_HALVINGS = 30 };
/* Share of a step within which a root is located here. */
#define ROOT_SHARE 1e-12
/* A signal or feature that changes within this share of the step has changed at its start. */
#define LEAST_SHARE 1e-9
/* Part of the step up to a change of zone within which dense output locates it. */
#define SIGNAL_SHARE 1e-3
/* Share of a root over which a signal's slope is measured. */
#define SLOPE_SHARE 1e-4
/* m/s^2, rad/s^2: a signal below it has no sign. */
#define TIED_SIGNAL 1e-10
/* m, rad: a gap that the polynomial of its ends keeps farther away is not looked at between them. */
#define FAR 2e-3

/* A number along the step, at a share of it. */
typedef struct Search {
    tacMarch *m;
    int which;
    tacStatus (*value)(struct Search *s, double at, double *value);
    double within; /* share of the step: how well the root is located; 0: ROOT_SHARE */
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

/* Rates of the state there; signals go to the room of stage 0, which is of no use any more. */
static tacStatus rate_at(tacMarch *m, double at) {
    tacInner *s = &m->inner;
    tac_inner_dense(s, at);
    TAC_TRY(m->flow->call->rate(m->flow->user, s->at, s->error));
    if (m->flow->call->signals != NULL) m->flow->call->signals(m->flow->user, s->signal[0]);
    return TAC_OK;
}

static tacStatus signal_at(Search *s, double at, double *value) {
    TAC_TRY(rate_at(s->m, at));
    *value = s->m->inner.signal[0][s->which];
    return TAC_OK;
}

/* The root between two shares of other signs, by the Illinois method: *high gets the side of the second. */
static tacStatus find_root(Search *s, double low, double v, double *high, double w) {
    int side = 0;
    double within = s->within > 0 ? tac_max(s->within * *high, ROOT_SHARE) : ROOT_SHARE;
    for (int k = 0; k<MOST_ROOT && * high - low> within && w != 0; k++) {
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
    Search s = {m, i, gap_at, 0};
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
    Search s = {m, i, gap_rate_at, 0};
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
            if (!g->acts) m->info->graze_margin = tac_min(m->info->graze_margin, value);
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

static int has_flipped(double value, int sign) { return tac_abs(value) > TIED_SIGNAL && (value > 0) != sign; }

/* The earliest share at which a stage saw the other sign, and the path has it too; above 1: none. */
static tacStatus find_flip(tacMarch *m, int j, double *at, double *value, int *stray) {
    tacInner *s = &m->inner;
    int last = tac_inner_last(s), sign = m->now.sign[j];
    Search search = {m, j, signal_at, 0};
    *at = 2;
    for (int i = 1; i <= last; i++) {
        double c = i == last ? 1 : share_of(s->method, i), v = s->signal[i][j];
        if (c >= *at || !has_flipped(v, sign)) continue;
        if (i != last) TAC_TRY(signal_at(&search, c, &v));
        if (!has_flipped(v, sign)) {
            *stray = 1;
            continue;
        }
        *at = c;
        *value = v;
    }
    return TAC_OK;
}

static tacStatus find_signal_event(tacMarch *m, tacEvent *event) {
    int n = m->inner.nsignal, stray = 0;
    for (int j = 0; j < n; j++) {
        double at, value = 0, first;
        Search search = {m, j, signal_at, SIGNAL_SHARE};
        TAC_TRY(find_flip(m, j, &at, &value, &stray));
        if (at > 1) continue;
        TAC_TRY(signal_at(&search, 0, &first));
        if ((first > 0) == (value > 0)) continue; /* it is at its root at the start */
        TAC_TRY(find_root(&search, 0, first, &at, value));
        if (at <= LEAST_SHARE) { /* a short step over it comes first */
            *event = (tacEvent){TAC_EVENT_ZONE, j, at, 0};
            return TAC_OK;
        }
        TAC_TRY(signal_at(&search, at, &value));
        TAC_TRY(signal_at(&search, at * (1 - SLOPE_SHARE), &first));
        keep_first(TAC_EVENT_ZONE, j, at, event);
        if (event->which == j && event->kind == TAC_EVENT_ZONE) event->slope = (value - first) / (SLOPE_SHARE * at);
    }
    if (stray && event->kind == TAC_EVENT_NONE) event->kind = TAC_EVENT_STRAY;
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
    return call->signals == NULL ? TAC_OK : find_signal_event(m, event);
}
