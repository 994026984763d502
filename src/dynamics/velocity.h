/* Derivative of joint forces by velocity, for the integrators implicit in velocity (step.md, ST3):
 *
 *   G = dF/dv,   F = passive + actuators - bias,   K = M - h G
 *   G = -D - sum_t b_t J_t^T J_t + sum_a k_a m_a^T m_a - dc/dv
 *
 * D is joint damping, b_t and J_t are damping and row of a tendon, k_a and m_a are velocity gain and moment row of an
 * actuator. As in MuJoCo, G has entries only for pairs on one path of the tree. So K has the pattern of M and no
 * fill. Clamps count for the actuator's own force range, not for those of joints and tendons. dc/dv counts for every
 * dof (`implicit`), or only for bodies that float alone (`implicitfast`), whose rows have no others beside them. */
#pragma once

#include "dynamics/kinematics.h"
#include "dynamics/sink.h"
#include "dynamics/smooth.h"

/* Marks in rows[nv] the dofs whose dc/dv counts: all, or those of bodies that float alone (one free joint, nothing with
 * mass or joints on it). Returns 0 when none is marked. */
int tac_bias_rows(const tacModel *m, int all, unsigned char *rows);

/* -> lower, upper = M - h G in the layout of math/tree_lu.h. With rows NULL (no dof is marked) the matrix is symmetric
 * and upper is not written. Needs: tac_smooth_forces, tac_crba. Overwrites w->vec[3]. */
void tac_velocity_matrix(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const unsigned char *rows,
                         double *lower, double *upper);

/* --- Derivatives of h G a at fixed a, without the part of dc/dv (which inverse.h differentiates) ------------------ */

/* Emits d(h G a)/d(q, act, ctrl). G depends on v only through dc/dv. scratch: 2 nv^2 numbers for a Jacobian, none for
 * the reverse mode. Overwrites w->vec. Needs: tac_smooth_forces. */
void tac_velocity_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a, const tacForceSink *sink,
                      double *scratch);
/* The same along one mover, as the given column. */
void tac_velocity_move(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a, const tacMover *mover,
                       int column, const tacSink *sink);
/* For one row z, (h G a)_i = scale z_i s_i with s_i = sum of z_j a_j over the dofs j on a path with i. Emits its change
 * with the row and with the scale. z and dz have nv numbers; dz may be NULL. Overwrites w->vec[0] and w->vec[1]. */
void tac_emit_row_change(const tacModel *m, tacWork *w, const double *a, const double *z, double scale,
                         const double *dz, double dscale, int column, const tacSink *sink);
