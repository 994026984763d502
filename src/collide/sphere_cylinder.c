/* Sphere against cylinder. With rho the centre's distance from the axis and z its height: e_r = rho - r, e_z = |z| - h.
 * Both positive: a rim is nearest; else the greater one tells flat end or side, outside as inside. */
#include "collide/closed_form.h"
#include "collide/pairs.h"

/* As in sphere_box.c. */
#define TAC_HALF_SQRT2 0.70710678118654752440

/* What of the cylinder is nearest: feature, normal outwards (cylinder's frame), core distance, radius about the
 * core. */
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
/* Outside it ends at the rim; inside where the side, or the other end, is as near. */
static cylinderNear near_end(double z, double er, double ez) {
    int end = z >= 0;
    double margin = ez > 0 ? -er : tac_min(tac_abs(z), TAC_HALF_SQRT2 * (ez - er));
    return (cylinderNear){TAC_FEATURE_PLANE, end, tac_vec3(0, 0, end ? 1 : -1), ez, 0, margin};
}
static cylinderNear near_side(tacVec3 radial, double rho, double r, double ez) {
    double er = rho - r, margin = er > 0 ? -ez : TAC_HALF_SQRT2 * (er - ez);
    return (cylinderNear){TAC_FEATURE_LINE, 0, radial, rho, r, tac_min(margin, rho)};
}

int tac_touch_sphere_cylinder(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                              tacPairCache *cache, tacTouch *out) {
    (void)cache;
    tacVec3 x = tac_pose_local(B, A->p);
    double r = b->size.x, h = b->size.y, rho = tac_sqrt(x.x * x.x + x.y * x.y), er = rho - r, ez = tac_abs(x.z) - h;
    if (!(tac_max(er, ez) - a->size.x < reach)) return 0;
    double size = r + h, least = TAC_COINCIDENT * size;
    /* On the axis: sideways along the cylinder's x axis. */
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
    out[0].margin = tac_seen_from(near.margin, size, tac_norm3(x));
    return out[0].dist < reach;
}
