/* Tolerances and constants that several files of this folder share. Each has one meaning. A tolerance of one algorithm
 * is defined in that algorithm's file. */
#pragma once

/* Relative rounding of a distance or a bound: a few units in the last place of the largest length that enters it. */
#define TAC_DISTANCE_ROUNDING 1e-14
/* Cores that are closer than this times the shapes' size coincide. Their difference is rounding and has no direction,
 * so the normal comes from the features. The distance changes by no more than this. */
#define TAC_COINCIDENT 1e-12
/* Sine of the angle below which a segment is parallel to a segment, an edge or a face. All its points are then equally
 * near, up to rounding. */
#define TAC_PARALLEL 1e-12
/* Two features tie when they differ by less than this: lengths relative to the shapes' size, angles in rad. It is above
 * the rounding of poses and below the error that a distance may have. */
#define TAC_FEATURE_TIE 1e-10

/* Newton's method on the common normal of two features. A step shorter than this (relative to the shapes' scale; rad)
 * is rounding once steps stop shrinking. */
#define TAC_NEWTON_ROUNDING 1e-9
/* rad: largest rotation of the normal in one step. */
#define TAC_NEWTON_MAX_TURN 0.5

#define TAC_SQRT_HALF 0.70710678118654752440
