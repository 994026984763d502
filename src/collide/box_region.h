/* The parts of space that a box's faces, edges and corners are nearest to: a coordinate beyond a face or not, on each
 * axis. */
#pragma once

#include "collide/closed_form.h"

#include <math.h>

typedef struct tacBoxRegion {
    int side[3]; /* -1, 1: beyond that face of the axis; 0: between them */
    int beyond;  /* axes that are beyond: 0 inside, 1 face, 2 edge, 3 corner */
} tacBoxRegion;

static inline tacBoxRegion tac_box_region(tacVec3 half, tacVec3 x) {
    tacBoxRegion g = {
        {(x.x > half.x) - (x.x < -half.x), (x.y > half.y) - (x.y < -half.y), (x.z > half.z) - (x.z < -half.z)}, 0};
    g.beyond = (g.side[0] != 0) + (g.side[1] != 0) + (g.side[2] != 0);
    return g;
}

/* Face on the axis, to that side; the edge or corner of a region (corners: bit k set for + on axis k). */
static inline tacFeature tac_box_face(int axis, int side) {
    return tac_feature(TAC_FEATURE_PLANE, 2 * axis + (side > 0), 0);
}
static inline int tac_box_corner(const int side[3]) { return (side[0] > 0) | (side[1] > 0) << 1 | (side[2] > 0) << 2; }
/* Edge along `axis` between the faces of the other two sides. */
static inline tacFeature tac_box_edge(int axis, const int side[3]) {
    int low = tac_box_corner(side) & ~(1 << axis);
    return tac_feature(TAC_FEATURE_LINE, low, low | 1 << axis);
}
/* Of a region that is beyond at least one face. */
static inline tacFeature tac_box_feature(const tacBoxRegion *g) {
    if (g->beyond == 1) {
        int k = g->side[0] ? 0 : g->side[1] ? 1 : 2;
        return tac_box_face(k, g->side[k]);
    }
    if (g->beyond == 3) return tac_feature(TAC_FEATURE_POINT, tac_box_corner(g->side), 0);
    return tac_box_edge(!g->side[0] ? 0 : !g->side[1] ? 1 : 2, g->side);
}

/* From the nearest point of the box to x: x - clamp(x). */
static inline tacVec3 tac_box_gap(tacVec3 half, tacVec3 x) {
    return tac_vec3(x.x - tac_clamp(x.x, -half.x, half.x), x.y - tac_clamp(x.y, -half.y, half.y),
                    x.z - tac_clamp(x.z, -half.z, half.z));
}
/* How far x may move before its region, outside the box, becomes that of another feature: e = |x| - half, axis by axis;
 * a face's own axis does not count. */
static inline double tac_box_room(tacVec3 half, tacVec3 x, const tacBoxRegion *g) {
    double e[3] = {tac_abs(x.x) - half.x, tac_abs(x.y) - half.y, tac_abs(x.z) - half.z}, least = HUGE_VAL;
    for (int i = 0; i < 3; i++)
        if (!(g->beyond == 1 && g->side[i])) least = tac_min(least, tac_abs(e[i]));
    return least;
}
