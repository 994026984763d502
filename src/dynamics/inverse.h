/* Inverse dynamics, recursive Newton-Euler. */
#pragma once

#include "dynamics/kinematics.h"
#include "dynamics/sink.h"

/* (v, a) -> tau = M a + c. With a NULL (a = 0) it is the bias, without armature terms. Otherwise armature is included.
 * Needs: position, velocity. */
void tac_rnea(const tacModel *m, tacWork *w, const double *v, const double *a, double *tau);

/* --- Derivatives (inverse_deriv.c): tangent coordinates, row major, exact. ----------------------------------- */

/* (v, a) -> dtau_dq (at fixed a), dtau_dv; dtau_da is M (tac_crba). Rows are `ld` numbers apart. Only entries of pairs
 * on one path are written: the caller clears the rest. Needs: position. */
void tac_rnea_jac(const tacModel *m, tacWork *w, const double *v, const double *a, int ld, double *dtau_dq,
                  double *dtau_dv);
/* v -> lower, upper += scale dc/dv, with c = tau at a = 0, in the layout of math/tree_lu.h. Only the rows marked in
 * rows[nv], which are all or none of each tree. Needs: position. */
void tac_bias_velocity_jac(const tacModel *m, tacWork *w, const double *v, double scale, const unsigned char *rows,
                           double *lower, double *upper);
/* lambda[nv] -> qbar = dtau_dq^T lambda, vbar = dtau_dv^T lambda, in linear time. Needs: position. */
void tac_rnea_vjp(const tacModel *m, tacWork *w, const double *v, const double *a, const double *lambda, double *qbar,
                  double *vbar);

/* (dq, dv) -> dtau = dtau_dq dq + dtau_dv dv, in linear time. Needs: position. */
void tac_rnea_jvp(const tacModel *m, tacWork *w, const double *v, const double *a, const double *dq, const double *dv,
                  double *dtau);

/* dq -> df = (d(M x)/dq) dq, in linear time. Overwrites w->V and w->A. Needs: position. */
void tac_mass_mul_jvp(const tacModel *m, tacWork *w, const double *x, const double *dq, double *df);

/* Columns of the same derivative for other displacements: of a mover, of a body's inertia (world axes about the tree's
 * origin), of gravity. Needs: tac_rnea_jac, _jvp or _vjp at the same (v, a). */
void tac_rnea_move(const tacModel *m, const tacWork *w, const double *v, const double *a, const tacMover *x, int column,
                   const tacSink *sink);
void tac_rnea_inertia(const tacModel *m, const tacWork *w, int body, const tacInertia *dI, int column,
                      const tacSink *sink);
void tac_rnea_gravity(const tacModel *m, const tacWork *w, tacVec3 dg, int column, const tacSink *sink);
