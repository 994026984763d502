/* Sphere against box: the point of the box nearest to the centre; for a centre inside, the nearest face. */
#include "collide/box_region.h"
#include "collide/pairs.h"

/* A centre at x inside the box: the face with the greatest e_k = |x_k| - half_k <= 0. Of equal ones, the first axis and
 * its + face. *d: e of that face. Returns its normal in the box's frame. A motion changes the difference of the
 * distances from two perpendicular faces by at most sqrt(2) metres per metre. */
static tacVec3 from_inside(tacVec3 half, tacVec3 x, double *d, tacFeature *face, double *margin) {
    double at[3] = {x.x, x.y, x.z}, e[3] = {tac_abs(x.x) - half.x, tac_abs(x.y) - half.y, tac_abs(x.z) - half.z};
    int k = 0;
    for (int i = 1; i < 3; i++)
        if (e[i] > e[k]) k = i;
    double next = tac_max(e[(k + 1) % 3], e[(k + 2) % 3]);
    int side = at[k] < 0 ? -1 : 1;
    *d = e[k];
    tac_box_put_face(face, k, side);
    *margin = tac_min(tac_abs(at[k]), TAC_SQRT_HALF * (e[k] - next));
    return tac_vec3(k == 0 ? side : 0, k == 1 ? side : 0, k == 2 ? side : 0);
}

int tac_touch_sphere_box(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                         tacPairCache *cache, tacTouch *out) {
    (void)cache;
    tacVec3 x = tac_pose_local(B, A->p), gap = tac_box_gap(b->size, x), outward;
    double square = tac_dot3(gap, gap), limit = reach + a->size.x, margin;
    if (square > 0 && !(limit > 0 && square < limit * limit)) return 0;
    double d = tac_sqrt(square), size = tac_norm3(b->size);
    if (d > TAC_COINCIDENT * size) {
        tacBoxRegion g = tac_box_region(b->size, x);
        outward = tac_scale3(1 / d, gap);
        tac_box_put_feature(&out[0].feature[1], &g);
        margin = tac_margin_at(tac_box_room(b->size, x, &g), size, tac_norm3(x));
    } else {
        outward = from_inside(b->size, x, &d, &out[0].feature[1], &margin);
    }
    tac_put_between(out, A->p, tac_neg3(tac_mulmv3(B->R, outward)), d, a->size.x, 0);
    tac_put_feature(&out[0].feature[0], TAC_FEATURE_POINT, 0, 0);
    out[0].margin = margin;
    return out[0].dist < reach;
}
