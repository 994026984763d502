/* Passive forces: joint and tendon springs and dampers, gravity compensation. */
#pragma once

#include "dynamics/kinematics.h"
#include "dynamics/sink.h"

/* (q, v) -> w->qfrc_passive and w->qfrc_gravcomp. The first includes gravity compensation except at the joints that
 * take it through their actuators. Needs: position, tendon lengths and velocities. */
void tac_passive_forces(const tacModel *m, tacWork *w, const double *q, const double *v);
/* Displacement of a joint's spring from rest, in tangent coordinates; returns the number of coordinates (1, 3 or 6). */
int tac_spring_displacement(const tacModel *m, int joint, const double *q, double *d);
/* Stretch of a tendon's spring beyond its dead band; 0 inside. Needs: tendon lengths. */
double tac_tendon_stretch(const tacModel *m, const tacWork *w, int tendon);
/* The end of its dead band that a tendon's spring pulls towards: 0 the lower, 1 the upper, -1 inside the band. A band
 * with equal ends is a rest length without an inside. The spring at rest has its stiffness, and the answer is 1. Needs:
 * tendon lengths. */
int tac_tendon_band_side(const tacModel *m, const tacWork *w, int tendon);

/* --- Derivatives (passive_deriv.c) -------------------------------------------------------------------------------- */

/* Emits d(qfrc_passive + the gravity compensation that enters through actuators)/dq and /dv. saturated[nv] marks joints
 * at the bound of their actuator force. There gravity compensation through the actuators changes nothing. Needs:
 * tac_smooth_motion. */
void tac_passive_jac(const tacModel *m, tacWork *w, const double *q, const unsigned char *saturated,
                     const tacForceSink *sink);
/* Emits d(qfrc_gravcomp)/dq, whether it enters as a passive or an actuator force. Needs: position. */
void tac_gravcomp_jac(const tacModel *m, tacWork *w, const tacSink *q);
/* Forces of fixed world direction at the centres of mass, wrench[b] = (torque, force). Emits the derivative of their
 * joint forces with respect to q. Needs: position. */
void tac_world_force_jac(const tacModel *m, tacWork *w, const tacVec6 *wrench, const tacSink *q);
/* The same for one such force and one mover, emitted as the given column. */
void tac_world_force_move(const tacModel *m, const tacWork *w, int body, tacVec6 wrench, const tacMover *x, int column,
                          const tacSink *sink);
