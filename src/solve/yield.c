#include "solve/yield.h"

#include <float.h>

/* y is the smaller root of (t - y)(A - y) = B t A, about the smaller of t and 1. With A = 1 + 2 e, B = e/A it is 1 at
 * t = 2, and 1 + e at the end. */
static double saturate(double t, double *slope) {
    const double A = 1 + 2 * TAC_YIELD_BEYOND, B = TAC_YIELD_BEYOND / A, end = A * (1 - B);
    double root = tac_sqrt((t - A) * (t - A) + 4 * B * t * A), y = 2 * t * end / (t + A + root);
    *slope = (end - y) / root;
    return y;
}

double tac_yield_under(const tacYield *g, double impulse, double *slope) {
    double y = saturate(impulse * g->per, slope);
    *slope *= g->way * g->per;
    return g->way * y;
}

/* k/a - y(a) - ratio a falls with a. The root without yielding is an upper bound. Newton's method takes a few steps,
 * and no more bisections than a double has bits. */
void tac_yield_project_under(const tacYield *g, double ratio, double k, double *a, double *b) {
    double given = *b - ratio * *a, slope;
    tac_pair_project_to_path(ratio, k, a, b);
    double low = 0, high = *a, at = 0.5 * *a;
    for (int i = 0; i < 2 * DBL_MANT_DIG; i++) {
        double off = k / at - tac_yield(g, at, &slope) - ratio * at - given;
        double next = at + off / (k / (at * at) + slope + ratio);
        if (next == at) break;
        if (off > 0)
            low = at;
        else
            high = at;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (!(next > low && next < high)) break; /* they are adjacent numbers */
        at = next;
    }
    *a = at;
    *b = k / at;
}
