/* What the parts of the stepper ncp share: the step (ncp.c), its derivatives (ncp_grad.c). */
#pragma once

#include "contact/ncp/ncp.h"
#include "step/smooth_step.h"

/* (x, u) -> p at the solution for kappa (p->x is v+, the ldu not built), sim->work.next, sim->info. TAC_ERR_UNSOLVED:
 * the best that was found. Takes from the arena; the caller releases. */
tacStatus tac_ncp_go(tacSim *sim, const double *x, const double *u, double kappa, tacNcp *p);

tacStatus tac_ncp_jac(tacSim *sim, const double *x, const double *u, double *y, const tacJac *J);
tacStatus tac_ncp_vjp(tacSim *sim, const double *x, const double *u, const double *ybar, const tacGrad *g);
/* What derivatives take from the arena beyond the step. */
size_t tac_ncp_grad_scratch(const tacModel *m, const tacOptions *options);
