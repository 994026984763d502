/* Shared parts of the integrators without constraints: acceleration in continuous time and its derivatives, and the
 * step with one acceleration, v+ = v + h a, q+ = q (+) h v+. */
#pragma once

#include "smooth/linearize.h"

/* (x, u) -> w->qfrc and the other forces, w->act_dot, w->M. */
void tac_evaluate(tacContext *ctx, const double *x, const double *u);
/* w->qacc = (M + diag(extra))^-1 qfrc. extra NULL: none. Leaves the factor in w->L. Needs: tac_evaluate. */
tacStatus tac_accelerate(tacContext *ctx, const double *extra);
/* extra[nv] = h times the joint damping, which Euler's step takes implicitly. NULL if the model disables this. */
const double *tac_implicit_damping(const tacContext *ctx, double *extra);
/* The time that joint damping acts implicitly: h or 0. */
double tac_damping_span(const tacContext *ctx);
/* (x, w->qacc) -> w->next, and h v+ in w->vec[0]. Needs: tac_evaluate at x. */
tacStatus tac_advance(tacContext *ctx, const double *x);
/* Computes only the velocities of w->next, and h v+. A reverse pass needs no more of the next state. */
tacStatus tac_advance_velocity(tacContext *ctx, const double *x);

/* Steps without constraints: semi-implicit Euler (euler.c), Runge-Kutta (rk4.c), implicit in velocity (implicit.c),
 * inner steps (adaptive_step.c). */
extern const tacStepper TAC_STEPPER_EULER, TAC_STEPPER_RK4, TAC_STEPPER_IMPLICIT, TAC_STEPPER_ADAPTIVE;

/* Ends every step and every derivative of one. If there is a next state (tac_went_on), w->next goes to y (NULL: not
 * asked for). unsolved 1: the contact problem was not solved and w->next is the best point found; TAC_OK becomes
 * TAC_ERR_UNSOLVED. The caller's TAC_SCOPE releases the arena. */
tacStatus tac_end_step(const tacContext *ctx, tacStatus status, int unsolved, double *y);

/* The entries of a stepper's table that all integrators without constraints share (sim.h). */
tacStatus tac_smooth_acceleration(tacContext *ctx, const double *x, const double *u, double *qacc);
tacStatus tac_smooth_acceleration_jac(tacContext *ctx, const double *x, const double *u, tacColumns c, double *qacc,
                                      double *dqacc);
tacStatus tac_smooth_acceleration_vjp(tacContext *ctx, const double *x, const double *u, const double *abar,
                                      const tacGrad *bar);
/* The three in a stepper's table. */
#define TAC_SMOOTH_ACCELERATION                                                                                        \
    .acceleration = tac_smooth_acceleration, .acceleration_jac = tac_smooth_acceleration_jac,                          \
    .acceleration_vjp = tac_smooth_acceleration_vjp
/* Lays out their memory on a dry arena, and that of the derivatives of a step with one acceleration. */
void tac_smooth_measure(const tacModel *m, const tacOptions *options, tacArena *dry);
/* Emits d(act_dot)/dtheta, rows of activations. Needs: the forces there. */
void tac_activation_rates_param(tacContext *ctx, const double *x, const double *u, const tacSink *sink);
