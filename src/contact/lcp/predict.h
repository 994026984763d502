/* Equalities of an lcp step are also evaluated at the predicted configuration q (+) h v. So a closed loop stays closed
 * to third order in h (docs/theory/contact.md, L12). */
#pragma once

#include "contact/lcp/problem.h"
#include "smooth/linearize.h"

/* Takes from a dry arena the memory of tac_lcp_predict. The arrays stay taken. Takes nothing if no equality holds. */
void tac_lcp_measure_predict(const tacModel *m, tacArena *dry);
/* Lays out the memory of the derivatives on a dry arena. */
void tac_lcp_measure_predict_deriv(const tacModel *m, tacArena *dry);
/* (x, u) -> lcp->predicted and the rows' curvatures. Does nothing if no equality holds. An impact keeps the velocities
 * of equalities and predicts nothing. Needs: tac_rows_find. */
tacStatus tac_lcp_predict(tacContext *ctx, const double *x, const double *u, tacLcp *lcp);
/* Adds d(pos(q (+) h v))/h by q, v and the time step to the rows of dr, c.n numbers each. */
tacStatus tac_lcp_predict_jac(tacContext *ctx, const double *x, const tacLcp *lcp, tacColumns c, double *dr);
/* Reverse mode of the same: bar -= dr^T mu */
tacStatus tac_lcp_predict_vjp(tacContext *ctx, const double *x, const tacLcp *lcp, const double *mu,
                              const tacGrad *bar);
