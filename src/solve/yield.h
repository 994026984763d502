/* A gap that gives way to its impulse, up to a way and hardly further   (docs/theory/ncp.md, W48). */
#pragma once

/* By this share of the way it gives way more, under impulses without end: so a contact that nothing can part has a
 * finite impulse. */
#define TAC_YIELD_BEYOND 1e-3

typedef struct tacYield {
    double way; /* 0: it does not give way */
    double per; /* 1/gamma_0: at twice that impulse it has given way as far */
} tacYield;

/* The same as tac_yield where it gives way at all. */
double tac_yield_under(const tacYield *g, double impulse, double *slope);
/* How far it gives way under an impulse; *slope: the derivative of that. Most do not give way, and cost nothing. */
static inline double tac_yield(const tacYield *g, double impulse, double *slope) {
    *slope = 0;
    return g->way == 0 ? 0 : tac_yield_under(g, impulse, slope);
}
/* tac_pair_project_to_path (friction_cone.h) of an impulse *a and of what the gap is, *b, before it gives way: the point of
 * a b = k where b is that gap, what it gives way, and ratio times the change of a. */
void tac_yield_project_to_path(const tacYield *g, double ratio, double k, double *a, double *b);
