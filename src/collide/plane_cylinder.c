/* Plane against cylinder and cone: points of their rims (and the cone's apex).
 *
 * w is the direction across the axis z that is most opposed to n. The lowest point of a rim is c + r w: NEAREST. Two
 * more are 120 degrees to either side: RIM. A cylinder has those on its lower rim alone, so that it stands on three
 * points and lies on two. A rim that lies flat has no lowest point (TAC_RIM_FLAT_PLANE). Its three points start at the
 * shape's x axis. */
#include "collide/closed_form.h"
#include "collide/pairs.h"

/* Sine of TAC_RIM_SIDE_ANGLE; its cosine is -1/2. */
#define RIM_SIDE_SINE (0.86602540378443864676)

/* A plane, and the frame of the rims about one axis. */
typedef struct rimFrame {
    tacVec3 n, z, w;
    double sine;   /* of the angle between n and z: n . w = -sine */
    double middle; /* height of the shape's origin */
    double rise;   /* n . z */
    double radius, half;
} rimFrame;

/* Returns 0 where even the lowest point of rims at +-half is out of reach. The rest is then not set. */
static int rim_frame(const tacShape *b, const tacPose *A, const tacPose *B, double reach, rimFrame *f) {
    f->n = tac_pose_axis(A, 2);
    f->z = tac_pose_axis(B, 2);
    f->radius = b->size.x;
    f->half = b->size.y;
    f->middle = tac_dot3(f->n, tac_sub3(B->p, A->p));
    f->rise = tac_dot3(f->n, f->z);
    f->sine = tac_norm3(tac_cross3(f->n, f->z));
    if (!(f->middle - f->half * tac_abs(f->rise) - f->radius * f->sine < reach)) return 0;
    f->w = tac_rim_lowest(B, f->n, TAC_RIM_FLAT_PLANE);
    return 1;
}

/* Writes the lowest point of the rim at the circle `end`. It vanishes when the rim lies flat, after a tilt that moves
 * it by r sine. */
static int lowest_point(const tacPose *B, const rimFrame *f, int end, double reach, tacTouch *out) {
    double at = end ? f->half : -f->half, d = f->middle + at * f->rise + f->radius * tac_dot3(f->n, f->w);
    if (!(d < reach)) return 0;
    tacVec3 x = tac_madd3(tac_madd3(B->p, at, f->z), f->radius, f->w);
    tac_put_over_plane(out, x, f->n, d, TAC_FEATURE_CIRCLE, end);
    out->margin = f->radius * f->sine;
    return 1;
}

/* Writes the two points 120 degrees from it: c + r (-w/2 +- sin(120) z x w). They have the same height, because n . (z
 * x w) = 0, unless the rim lies flat and w is the shape's x axis. */
static int side_points(const tacPose *B, const rimFrame *f, int end, double reach, tacTouch *out) {
    tacVec3 side = tac_cross3(f->z, f->w);
    double at = end ? f->half : -f->half, d = f->middle + at * f->rise - 0.5 * f->radius * tac_dot3(f->n, f->w);
    double slope = f->sine < TAC_RIM_FLAT_PLANE ? f->radius * tac_dot3(f->n, side) : 0;
    if (!(d - RIM_SIDE_SINE * tac_abs(slope) < reach)) return 0;
    tacVec3 back = tac_madd3(tac_madd3(B->p, at, f->z), -0.5 * f->radius, f->w);
    for (int k = 0; k < 2; k++) {
        double across = k ? RIM_SIDE_SINE : -RIM_SIDE_SINE;
        tacVec3 x = tac_madd3(back, across * f->radius, side);
        tac_put_over_plane(&out[k], x, f->n, d + across * slope, TAC_FEATURE_CIRCLE, end);
        out[k].rule = TAC_RULE_RIM;
        out[k].angle = k ? TAC_RIM_SIDE_ANGLE : -TAC_RIM_SIDE_ANGLE;
        out[k].margin = f->radius * f->sine;
    }
    return 2;
}

int tac_touch_plane_cylinder(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                             tacPairCache *cache, tacTouch *out) {
    (void)a;
    (void)cache;
    rimFrame f;
    if (!rim_frame(b, A, B, reach, &f)) return 0;
    int lower = f.rise < 0, n = lowest_point(B, &f, lower, reach, out);
    n += lowest_point(B, &f, !lower, reach, out + n);
    int sides = side_points(B, &f, lower, reach, out + n);
    for (int k = n; k < n + sides; k++) /* the other end becomes the lower one at rise = 0 */
        out[k].margin = tac_min(out[k].margin, f.half * tac_abs(f.rise));
    return tac_deepest_first(n + sides, out); /* the side points of a rim that lies flat may be lower */
}

int tac_touch_plane_cone(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                         tacPairCache *cache, tacTouch *out) {
    (void)a;
    (void)cache;
    rimFrame f;
    if (!rim_frame(b, A, B, reach, &f)) return 0;
    double apex = f.middle + f.half * f.rise;
    int n = apex < reach;
    if (n) {
        tacVec3 x = tac_madd3(B->p, f.half, f.z);
        tac_put_over_plane(out, x, f.n, apex, TAC_FEATURE_POINT, 0);
    }
    n += lowest_point(B, &f, 0, reach, out + n);
    n += side_points(B, &f, 0, reach, out + n);
    return tac_deepest_first(n, out);
}
