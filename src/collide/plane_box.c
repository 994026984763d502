/* Plane against box: every corner nearer than `reach`. Each is a touch by itself (POINT under PLANE), whichever is the
 * deepest, so that none has a feature to switch to. */
#include "collide/closed_form.h"
#include "collide/pairs.h"

#include <math.h>

int tac_touch_plane_box(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                        tacPairCache *cache, tacTouch *out) {
    (void)a, (void)cache;
    tacVec3 n = tac_pose_axis(A, 2), m = tac_mul3(b->size, tac_mulmtv3(B->R, n));
    double centre = tac_dot3(n, tac_sub3(B->p, A->p));
    if (!(centre - (tac_abs(m.x) + tac_abs(m.y) + tac_abs(m.z)) < reach)) return 0;
    int count = 0;
    for (int i = 0; i < 8; i++) {
        double sx = i & 1 ? 1 : -1, sy = i & 2 ? 1 : -1, sz = i & 4 ? 1 : -1;
        double d = centre + (sx * m.x + sy * m.y + sz * m.z);
        if (!(d < reach)) continue;
        tacVec3 corner = tac_vec3(sx * b->size.x, sy * b->size.y, sz * b->size.z), x = tac_pose_point(B, corner);
        out[count] = (tacTouch){.dist = d, .normal = n, .rule = TAC_RULE_NEAREST, .margin = HUGE_VAL};
        out[count].point[0] = tac_madd3(x, -d, n), out[count].point[1] = x;
        out[count].feature[0] = tac_feature(TAC_FEATURE_PLANE, 0, 0);
        out[count].feature[1] = tac_feature(TAC_FEATURE_POINT, i, 0);
        count++;
    }
    return tac_deepest_first(count, out);
}
