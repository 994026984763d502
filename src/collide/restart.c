/* Restarts of the search for the deepest touch. Round shapes with nearly coincident axes are nearly equally deep all
 * around. They have stationary touches on both sides of the axes, and a search may end at the wrong one. */
#include "collide/nearest.h"

#include "collide/closed_form.h"

/* Rotations about an axis: the seven multiples of 45 degrees other than 0, and four into planes of symmetry. */
enum { EIGHTHS = 8, ROTATIONS = EIGHTHS - 1 + 4 };
/* An ellipsoid whose two radii differ by at most this, relative to the largest, is treated as one of revolution. */
#define NEARLY_ROUND 0.1
/* Sine of the angle below which two axes count as one: rotating about one is enough. */
#define SAME_AXIS 0.1
/* Alternating projections between two lines. Crossing lines are left to Newton's method. */
enum { PROJECTIONS = 4 };

/* Axis of revolution in the shape's frame. 0: the shape has none, or every axis is one. */
static int find_axis(const tacShape *s, tacVec3 *axis) {
    *axis = tac_vec3(0, 0, 1);
    if (s->type == TAC_GEOM_CAPSULE || s->type == TAC_GEOM_CYLINDER || s->type == TAC_GEOM_CONE) return 1;
    if (s->type != TAC_GEOM_ELLIPSOID) return 0;
    double x = s->size.x, y = s->size.y, z = s->size.z, most = NEARLY_ROUND * tac_max(x, tac_max(y, z));
    double off[3] = {tac_abs(y - z), tac_abs(z - x), tac_abs(x - y)};
    int k = off[0] <= off[1] && off[0] <= off[2] ? 0 : off[1] <= off[2] ? 1 : 2;
    *axis = tac_vec3(k == 0, k == 1, k == 2);
    return off[k] <= most;
}

/* Rotates v about the unit vector z: c v + s z x v + (1 - c) (z . v) z. */
static tacVec3 rotate_about(tacVec3 z, double c, double s, tacVec3 v) {
    tacVec3 turned = tac_madd3(tac_scale3(c, v), s, tac_cross3(z, v));
    return tac_madd3(turned, (1 - c) * tac_dot3(z, v), z);
}

/* The axis of shape `side` in the frame of shape 0. 0: it has none, or shape 0 has the same. */
static int axis_of(const tacCores *c, int side, tacVec3 *axis) {
    tacVec3 first;
    if (!find_axis(c->shape[side], axis)) return 0;
    if (side == 0) return 1;
    *axis = tac_mulmv3(c->pose.R, *axis);
    return !(find_axis(c->shape[0], &first) && tac_norm3(tac_cross3(first, *axis)) < SAME_AXIS);
}

/* Cosine and sine of rotation k about the axis z. The first are multiples of 45 degrees. The others take n into the
 * planes through z that hold the other shape's centre or its axis, on either side. Where both are one plane, everything
 * is symmetric about it, and touches in it are stationary. 0: there is no such plane. */
static int find_rotation(const tacCores *c, int side, tacVec3 z, tacVec3 n, int k, double *cosine, double *sine) {
    static const double COS[EIGHTHS] = {1, TAC_SQRT_HALF, 0, -TAC_SQRT_HALF, -1, -TAC_SQRT_HALF, 0, TAC_SQRT_HALF};
    *cosine = COS[(k + 1) % EIGHTHS];
    *sine = COS[(k + 7) % EIGHTHS];
    if (k < EIGHTHS - 1) return 1;
    tacVec3 to = c->pose.p, u = tac_madd3(n, -tac_dot3(n, z), z);
    if (k > EIGHTHS) {
        if (!find_axis(c->shape[1 - side], &to)) return 0;
        if (side == 0) to = tac_mulmv3(c->pose.R, to);
    }
    to = tac_madd3(to, -tac_dot3(to, z), z);
    double length = tac_norm3(to) * tac_norm3(u);
    if (!(length > 0)) return 0;
    if (k % 2 == 0) length = -length;
    *cosine = tac_dot3(u, to) / length;
    *sine = tac_dot3(tac_cross3(u, to), z) / length;
    return 1;
}

/* The points of a round shape rotate with the normal. A polyhedron takes its support point along the new normal. */
int tac_guess_rotated(const tacCores *c, const tacGuess *from, int i, tacGuess *out) {
    int side = i / ROTATIONS, hint[2] = {from->id[0][0], from->id[1][0]};
    double cosine, sine;
    tacVec3 axis, centre = side == 0 ? tac_zero3() : c->pose.p;
    if (side > 1) return -1;
    if (!axis_of(c, side, &axis) || !find_rotation(c, side, axis, from->n, i % ROTATIONS, &cosine, &sine)) return 0;
    *out = *from;
    out->n = rotate_about(axis, cosine, sine, from->n);
    tacCores cores = *c;
    tacSupport w = tac_cores_support(&cores, out->n, hint);
    out->ncorner = 1;
    out->rough = 0;
    for (int k = 0; k < 2; k++) {
        int polyhedron = tac_is_polyhedron(c->shape[k]);
        tacVec3 arm = rotate_about(axis, cosine, sine, tac_sub3(from->x[k], centre));
        out->x[k] = polyhedron ? w.x[k] : tac_add3(centre, arm);
        out->id[k][0] = w.id[k];
    }
    return 1;
}

/* --- The sides of two cones --------------------------------------------------------------------------------------- */

/* The generator of a cone whose outward normal has the direction `out` about the axis: from the apex to the rim. */
typedef struct Generator {
    tacVec3 apex, g;
} Generator;

static Generator generator(const tacShape *s, const tacPose *pose, tacVec3 out) {
    double r = s->size.x, h = s->size.y;
    tacVec3 e = tac_mulmtv3(pose->R, out);
    double across = tac_sqrt(e.x * e.x + e.y * e.y);
    tacVec3 local = across > 0 ? tac_vec3(r * e.x / across, r * e.y / across, -2 * h) : tac_vec3(r, 0, -2 * h);
    return (Generator){tac_pose_point(pose, tac_vec3(0, 0, h)), tac_mulmv3(pose->R, local)};
}

/* Parameter on line a of the projection of point t of line b, seen along n, clamped to the line. */
static double foot(const Generator *a, const Generator *b, double t, tacVec3 n) {
    tacVec3 from = tac_sub3(tac_madd3(b->apex, t, b->g), a->apex), g = tac_madd3(a->g, -tac_dot3(a->g, n), n);
    double square = tac_dot3(g, g);
    return square > 0 ? tac_clamp(tac_dot3(g, from) / square, 0, 1) : 0.5;
}

/* Midpoint of the overlap of two lines seen along n: that of the projections from both ends of the first line. For
 * parallel lines it is the middle of their common part, away from the apexes, which have no direction around them. */
static void middle_of_overlap(const Generator line[2], tacVec3 n, double at[2]) {
    at[0] = at[1] = 0;
    for (int end = 0; end < 2; end++) {
        double first = end, second = 0;
        for (int k = 0; k < PROJECTIONS; k++) {
            second = foot(&line[1], &line[0], first, n);
            first = foot(&line[0], &line[1], second, n);
        }
        at[0] += 0.5 * first;
        at[1] += 0.5 * second;
    }
}

/* Sine of the angle between the side's normal and the plane across the axis: r over the slant height. */
static double slope(const tacShape *s) {
    double slant = tac_sqrt(s->size.x * s->size.x + 4 * s->size.y * s->size.y);
    return slant > 0 ? s->size.x / slant : 0;
}

/* A common normal n of two sides with axes z0, z1 and slopes m0, m1 has n . z0 = m0 and n . z1 = -m1. There are two
 * solutions, on either side of the plane of the axes. */
int tac_guess_cone_sides(const tacCores *c, int i, tacTouch *t) {
    if (c->shape[0]->type != TAC_GEOM_CONE || c->shape[1]->type != TAC_GEOM_CONE) return 0;
    tacVec3 z0 = tac_vec3(0, 0, 1), z1 = tac_pose_axis(&c->pose, 2), across = tac_vec3(z1.x, z1.y, 0);
    double sine = tac_norm3(across), m0 = slope(c->shape[0]), m1 = slope(c->shape[1]);
    if (!(sine > 0)) return 0;
    double along = -(m1 + m0 * z1.z) / sine, square = 1 - m0 * m0 - along * along;
    if (!(square >= 0)) return 0;
    tacVec3 u = tac_scale3(1 / sine, across), v = tac_cross3(z0, u);
    tacVec3 n = tac_madd3(tac_madd3(tac_scale3(m0, z0), along, u), (i ? -1 : 1) * tac_sqrt(square), v);
    Generator line[2] = {generator(c->shape[0], &TAC_IDENTITY_POSE, n), generator(c->shape[1], &c->pose, tac_neg3(n))};
    double at[2];
    middle_of_overlap(line, n, at);
    *t = (tacTouch){.rule = TAC_RULE_NEAREST, .normal = n};
    for (int k = 0; k < 2; k++) {
        t->feature[k] = tac_feature(TAC_FEATURE_SIDE, 0, 0);
        t->point[k] = tac_madd3(line[k].apex, at[k], line[k].g);
    }
    return 1;
}
