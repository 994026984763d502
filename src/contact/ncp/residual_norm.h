/* One norm of all residuals of a step (docs/theory/ncp.md, W14c). */
#pragma once

#include "contact/ncp/problem.h"

/* Residuals of the iterate, as the square root of an energy. */
double tac_ncp_residual_norm(const tacNcp *p);
