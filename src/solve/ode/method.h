/* Runge-Kutta methods with an embedded one, for x' = f(x) (docs/theory/adaptive.md, AD1). The last stage is the end of
 * the step: its row has the weights, and its rate is the first one of the next step. */
#pragma once

#include "tactus/types.h"

enum { TAC_ODE_MOST_STAGES = 13, TAC_ODE_DENSE_TERMS = 4 };

typedef struct tacOdeMethod {
    int stages, order, embedded; /* of the last: orders */
    const double *A;             /* rows 1, 2, ...; row i has i numbers */
    const double *E;             /* stages: weights of the error */
    double diagonal;             /* of the stages after the first; 0: explicit */
    const double *dense;         /* stages by TAC_ODE_DENSE_TERMS; NULL: a cubic Hermite polynomial */
} tacOdeMethod;

/* 1: it has a table here. */
int tac_ode_has_method(tacIntegrator integrator);
const tacOdeMethod *tac_ode_method(tacIntegrator integrator);

/* a_ij, j < i */
static inline double tac_ode_coefficient(const tacOdeMethod *m, int i, int j) { return m->A[i * (i - 1) / 2 + j]; }
