/* Actuators: control -> activation -> force -> joint forces. */
#pragma once

#include "dynamics/sink.h"
#include "dynamics/smooth.h"

/* (ctrl, act) -> w->force, w->act_dot, w->qfrc_actuator, with all clamps. h is the lookahead of actuators with early
 * activation. Needs: tac_transmission_q, tac_transmission_v, tac_passive_forces. */
void tac_actuator_forces(const tacModel *m, tacWork *w, const double *ctrl, const double *act, double h);
/* Activation j of an actuator after a step h: explicit Euler, or exact for TAC_DYN_FILTER_EXACT; then its range. */
double tac_next_activation(const tacModel *m, int actuator, double act, double act_dot, double h);
/* act -> next[na] after a step h. Needs: tac_actuator_forces. */
void tac_advance_activations(const tacModel *m, const tacWork *w, const double *act, double h, double *next);

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* Emits d(qfrc_actuator)/d(q, v, act, ctrl) without gravity compensation (tac_passive_jac). Marks in w->saturated the
 * dofs whose joint holds its actuator force at a bound. Exactly at a bound, the derivative is that of the clamped side.
 * Needs: tac_actuator_forces. */
void tac_actuator_jac(const tacModel *m, tacWork *w, const double *q, const double *v, const double *ctrl,
                      const double *act, double h, const tacForceSink *sink);

/* Emits d(force of one actuator)/d(q, v, act, ctrl) as the given row. Needs: tac_actuator_forces. */
void tac_actuator_force_jac(const tacModel *m, tacWork *w, int actuator, const tacSmoothPoint *x, int row,
                            const tacForceSink *sink);

/* Emits the change of activations after a step h with activations (j, j) and controls (j, a). Needs:
 * tac_actuator_forces. */
void tac_advance_activations_jac(const tacModel *m, const tacWork *w, const double *ctrl, const double *act, double h,
                                 const tacSink *act_sink, const tacSink *ctrl_sink);
/* The same for their rates act_dot. */
void tac_activation_rates_jac(const tacModel *m, const tacWork *w, const double *ctrl, const tacSink *act_sink,
                              const tacSink *ctrl_sink);

/* d(force)/d(velocity) of an actuator for the integrators implicit in velocity, and its change with activation and
 * control. As in MuJoCo, it is zero while the actuator's own clamp holds the force. Clamps of joints and tendons are
 * ignored. Needs: tac_actuator_forces. */
typedef struct tacVelocityGain {
    double value, act, ctrl;
} tacVelocityGain;
tacVelocityGain tac_velocity_gain(const tacModel *m, const tacWork *w, int a, const double *ctrl, const double *act,
                                  double h);
/* Least time constant of a filter, s: MuJoCo's; a filter's. */
#define TAC_MIN_TIME_CONSTANT 1e-15
double tac_time_constant(const tacModel *m, int actuator);
/* Derivatives of tac_next_activation: of an activation after a step by the activation, by its rate, and by h. */
typedef struct tacNextActivation {
    double act, rate, time;
} tacNextActivation;
tacNextActivation tac_next_activation_jac(const tacModel *m, int actuator, double act, double act_dot, double h);

/* Parts of parameter derivatives. */

/* force = gain signal + bias of one actuator before any clamp, and its partial derivatives. */
typedef struct tacForceJac {
    double value, signal, length, velocity;
} tacForceJac;
/* Needs: tac_actuator_forces. s: the driving signal (control, or activation). */
tacForceJac tac_force_jac(const tacModel *m, const tacWork *w, int a, const double *act, double h, double *s);
/* Full circles subtracted from the signal of a servo whose length is an angle. Needs: tac_actuator_forces. */
double tac_setpoint_turns(const tacModel *m, const tacWork *w, int a, const double *act, double h);
/* d(force of b)/d(unclamped force of a), through all clamps except those of joints. Needs: tac_actuator_forces. */
double tac_force_share(const tacModel *m, const tacWork *w, int b, int a, const double *act, double h);
/* d(force of b)/d(bound of its tendon's force range), side 0 or 1. Same needs. */
double tac_tendon_bound_share(const tacModel *m, const tacWork *w, int b, int side, const double *act, double h);
/* Emits d(qfrc_actuator) for a change of actuator a's unclamped force, as a column. Omits the rows in w->saturated. */
void tac_emit_force(const tacModel *m, tacWork *w, int a, const double *act, double h, double change, int column,
                    const tacSink *sink);
/* Marks in w->saturated the dofs whose joint holds its actuator force at a bound. Marks all if actuators are
 * disabled. */
void tac_mark_saturated(const tacModel *m, tacWork *w);
/* 1: the actuator's own clamp holds its force at range[0] (side 0) or range[1] (side 1). */
int tac_force_held(const tacModel *m, const tacWork *w, int a, int side);
