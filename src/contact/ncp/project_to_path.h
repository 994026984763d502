/* Trial points of Newton's steps, projected to the central path (docs/theory/ncp.md, W14a). */
#pragma once

#include "contact/ncp/problem.h"

/* Projects a and b, as the linear equations of a step have them, to the central path at kappa, for the poses of
 * tac_ncp_place. Gaps and slips keep the share `left` of the saved residuals. */
void tac_ncp_project_to_path(const tacNcp *p, double kappa, double left, double *a, double *b);
/* Saves the residuals of contacts and rows for it. */
void tac_ncp_save_residuals(tacNcp *p);
