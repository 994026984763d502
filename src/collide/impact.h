/* Time of impact: the first time at which the distance of two moving shapes falls to a gap (docs/theory/collision.md,
 * I1 to I5).
 *
 * The method is conservative advancement. At time s the shapes are separated along a fixed direction n by D(s) = min
 * over B of n.x - max over A of n.x. Their distance is at least D(s), for any n. For each pair of points, one of each
 * shape, C bounds the second derivative of n.(x_B - x_A). Let D exceed the gap by d at time t and by e at t + T. Then
 *   D(s) - gap >= (1 - k) d + k e - C T^2 k (1 - k)/2,   s = t + k T.
 * The right side is nowhere negative if and only if sqrt(d) + sqrt(e) >= T sqrt(C/2). A step is safe as long as this
 * holds, with the normal at the step's beginning as n. So no impact is missed. Shapes that pass each other at a
 * distance e take of the order of log(1/e) steps. Towards an impact the steps converge quadratically, from before
 * it. */
#pragma once

#include "collide/tolerance.h"
#include "collide/touch.h"
#include "math/spatial.h"

/* Bounds of a frame's motion, over all of its duration. */
typedef struct tacMotionBound {
    double spin, spin_rate; /* |w|, |dw/dt| */
    double speed, accel;    /* |v|, |dv/dt| of the origin */
} tacMotionBound;

/* A rigid motion of a shape's frame over t in [0, h]. */
typedef struct tacMotion {
    /* t -> the pose of the frame, and its velocity at its own origin in world axes (NULL: not asked for) */
    void (*at)(const void *data, double t, tacPose *pose, tacVec6 *velocity);
    const void *data;
    tacMotionBound bound;
} tacMotion;

/* p(t) = p + t v, R(t) = exp(t w) R: velocity (w, v) in world axes. */
typedef struct tacTwistMotion {
    tacPose start;
    tacVec6 velocity;
} tacTwistMotion;
/* The motion keeps a pointer to m. */
tacMotion tac_twist_motion(const tacTwistMotion *m);

/* The shapes have reached the gap when they are this close to it, relative to their sizes and to their distances from
 * the world's origin. */
#define TAC_IMPACT_TOUCH TAC_DISTANCE_ROUNDING
/* The shapes graze when their witness points approach at less than this fraction of their speed. A motion that comes
 * just to the gap and turns back is detected within TAC_IMPACT_TOUCH of the gap, at about the square root of twice that
 * before it turns. */
#define TAC_IMPACT_GRAZE 1e-6
/* Maximum steps of one search. Shapes that pass each other take tens of steps. */
#define TAC_IMPACT_STEPS 2000

/* Result of a search. */
typedef struct tacShapeImpact {
    tacImpactKind kind;
    double time; /* HIT: of the impact. NEAR: 0. NONE: h. UNDECIDED: there is no impact before it. */
    double rate; /* HIT, NEAR: d(dist)/dt; negative: approaching */
    int steps;
    tacTouch touch;  /* at `time` */
    tacPose pose[2]; /* at `time` */
} tacShapeImpact;

/* First time in [0, h] at which the distance is at most `gap`. Two planes never hit. Returns TAC_ERR_SHAPE and
 * TAC_ERR_NONFINITE as tac_distance_pair does. Bounds and poses must be finite. */
tacStatus tac_impact(const tacShape *a, const tacMotion *A, const tacShape *b, const tacMotion *B, double h, double gap,
                     tacShapeImpact *out);

/* Gradient of the impact time with respect to the initial poses of two twist motions (rotation vector in world axes
 * about the frame's origin, translation) and to their velocities. The witness points x_i are fixed to their shapes and
 * r_i = x_i - p_i(t). The distance then changes as n . (dx_1 - dx_0), so (I4)
 *   dt = -(n . (dx_1 - dx_0))/rate,   dx = dp + t dv + (t Jl(t w) dw + exp(t w) dtheta) x r.
 * Needs a HIT whose rate is negative. Returns TAC_ERR_DEGENERATE otherwise. */
typedef struct tacTwistImpactGrad {
    tacVec6 start[2], velocity[2];
} tacTwistImpactGrad;
tacStatus tac_impact_twist_grad(const tacShapeImpact *hit, const tacTwistMotion *A, const tacTwistMotion *B,
                                tacTwistImpactGrad *grad);
