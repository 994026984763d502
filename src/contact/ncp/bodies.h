/* Bodies between three poses: momenta of the variational integrator and their linearization (docs/theory/ncp.md, W1-W7,
 * W16). */
#pragma once

#include "contact/ncp/problem.h"

/* Angular momentum of a rotation vector phi between two orientations: Jr^-1(+-phi) J phi / h. J and the momentum are in
 * the axes of the first orientation (`after`) or of the second (`before`), or in world axes where all three are: J is
 * that of the first or second orientation then   (W2, W3). */
tacVec3 tac_angular_momentum(tacSym3 J, tacVec3 phi, double h, int after);
/* Its derivative (`after`) as the second orientation turns by a small rotation in the same axes   (W4) */
tacMat3 tac_angular_momentum_jac(tacSym3 J, tacVec3 phi, double h);
/* Rotation vector between two orientations, world axes. */
tacVec3 tac_ncp_turn(tacQuat from, tacQuat to);
/* Angular momentum gained between the poses before (w[0]), at q (w[1]) and at q+ (w[2]), world axes. Linear in J. */
tacVec3 tac_ncp_angular_momentum_gained(const tacWork *const w[3], int b, tacSym3 J, double h);
/* H = [T 0; 0 s 1] at a body's centre of mass, as a 6 x 6 block about points from which it is at these arms. */
void tac_ncp_set_rigid(const tacMat3 *T, double s, tacVec3 arm_row, tacVec3 arm_column, double *H);
/* [a]: the matrix of a x. */
tacMat3 tac_ncp_skew(tacVec3 a);

/* Begins a step at the state at hand (w at q and v, tau set): ldu.still, before, turned_before. Where v turns a body
 * too far, `before` is the momentum of v itself. Uses next. */
void tac_ncp_begin_bodies(tacNcp *p);
/* Places w at q (-) h v; those coordinates. */
void tac_ncp_place_before(tacNcp *p, tacWork *w, double *q_before);
/* Places bodies at the motion v+; f and g without contacts and rows. TAC_ERR_DEGENERATE: a body or a joint turns by
 * almost pi or more. */
tacStatus tac_ncp_place_bodies(tacNcp *p, const double *v_next);
/* Sets axes, blocks and diag of ldu, of bodies and joints alone. */
void tac_ncp_linearize(tacNcp *p);
