/* Every transcendental function the engine calls goes through here, so that it can be replaced by one that gives the
 * same bits on every CPU. sqrt is exact by IEEE 754 and belongs here only for the name. */
#pragma once

#include <stdbool.h>

/* For sums that need more digits than a double has: long double, by a name that a build in other numbers (test/quad)
 * leaves alone. */
typedef __typeof__(0.0L) tacLong;

double tac_sin(double x);
double tac_cos(double x);
double tac_asin(double x);
double tac_acos(double x);
double tac_atan2(double y, double x);
double tac_exp(double x);
double tac_log(double x);
double tac_pow(double x, double y);

#define tac_sqrt(x)  __builtin_sqrt(x)
#define tac_abs(x)   __builtin_fabs(x)
#define TAC_INFINITY __builtin_inf()

static inline double tac_min(double a, double b) { return a < b ? a : b; }
static inline double tac_max(double a, double b) { return a > b ? a : b; }
static inline double tac_clamp(double x, double low, double high) { return tac_max(low, tac_min(x, high)); }
static inline bool tac_finite(double x) { return __builtin_isfinite(x); }

/* First non-finite entry of x[n], or -1. */
static inline int tac_first_nonfinite(int n, const double *x) {
    for (int i = 0; i < n; i++)
        if (!tac_finite(x[i])) return i;
    return -1;
}
