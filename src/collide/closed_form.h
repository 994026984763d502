/* What the closed forms of pairs share: touches from their features, rims, and the order of a manifold. */
#pragma once

#include "collide/touch.h"

/* Cores nearer than this times the shapes' size have no direction of their own (their difference is rounding): the
 * normal then comes from the features. The distance changes by no more than this. */
#define TAC_COINCIDENT 1e-12
/* Sine of the tilt below which a rim lies flat on a plane and has no lowest point. All its points are then equally low
 * to this times the radius, and the point on the shape's x axis is taken. */
#define TAC_FLAT_RIM 1e-12

static inline tacFeature tac_feature(tacFeatureKind kind, int id0, int id1) {
    return (tacFeature){.kind = (short)kind, .id = {id0, id1}};
}
static inline int tac_same_feature(tacFeature a, tacFeature b) {
    return a.kind == b.kind && a.id[0] == b.id[0] && a.id[1] == b.id[1];
}
/* Column k of a pose's rotation: a shape's axis in the world. */
static inline tacVec3 tac_pose_axis(const tacPose *pose, int k) {
    return tac_vec3(pose->R.m[k], pose->R.m[3 + k], pose->R.m[6 + k]);
}
static inline tacVec3 tac_lerp3(double s, tacVec3 a, tacVec3 b) { return tac_madd3(a, s, tac_sub3(b, a)); }

/* Rule NEAREST from a point of core 0, the unit normal, the (signed) distance of the cores along it, and the balls:
 *   dist = d - pad0 - pad1, point[0] = x0 + pad0 n, point[1] = point[0] + dist n */
static inline tacTouch tac_touch_between(tacVec3 x0, tacVec3 n, double d, double pad0, double pad1) {
    tacTouch t = {.dist = d - pad0 - pad1, .normal = n, .rule = TAC_RULE_NEAREST};
    t.point[0] = tac_madd3(x0, pad0, n);
    t.point[1] = tac_madd3(x0, d - pad1, n);
    return t;
}

/* Unit vector across the shape's z axis that runs against n most; its x axis where n is along z (TAC_FLAT_RIM). *sine:
 * of the angle between n and z. */
static inline tacVec3 tac_rim_lowest(const tacPose *pose, tacVec3 n, double *sine) {
    double x = tac_dot3(n, tac_pose_axis(pose, 0)), y = tac_dot3(n, tac_pose_axis(pose, 1));
    *sine = tac_sqrt(x * x + y * y);
    if (*sine <= TAC_FLAT_RIM) return tac_pose_axis(pose, 0);
    return tac_mulmv3(pose->R, tac_vec3(-x / *sine, -y / *sine, 0));
}

/* The deepest touch to the front; the others keep their order, which is that of their features. */
static inline int tac_deepest_first(int n, tacTouch *t) {
    int deepest = 0;
    for (int i = 1; i < n; i++)
        if (t[i].dist < t[deepest].dist) deepest = i;
    if (deepest == 0) return n;
    tacTouch first = t[deepest];
    for (int i = deepest; i > 0; i--)
        t[i] = t[i - 1];
    t[0] = first;
    return n;
}
