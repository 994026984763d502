/* A bound of a gap that yields to the impulse, up to a limit and hardly further: saturating compliance
 * (docs/theory/ncp.md, W48). */
#pragma once

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
/* tac_pair_project_to_path (friction_cone.h) for a gap that yields. Starts from an impulse *a and the gap *b before it
 * yields. Ends at the point of a b = k where b is that gap, plus the yield, plus ratio times the change of a. */
void tac_yield_project_to_path(const tacYield *g, double ratio, double k, double *a, double *b);
