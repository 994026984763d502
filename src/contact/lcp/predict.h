/* Equalities of an lcp step are evaluated at the predicted configuration q (+) h v as well, so that a closed loop stays
 * closed to third order in h (docs/theory/contact.md, L12). */
#pragma once

#include "contact/lcp/problem.h"
#include "smooth/linearize.h"

/* Takes from a dry arena what tac_lcp_predict takes and leaves; nothing where no equality holds. */
void tac_lcp_measure_predict(const tacModel *m, tacArena *dry);
/* Lays out on a dry arena what the derivatives take. */
void tac_lcp_measure_predict_deriv(const tacModel *m, tacArena *dry);
/* (x, u) -> lcp->predicted and the rows' curvatures; nothing where no equality holds. An impact keeps the velocities of
 * equalities and predicts nothing. Needs: tac_rows_find. */
tacStatus tac_lcp_predict(tacContext *ctx, const double *x, const double *u, tacLcp *lcp);
/* d(pos(q (+) h v))/h by q, v and the time step: added to the rows of dr, c.n numbers each. */
tacStatus tac_lcp_predict_jac(tacContext *ctx, const double *x, const tacLcp *lcp, tacColumns c, double *dr);
/* Reverse mode of the same: bar -= dr^T mu */
tacStatus tac_lcp_predict_vjp(tacContext *ctx, const double *x, const tacLcp *lcp, const double *mu,
                              const tacGrad *bar);
