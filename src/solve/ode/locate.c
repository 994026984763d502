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

/* --- Zones: f is continuous there and f_x jumps, so that no stage of a step may be behind the change ---------------- */

/* Shares of the step: how far before the change the step ends, first and at most. */
#define FIRST_DISTANCE 1e-10
#define MOST_DISTANCE  1e-4
enum { MOST_DOUBLINGS = 60 };

/* 1: some stage, or the end, has another sign of the signal than the start. */
static int sees_change(const tacMarch *m, int signal) {
    const tacInner *s = &m->inner;
    int sees = 0;
    for (int i = 1; i <= tac_inner_last(s); i++)
        sees |= (s->signal[i][signal] > 0) != m->now.sign[signal];
    return sees;
}

/* Secant steps to `distance` before the root of the signal at the end. */
static tacStatus locate_zone(tacMarch *m, const tacEvent *event) {
    tacInner *s = &m->inner;
    int last = tac_inner_last(s), j = event->which;
    if (event->slope == 0) { /* it is at the start */
        m->now.cross = tac_max(2 * event->at, FIRST_DISTANCE) * m->step.h;
        m->now.crossing = j;
        return tac_march_cross(m);
    }
    double whole = m->step.h, slope = event->slope / whole, distance = FIRST_DISTANCE * whole;
    double h = event->at * whole - distance, h_before = 0, v_before = 0;
    for (int k = 0; k < MOST_STEPS; k++) {
        if (!(h > 0 && h < whole)) h = event->at * whole * (1 - MOST_DISTANCE);
        TAC_TRY(tac_inner_run(s, h));
        double v = s->signal[last][j];
        if (k > 0 && h != h_before && v != v_before) slope = (v - v_before) / (h - h_before);
        double root = h - v / slope;
        int sees = sees_change(m, j);
        if (!sees && root - h <= 4 * distance) break;
        if (sees && tac_abs(root - h) <= 4 * distance) distance *= 10;
        h_before = h;
        v_before = v;
        h = root - 2 * distance;
        if (distance > MOST_DISTANCE * whole) break;
    }
    m->crossing_next = 4 * distance;
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
