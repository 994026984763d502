/* All forces except those of constraints, in one call. */
#pragma once

#include "dynamics/sink.h"
#include "dynamics/work.h"

/* The blocks of u. NULL if the options do not ask for one. */
typedef struct tacInputs {
    const double *ctrl;         /* nu */
    const double *qfrc;         /* nv: generalized forces */
    const tacForceTorque *xfrc; /* nbody */
    const double *mocap;        /* 7 nmocap */
} tacInputs;

/* (q, v, mocap) -> position and velocity stages, tendons, transmissions, w->qfrc_passive. */
void tac_smooth_motion(const tacModel *m, tacWork *w, const double *q, const double *v, const double *mocap);
/* (q, v, act, u) -> the above, w->force, w->act_dot, w->bias, and w->qfrc = passive + actuators - bias + applied. h is
 * the lookahead of actuators with early activation. */
void tac_smooth_forces(const tacModel *m, tacWork *w, const double *q, const double *v, const double *act, tacInputs u,
                       double h);

/* --- Derivatives (smooth_deriv.c) --------------------------------------------------------------------------------- */

/* The point at which forces are evaluated. */
typedef struct tacSmoothPoint {
    const double *q, *v, *act;
    tacInputs u;
    double h;
} tacSmoothPoint;

/* Blocks of the residual R = ID(q, v, a) - tau(q, v, act, u) at fixed acceleration; d(q) in tangent coordinates. Each
 * points into rows that are `ld` numbers apart. Blocks after dctrl are NULL if u has no such block. */
typedef struct tacSmoothJac {
    int ld;
    double *dq, *dv; /* nv x nv */
    double *dact;    /* nv x na */
    double *dctrl;   /* nv x nu */
    double *dqfrc;   /* nv x nv */
    double *dxfrc;   /* nv x 6 nbody */
} tacSmoothJac;

/* Adds R's blocks, which the caller cleared. dR/da is M. Needs: tac_smooth_forces at the same point. */
void tac_smooth_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a, const tacSmoothJac *R);

/* A direction in the arguments of R; qfrc and xfrc are NULL where u has no such block. */
typedef struct tacSmoothDirection {
    const double *q, *v, *act, *ctrl; /* nv, nv, na, nu */
    const double *qfrc, *xfrc;        /* nv, 6 nbody */
} tacSmoothDirection;
/* dR[nv] = derivative of R along d, in linear time except for the forces. Same needs. */
void tac_smooth_jvp(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a,
                    const tacSmoothDirection *d, double *dR);

/* Emits the derivatives of joint forces without inertia (passive, actuators, applied). qfrc and xfrc are derivatives by
 * the applied forces and may be NULL. Needs: tac_smooth_forces at the same point. */
void tac_joint_force_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacForceSink *sink,
                         const tacSink *qfrc, const tacSink *xfrc);

/* Arrays that a reverse pass adds to. */
typedef struct tacSmoothBar {
    double *q, *v, *act, *ctrl; /* nv, nv, na, nu */
    double *qfrc, *xfrc;        /* nv, 6 nbody; NULL where u has no such block */
} tacSmoothBar;

/* bar -= dR/dx^T lambda, in linear time except for the forces. Needs: tac_smooth_forces at the same point. */
void tac_smooth_vjp(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a, const double *lambda,
                    const tacSmoothBar *bar);
