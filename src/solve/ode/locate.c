/* The step that ends at an event (docs/theory/adaptive.md, AD10). Gaps are brought to zero by steps of other lengths,
 * not by dense output: the end of the step is on the surface to rounding, and the derivative of its length is exact. */
#include "solve/ode/march.h"

#include "math/scalar.h"

enum { MOST_STEPS = 40, MOST_EXTENSIONS = 6 };
/* m, rad: a gap below it that does not shrink any more is rounding. */
#define GAP_PLATEAU 1e-13
/* Share of the step that an end behind a change of zone is moved by, first and then in proportion. */
#define FIRST_EXTENSION 1e-11
#define NEXT_EXTENSION  100

/* Newton's method on gap(x_1(h)) between lengths of either sign. */
static tacStatus locate_gap(tacMarch *m, const tacEvent *event) {
    const tacFlow *flow = m->flow;
    tacInner *s = &m->inner;
    double whole = m->step.h, low = 0, high = whole, h = event->at * whole, last = TAC_INFINITY;
    double sign = event->kind == TAC_EVENT_END ? -1 : 1, best = h, least = TAC_INFINITY;
    for (int k = 0; k < MOST_STEPS; k++) {
        double gap, rate;
        TAC_TRY(tac_inner_run(s, h));
        TAC_TRY(flow->call->gap(flow->user, event->which, s->X[tac_inner_last(s)], &gap, &rate));
        if (tac_abs(gap) < least) {
            least = tac_abs(gap);
            best = h;
        }
        double move = -gap / rate;
        if (gap == 0 || (tac_abs(gap) < GAP_PLATEAU && tac_abs(gap) > 0.5 * last)) break;
        *(sign * gap > 0 ? &low : &high) = h;
        last = tac_abs(gap);
        if (!(h + move > low && h + move < high)) move = 0.5 * (low + high) - h;
        if (h + move == h) break;
        h += move;
    }
    return h == best ? TAC_OK : tac_inner_run(s, best);
}

/* --- Features ----------------------------------------------------------------------------------------------------- */

static tacStatus locate_features(tacMarch *m, const tacEvent *event) {
    double whole = m->step.h, at = event->at, extension = FIRST_EXTENSION;
    for (int k = 0; k < MOST_EXTENSIONS; k++) {
        int same = 0;
        TAC_TRY(tac_inner_run(&m->inner, tac_min(1, at) * whole));
        if (event->kind == TAC_EVENT_SWITCH)
            TAC_TRY(m->flow->call->same(m->flow->user, m->inner.X[tac_inner_last(&m->inner)], &same));
        if (!same) return TAC_OK;
        at += extension;
        extension *= NEXT_EXTENSION;
    }
    return TAC_OK;
}

/* --- Zones: f is continuous there and f_x jumps, so that no stage of a step may be behind the change -------------- */

/* Share of the step within which it ends before the change. */
#define DISTANCE 1e-9
enum { MOST_ZONE_STEPS = 16, MOST_DOUBLINGS = 60 };

/* How far the stage that is farthest on is behind the change, in units of the signal; negative: all are before it. */
static double farthest(const tacMarch *m, int signal) {
    const tacInner *s = &m->inner;
    double most = -TAC_INFINITY, sign = m->now.sign[signal] ? -1 : 1;
    for (int i = 1; i <= tac_inner_last(s); i++)
        most = tac_max(most, sign * s->signal[i][signal]);
    return most;
}

/* Newton's method, between lengths on both sides of the change: the longest step whose stages are all before it. */
static tacStatus locate_zone(tacMarch *m, const tacEvent *event) {
    tacInner *s = &m->inner;
    int j = event->which;
    double whole = m->step.h, low = 0, high = whole, distance = DISTANCE * whole;
    double slope = tac_abs(event->slope) / whole, h = event->at * whole, h_before = 0, v_before = 0;
    if (event->slope == 0) { /* it is at the start */
        m->now.cross = tac_max(2 * event->at, DISTANCE) * whole;
        m->now.crossing = j;
        return tac_march_cross(m);
    }
    for (int k = 0; k < MOST_ZONE_STEPS; k++) {
        TAC_TRY(tac_inner_run(s, h));
        double v = farthest(m, j);
        *(v < 0 ? &low : &high) = h;
        if (k > 0 && (v - v_before) * (h - h_before) > 0) slope = (v - v_before) / (h - h_before);
        double root = h - v / slope;
        if (v < 0 && (root - h <= 2 * distance || high - low <= 2 * distance)) break;
        h_before = h;
        v_before = v;
        h = root - distance;
        if (!(h > low && h < high)) h = high - low > 4 * distance ? 0.5 * (low + high) : low;
    }
    if (farthest(m, j) >= 0) TAC_TRY(tac_inner_run(s, low));
    m->crossing_next = 2 * distance;
    m->crossing_signal = j;
    return TAC_OK;
}

tacStatus tac_march_cross(tacMarch *m) {
    tacInner *s = &m->inner;
    int last = tac_inner_last(s), j = m->now.crossing;
    double share, rest, h = m->now.cross;
    rest = tac_march_rest(m, &share);
    for (int k = 0; k < MOST_DOUBLINGS; k++, h *= 2) {
        m->step = (tacMarchStep){.kind = h >= rest ? TAC_MARCH_TARGET : TAC_MARCH_FREE, .share = share};
        m->step.h = tac_min(h, rest);
        TAC_TRY(tac_inner_run(s, m->step.h));
        if (h >= rest || h > m->now.h || (s->signal[last][j] > 0) != m->now.sign[j]) return TAC_OK;
    }
    return TAC_OK;
}

tacStatus tac_march_locate(tacMarch *m, const tacEvent *event) {
    /* stage 0 may have lent its room for signals; its rate is that of the state */
    if (event->kind == TAC_EVENT_ONSET || event->kind == TAC_EVENT_END) return locate_gap(m, event);
    return event->kind == TAC_EVENT_ZONE && event->which >= 0 ? locate_zone(m, event) : locate_features(m, event);
}
