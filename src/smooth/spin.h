/* Steps in which bodies that turn alone keep their energy (step.md, ST13 to ST16): a change delta of joint forces, and
 * its terms in the derivatives of R. */
#pragma once

#include "smooth/linearize.h"

/* w->qfrc -= delta. Returns 0 if a body turns too fast (tac_spin_solve); delta is then the best one found. Needs:
 * tac_evaluate at x. TAC_ERR_ARENA_FULL through *status. */
int tac_spin_add(tacContext *ctx, const double *x, tacStatus *status);
/* W += d(delta), nv rows of c.n numbers; bar -= d(delta)^T lambda (x and u of bar not NULL; lambda is none of w->vec).
 * Need: position and mass at x. Overwrite w->vec[3]. TAC_ERR_SINGULAR: there is no derivative. */
tacStatus tac_spin_jac(tacContext *ctx, const double *x, const double *u, tacColumns c, double *W);
tacStatus tac_spin_vjp(tacContext *ctx, const double *x, const double *u, const double *lambda, const tacGrad *bar);
/* Lays out the memory of each of them on a dry arena. */
void tac_spin_measure(const tacModel *m, tacArena *dry);
