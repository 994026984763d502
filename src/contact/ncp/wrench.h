/* Forces of constraints as outputs, and their weights in reverse (docs/theory/ncp.md, W27, W28). */
#pragma once

#include "contact/ncp/deriv.h"

/* Forces of contacts on bodies, about their origins at q+ (6 nbody), and of constraints on dofs (nv). */
void tac_ncp_forces(tacNcp *p, double *wrench, double *qfrc);
/* wrench[nbody]: residual of the bodies' balance without contacts, at their centres of mass. */
void tac_ncp_free_wrenches(const tacNcp *p, tacVec6 *wrench);
/* Adds weights of the wrenches on bodies to those of the poses at q+ (nbody) and of the inputs of contacts. */
void tac_ncp_wrench_weights(const tacNcp *p, const tacNcpDeriv *d, const double *wrenchbar, tacVec6 *zbar, double *mu);
/* Adds weights of the forces on dofs to those of the poses at q+ and of v+. Overwrites d->path. */
void tac_ncp_free_weights(const tacNcp *p, const tacNcpDeriv *d, const double *qfrcbar, tacVec6 *zbar, double *vbar);
/* Poses at q+ follow v+: vbar += right^T (sums of zbar over subtrees). Overwrites zbar. */
void tac_ncp_pose_weights(const tacNcp *p, tacVec6 *zbar, double *vbar);
