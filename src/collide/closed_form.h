/* Shared by the closed forms of pairs: touches from their features, and the order of a manifold. */
#pragma once

#include "collide/tolerance.h"
#include "collide/touch.h"

static inline tacFeature tac_feature(tacFeatureKind kind, int id0, int id1) {
    return (tacFeature){.kind = (short)kind, .id = {id0, id1}};
}
/* The same in place. It avoids a copy that would wait for its parts. */
static inline void tac_put_feature(tacFeature *f, tacFeatureKind kind, int id0, int id1) {
    f->kind = (short)kind;
    f->unused = 0;
    f->id[0] = id0;
    f->id[1] = id1;
}
static inline int tac_same_feature(tacFeature a, tacFeature b) {
    return a.kind == b.kind && a.id[0] == b.id[0] && a.id[1] == b.id[1];
}
/* Column k of a pose's rotation: a shape's axis in the world. */
static inline tacVec3 tac_pose_axis(const tacPose *pose, int k) {
    return tac_vec3(pose->R.m[k], pose->R.m[3 + k], pose->R.m[6 + k]);
}

/* Sets every field of a NEAREST touch except feature[2] and margin. Field by field, because clearing the whole struct
 * first costs more than finding the touch. */
static inline void tac_put_nearest(tacTouch *t, double dist, tacVec3 x0, tacVec3 x1, tacVec3 n) {
    t->dist = dist;
    t->point[0] = x0;
    t->point[1] = x1;
    t->normal = n;
    t->rule = TAC_RULE_NEAREST;
    t->angle = 0;
    tac_put_feature(&t->clip, TAC_FEATURE_POINT, 0, 0);
}
/* The same from a point of core 0, the unit normal, the signed distance of the cores along it, and the padding:
 *   dist = d - pad0 - pad1, point[0] = x0 + pad0 n, point[1] = point[0] + dist n */
static inline void tac_put_between(tacTouch *t, tacVec3 x0, tacVec3 n, double d, double pad0, double pad1) {
    tac_put_nearest(t, d - pad0 - pad1, tac_madd3(x0, pad0, n), tac_madd3(x0, d - pad1, n), n);
}
static inline tacTouch tac_touch_between(tacVec3 x0, tacVec3 n, double d, double pad0, double pad1) {
    tacTouch t = {.margin = 0};
    tac_put_between(&t, x0, n, d, pad0, pad1);
    return t;
}
/* A point x of shape 1 at height d above shape 0, a plane with normal n. No other feature can take over. */
static inline void tac_put_over_plane(tacTouch *t, tacVec3 x, tacVec3 n, double d, tacFeatureKind kind, int id) {
    tac_put_nearest(t, d, tac_madd3(x, -d, n), x, n);
    tac_put_feature(&t->feature[0], TAC_FEATURE_PLANE, 0, 0);
    tac_put_feature(&t->feature[1], kind, id, 0);
    t->margin = TAC_INFINITY;
}

/* The margin that corresponds to the room `length` of a feature, for a point at distance `away` from the centre of its
 * shape of radius `size`. A rotation of the shape moves that point more than the shape's own surface. */
static inline double tac_margin_at(double length, double size, double away) {
    return away > size ? length * (size / away) : length;
}

/* Moves the deepest touch to the front. The others keep their order, which is that of their features. */
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
