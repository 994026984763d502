/* Reverse mode of the step's equations (docs/theory/ncp.md, W23). */
#pragma once

#include "contact/ncp/deriv.h"

/* The transpose of (inputs, balance) -> (v+, impulses): solves A^T lambda = vbar - G^T mu with mu += dp/d(inputs)^T
 * (unit impulses . lambda), so that bar = -lambda . dR + mu . dr. mu starts as dp/d(inputs)^T pbar; without pbar it is
 * zero. */
void tac_ncp_adjoint(const tacNcp *p, tacNcpDeriv *d, const double *vbar, double *lambda, double *mu);
/* mu += (dp/d(inputs))^T y of all contacts, y = (unit impulses) . lambda; path: sums of S lambda on the way to each
 * body. */
void tac_ncp_add_weights(const tacNcp *p, const tacNcpDeriv *d, const tacVec6 *path, double *mu);
/* Refines lambda and mu with residuals in extended precision, for contacts that are nearly redundant. d->mu_given: mu
 * at the start (adjoint_extended.c). */
void tac_ncp_adjoint_extended(const tacNcp *p, tacNcpDeriv *d, const double *vbar, double *lambda, double *mu);
/* Updates d->conditioning from the last two corrections of an answer of this size: the correction that is still
 * missing, in units of rounding. */
void tac_ncp_note_correction(tacNcpDeriv *d, const double change[2], double size);
