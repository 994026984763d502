/* Reverse mode of the step's equations (docs/theory/ncp.md, W23). */
#pragma once

#include "contact/ncp/deriv.h"

/* The transpose of (inputs, balance) -> (v+, impulses): solves A^T lambda = vbar - G^T mu with mu += dp/d(inputs)^T
 * (unit impulses . lambda), so that bar = -lambda . dR + mu . dr. mu starts as dp/d(inputs)^T pbar; without pbar it is
 * zero. */
void tac_ncp_adjoint(const tacNcp *p, tacNcpDeriv *d, const double *vbar, double *lambda, double *mu);
/* The same for v+ of `count` dofs, at most TAC_NCP_LANES, from dof `first` on: lambda and mu of d->strip. */
void tac_ncp_adjoint_of_dofs(const tacNcp *p, tacNcpDeriv *d, int first, int count);
/* Copies right side `lane` of n numbers. */
void tac_ncp_get_lane(int n, const double *lanes, int lane, double *out);

/* --- Parts -------------------------------------------------------------------------------------------------------- */

/* Solves for one right side, or for TAC_NCP_LANES of them side by side, the last where the processor has 256-bit
 * registers. `known`: mu is not zero at the start. */
void tac_ncp_adjoint_single(const tacNcp *p, const tacNcpDeriv *d, tacNcpLanes *lanes, int known);
void tac_ncp_adjoint_narrow(const tacNcp *p, const tacNcpDeriv *d, tacNcpLanes *lanes, int known);
void tac_ncp_adjoint_wide(const tacNcp *p, const tacNcpDeriv *d, tacNcpLanes *lanes, int known);
/* One correction of one right side: solves for `rest` and `wide` in place, and mu gets what belongs to it. */
void tac_ncp_adjoint_correct(const tacNcp *p, const tacNcpDeriv *d, const tacNcpLanes *lanes);
/* Refines lambda and mu of d->single with residuals in extended precision, for contacts that are nearly redundant.
 * d->mu_given: mu at the start (adjoint_extended.c). */
void tac_ncp_adjoint_extended(const tacNcp *p, tacNcpDeriv *d);
/* Updates d->conditioning from the last two corrections of an answer of this size: the correction that is still
 * missing, in units of rounding. */
void tac_ncp_note_correction(tacNcpDeriv *d, const double change[2], double size);
