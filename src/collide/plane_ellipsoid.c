/* Plane against ellipsoid: its lowest point. With m = R' n and E = diag(radii), the support of the ellipsoid along -n
 * is  x = p - R E (E m)/|E m|. */
#include "collide/closed_form.h"
#include "collide/pairs.h"

int tac_touch_plane_ellipsoid(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                              tacPairCache *cache, tacTouch *out) {
    (void)a;
    (void)cache;
    tacVec3 n = tac_pose_axis(A, 2), Em = tac_mul3(b->size, tac_mulmtv3(B->R, n));
    double length = tac_norm3(Em); /* half the ellipsoid's width along n; 0: it is flat and lies in the plane */
    double d = tac_dot3(n, tac_sub3(B->p, A->p)) - length;
    if (!(d < reach)) return 0;
    tacVec3 x = length > 0 ? tac_mulmv3(B->R, tac_scale3(-1 / length, tac_mul3(b->size, Em))) : tac_zero3();
    tac_put_over_plane(out, tac_add3(B->p, x), n, d, TAC_FEATURE_ELLIPSOID, 0);
    return 1;
}
