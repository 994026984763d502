/* Rims of cylinders and cones above faces. N: outward normal of the face. */
#pragma once

#include "collide/feature.h"

/* Sine of the tilt below which a rim has no lowest point. Its points then start at the x axis, and no point of the rim
 * is lower than they are by more than this times r. On a plane the value is larger, so that a standing shape keeps its
 * points at the tilts that steps leave. */
#define TAC_RIM_FLAT       1e-10
#define TAC_RIM_FLAT_PLANE 1e-9
static inline double tac_rim_flat(const tacShape *face) {
    return face->type == TAC_GEOM_PLANE ? TAC_RIM_FLAT_PLANE : TAC_RIM_FLAT;
}

/* A lowest point runs along the rim by r/sine per radian. With forces at points that move 1e7 m/rad, a step has no
 * solution that can be found, and derivatives have no digits. So a rim lies flat when no part of it is further than
 * TAC_RIM_LEVEL (m) above or below its middle. It then touches with those of TAC_RIM_POINTS fixed points that are
 * nearest to the original ones. The lowest of them is at most (1 - cos(pi/960)) TAC_RIM_LEVEL, 1.1e-10 m, above the
 * rim's lowest point (docs/theory/collision.md, D8a). */
#define TAC_RIM_LEVEL  2e-5
#define TAC_RIM_POINTS 960
#define TAC_RIM_CELL   (6.28318530717958647693 / TAC_RIM_POINTS) /* rad: between two fixed points */

/* rad: 2 pi/3. A rim touches with its lowest point and with the two points at this angle to either side of it. */
#define TAC_RIM_SIDE_ANGLE 2.0943951023931954923

/* Unit vector from a rim's centre to its lowest point along N: -(N - (N . z) z)/|.| for the axis z of its shape, or the
 * shape's x axis where |N x z| < flat. */
tacVec3 tac_rim_lowest(const tacPose *pose, tacVec3 N, double flat);
/* Whether a CIRCLE denotes one of its fixed points. id[1] is 1 + its index, counted about z from the x axis. */
static inline int tac_rim_is_fixed(tacFeature circle) { return circle.id[1] > 0; }
/* The direction from which the angle of a touch on a rim is counted. */
tacVec3 tac_rim_start(const tacPose *pose, tacFeature circle, tacVec3 N, double flat);
/* 1 + index of the fixed point nearest to the point at an angle from the lowest. 0: the rim does not lie flat. */
int tac_rim_fixed_point(const tacShape *s, const tacPose *pose, tacVec3 N, double flat, double angle);
/* rad: how far a rim that lies flat may tilt and keep its fixed points. */
double tac_rim_tilt_room(const tacShape *s, const tacPose *pose, tacVec3 N, double flat);
