/* Forward dynamics by articulated bodies. */
#pragma once

#include "dynamics/work.h"

/* (v, tau) -> a with M a + c = tau.
 * Returns TAC_ERR_SINGULAR when a joint-space pivot is not positive enough. Needs: position, velocity. */
tacStatus tac_aba(const tacModel *m, tacWork *w, const double *v, const double *tau, double *a);
