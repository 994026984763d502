/* Principal axes of a symmetric 3 x 3 matrix. */
#pragma once

#include "math/quat.h"

/* Limits, relative to the largest entry of the diagonal. The first is where MuJoCo 3.x stops rotating meshes, taken
 * over so that their frames agree with its own to rounding. */
#define TAC_EIG3_COARSE       1e-7  /* off-diagonal entry that counts as zero, and gap of equal eigenvalues */
#define TAC_EIG3_ROUNDING     1e-16 /* off-diagonal entry that is rounding */
#define TAC_EIG3_BLURRED      1e-10 /* off-diagonal entry left alone between eigenvalues too close to tell apart */
#define TAC_EIG3_CLOSE        1e-3  /* tangent of the rotation beyond which two eigenvalues are that close */
#define TAC_EIG3_MAX_ROTATION 500   /* Jacobi needs about ten */
#define TAC_EIG3_MAX_REFINING 20    /* from TAC_EIG3_COARSE it needs three; later ones only stir rounding */

/* A -> (eigenvalues in decreasing order, frame) with A = R diag(eigenvalues) R^T, R the rotation matrix of *frame: the
 * columns of R are the eigenvectors. A diagonal A in decreasing order gives the identity; entries out of order are
 * exchanged by quarter turns; equal eigenvalues (to TAC_EIG3_COARSE) are left in place.   [math.md, J1]
 * Off-diagonal entries below TAC_EIG3_COARSE stay, as in MuJoCo: what is computed from the pair agrees with MuJoCo to
 * rounding, and with A to 1e-7.
 * A matrix that is not finite gives its own diagonal and the identity. */
tacVec3 tac_eig3(tacSym3 A, tacQuat *frame);
/* (A, frame from tac_eig3) -> (eigenvalues, frame) with A = R diag(eigenvalues) R^T to rounding: goes on from where
 * tac_eig3 stopped, with rotations too small to change which axis is which, TAC_EIG3_MAX_REFINING of them at most. The
 * order of the values is kept. */
tacVec3 tac_eig3_refine(tacSym3 A, tacQuat *frame);
/* (A, dA) -> change of R diag R^T, with the pair that tac_eig3 gives: A but for the entries that it counts as zero. Its
 * rotations are differentiated one by one, so that this is the derivative of what is computed. Entries that no rotation
 * touched are followed: they count as zero only as long as they are below TAC_EIG3_COARSE. */
tacSym3 tac_eig3_rebuilt_jvp(tacSym3 A, tacSym3 dA);
