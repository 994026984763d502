/* Plane against cylinder and cone: points of their rims (and the cone's apex).
 *
 * With w the direction across the axis z that runs most against n, a rim's lowest point is c + r w: NEAREST. Two more
 * stand 120 degrees to either side: RIM. For a cylinder those are on its lower rim alone, so that it stands on three
 * points and lies on two. A rim that lies flat has no lowest point (TAC_RIM_FLAT): the three points then begin at the
 * shape's x axis. */
#include "collide/closed_form.h"
#include "collide/pairs.h"

#include <math.h>

/* 2 pi/3 and its sine; its cosine is -1/2 */
#define TAC_RIM_ANGLE (2.0943951023931954923)
#define TAC_RIM_SINE  (0.86602540378443864676)

/* A plane and the frame of a rim. */
typedef struct rimFrame {
    tacVec3 n, w, side; /* side = z x w */
    double sine;        /* of the angle between n and z */
    double radius;
} rimFrame;

static rimFrame rim_frame(const tacPose *A, const tacPose *B, double radius) {
    rimFrame f = {.n = tac_pose_axis(A, 2), .radius = radius};
    tacVec3 z = tac_pose_axis(B, 2);
    f.sine = tac_norm3(tac_cross3(f.n, z));
    f.w = tac_rim_lowest(B, f.n);
    f.side = tac_cross3(z, f.w);
    return f;
}

static tacTouch plane_touch(const tacPose *A, tacVec3 n, tacVec3 x, tacFeature feature) {
    double d = tac_dot3(n, tac_sub3(x, A->p));
    tacTouch t = tac_touch_between(tac_madd3(x, -d, n), n, d, 0, 0);
    t.point[1] = x;
    t.feature[0] = tac_feature(TAC_FEATURE_PLANE, 0, 0), t.feature[1] = feature;
    t.margin = HUGE_VAL;
    return t;
}

/* The lowest point of the rim at the circle `end` with centre c. It is lost when the rim lies flat, after a tilt that
 * moves it by r sine. */
static int lowest_point(const tacPose *A, const rimFrame *f, tacVec3 c, int end, double reach, tacTouch *out) {
    *out = plane_touch(A, f->n, tac_madd3(c, f->radius, f->w), tac_feature(TAC_FEATURE_CIRCLE, end, 0));
    out->margin = f->radius * f->sine;
    return out->dist < reach;
}

/* The two points 120 degrees from it: c + r (-w/2 +- sin(120) side). */
static int side_points(const tacPose *A, const rimFrame *f, tacVec3 c, int end, double reach, tacTouch *out) {
    tacVec3 back = tac_madd3(c, -0.5 * f->radius, f->w);
    int n = 0;
    for (int k = 0; k < 2; k++) {
        double s = k ? TAC_RIM_SINE : -TAC_RIM_SINE;
        out[n] = plane_touch(A, f->n, tac_madd3(back, s * f->radius, f->side), tac_feature(TAC_FEATURE_CIRCLE, end, 0));
        out[n].rule = TAC_RULE_RIM, out[n].angle = k ? TAC_RIM_ANGLE : -TAC_RIM_ANGLE;
        out[n].margin = f->radius * f->sine;
        n += out[n].dist < reach;
    }
    return n;
}

int tac_touch_plane_cylinder(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                             tacPairCache *cache, tacTouch *out) {
    (void)a, (void)cache;
    rimFrame f = rim_frame(A, B, b->size.x);
    tacVec3 z = tac_pose_axis(B, 2), end[2] = {tac_madd3(B->p, -b->size.y, z), tac_madd3(B->p, b->size.y, z)};
    double up = tac_dot3(f.n, z);
    int n = 0, lower = up < 0;
    for (int k = 0; k < 2; k++)
        n += lowest_point(A, &f, end[k], k, reach, out + n);
    int sides = side_points(A, &f, end[lower], lower, reach, out + n);
    for (int k = n; k < n + sides; k++) /* the other end becomes the lower one at up = 0 */
        out[k].margin = tac_min(out[k].margin, b->size.y * tac_abs(up));
    return tac_deepest_first(n + sides, out);
}

int tac_touch_plane_cone(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                         tacPairCache *cache, tacTouch *out) {
    (void)a, (void)cache;
    rimFrame f = rim_frame(A, B, b->size.x);
    tacVec3 z = tac_pose_axis(B, 2), base = tac_madd3(B->p, -b->size.y, z), apex = tac_madd3(B->p, b->size.y, z);
    out[0] = plane_touch(A, f.n, apex, tac_feature(TAC_FEATURE_POINT, 0, 0));
    int n = out[0].dist < reach;
    n += lowest_point(A, &f, base, 0, reach, out + n);
    n += side_points(A, &f, base, 0, reach, out + n);
    return tac_deepest_first(n, out);
}
