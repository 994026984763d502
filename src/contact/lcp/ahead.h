/* Equalities of an lcp step look ahead: where the model would be at q (+) h v, so that a closed loop stays closed to
 * third order in h (docs/theory/contact.md, L12). */
#pragma once

#include "contact/lcp/problem.h"
#include "smooth/linearize.h"

/* Takes from a dry arena what tac_look_ahead takes and leaves; nothing where no equality holds. */
void tac_measure_ahead(const tacModel *m, tacArena *dry);
/* Lays out on a dry arena what the derivatives take. */
void tac_measure_ahead_deriv(const tacModel *m, tacArena *dry);
/* (x, u) -> lcp->ahead and the rows' bends; nothing where no equality holds. An impact leaves the velocities of
 * equalities as they are, and has nothing ahead. Needs: tac_rows_find. */
tacStatus tac_look_ahead(tacContext *ctx, const double *x, const double *u, tacLcp *lcp);
/* d(pos(q (+) h v))/h by q, v and the time step: added to the rows of dr, c.n numbers each. */
tacStatus tac_ahead_jac(tacContext *ctx, const double *x, const tacLcp *lcp, tacColumns c, double *dr);
/* Reverse mode of the same: bar -= dr^T mu */
tacStatus tac_ahead_vjp(tacContext *ctx, const double *x, const tacLcp *lcp, const double *mu, const tacGrad *bar);
