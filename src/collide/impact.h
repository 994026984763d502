/* Time of impact: when the distance of two moving shapes first falls to a gap (docs/theory/collision.md, I1 to I5).
 *
 * Guarantee. Along a fixed direction n the shapes are D(s) = min over B of n.x - max over A of n.x apart at time s, and
 * their distance is at least D(s), whatever n. For each pair of points, one of each shape, n.(x_B - x_A) has a second
 * derivative of at most C; so between two times at which D exceeds the gap by d and e,
 *   D(s) - gap >= (1 - k) d + k e - C T^2 k (1 - k)/2,   s = t + k T,
 * which is nowhere negative if and only if sqrt(d) + sqrt(e) >= T sqrt(C/2). Steps are taken as long as that holds,
 * with n the normal at the step's beginning: no impact is missed, shapes that pass each other at a distance e take of
 * the order of log(1/e) steps, and towards an impact the steps converge quadratically, from before it. */
#pragma once

#include "collide/touch.h"
#include "math/spatial.h"

/* Bounds over the whole of a motion, of the frame and its origin. */
typedef struct tacMotionBound {
    double spin, spin_rate; /* |w|, |dw/dt| */
    double speed, accel;    /* |v|, |dv/dt| of the origin */
} tacMotionBound;

/* A rigid motion of a shape's frame over t in [0, h]. */
typedef struct tacMotion {
    /* t -> where the frame is; its velocity, world axes, at its own origin (NULL: not asked) */
    void (*at)(const void *data, double t, tacPose *pose, tacVec6 *velocity);
    const void *data;
    tacMotionBound bound;
} tacMotion;

/* p(t) = p + t v, R(t) = exp(t w) R: velocity (w, v) in world axes. */
typedef struct tacTwistMotion {
    tacPose start;
    tacVec6 velocity;
} tacTwistMotion;
/* The motion points to m. */
tacMotion tac_twist_motion(const tacTwistMotion *m);

/* How near, relative to sizes and distances of the shapes from the world's origin, counts as having reached the gap:
 * some units in the last place. */
#define TAC_IMPACT_TOUCH 1e-14
/* Shapes whose touching points approach at less than this share of their speed only graze: a motion that comes just to
 * the gap and turns is taken there within TAC_IMPACT_TOUCH, at about the root of twice that. */
#define TAC_IMPACT_GRAZE 1e-6
/* Most steps of one search; shapes that pass each other take tens. */
#define TAC_IMPACT_STEPS 2000

/* What the search found. */
typedef struct tacShapeImpact {
    tacImpactKind kind;
    double time; /* HIT: of the impact. NEAR: 0. NONE: h. UNDECIDED: until then there is none. */
    double rate; /* HIT, NEAR: d(dist)/dt; negative: approaching */
    int steps;
    tacTouch touch;  /* at `time` */
    tacPose pose[2]; /* at `time` */
} tacShapeImpact;

/* First time in [0, h] at which the distance is `gap` or less. Two planes never hit. TAC_ERR_SHAPE and
 * TAC_ERR_NONFINITE as tac_distance_pair. Bounds and poses are finite. */
tacStatus tac_impact(const tacShape *a, const tacMotion *A, const tacShape *b, const tacMotion *B, double h, double gap,
                     tacShapeImpact *out);

/* Gradient of the impact time with respect to where two twist motions start (rotation vector in world axes about the
 * frame's origin, translation) and to their velocities. With the witness points x_i fixed to their shapes and
 * r_i = x_i - p_i(t), the distance changes as n . (dx_1 - dx_0), so (I4)
 *   dt = -(n . (dx_1 - dx_0))/rate,   dx = dp + t dv + (t Jl(t w) dw + exp(t w) dtheta) x r.
 * Of a HIT whose rate is negative; TAC_ERR_DEGENERATE elsewhere. */
typedef struct tacTwistImpactGrad {
    tacVec6 start[2], velocity[2];
} tacTwistImpactGrad;
tacStatus tac_impact_twist_grad(const tacShapeImpact *hit, const tacTwistMotion *A, const tacTwistMotion *B,
                                tacTwistImpactGrad *grad);
