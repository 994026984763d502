/* Sphere against sphere and capsule: the point of the other core nearest to the centre. */
#include "collide/closed_form.h"
#include "collide/pairs.h"

int tac_touch_sphere_sphere(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                            tacPairCache *cache, tacTouch *out) {
    (void)cache;
    tacVec3 r = tac_sub3(B->p, A->p);
    double square = tac_dot3(r, r), limit = reach + a->size.x + b->size.x;
    if (!(limit > 0) || !(square < limit * limit)) return 0;
    double d = tac_sqrt(square);
    tacVec3 n = d > 0 ? tac_scale3(1 / d, r) : tac_pose_axis(A, 2); /* coincident centres: the z axis of the first */
    tac_put_between(out, A->p, n, d, a->size.x, b->size.x);
    for (int i = 0; i < 2; i++)
        tac_put_feature(&out[0].feature[i], TAC_FEATURE_POINT, 0, 0);
    out[0].margin = d; /* the normal reverses where the centres meet */
    return out[0].dist < reach;
}

/* r is the vector from the capsule's centre to the sphere's, z the capsule's axis and h its half-length. With t = z . r
 * the nearest point of the segment is at clamp(t, -h, h). The margin is the distance of the centre from the core, or
 * from the planes t = +-h, where end and segment meet. */
int tac_touch_sphere_capsule(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                             tacPairCache *cache, tacTouch *out) {
    (void)cache;
    tacVec3 z = tac_pose_axis(B, 2), r = tac_sub3(A->p, B->p);
    double h = b->size.y, t = tac_dot3(z, r);
    int end = t >= h ? 1 : t <= -h ? 0 : -1;
    /* The gap from the centre to the core has a part across the axis and a part along it, to the end. The rounding of
     * the first along the axis is removed: a long capsule would amplify it. */
    tacVec3 across = tac_sub3(tac_scale3(t, z), r);
    tacVec3 gap = tac_madd3(across, (tac_clamp(t, -h, h) - t) - tac_dot3(across, z), z);
    double square = tac_dot3(gap, gap), limit = reach + a->size.x + b->size.x;
    if (!(limit > 0) || !(square < limit * limit)) return 0;
    double d = tac_sqrt(square), size = h + b->size.x;
    /* A centre on the core: the normal is along the axis at an end, and along the capsule's x axis on the segment. */
    tacVec3 sideways = end < 0 ? tac_pose_axis(B, 0) : tac_scale3(end ? -1 : 1, z);
    tacVec3 n = d > TAC_COINCIDENT * size ? tac_scale3(1 / d, gap) : sideways;
    tac_put_between(out, A->p, n, d, a->size.x, b->size.x);
    tac_put_feature(&out[0].feature[0], TAC_FEATURE_POINT, 0, 0);
    tac_put_feature(&out[0].feature[1], end < 0 ? TAC_FEATURE_LINE : TAC_FEATURE_POINT, end < 0 ? 0 : end, end < 0);
    out[0].margin = h > 0 ? tac_min(d, tac_margin_at(tac_abs(tac_abs(t) - h), size, tac_norm3(r))) : d;
    return out[0].dist < reach;
}
