/* The length of inner steps (docs/theory/adaptive.md, AD7, AD8). */
#include "solve/ode/march.h"

#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

/* Shares of the proportional and the integral controller; the derivative one is zero. */
#define PROPORTIONAL 0.2
#define INTEGRAL     0.4
#define SAFETY       0.9
#define LEAST_FACTOR 0.2
#define MOST_FACTOR  10.0

double tac_march_factor(const tacMarch *m, double inverse, double before) {
    double order = m->inner.method->embedded + 1;
    double now = tac_pow(inverse, (PROPORTIONAL + INTEGRAL) / order), last = tac_pow(before, -PROPORTIONAL / order);
    return tac_clamp(SAFETY * now * last, LEAST_FACTOR, MOST_FACTOR);
}

/* Root mean square of z in units of the tolerance at stage 0. */
static double norm_of(const tacMarch *m, const double *z) {
    int nd = m->flow->nd;
    double sum = 0;
    for (int j = 0; j < nd; j++) {
        double e = z[j] / (m->options->atol + m->options->rtol * m->inner.size[0][j]);
        sum += e * e;
    }
    return nd > 0 ? tac_sqrt(sum / nd) : 0;
}

/* [Hairer1993, II.4]: an Euler step that moves the state by a hundredth of its size tells the second derivative. */
tacStatus tac_march_guess(tacMarch *m, double *h) {
    tacInner *s = &m->inner;
    const tacFlow *flow = m->flow;
    int nd = flow->nd;
    double order = m->inner.method->embedded + 1;
    tac_inner_size(s, 0);
    double d0 = norm_of(m, s->size[0]), d1 = norm_of(m, s->f[0]);
    double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h0 = tac_min(h0, m->span);
    for (int j = 0; j < nd; j++)
        s->z[1][j] = h0 * s->f[0][j];
    tac_flow_place(flow, s->X[0], s->z[1], s->X[1]);
    TAC_TRY(flow->call->rate(flow->user, s->X[1], s->f[1]));
    memcpy(s->error, s->f[1], (size_t)nd * sizeof(double));
    tac_dense_axpy(nd, -1, s->f[0], s->error);
    double d2 = norm_of(m, s->error) / h0, most = tac_max(d1, d2);
    double h1 = most <= 1e-15 ? tac_max(1e-6, 1e-3 * h0) : tac_pow(0.01 / most, 1 / order);
    *h = tac_max(tac_min(100 * h0, h1), TAC_MARCH_LEAST);
    return tac_finite(*h) ? TAC_OK : TAC_ERR_NONFINITE;
}
