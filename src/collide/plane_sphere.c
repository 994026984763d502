/* Plane against sphere and capsule: the centre, or each end of the segment, along the plane's normal. */
#include "collide/closed_form.h"
#include "collide/pairs.h"

int tac_touch_plane_sphere(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                           tacPairCache *cache, tacTouch *out) {
    (void)a;
    (void)cache;
    tacVec3 n = tac_pose_axis(A, 2);
    double dist = tac_dot3(n, tac_sub3(B->p, A->p)) - b->size.x;
    if (!(dist < reach)) return 0;
    tac_put_over_plane(out, tac_madd3(B->p, -b->size.x, n), n, dist, TAC_FEATURE_POINT, 0);
    return 1;
}

/* Heights of the ends: n . (p - p_A) -+ h n . z - r */
int tac_touch_plane_capsule(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                            tacPairCache *cache, tacTouch *out) {
    (void)a;
    (void)cache;
    tacVec3 n = tac_pose_axis(A, 2), z = tac_pose_axis(B, 2), low = tac_madd3(B->p, -b->size.x, n);
    double middle = tac_dot3(n, tac_sub3(B->p, A->p)) - b->size.x, rise = b->size.y * tac_dot3(n, z);
    int count = 0, first = rise < 0; /* the lower end first */
    for (int k = 0; k < 2; k++) {
        int end = k ? !first : first;
        double dist = end ? middle + rise : middle - rise;
        if (!(dist < reach)) break;
        tac_put_over_plane(&out[count++], tac_madd3(low, end ? b->size.y : -b->size.y, z), n, dist, TAC_FEATURE_POINT,
                           end);
    }
    return count;
}
