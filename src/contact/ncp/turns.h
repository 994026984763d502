/* Rotations of all bodies between two poses, side by side: what tac_ncp_turn, tac_angular_momentum and
 * tac_angular_momentum_jac give for one, to rounding   (docs/theory/ncp.md, W2-W4). */
#pragma once

#include "math/quat.h"

/* rad: below this angle series are used. The first omitted term is 1e-16 of the leading one. */
#define TAC_NCP_SMALL_TURN 0.05

/* spin = s log(to from^-1), n each. */
void tac_ncp_turns(int n, const tacQuat *from, const tacQuat *to, double s, tacVec3 *spin);
/* Momenta `after` of inertias J that turn by h spin in the time h. */
void tac_ncp_momenta(int n, const tacSym3 *J, const tacVec3 *spin, double h, tacVec3 *L);
/* Their derivatives as the second orientations turn. */
void tac_ncp_momenta_jac(int n, const tacSym3 *J, const tacVec3 *spin, double h, tacMat3 *T);

/* --- Parts -------------------------------------------------------------------------------------------------------- */

/* The same with registers of any processor, and with those of 256 bits. */
void tac_ncp_turns_narrow(int n, const tacQuat *from, const tacQuat *to, double s, tacVec3 *spin);
void tac_ncp_turns_wide(int n, const tacQuat *from, const tacQuat *to, double s, tacVec3 *spin);
void tac_ncp_momenta_narrow(int n, const tacSym3 *J, const tacVec3 *spin, double h, tacVec3 *L);
void tac_ncp_momenta_wide(int n, const tacSym3 *J, const tacVec3 *spin, double h, tacVec3 *L);
void tac_ncp_momenta_jac_narrow(int n, const tacSym3 *J, const tacVec3 *spin, double h, tacMat3 *T);
void tac_ncp_momenta_jac_wide(int n, const tacSym3 *J, const tacVec3 *spin, double h, tacMat3 *T);
/* E and F of Jr^-1 at the squared angle tt, of any size   (bodies.c). */
void tac_ncp_inverse_jacobian_terms(double tt, double *E, double *F);
