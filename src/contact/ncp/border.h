/* The system of bodies and dofs bordered by wide rows (docs/theory/ncp.md, W32). */
#pragma once

#include "contact/ncp/problem.h"

/* Factors S. Needs: ldu factored, G. */
tacStatus tac_ncp_border_factor(tacNcp *p);
/* Solves for the right sides rhs, g_rhs: dv, ldu.z, and dp of wide rows in t. */
void tac_ncp_border_solve(tacNcp *p, const double *c, double *dv);
