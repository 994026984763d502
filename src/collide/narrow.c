/* Narrow phase: the table of pairs. */
#include "collide/convex.h"
#include "collide/pairs.h"

/* Rows and columns by tacGeomType, row <= column. NULL: the two never touch. */
static const tacTouchFunction TABLE[TAC_GEOM_TYPES][TAC_GEOM_TYPES] = {
    [TAC_GEOM_PLANE] =
        {
            [TAC_GEOM_SPHERE] = tac_touch_plane_sphere,
            [TAC_GEOM_CAPSULE] = tac_touch_plane_capsule,
            [TAC_GEOM_ELLIPSOID] = tac_touch_plane_ellipsoid,
            [TAC_GEOM_CYLINDER] = tac_touch_plane_cylinder,
            [TAC_GEOM_BOX] = tac_touch_plane_box,
            [TAC_GEOM_MESH] = tac_touch_plane_mesh,
            [TAC_GEOM_CONE] = tac_touch_plane_cone,
        },
    [TAC_GEOM_SPHERE] =
        {
            [TAC_GEOM_SPHERE] = tac_touch_sphere_sphere,
            [TAC_GEOM_CAPSULE] = tac_touch_sphere_capsule,
            [TAC_GEOM_ELLIPSOID] = tac_touch_sphere_ellipsoid,
            [TAC_GEOM_CYLINDER] = tac_touch_sphere_cylinder,
            [TAC_GEOM_BOX] = tac_touch_sphere_box,
            [TAC_GEOM_MESH] = tac_touch_convex_convex,
            [TAC_GEOM_CONE] = tac_touch_convex_convex,
        },
    [TAC_GEOM_CAPSULE] =
        {
            [TAC_GEOM_CAPSULE] = tac_touch_capsule_capsule,
            [TAC_GEOM_ELLIPSOID] = tac_touch_convex_convex,
            [TAC_GEOM_CYLINDER] = tac_touch_convex_convex,
            [TAC_GEOM_BOX] = tac_touch_capsule_box,
            [TAC_GEOM_MESH] = tac_touch_convex_convex,
            [TAC_GEOM_CONE] = tac_touch_convex_convex,
        },
    [TAC_GEOM_ELLIPSOID] =
        {
            [TAC_GEOM_ELLIPSOID] = tac_touch_convex_convex,
            [TAC_GEOM_CYLINDER] = tac_touch_convex_convex,
            [TAC_GEOM_BOX] = tac_touch_convex_convex,
            [TAC_GEOM_MESH] = tac_touch_convex_convex,
            [TAC_GEOM_CONE] = tac_touch_convex_convex,
        },
    [TAC_GEOM_CYLINDER] =
        {
            [TAC_GEOM_CYLINDER] = tac_touch_convex_convex,
            [TAC_GEOM_BOX] = tac_touch_convex_convex,
            [TAC_GEOM_MESH] = tac_touch_convex_convex,
            [TAC_GEOM_CONE] = tac_touch_convex_convex,
        },
    [TAC_GEOM_BOX] =
        {
            [TAC_GEOM_BOX] = tac_touch_box_box,
            [TAC_GEOM_MESH] = tac_touch_convex_convex,
            [TAC_GEOM_CONE] = tac_touch_convex_convex,
        },
    [TAC_GEOM_MESH] =
        {
            [TAC_GEOM_MESH] = tac_touch_convex_convex,
            [TAC_GEOM_CONE] = tac_touch_convex_convex,
        },
    [TAC_GEOM_CONE] = {[TAC_GEOM_CONE] = tac_touch_convex_convex},
};

static tacTouchFunction function_of(const tacShape *a, const tacShape *b) {
    return a->type > b->type ? TABLE[b->type][a->type] : TABLE[a->type][b->type];
}

/* Calls a function of the table, which needs the shapes in the order of their types. */
static int call_in_order(tacTouchFunction find, const tacShape *a, const tacPose *A, const tacShape *b,
                         const tacPose *B, double reach, tacPairCache *cache, tacTouch *out) {
    if (find == 0) return 0;
    if (a->type <= b->type) return find(a, A, b, B, reach, cache, out);
    int n = find(b, B, a, A, reach, cache, out);
    for (int i = 0; i < n; i++)
        out[i] = tac_touch_swapped(&out[i]);
    return n;
}

int tac_touches(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                tacPairCache *cache, tacTouch *out) {
    return call_in_order(function_of(a, b), a, A, b, B, reach, cache, out);
}

/* The same without the further points of a manifold, where these take extra time. */
static tacTouchFunction without_manifold(tacTouchFunction find) {
    if (find == tac_touch_convex_convex) return tac_convex_nearest;
    return find == tac_touch_box_box ? tac_nearest_box_box : find;
}

tacStatus tac_distance_pair(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B,
                            tacPairCache *cache, tacTouch *out) {
    tacTouch all[TAC_MAX_TOUCH];
    int n = call_in_order(without_manifold(function_of(a, b)), a, A, b, B, TAC_INFINITY, cache, all);
    if (n == 0) return TAC_ERR_SHAPE;
    if (!tac_finite(all[0].dist)) return TAC_ERR_NONFINITE;
    *out = all[0];
    for (int i = 1; i < n;
         i++) /* until another point is the nearest; two distances approach by at most two metres per metre */
        out->margin = tac_min(out->margin, 0.5 * (all[i].dist - all[0].dist));
    return TAC_OK;
}
