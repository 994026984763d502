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

/* Whether the end of the step is behind the change. */
static tacStatus is_behind(tacMarch *m, const tacEvent *event, int *behind) {
    tacInner *s = &m->inner;
    int last = tac_inner_last(s), same = 0;
    *behind = 1;
    if (event->kind == TAC_EVENT_SWITCH) {
        TAC_TRY(m->flow->call->same(m->flow->user, s->X[last], &same));
        *behind = !same;
    } else if (event->which >= 0) {
        *behind = (s->signal[last][event->which] > 0) != m->now.sign[event->which];
    }
    return TAC_OK;
}

static tacStatus locate_change(tacMarch *m, const tacEvent *event) {
    double whole = m->step.h, at = event->at, extension = FIRST_EXTENSION;
    for (int k = 0; k < MOST_EXTENSIONS; k++) {
        int behind;
        TAC_TRY(tac_inner_run(&m->inner, tac_min(1, at) * whole));
        TAC_TRY(is_behind(m, event, &behind));
        if (behind) return TAC_OK;
        at += extension;
        extension *= NEXT_EXTENSION;
    }
    return TAC_OK;
}

tacStatus tac_march_locate(tacMarch *m, const tacEvent *event) {
    /* stage 0 may have lent its room for signals; its rate is that of the state */
    int is_gap = event->kind == TAC_EVENT_ONSET || event->kind == TAC_EVENT_END;
    return is_gap ? locate_gap(m, event) : locate_change(m, event);
}
