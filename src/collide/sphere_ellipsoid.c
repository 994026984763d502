/* Sphere against ellipsoid: the point of the ellipsoid nearest to the centre, from outside or inside.
 *
 * In the ellipsoid's frame, coordinates y are mirrored to be positive. The nearest point is
 *   x_i = r_i^2 y_i/(t + r_i^2),   t the greatest root of  sum (r_i y_i/(t + r_i^2))^2 = 1.
 * Let m be the least radius, rho_i = (r_i/m)^2, z_i = y_i/r_i, and delta = t/m^2 + 1 the distance from the last pole.
 * The equation becomes (docs/theory/collision.md, F1)
 *   |q(delta)| = 1,   q_i = rho_i z_i/(delta + rho_i - 1).
 * 1/|q| is concave and increasing beyond the pole. So Newton's steps on 1 - 1/|q| from the left of the root never pass
 * it, and end when rounding stops them. A single term gives such a start: q_i <= 1. */
#include "collide/closed_form.h"
#include "collide/pairs.h"

/* Smaller radii, relative to the greatest, are replaced by this: a flat ellipsoid. */
#define LEAST_RADIUS_RATIO 1e-12
/* The squares of smaller numbers underflow. A coordinate below this times its radius is zero. A smaller ellipsoid is a
 * point. */
#define SQUARE_UNDERFLOW 1e-140
/* When |q| - 1 is below this, one more step is enough: its error is of the order of the square. */
#define LAST_STEP 1e-8
/* Maximum Newton steps. They are monotone and quadratic, and about six are enough. A guard against rounding. */
#define MOST_STEPS 60

/* The scaled problem: z and rho above. */
typedef struct nearProblem {
    double z[3], rho[3];
} nearProblem;

/* |q| and sum q_i^2/(delta + rho_i - 1). A zero coordinate stays zero at the pole. */
static double ratio_norm(const nearProblem *p, double delta, double *weighted) {
    double sum = 0, w = 0;
    for (int i = 0; i < 3; i++) {
        if (p->z[i] == 0) continue;
        double over = 1 / (delta + (p->rho[i] - 1)), q = p->rho[i] * p->z[i] * over;
        sum += q * q;
        w += q * q * over;
    }
    *weighted = w;
    return tac_sqrt(sum);
}

/* The root delta. 0: there is none beyond the pole. Then the centre is inside, on the plane across the least radius,
 * and so near the middle that two points mirrored in that plane are nearest.
 *
 * The start is the greatest of two lower bounds: delta where a single term is 1; and |z| for a centre outside, where
 * delta + rho_i - 1 <= delta rho_i gives |q| >= |z|/delta. */
static double nearest_root(const nearProblem *p) {
    double delta = tac_sqrt(p->z[0] * p->z[0] + p->z[1] * p->z[1] + p->z[2] * p->z[2]);
    if (delta < 1) delta = 0; /* inside */
    for (int i = 0; i < 3; i++)
        delta = tac_max(delta, p->rho[i] * p->z[i] - (p->rho[i] - 1));
    for (int step = 0; step < MOST_STEPS; step++) {
        double weighted, norm = ratio_norm(p, delta, &weighted);
        if (!(norm > 1)) break;
        double next = delta + norm * norm * (norm - 1) / weighted;
        if (!(next > delta)) break;
        delta = next;
        if (norm - 1 < LAST_STEP) break;
    }
    return delta;
}

/* y >= 0 -> the nearest point of the surface. */
static tacVec3 nearest_point(tacVec3 radii, tacVec3 y) {
    double r[3] = {radii.x, radii.y, radii.z}, at[3] = {y.x, y.y, y.z}, x[3], left = 1;
    int least = r[1] < r[0] ? (r[2] < r[1] ? 2 : 1) : (r[2] < r[0] ? 2 : 0);
    nearProblem p;
    for (int i = 0; i < 3; i++) {
        p.z[i] = at[i] > SQUARE_UNDERFLOW * r[i] ? at[i] / r[i] : 0;
        p.rho[i] = (r[i] / r[least]) * (r[i] / r[least]);
    }
    double delta = nearest_root(&p);
    for (int i = 0; i < 3; i++) {
        double below = delta + (p.rho[i] - 1);
        x[i] = p.z[i] > 0 ? p.rho[i] * at[i] / below : 0;
        left -= (x[i] / r[i]) * (x[i] / r[i]);
    }
    /* No root beyond the pole: the equation of the surface gives the coordinate along the least radius. */
    if (delta == 0 && left > 0) x[least] = r[least] * tac_sqrt(left);
    return tac_vec3(x[0], x[1], x[2]);
}

/* Outward normal at the nearest point, and the distance of c along it (ellipsoid's frame). */
static tacVec3 surface_normal(tacVec3 radii, tacVec3 c, double *d) {
    tacVec3 x = nearest_point(radii, tac_vec3(tac_abs(c.x), tac_abs(c.y), tac_abs(c.z)));
    x = tac_vec3(c.x < 0 ? -x.x : x.x, c.y < 0 ? -x.y : x.y, c.z < 0 ? -x.z : x.z);
    tacVec3 u = tac_vec3(x.x / radii.x, x.y / radii.y, x.z / radii.z);
    tacVec3 N = tac_vec3(u.x / radii.x, u.y / radii.y, u.z / radii.z);
    N = tac_scale3(1 / tac_norm3(N), N);
    *d = tac_dot3(N, tac_sub3(c, x));
    return N;
}

/* Inside, the normal jumps across the plane of the two greater radii. A flat ellipsoid has edges, which are not
 * features. */
static double margin_of(tacVec3 r, tacVec3 c, double d) {
    if (!(tac_min(r.x, tac_min(r.y, r.z)) > 0)) return 0;
    if (d >= 0) return TAC_INFINITY;
    if (r.x <= r.y && r.x <= r.z) return tac_abs(c.x);
    return r.y <= r.z ? tac_abs(c.y) : tac_abs(c.z);
}

int tac_touch_sphere_ellipsoid(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                               tacPairCache *cache, tacTouch *out) {
    (void)cache;
    double greatest = tac_max(b->size.x, tac_max(b->size.y, b->size.z)), least = LEAST_RADIUS_RATIO * greatest;
    tacVec3 c = tac_pose_local(B, A->p);
    double d = tac_norm3(c);
    tacVec3 N = d > 0 ? tac_scale3(1 / d, c) : tac_vec3(0, 0, 1);             /* for an ellipsoid that is a point */
    if (!(d - tac_norm3(tac_mul3(b->size, N)) - a->size.x < reach)) return 0; /* c is a separating axis */
    tacVec3 radii = tac_vec3(tac_max(b->size.x, least), tac_max(b->size.y, least), tac_max(b->size.z, least));
    if (greatest > SQUARE_UNDERFLOW) N = surface_normal(radii, c, &d);
    tac_put_between(out, A->p, tac_neg3(tac_mulmv3(B->R, N)), d, a->size.x, 0);
    tac_put_feature(&out[0].feature[0], TAC_FEATURE_POINT, 0, 0);
    tac_put_feature(&out[0].feature[1], TAC_FEATURE_ELLIPSOID, 0, 0);
    out[0].margin = margin_of(b->size, c, d);
    return out[0].dist < reach;
}
