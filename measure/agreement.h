/* Distance of two results: one measure for the tests, the evidence programs and the benchmarks. What is not
 * finite agrees with nothing. */
#pragma once

#include <math.h>

/* The larger of two errors; NaN counts as infinite, so that it fails every bar. (fmax would drop it.) */
static inline double worse(double so_far, double error) {
    return isnan(so_far) || isnan(error) ? HUGE_VAL : fmax(so_far, error);
}

/* max |a_i - b_i| / max(1, max |b_i|); infinite when a number is not finite. */
static inline double relative_error(int n, const double *a, const double *b) {
    double largest = 1, worst = 0;
    for (int i = 0; i < n; i++) {
        if (!isfinite(a[i]) || !isfinite(b[i])) return HUGE_VAL;
        largest = fmax(largest, fabs(b[i]));
        worst = fmax(worst, fabs(a[i] - b[i]));
    }
    return worst / largest;
}
