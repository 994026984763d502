/* Motions of geoms along q (+) t v: the pose of a geom at any time, and bounds of its speed until then. For the time of
 * impact (collide/impact.h). */
#pragma once

#include "collide/impact.h"
#include "dynamics/work.h"

/* A motion of the whole model over [0, h], from the state in `work`. */
typedef struct tacModelMotion {
    const tacModel *model;
    const tacWork *work; /* position stage at q */
    const double *q, *v; /* of the start; v stays as it is */
    double h;
    tacMotionBound *bound; /* nbody: of body frames in the world, by tac_motion_bounds */
} tacModelMotion;

/* Bounds of every body in the world. L is the distance of a point from the frame's origin. A joint turns at the rate w,
 * or slides by at most s at the rate u (docs/theory/collision.md):
 *   speed <- speed + spin L,            accel <- accel + (spin_rate + spin^2) L
 *   spin <- spin + w,                   spin_rate <- spin_rate + spin w
 *   speed <- speed + spin s + u,        accel <- accel + (spin_rate + spin^2) s + 2 spin u. */
void tac_motion_bounds(const tacModelMotion *motion);

/* One geom of it, relative to an ancestor body or to the world (0). Two geoms relative to the same body have the same
 * distance as in the world, and slower motions. */
typedef struct tacGeomMotion {
    const tacModelMotion *all;
    int geom, base;
} tacGeomMotion;
/* The motion points to g. Needs: tac_motion_bounds. */
tacMotion tac_geom_motion(const tacGeomMotion *g);
/* The last common ancestor of two bodies. */
int tac_common_body(const tacModel *m, int body1, int body2);
/* Pose of a body at a time. Needs: tac_motion_bounds. */
tacPose tac_body_pose(const tacModelMotion *motion, int body, double t);
