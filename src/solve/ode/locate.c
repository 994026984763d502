/* The step that ends at an event (docs/theory/adaptive.md, AD10). Gaps are brought to zero by steps of other lengths,
 * not by dense output: the end of the step is on the surface to rounding, and the derivative of its length is exact. So
 * are signals, whose lengths are constants. */
#include "solve/ode/march.h"

#include "math/scalar.h"

enum { MOST_STEPS = 40, MOST_EXTENSIONS = 6 };
/* m, rad: a gap below it that does not shrink any more is rounding. */
#define GAP_PLATEAU 1e-13
/* Share of the step that an end before a change of features is moved by, first and then in proportion. */
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

/* --- Zones: f is continuous there, so that an end near the change is as good, to second order ------------------ */

/* Share of the step within which it ends at the change. */
#define ZONE_SHARE 1e-9
enum { MOST_ZONE_STEPS = 6 };

/* Secants on the signal at the end of the step. */
static tacStatus locate_zone(tacMarch *m, const tacEvent *event) {
    tacInner *s = &m->inner;
    double whole = m->step.h, h = event->at * whole, slope = event->slope / whole, before = 0, v_before = 0;
    for (int k = 0; k < MOST_ZONE_STEPS; k++) {
        TAC_TRY(tac_inner_run(s, tac_min(h, whole)));
        double v = s->signal[tac_inner_last(s)][event->which];
        if (k > 0 && h != before) slope = (v - v_before) / (h - before);
        double move = -v / slope;
        if (!(tac_abs(move) > ZONE_SHARE * whole) || tac_abs(move) > 0.1 * h) return TAC_OK;
        before = h;
        v_before = v;
        h += move;
    }
    return TAC_OK;
}

tacStatus tac_march_locate(tacMarch *m, const tacEvent *event) {
    if (event->kind == TAC_EVENT_ONSET || event->kind == TAC_EVENT_END) return locate_gap(m, event);
    return event->kind == TAC_EVENT_ZONE && event->which >= 0 ? locate_zone(m, event) : locate_features(m, event);
}
