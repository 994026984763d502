/* Motions of geoms along q (+) t v: where a geom is at any time, and how fast it can be until then. For the time of
 * impact (collide/impact.h). */
#pragma once

#include "collide/impact.h"
#include "dynamics/work.h"

/* A motion of the whole model from the state in `work`. */
typedef struct tacModelMotion {
    const tacModel *model;
    const tacWork *work;   /* position stage at q */
    const double *q, *v;   /* of the start; v stays as it is */
    tacMotionBound *bound; /* nbody: of body frames */
} tacModelMotion;

/* (q, v) over [0, h] -> bounds of every body. With L the distance of a point from the frame's origin, and a joint that
 * turns at the rate w or slides by at most s at the rate u (collision.md),
 *   speed <- speed + spin L,            accel <- accel + (spin_rate + spin^2) L
 *   spin <- spin + w,                   spin_rate <- spin_rate + spin w
 *   speed <- speed + spin s + u,        accel <- accel + (spin_rate + spin^2) s + 2 spin u. */
void tac_motion_bounds(const tacModelMotion *motion, double h);

/* One geom of it. */
typedef struct tacGeomMotion {
    const tacModelMotion *all;
    int geom;
} tacGeomMotion;
/* The motion points to g. Needs: tac_motion_bounds. */
tacMotion tac_geom_motion(const tacGeomMotion *g);
