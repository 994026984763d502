/* Motions of geoms along q (+) t v: where a geom is at any time, and how fast it can be until then. For the time of
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

/* Bounds of every body in the world. With L the distance of a point from the frame's origin, and a joint that turns at
 * the rate w or slides by at most s at the rate u (docs/theory/collision.md),
 *   speed <- speed + spin L,            accel <- accel + (spin_rate + spin^2) L
 *   spin <- spin + w,                   spin_rate <- spin_rate + spin w
 *   speed <- speed + spin s + u,        accel <- accel + (spin_rate + spin^2) s + 2 spin u. */
void tac_motion_bounds(const tacModelMotion *motion);

/* One geom of it, seen from a body that it hangs from, or from the world (0). Two geoms seen from the same body have
 * the distance they have in the world, and slower motions. */
typedef struct tacGeomMotion {
    const tacModelMotion *all;
    int geom, base;
} tacGeomMotion;
/* The motion points to g. Needs: tac_motion_bounds. */
tacMotion tac_geom_motion(const tacGeomMotion *g);
/* The last body that both hang from. */
int tac_common_body(const tacModel *m, int body1, int body2);
/* Where a body is at a time. Needs: tac_motion_bounds. */
tacPose tac_body_pose(const tacModelMotion *motion, int body, double t);
