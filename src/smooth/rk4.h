/* Runge-Kutta on the continuous-time accelerations of a stepper's table (rk4.c). These functions serve any stepper with
 * such accelerations. An acceleration that misses the solver's tolerance is still used. */
#pragma once

#include "smooth/smooth_step.h"

tacStatus tac_rk4_step(tacContext *ctx, const double *x, const double *u, double *y);
tacStatus tac_rk4_jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J);
tacStatus tac_rk4_jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, double *y, double *dy);
tacStatus tac_rk4_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g);
/* Lays out their memory on a dry arena, on top of the accelerations' memory. */
void tac_rk4_measure(const tacModel *m, const tacOptions *options, tacMeasure acceleration, tacArena *dry);
