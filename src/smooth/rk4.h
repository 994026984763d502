/* Runge-Kutta on the accelerations of a stepper's table, in continuous time (rk4.c): its functions for any stepper that
 * has those. An acceleration that was found, if not to the solver's tolerance, goes on. */
#pragma once

#include "smooth/smooth_step.h"

tacStatus tac_rk4_step(tacContext *ctx, const double *x, const double *u, double *y);
tacStatus tac_rk4_jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J);
tacStatus tac_rk4_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g);
/* Lays out on a dry arena what they take, with what the accelerations take on top. */
void tac_rk4_measure(const tacModel *m, const tacOptions *options, tacMeasure acceleration, tacArena *dry);
