/* Principal axes of a symmetric 3 x 3 matrix. */
#pragma once

#include "math/quat.h"

/* The limit below which MuJoCo 3.x stops rotating, taken over so that principal axes agree with its own to rounding; in
 * the unit of the matrix. */
#define TAC_EIG3_OFF_DIAGONAL 1e-12 /* largest off-diagonal entry that counts as zero, and gap of equal eigenvalues */
#define TAC_EIG3_MAX_ROTATION 500   /* Jacobi needs about ten */
/* Limits relative to the size of the matrix. */
#define TAC_EIG3_ROUNDING 1e-16 /* off-diagonal entry that is rounding */
#define TAC_EIG3_BLURRED  1e-10 /* off-diagonal entry that is left alone between eigenvalues too close to tell apart */
#define TAC_EIG3_CLOSE    1e-3  /* tangent of the rotation beyond which two eigenvalues are that close */

/* A -> (eigenvalues in decreasing order, frame) with A = R diag(eigenvalues) R^T, R the rotation matrix of *frame: the
 * columns of R are the eigenvectors. A diagonal A in decreasing order gives the identity; entries out of order are
 * exchanged by quarter turns; equal eigenvalues (to TAC_EIG3_OFF_DIAGONAL) are left in place.   [math.md, E1]
 * Off-diagonal entries below TAC_EIG3_OFF_DIAGONAL stay, as in MuJoCo: for the volume integrals of a small mesh that is
 * up to 1e-7 of the whole, and what is computed from the pair agrees with MuJoCo, not with A, to rounding.
 * A matrix that is not finite gives its own diagonal and the identity. */
tacVec3 tac_eig3(tacSym3 A, tacQuat *frame);
/* (A, frame from tac_eig3) -> (eigenvalues, frame) with A = R diag(eigenvalues) R^T to rounding: goes on from where
 * tac_eig3 stopped, with rotations too small to change which axis is which. The order of the values is kept. */
tacVec3 tac_eig3_refine(tacSym3 A, tacQuat *frame);
