/* Voronoi regions of a box: the parts of space nearest to each face, edge and corner. On each axis a coordinate is
 * beyond one of the two faces or between them. */
#pragma once

#include "collide/closed_form.h"

typedef struct tacBoxRegion {
    int side[3]; /* -1, 1: beyond that face of the axis; 0: between them */
    int beyond;  /* number of axes beyond: 0 inside, 1 face, 2 edge, 3 corner */
} tacBoxRegion;

static inline tacBoxRegion tac_box_region(tacVec3 half, tacVec3 x) {
    tacBoxRegion g = {
        {(x.x > half.x) - (x.x < -half.x), (x.y > half.y) - (x.y < -half.y), (x.z > half.z) - (x.z < -half.z)}, 0};
    g.beyond = (g.side[0] != 0) + (g.side[1] != 0) + (g.side[2] != 0);
    return g;
}

/* The face on `side` of an axis. Corner indices have bit k set for + on axis k. */
static inline void tac_box_put_face(tacFeature *f, int axis, int side) {
    tac_put_feature(f, TAC_FEATURE_PLANE, 2 * axis + (side > 0), 0);
}
static inline int tac_box_corner(const int side[3]) { return (side[0] > 0) | (side[1] > 0) << 1 | (side[2] > 0) << 2; }
/* Edge along `axis` between the faces of the other two sides. */
static inline void tac_box_put_edge(tacFeature *f, int axis, const int side[3]) {
    int low = tac_box_corner(side) & ~(1 << axis);
    tac_put_feature(f, TAC_FEATURE_LINE, low, low | 1 << axis);
}
/* The axis of a face's region that is beyond, or of an edge's region that is not. */
static inline int tac_box_axis(const tacBoxRegion *g) {
    int beyond = g->beyond == 1;
    return (g->side[0] != 0) == beyond ? 0 : (g->side[1] != 0) == beyond ? 1 : 2;
}
/* The feature of a region that is beyond at least one face. */
static inline void tac_box_put_feature(tacFeature *f, const tacBoxRegion *g) {
    int axis = tac_box_axis(g);
    if (g->beyond == 1)
        tac_box_put_face(f, axis, g->side[axis]);
    else if (g->beyond == 2)
        tac_box_put_edge(f, axis, g->side);
    else
        tac_put_feature(f, TAC_FEATURE_POINT, tac_box_corner(g->side), 0);
}

/* The gap from the nearest point of the box to x: x - clamp(x). */
static inline tacVec3 tac_box_gap(tacVec3 half, tacVec3 x) {
    return tac_vec3(x.x - tac_clamp(x.x, -half.x, half.x), x.y - tac_clamp(x.y, -half.y, half.y),
                    x.z - tac_clamp(x.z, -half.z, half.z));
}
/* Distance that x, outside the box, may move before its region changes: the least of |e| = ||x| - half| over the axes,
 * without a face's own axis. */
static inline double tac_box_room(tacVec3 half, tacVec3 x, const tacBoxRegion *g) {
    double e[3] = {tac_abs(x.x) - half.x, tac_abs(x.y) - half.y, tac_abs(x.z) - half.z}, least = TAC_INFINITY;
    for (int i = 0; i < 3; i++)
        if (!(g->beyond == 1 && g->side[i])) least = tac_min(least, tac_abs(e[i]));
    return least;
}
