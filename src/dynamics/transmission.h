/* Tendons and actuator transmissions: a length, its velocity, and a moment row d(length)/dq each. */
#pragma once

#include "dynamics/work.h"

/* q -> tendon lengths: fixed tendons L = sum coef_k q_k. Spatial tendons are kept in place with length 0. */
void tac_tendon_lengths(const tacModel *m, tacWork *w, const double *q);
/* v -> tendon velocities. */
void tac_tendon_velocities(const tacModel *m, tacWork *w, const double *v);
/* row[nv] += scale d(length)/dq of a tendon. */
void tac_add_tendon_row(const tacModel *m, int tendon, double scale, double *row);
/* q -> actuator lengths and moment rows. Needs: position, tac_tendon_lengths. */
void tac_transmission_q(const tacModel *m, tacWork *w, const double *q);
/* v -> actuator velocities = moment v. Needs: tac_transmission_q. */
void tac_transmission_v(const tacModel *m, tacWork *w, const double *v);
/* Full circle of a transmission whose length is an angle (ball joint; site with reference site and rotation alone), in
 * units of its length; 0 for any other. */
double tac_transmission_period(const tacModel *m, int actuator);
