/* Inverse dynamics, recursive Newton-Euler. */
#pragma once

#include "dynamics/work.h"

/* (v, a) -> tau = M a + c without armature terms when a is NULL (a = 0): bias; with armature when a is given.
 * Needs: position, velocity. */
void tac_rnea(const tacModel *m, tacWork *w, const double *v, const double *a, double *tau);

/* --- Derivatives (inverse_deriv.c): tangent coordinates, row major, exact. ----------------------------------- */

/* (v, a) -> dtau_dq (at fixed a), dtau_dv, and w->M, which is dtau_da. Rows of the two are `ld` numbers apart; only the
 * entries of pairs on one path are written: the caller clears the rest. Needs: position. */
void tac_rnea_jac(const tacModel *m, tacWork *w, const double *v, const double *a, int ld, double *dtau_dq,
                  double *dtau_dv);
/* lambda[nv] -> qbar = dtau_dq^T lambda, vbar = dtau_dv^T lambda, in linear time. Needs: position. */
void tac_rnea_vjp(const tacModel *m, tacWork *w, const double *v, const double *a, const double *lambda, double *qbar,
                  double *vbar);
