/* A bound of a gap that yields to the impulse, up to a limit and hardly further: saturating compliance
 * (docs/theory/ncp.md, W48). */
#pragma once

#include "math/scalar.h"

/* Share of `way` by which it yields beyond the limit under unbounded impulses. So the impulse of an inseparable contact
 * is finite. */
#define TAC_YIELD_BEYOND 1e-3

typedef struct tacYield {
    double way; /* 0: it does not yield */
    double per; /* 1/gamma_0: at twice that impulse it has yielded by `way` */
} tacYield;

/* tac_yield where way > 0. */
double tac_yield_under(const tacYield *g, double impulse, double *slope);
/* Distance by which it yields under an impulse. *slope: the derivative. Most gaps do not yield, and cost nothing. */
static inline double tac_yield(const tacYield *g, double impulse, double *slope) {
    *slope = 0;
    return g->way == 0 ? 0 : tac_yield_under(g, impulse, slope);
}
/* Projects a pair of half lines to the point of a b = k with the same w = ratio a - b. ratio is the size of b relative
 * to a.   a = (w + sqrt(w^2 + 4 k ratio))/(2 ratio),  b = ratio a - w, the larger of ratio a and b first   (W14a). */
static inline void tac_pair_project_to_path(double ratio, double k, double *a, double *b) {
    double w = ratio * *a - *b, large = 0.5 * (tac_abs(w) + tac_sqrt(w * w + 4 * k * ratio)), other = k / large;
    *a = w > 0 ? large / ratio : other;
    *b = w > 0 ? other * ratio : large;
}
/* tac_yield_project_to_path where way > 0. */
void tac_yield_project_under(const tacYield *g, double ratio, double k, double *a, double *b);
/* tac_pair_project_to_path for a gap that yields. Starts from an impulse *a and the gap *b before it yields. Ends at
 * the point of a b = k where b is that gap, plus the yield, plus ratio times the change of a. */
static inline void tac_yield_project_to_path(const tacYield *g, double ratio, double k, double *a, double *b) {
    if (g->way == 0)
        tac_pair_project_to_path(ratio, k, a, b);
    else
        tac_yield_project_under(g, ratio, k, a, b);
}
