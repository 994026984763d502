/* Plane against sphere and capsule: the centre, or each end of the segment, under the plane's normal. */
#include "collide/closed_form.h"
#include "collide/pairs.h"

#include <math.h>

/* POINT `id` of shape b, padded, at the world point c: d = n . (c - p). No feature can take over: the margin is
 * infinite. */
static tacTouch point_touch(const tacPose *A, tacVec3 c, double radius, int id) {
    tacVec3 n = tac_pose_axis(A, 2);
    double d = tac_dot3(n, tac_sub3(c, A->p));
    tacTouch t = tac_touch_between(tac_madd3(c, -d, n), n, d, 0, radius);
    t.feature[0] = tac_feature(TAC_FEATURE_PLANE, 0, 0);
    t.feature[1] = tac_feature(TAC_FEATURE_POINT, id, 0);
    t.margin = HUGE_VAL;
    return t;
}

int tac_touch_plane_sphere(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                           tacPairCache *cache, tacTouch *out) {
    (void)a, (void)cache;
    out[0] = point_touch(A, B->p, b->size.x, 0);
    return out[0].dist < reach;
}

int tac_touch_plane_capsule(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                            tacPairCache *cache, tacTouch *out) {
    (void)a, (void)cache;
    tacVec3 axis = tac_pose_axis(B, 2);
    int n = 0;
    for (int end = 0; end < 2; end++) {
        out[n] = point_touch(A, tac_madd3(B->p, end ? b->size.y : -b->size.y, axis), b->size.x, end);
        n += out[n].dist < reach;
    }
    return tac_deepest_first(n, out);
}
