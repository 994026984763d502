/* Forward dynamics by articulated bodies. */
#pragma once

#include "dynamics/work.h"

/* (v, tau) -> a with M a + c = tau.
 * Returns TAC_ERR_SINGULAR when a joint-space pivot is not positive enough. Needs: position, velocity. */
tacStatus tac_aba(const tacModel *m, tacWork *w, const double *v, const double *tau, double *a);

/* --- Derivatives (forward_deriv.c) -------------------------------------------------------------------------------- */

/* (v, tau) -> a, and jac = [da_dq | da_dv | da_dtau]: nv rows of 3 nv numbers, tangent coordinates. Needs: position,
 * velocity. */
tacStatus tac_forward_jac(const tacModel *m, tacWork *w, const double *v, const double *tau, double *a, double *jac);
