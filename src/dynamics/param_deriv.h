/* Derivatives of the residual R = ID(q, v, a) - tau with respect to the numbers of the model.
 *
 * A number acts in one of three ways. It moves frames (param_move.c: pairs of twists), changes inertias (the regressor:
 * R is linear in them), or enters a force directly (param_deriv.c). Computed numbers, such as an inertia from geoms or
 * a damping from a damping ratio, have their own derivative. */
#pragma once

#include "dynamics/smooth.h"
#include "dynamics/transmission.h"
#include "model/model.h"

/* Changes of the used numbers with one registered parameter. A NULL row does not move. */
typedef struct tacParamTangent {
    int field, index;                   /* the number itself */
    int column;                         /* of theta: the parameter that sets it */
    const tacInertialTangent *inertial; /* nbody */
    const double *joint_stiffness;      /* njnt */
    const double *dof_damping;          /* nv */
    const double *actuator_damping;     /* nu */
    const double *springlength;         /* 2 ntendon */
    const double *equality_data;        /* 11 neq: of equality_data_used */
    const double *dof_weight;           /* nv: of the inverse weights at qpos_0; these three for contact soft alone */
    const double *body_weight;          /* 2 nbody */
    const double *tendon_weight;        /* ntendon */
} tacParamTangent;

/* 1: the parameter is the time step. This covers its effect on forces and activations; steps add their own. */
static inline int tac_param_is_time(const tacParamTangent *t) {
    return TAC_FIELDS[t->field].offset == offsetof(tacModel, option_timestep);
}

/* A pose -> its movers. Returns their number (0: not a pose, or one that moves nothing). */
int tac_param_movers(const tacModel *m, const tacWork *w, const tacParamTangent *t, const tacSmoothPoint *x,
                     tacMover out[2]);

/* Number i of the mocap poses (7 a body: position, quaternion as given) as a mover. */
void tac_mocap_mover(const tacModel *m, const tacWork *w, int i, const double *poses, tacMover *out);

/* A body's inertia, world axes about the tree's origin, per unit of a parameter. Needs: position. */
tacInertia tac_world_inertia_change(const tacModel *m, const tacWork *w, int body, const tacInertialTangent *d);

/* Emits dR/dtheta as a column. damping_span is the time that joint damping acts implicitly (h, or 0). Needs:
 * tac_smooth_forces, then tac_rnea_jac or tac_rnea_vjp at (v, a). */
void tac_param_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a, double damping_span,
                   const tacParamTangent *t, int column, const tacSink *sink);
/* Emits dR along one mover: inertia, forces of fixed direction, transmissions. Same needs. */
void tac_residual_move(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a, const tacMover *mover,
                       int column, const tacSink *sink);
/* Sinks of changes of passive and of actuator forces. Gravity compensation is in one of them, by joint. */
typedef struct tacForceParts {
    tacSink passive, actuator;
} tacForceParts;
/* Emit d(qfrc_passive)/dtheta and d(qfrc_actuator)/dtheta as a column, and the same along one mover. Need:
 * tac_actuator_forces. */
void tac_param_force_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t, int column,
                         const tacForceParts *sink);
void tac_force_move(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacMover *mover, int column,
                    const tacForceParts *sink);
/* Change of an actuator's length, velocity, and force before all clamps (param_actuator.c). */
typedef struct tacDriveChange {
    double length, velocity, force;
} tacDriveChange;
/* Changes by a parameter, without poses; changes along one mover. Need: tac_actuator_forces. */
tacDriveChange tac_param_drive(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t, int a);
tacDriveChange tac_move_drive(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacMover *mover, int a);
/* Change of an actuator's force by a parameter that is its binding bound. Same need. */
double tac_param_bound(const tacModel *m, const tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t, int a);
/* Emits changes of joint forces with the numbers of actuators (param_actuator.c), without poses. Same need;
 * w->saturated. */
void tac_param_actuator_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t,
                            int column, const tacSink *F);
/* Emits d(next activation)/dtheta as a column. Needs: tac_actuator_forces. */
void tac_param_activation_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t,
                              int column, const tacSink *sink);
/* The number emitted for the last activation of actuator a. */
double tac_param_next_activation(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t,
                                 int a);
/* d(driving signal)/dtheta at a fixed activation. The signal is the control inside its range, or the activation. */
double tac_param_signal(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t, int a);
/* The next activation's two parts: d(rate of that activation)/dtheta, and d(next activation)/dtheta at fixed
 * activation and rate. */
double tac_param_rate(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t, int a);
double tac_param_span(const tacModel *m, const tacParamTangent *t, int a, double act, double rate, double h);
/* Its parts: drow[nv] = change of an actuator's moment row (0: none), and of its velocity gain, which is zero while its
 * force is held. */
int tac_param_moment(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t, int actuator,
                     double *drow);
double tac_param_velocity_gain(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t,
                               int actuator);
/* Emits d(h G a)/dtheta as a column, G the derivative of forces by velocity (velocity.h). Without joint damping, which
 * tac_param_jac has, and without dc/dv (param_velocity.c). For the time step it is G a. Needs: tac_smooth_forces.
 * Overwrites w->vec. */
void tac_param_velocity_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a,
                            const tacParamTangent *t, int column, const tacSink *sink);
