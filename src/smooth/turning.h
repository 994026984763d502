/* Acceleration without constraints of steps that keep turning bodies from gaining energy. Contact lcp uses it, and
 * integrators `spin` and `coriolis` of contact none (step.md, ST13 to ST18, ST21, ST22).
 *
 *   bodies that turn alone   gyroscopic forces of a motion that keeps its energy (smooth/spin.h)
 *   all others, on demand    inertial forces Psi(a) from momenta in place of M a + c (dynamics/momenta.h)
 *
 * Mhat = M + h D stays the matrix of the step. Constraints act on top: Mhat (v+ - v - h a) = J^T f. As a change of
 * forces, Mhat a = F - kappa with kappa = Psi(a) - ID(q, v, a) + ID(q, 0, 0)                        (ST17, ST21) */
#pragma once

#include "smooth/smooth_step.h"

/* w->qacc = a, and the factor of Mhat = M + diag(extra) in w->L (extra NULL: none). *unsolved |= 1: a body turns too
 * fast (smooth/spin.h). Needs: tac_evaluate at (x, u). */
tacStatus tac_turning_accelerate(tacContext *ctx, const double *x, const double *u, const double *extra, int *unsolved);
/* W += d(delta + kappa), nv rows of c.n numbers, and bar -= d(delta + kappa)^T lambda, with lambda none of w->vec.
 * Need: tac_turning_accelerate at (x, u). w->qacc may have changed since. */
tacStatus tac_turning_jac(tacContext *ctx, const double *x, const double *u, tacColumns c, double *W);
tacStatus tac_turning_vjp(tacContext *ctx, const double *x, const double *u, const double *lambda, const tacGrad *bar);
/* Lay out memory on a dry arena: of the first function, and of the other two. */
void tac_turning_measure(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_turning_measure_deriv(const tacModel *m, const tacOptions *options, tacArena *dry);
