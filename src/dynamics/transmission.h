/* Tendons and actuator transmissions: a length, its velocity, and a moment row d(length)/dq each. */
#pragma once

#include "dynamics/kinematics.h"
#include "dynamics/sink.h"

/* q -> tendon lengths: fixed tendons L = sum coef_k q_k. Spatial tendons are kept in place with length 0. */
void tac_tendon_lengths(const tacModel *m, tacWork *w, const double *q);
/* v -> tendon velocities. */
void tac_tendon_velocities(const tacModel *m, tacWork *w, const double *v);
/* row[nv] += scale d(length)/dq of a tendon. */
void tac_add_tendon_row(const tacModel *m, int tendon, double scale, double *row);
/* One actuator's length and moment row; both are linear in the gear. */
typedef struct tacTransmitted {
    double length;
    double *row; /* nv numbers to write to; those outside [begin, end) are zero and left alone */
    int begin, end;
} tacTransmitted;
/* For any gear (6 numbers). Needs: position, tac_tendon_lengths. */
void tac_transmit(const tacModel *m, const tacWork *w, int actuator, const double *gear, const double *q,
                  tacTransmitted *out);
/* q -> actuator lengths and moment rows. Needs: position, tac_tendon_lengths. */
void tac_transmission_q(const tacModel *m, tacWork *w, const double *q);
/* v -> actuator velocities = moment v. Needs: tac_transmission_q. */
void tac_transmission_v(const tacModel *m, tacWork *w, const double *v);
/* Full circle of a transmission whose length is an angle (ball joint; site with reference site and rotation alone), in
 * units of its length; 0 for any other. */
double tac_transmission_period(const tacModel *m, int actuator);
/* Its derivative with respect to gear k. */
double tac_transmission_period_jac(const tacModel *m, int actuator, int k);

/* --- Derivatives (transmission_deriv.c) --------------------------------------------------------------------------- */

/* row[nv] += scale d(length)/dq, the true derivative. MuJoCo's moment row differs from it for ball joints (a torque
 * along gear) and for a site beside a reference site (dofs common to both do nothing). Needs: tac_transmission_q. */
void tac_add_length_row(const tacModel *m, const tacWork *w, int actuator, const double *q, double scale, double *row);
/* Emits scale d(moment[i])/dq_j of one actuator; zero for joints (in child axes) and fixed tendons. Needs:
 * tac_transmission_q. */
void tac_moment_jac(const tacModel *m, const tacWork *w, int actuator, double scale, const tacSink *sink);
/* 1: the moment row does not depend on q. */
int tac_moment_is_constant(const tacModel *m, int actuator);
/* The same for one mover, emitted as the given column. */
void tac_moment_move(const tacModel *m, const tacWork *w, int actuator, const tacMover *mover, int column, double scale,
                     const tacSink *sink);
/* d(length) for one mover. Joints and tendons do not depend on poses. */
double tac_length_move(const tacModel *m, const tacWork *w, int actuator, const tacMover *mover);
/* Slider-crank: change of length and moment row with the length of the rod (row[nv] += ...; adds to *length). Other
 * transmissions do not change. */
void tac_add_crank_row(const tacModel *m, const tacWork *w, int actuator, double *length, double *row);
