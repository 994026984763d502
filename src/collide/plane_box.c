/* Plane against box: every corner nearer than `reach`. Each corner is a touch of its own (POINT under PLANE), whether
 * it is the deepest or not. So no touch has a feature to switch to. */
#include "collide/closed_form.h"
#include "collide/pairs.h"

/* Corner i of the box at height d. */
static void put_corner(tacTouch *t, const tacShape *b, const tacPose *B, tacVec3 n, int i, double d) {
    double x = i & 1 ? b->size.x : -b->size.x, y = i & 2 ? b->size.y : -b->size.y, z = i & 4 ? b->size.z : -b->size.z;
    tac_put_over_plane(t, tac_pose_point(B, tac_vec3(x, y, z)), n, d, TAC_FEATURE_POINT, i);
}

int tac_touch_plane_box(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                        tacPairCache *cache, tacTouch *out) {
    (void)a;
    (void)cache;
    tacVec3 n = tac_pose_axis(A, 2), m = tac_mul3(b->size, tac_mulmtv3(B->R, n));
    double d[8], centre = tac_dot3(n, tac_sub3(B->p, A->p));
    if (!(centre - (tac_abs(m.x) + tac_abs(m.y) + tac_abs(m.z)) < reach)) return 0;
    int deepest = 0, count = 0;
    for (int i = 0; i < 8; i++) {
        d[i] = centre + ((i & 1 ? m.x : -m.x) + (i & 2 ? m.y : -m.y) + (i & 4 ? m.z : -m.z));
        if (d[i] < d[deepest]) deepest = i;
    }
    if (d[deepest] < reach) put_corner(&out[count++], b, B, n, deepest, d[deepest]);
    for (int i = 0; i < 8; i++)
        if (i != deepest && d[i] < reach) put_corner(&out[count++], b, B, n, i, d[i]);
    return count;
}
