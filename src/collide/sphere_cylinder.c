/* Sphere against cylinder. rho is the centre's distance from the axis and z its height: e_r = rho - r, e_z = |z| - h.
 * If both are positive, a rim is nearest. Otherwise the greater one selects flat end or side, outside and inside. */
#include "collide/closed_form.h"
#include "collide/pairs.h"

/* The nearest feature of the cylinder: its outward normal (cylinder's frame), distance of the cores, radius of the
 * padding. */
typedef struct cylinderNear {
    tacFeatureKind kind;
    int id;
    tacVec3 outward;
    double d, pad, margin;
} cylinderNear;

static cylinderNear near_rim(tacVec3 radial, double er, double ez, int end) {
    double d = tac_sqrt(er * er + ez * ez), z = end ? ez : -ez;
    return (cylinderNear){TAC_FEATURE_CIRCLE, end, tac_scale3(1 / d, tac_vec3(er * radial.x, er * radial.y, z)), d, 0,
                          tac_min(er, ez)};
}
/* Outside, the flat end is nearest up to the rim; inside, until the side or the other end is as near. */
static cylinderNear near_end(double z, double er, double ez) {
    int end = z >= 0;
    double margin = ez > 0 ? -er : tac_min(tac_abs(z), TAC_SQRT_HALF * (ez - er));
    return (cylinderNear){TAC_FEATURE_PLANE, end, tac_vec3(0, 0, end ? 1 : -1), ez, 0, margin};
}
static cylinderNear near_side(tacVec3 radial, double rho, double r, double ez) {
    double er = rho - r, margin = er > 0 ? -ez : TAC_SQRT_HALF * (er - ez);
    return (cylinderNear){TAC_FEATURE_LINE, 0, radial, rho, r, tac_min(margin, rho)};
}

int tac_touch_sphere_cylinder(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                              tacPairCache *cache, tacTouch *out) {
    (void)cache;
    tacVec3 x = tac_pose_local(B, A->p);
    double r = b->size.x, h = b->size.y, rho = tac_sqrt(x.x * x.x + x.y * x.y), er = rho - r, ez = tac_abs(x.z) - h;
    if (!(tac_max(er, ez) - a->size.x < reach)) return 0;
    double size = r + h, least = TAC_COINCIDENT * size;
    /* A centre on the axis has the cylinder's x axis as its radial direction. */
    tacVec3 radial = rho > least ? tac_vec3(x.x / rho, x.y / rho, 0) : tac_vec3(1, 0, 0);
    cylinderNear near;
    if (er > 0 && ez > 0 && er + ez > least)
        near = near_rim(radial, er, ez, x.z > 0);
    else if (ez > er)
        near = near_end(x.z, er, ez);
    else
        near = near_side(radial, rho, r, ez);
    tac_put_between(out, A->p, tac_neg3(tac_mulmv3(B->R, near.outward)), near.d, a->size.x, near.pad);
    tac_put_feature(&out[0].feature[0], TAC_FEATURE_POINT, 0, 0);
    tac_put_feature(&out[0].feature[1], near.kind, near.id, near.kind == TAC_FEATURE_LINE);
    out[0].margin = tac_margin_at(near.margin, size, tac_norm3(x));
    return out[0].dist < reach;
}
