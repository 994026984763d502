/* The system of bodies and dofs bordered by wide rows (docs/theory/ncp.md, W32). */
#pragma once

#include "contact/ncp/problem.h"

/* Factors S. Needs: ldu factored, G. */
tacStatus tac_ncp_border_factor(tacNcp *p);
/* Solves for the right sides rhs, g_rhs: dv, ldu.z, and dp of wide rows in t. */
void tac_ncp_border_solve(tacNcp *p, const double *c, double *dv);
/* Solves the transposed system  A^T lambda + G^T nu = vbar,  C nu - J lambda = t  in place: lambda overwrites vbar
 * (nv), nu overwrites t. ldu.f as tac_block_ldu_solve_transposed leaves it. */
void tac_ncp_border_transposed(const tacNcp *p, double *vbar);
