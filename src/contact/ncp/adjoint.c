/* Reverse mode of the step: transposed solves (adjoint_passes.h), and how far their answers can be trusted. */
#include "contact/ncp/adjoint.h"

#include "base/lanes.h"
#include "contact/ncp/rows_deriv.h"
#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

/* If the terms of G^T mu are this many times their sum, contacts are nearly redundant, and rounding is multiplied by
 * the square of this. */
#define REDUNDANT 1e4
/* Relative rounding of doubles. */
#define DOUBLE_ROUNDING 2.2e-16

void tac_ncp_note_correction(tacNcpDeriv *d, const double change[2], double size) {
    double left = change[1] < change[0] ? change[1] * change[1] / change[0] : change[1];
    if (size > 0) d->conditioning = tac_max(d->conditioning, tac_max(1, left / (DOUBLE_ROUNDING * size)));
}

/* most = max(most, |mu| size) of each right side. */
static void raise_largest(int lanes, const double *mu, double size, double *most) {
    for (int k = 0; k < lanes; k++)
        most[k] = tac_max(most[k], tac_abs(mu[k]) * size);
}

/* Largest term of a contact or row in G^T mu, of each right side. */
static void largest_weights(const tacNcp *p, const tacNcpDeriv *d, const double *mu, int lanes, double *most) {
    const double *of_rows = mu + lanes * tac_ncp_value_input(p, 0);
    memset(most, 0, (size_t)lanes * sizeof *most);
    for (int i = 0; i < p->ncontact; i++)
        for (int k = 0; k < 3; k++)
            raise_largest(lanes, mu + lanes * (TAC_NCP_INPUTS * i + k), d->size[3 * i + k], most);
    for (int k = 0; k < p->rows.n; k++)
        raise_largest(lanes, of_rows + lanes * k, d->size[3 * p->ncontact + k], most);
}

/* 1: contacts are nearly redundant in an answer with this largest term, to weights of this size. Otherwise notes how
 * far the answer can be trusted after corrections of these sizes. */
static int is_redundant(const tacNcp *p, tacNcpDeriv *d, const tacNcpLanes *w, int lanes, int k, double largest,
                        double weights) {
    if (largest > REDUNDANT * weights) return 1;
    double size = 0, change[2] = {w->change[0][k], w->change[1][k]};
    for (int j = 0; j < p->m->nv; j++)
        size = tac_max(size, tac_abs(w->lambda[lanes * j + k]));
    tac_ncp_note_correction(d, change, size);
    return 0;
}

static void copy(int n, const double *from, double *to) {
    if (n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

void tac_ncp_adjoint(const tacNcp *p, tacNcpDeriv *d, const double *vbar, double *lambda, double *mu) {
    int nv = p->m->nv, inputs = tac_ncp_inputs(p);
    tacNcpLanes *w = &d->single;
    copy(nv, vbar, w->vbar);
    copy(inputs, mu, w->mu);
    copy(inputs, mu, d->mu_given);
    tac_ncp_adjoint_single(p, d, w, tac_dense_largest(inputs, mu) > 0);
    double largest;
    largest_weights(p, d, w->mu, 1, &largest);
    if (is_redundant(p, d, w, 1, 0, largest, tac_dense_largest(nv, vbar))) tac_ncp_adjoint_extended(p, d);
    copy(nv, w->lambda, lambda);
    copy(inputs, w->mu, mu);
}

/* --- Several right sides ------------------------------------------------------------------------------------------ */

void tac_ncp_get_lane(int n, const double *lanes, int lane, double *out) {
    for (int i = 0; i < n; i++)
        out[i] = lanes[TAC_NCP_LANES * i + lane];
}

static void put_lane(int n, const double *from, int lane, double *lanes) {
    for (int i = 0; i < n; i++)
        lanes[TAC_NCP_LANES * i + lane] = from[i];
}

static void zero(size_t n, double *x) {
    if (n > 0) memset(x, 0, n * sizeof *x);
}

/* Refines one answer of the strip in extended precision. */
static void extend_lane(const tacNcp *p, tacNcpDeriv *d, int lane) {
    int nv = p->m->nv, inputs = tac_ncp_inputs(p);
    tacNcpLanes *w = &d->strip, *one = &d->single;
    zero((size_t)inputs, d->mu_given);
    tac_ncp_get_lane(nv, w->vbar, lane, one->vbar);
    tac_ncp_get_lane(nv, w->lambda, lane, one->lambda);
    tac_ncp_get_lane(inputs, w->mu, lane, one->mu);
    tac_ncp_adjoint_extended(p, d);
    put_lane(nv, one->lambda, lane, w->lambda);
    put_lane(inputs, one->mu, lane, w->mu);
}

void tac_ncp_adjoint_of_dofs(const tacNcp *p, tacNcpDeriv *d, int first, int count) {
    size_t nv = (size_t)p->m->nv, inputs = (size_t)tac_ncp_inputs(p);
    tacNcpLanes *w = &d->strip;
    zero(TAC_NCP_LANES * nv, w->vbar);
    zero(TAC_NCP_LANES * inputs, w->mu);
    for (int k = 0; k < count; k++)
        w->vbar[TAC_NCP_LANES * (first + k) + k] = 1;
    if (tac_has_wide())
        tac_ncp_adjoint_wide(p, d, w, 0);
    else
        tac_ncp_adjoint_narrow(p, d, w, 0);
    double largest[TAC_NCP_LANES];
    largest_weights(p, d, w->mu, TAC_NCP_LANES, largest);
    for (int k = 0; k < count; k++)
        if (is_redundant(p, d, w, TAC_NCP_LANES, k, largest[k], 1)) extend_lane(p, d, k);
}
