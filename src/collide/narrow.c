/* Narrow phase: the table of pairs. */
#include "collide/convex.h"
#include "collide/pairs.h"

/* Rows and columns by tacGeomType, row <= column; 0: the two never touch. */
static const tacTouchFunction TABLE[TAC_GEOM_TYPES][TAC_GEOM_TYPES] = {
    [TAC_PLANE] =
        {
            [TAC_SPHERE] = tac_touch_plane_sphere,
            [TAC_CAPSULE] = tac_touch_plane_capsule,
            [TAC_ELLIPSOID] = tac_touch_plane_ellipsoid,
            [TAC_CYLINDER] = tac_touch_plane_cylinder,
            [TAC_BOX] = tac_touch_plane_box,
            [TAC_MESH] = tac_touch_plane_mesh,
            [TAC_CONE] = tac_touch_plane_cone,
        },
    [TAC_SPHERE] =
        {
            [TAC_SPHERE] = tac_touch_sphere_sphere,
            [TAC_CAPSULE] = tac_touch_sphere_capsule,
            [TAC_ELLIPSOID] = tac_touch_sphere_ellipsoid,
            [TAC_CYLINDER] = tac_touch_sphere_cylinder,
            [TAC_BOX] = tac_touch_sphere_box,
            [TAC_MESH] = tac_touch_convex_convex,
            [TAC_CONE] = tac_touch_convex_convex,
        },
    [TAC_CAPSULE] =
        {
            [TAC_CAPSULE] = tac_touch_capsule_capsule,
            [TAC_ELLIPSOID] = tac_touch_convex_convex,
            [TAC_CYLINDER] = tac_touch_convex_convex,
            [TAC_BOX] = tac_touch_capsule_box,
            [TAC_MESH] = tac_touch_convex_convex,
            [TAC_CONE] = tac_touch_convex_convex,
        },
    [TAC_ELLIPSOID] =
        {
            [TAC_ELLIPSOID] = tac_touch_convex_convex,
            [TAC_CYLINDER] = tac_touch_convex_convex,
            [TAC_BOX] = tac_touch_convex_convex,
            [TAC_MESH] = tac_touch_convex_convex,
            [TAC_CONE] = tac_touch_convex_convex,
        },
    [TAC_CYLINDER] =
        {
            [TAC_CYLINDER] = tac_touch_convex_convex,
            [TAC_BOX] = tac_touch_convex_convex,
            [TAC_MESH] = tac_touch_convex_convex,
            [TAC_CONE] = tac_touch_convex_convex,
        },
    [TAC_BOX] =
        {
            [TAC_BOX] = tac_touch_box_box,
            [TAC_MESH] = tac_touch_convex_convex,
            [TAC_CONE] = tac_touch_convex_convex,
        },
    [TAC_MESH] =
        {
            [TAC_MESH] = tac_touch_convex_convex,
            [TAC_CONE] = tac_touch_convex_convex,
        },
    [TAC_CONE] = {[TAC_CONE] = tac_touch_convex_convex},
};

/* The same touch with the shapes' roles exchanged. */
static tacTouch swapped(tacTouch t) {
    tacTouch s = t;
    s.normal = tac_neg3(t.normal);
    s.point[0] = t.point[1], s.point[1] = t.point[0];
    s.feature[0] = t.feature[1], s.feature[1] = t.feature[0];
    return s;
}

static tacTouchFunction function_of(const tacShape *a, const tacShape *b) {
    return a->type > b->type ? TABLE[b->type][a->type] : TABLE[a->type][b->type];
}

/* By a function of the table, which wants the shapes in order. */
static int call(tacTouchFunction find, const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B,
                double reach, tacPairCache *cache, tacTouch *out) {
    if (find == 0) return 0;
    if (a->type <= b->type) return find(a, A, b, B, reach, cache, out);
    int n = find(b, B, a, A, reach, cache, out);
    for (int i = 0; i < n; i++)
        out[i] = swapped(out[i]);
    return n;
}

int tac_touches(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                tacPairCache *cache, tacTouch *out) {
    return call(function_of(a, b), a, A, b, B, reach, cache, out);
}

/* The same without the further points of a manifold, where those take time of their own. */
static tacTouchFunction without_manifold(tacTouchFunction find) {
    if (find == tac_touch_convex_convex) return tac_convex_nearest;
    return find == tac_touch_box_box ? tac_nearest_box_box : find;
}

tacStatus tac_distance_pair(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B,
                            tacPairCache *cache, tacTouch *out) {
    tacTouch all[TAC_MAX_TOUCH];
    int n = call(without_manifold(function_of(a, b)), a, A, b, B, TAC_INFINITY, cache, all);
    if (n == 0) return TAC_ERR_SHAPE;
    if (!tac_finite(all[0].dist)) return TAC_ERR_NONFINITE;
    *out = all[0];
    for (int i = 1; i < n; i++) /* until another point is the nearest: two distances part by two metres a metre */
        out->margin = tac_min(out->margin, 0.5 * (all[i].dist - all[0].dist));
    return TAC_OK;
}
