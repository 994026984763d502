/* Rims above faces. N: outward normal of the face. */
#pragma once

#include "collide/feature.h"

/* Sine of the tilt below which a rim has no lowest point: what lies lower than its points from the x axis on does so by
 * less than this times r. On a plane what stands is to stay as it is at the tilts that steps leave it with. */
#define TAC_RIM_FLAT       1e-10
#define TAC_RIM_FLAT_PLANE 1e-9
static inline double tac_rim_flat(const tacShape *face) {
    return face->type == TAC_PLANE ? TAC_RIM_FLAT_PLANE : TAC_RIM_FLAT;
}

/* A lowest point runs along the rim by r/sine per radian, and forces at points that move 1e7 m/rad leave a step no
 * solution that could be found, and derivatives no digits. So a rim of which nothing is further than TAC_RIM_LEVEL (m)
 * above or below its middle lies flat: its touches are those of TAC_RIM_POINTS points fixed to it that are nearest to
 * where they would be. The lowest of them is no more than (1 - cos(pi/960)) TAC_RIM_LEVEL, 1.1e-10 m, above the rim's
 * lowest point   (docs/theory/collision.md, D8a). */
#define TAC_RIM_LEVEL  2e-5
#define TAC_RIM_POINTS 960
#define TAC_RIM_CELL   (6.28318530717958647693 / TAC_RIM_POINTS) /* rad: between two of them */

/* Unit vector from a rim's centre to its point lowest along N: -(N - (N . z) z)/|.| for the axis z of its shape, or the
 * shape's x axis where |N x z| < flat. */
tacVec3 tac_rim_lowest(const tacPose *pose, tacVec3 N, double flat);
/* Whether a CIRCLE means one of its fixed points: id[1] is 1 + which, counted about z from the x axis. */
static inline int tac_rim_is_fixed(tacFeature circle) { return circle.id[1] > 0; }
/* Where the angle of a touch on a rim is counted from. */
tacVec3 tac_rim_start(const tacPose *pose, tacFeature circle, tacVec3 N, double flat);
/* The fixed point nearest to the one at an angle from the lowest: 1 + which; 0: the rim does not lie flat. */
int tac_rim_fixed_point(const tacShape *s, const tacPose *pose, tacVec3 N, double flat, double angle);
/* rad: how far a rim that lies flat may tilt and have the same fixed points. */
double tac_rim_tilt_room(const tacShape *s, const tacPose *pose, tacVec3 N, double flat);
