#include "pair_checks.h"

#include "collide/flush.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

enum { UPHILL_STEPS = 600, MARGIN_TRIES = 4, INSIDE_TRIES = 20 };
/* Share of the margin that a pair is moved by. */
static const double WITHIN_MARGIN = 0.45;
/* Touches with less margin are at a switch: their features may have no common normal. */
static const double LEAST_MARGIN = 1e-7;

tacShape shape_of(tacGeomType type, double x, double y, double z) {
    return (tacShape){.type = type, .size = {x, y, z}};
}
tacPose pose_at(double x, double y, double z) { return (tacPose){{x, y, z}, {{1, 0, 0, 0, 1, 0, 0, 0, 1}}}; }
tacPose pose_turned(tacVec3 p, tacVec3 rotation) { return (tacPose){p, tac_quat_mat(tac_quat_exp(rotation))}; }
tacPose draw_pose(tacDraw *d, double range) {
    tacVec3 p = draw_vec3(d, range);
    return (tacPose){p, tac_quat_mat(draw_quat(d))};
}

tacShape draw_round_shape(tacDraw *d, tacGeomType type) {
    double x = draw_uniform(d, 0.1, 1), y = draw_uniform(d, 0.1, 1), z = draw_uniform(d, 0.1, 1);
    return shape_of(type, x, y, z);
}
Pair draw_pair(tacDraw *d, tacGeomType a, tacGeomType b, double range) {
    Pair p = {.shape = {draw_round_shape(d, a), draw_round_shape(d, b)}};
    p.pose[0] = draw_pose(d, 0.5), p.pose[1] = draw_pose(d, range);
    return p;
}

static double shape_size(const tacShape *s) {
    if (s->type == TAC_GEOM_PLANE) return 0;
    if (s->type != TAC_GEOM_MESH) return s->size.x + s->size.y + s->size.z;
    double most = 0;
    for (int i = 0; i < s->hull.nvert; i++)
        most = fmax(most, tac_norm3(s->hull.vert[i]));
    return most;
}
double pair_size(const Pair *p) { return shape_size(&p->shape[0]) + shape_size(&p->shape[1]); }

int touches_of(const Pair *p, double reach, tacTouch *out) {
    tacPairCache cache = {0};
    return tac_touches(&p->shape[0], &p->pose[0], &p->shape[1], &p->pose[1], reach, &cache, out);
}

/* --- Supports, from the definitions of the shapes ----------------------------------------------------------------- */

static double mesh_support(const tacShape *s, tacVec3 m) {
    double most = -HUGE_VAL;
    for (int i = 0; i < s->hull.nvert; i++)
        most = fmax(most, tac_dot3(m, s->hull.vert[i]));
    return most;
}

/* h along m, shape's frame */
static double local_support(const tacShape *s, tacVec3 m) {
    tacVec3 z = s->size;
    double length = tac_norm3(m), across = sqrt(m.x * m.x + m.y * m.y);
    switch (s->type) {
    case TAC_GEOM_SPHERE:
        return z.x * length;
    case TAC_GEOM_CAPSULE:
        return z.x * length + z.y * fabs(m.z);
    case TAC_GEOM_ELLIPSOID:
        return tac_norm3(tac_mul3(z, m));
    case TAC_GEOM_CYLINDER:
        return z.x * across + z.y * fabs(m.z);
    case TAC_GEOM_BOX:
        return z.x * fabs(m.x) + z.y * fabs(m.y) + z.z * fabs(m.z);
    case TAC_GEOM_CONE:
        return fmax(z.y * m.z, z.x * across - z.y * m.z);
    default:
        return mesh_support(s, m);
    }
}
static double support(const Pair *p, int i, tacVec3 n) {
    const tacPose *pose = &p->pose[i];
    return tac_dot3(n, pose->p) + local_support(&p->shape[i], tac_mulmtv3(pose->R, n));
}

static tacVec3 plane_normal(const tacPose *pose) { return tac_vec3(pose->R.m[2], pose->R.m[5], pose->R.m[8]); }

double gap_along(const Pair *p, tacVec3 n) {
    for (int i = 0; i < 2; i++) {
        if (p->shape[i].type != TAC_GEOM_PLANE) continue;
        tacVec3 up = plane_normal(&p->pose[i]);
        return -tac_dot3(up, p->pose[i].p) - support(p, 1 - i, tac_neg3(up));
    }
    return -(support(p, 0, n) + support(p, 1, tac_neg3(n)));
}

static tacVec3 draw_direction(tacDraw *d) {
    tacVec3 n = tac_vec3(draw_normal(d), draw_normal(d), draw_normal(d));
    return tac_scale3(1 / tac_norm3(n), n);
}

/* Random steps that shrink when they fail. */
static double go_uphill(const Pair *p, tacDraw *d, tacVec3 n) {
    double best = gap_along(p, n), step = 0.5;
    for (int i = 0; i < UPHILL_STEPS && step > 1e-9; i++) {
        tacVec3 to = tac_madd3(n, step, draw_direction(d));
        to = tac_scale3(1 / tac_norm3(to), to);
        double g = gap_along(p, to);
        if (g > best)
            best = g, n = to, step *= 1.5;
        else
            step *= 0.85;
    }
    return best;
}
double greatest_gap(const Pair *p, tacDraw *d, int starts) {
    double best = -HUGE_VAL;
    for (int i = 0; i < starts; i++)
        best = fmax(best, go_uphill(p, d, draw_direction(d)));
    return best;
}

/* --- Checks ------------------------------------------------------------------------------------------------------- */

/* A point of the surface is inside every half-space that holds the shape. */
double point_outside(const Pair *p, int i, tacVec3 x) {
    tacDraw d = {99, 0};
    double most = -HUGE_VAL;
    if (p->shape[i].type == TAC_GEOM_PLANE) return fabs(tac_dot3(plane_normal(&p->pose[i]), tac_sub3(x, p->pose[i].p)));
    for (int k = 0; k < INSIDE_TRIES; k++) {
        tacVec3 n = draw_direction(&d);
        most = fmax(most, tac_dot3(n, x) - support(p, i, n));
    }
    return most;
}

static void check_rebuild(const Pair *p, const tacTouch *t, double tol) {
    if (!(t->margin > LEAST_MARGIN)) return;
    tacTouch again = *t;
    again.dist = HUGE_VAL; /* points and normal are where a search may start */
    CHECK_INT(tac_touch_rebuild(&p->shape[0], &p->pose[0], &p->shape[1], &p->pose[1], &again), TAC_OK);
    double slack = tol * fmax(1, 1e-3 / t->margin);
    CHECK_NEAR(again.dist, t->dist, tol);
    CHECK_LT(tac_norm3(tac_sub3(again.normal, t->normal)), slack);
    for (int i = 0; i < 2; i++)
        CHECK_LT(tac_norm3(tac_sub3(again.point[i], t->point[i])), slack);
}

void check_touch(const Pair *p, const tacTouch *t, double tol) {
    CHECK_NEAR(tac_norm3(t->normal), 1, 1e-14);
    tacVec3 moved = tac_madd3(t->point[0], t->dist, t->normal);
    CHECK_LT(tac_norm3(tac_sub3(t->point[1], moved)), tol);
    CHECK(!isnan(t->margin));
    for (int i = 0; i < 2; i++)
        CHECK_LT(point_outside(p, i, t->point[i]), tol);
    check_rebuild(p, t, tol);
}

int check_touches(const Pair *p, double reach, double tol, tacTouch *out) {
    int n = touches_of(p, reach, out);
    CHECK(n >= 0 && n <= TAC_MAX_TOUCH);
    for (int i = 0; i < n; i++) {
        check_touch(p, &out[i], tol);
        CHECK(out[i].dist < reach);
        CHECK_LT(out[0].dist - out[i].dist, tol);
        for (int j = 0; j < i; j++) /* each pair of features once */
            CHECK(memcmp(out[i].feature, out[j].feature, sizeof out[i].feature) != 0 || out[i].rule != out[j].rule ||
                  out[i].angle != out[j].angle || memcmp(&out[i].clip, &out[j].clip, sizeof out[i].clip) != 0);
    }
    if (n > 0) {
        CHECK_NEAR(gap_along(p, out[0].normal), out[0].dist, tol);
        CHECK(out[0].margin >= -tol);
    }
    return n;
}

void check_greatest(const Pair *p, tacDraw *d, double tol) {
    tacTouch t[TAC_MAX_TOUCH];
    CHECK(touches_of(p, HUGE_VAL, t) > 0);
    CHECK_LT(greatest_gap(p, d, 12), t[0].dist + tol);
}

static int same_features(const tacTouch *a, const tacTouch *b) {
    return memcmp(a->feature, b->feature, sizeof a->feature) == 0 && a->rule == b->rule;
}

static void check_moved(const tacTouch *t, const tacTouch *u, const tacPose *by, double tol) {
    CHECK(same_features(t, u));
    CHECK_NEAR(u->dist, t->dist, tol);
    CHECK_LT(tac_norm3(tac_sub3(tac_mulmv3(by->R, t->normal), u->normal)), tol * fmax(1, 1e-3 / t->margin));
    for (int i = 0; i < 2; i++)
        CHECK_LT(tac_norm3(tac_sub3(tac_pose_point(by, t->point[i]), u->point[i])), tol * fmax(1, 1e-3 / t->margin));
}

static void check_swapped(const tacTouch *t, const tacTouch *u) {
    for (int i = 0; i < 2; i++) {
        CHECK(memcmp(&t->feature[i], &u->feature[1 - i], sizeof t->feature[i]) == 0);
        CHECK_LT(tac_norm3(tac_sub3(t->point[i], u->point[1 - i])), 1e-9);
    }
    CHECK_LT(tac_norm3(tac_add3(t->normal, u->normal)), 1e-9);
    CHECK_NEAR(t->dist, u->dist, 1e-14);
}

/* Faces beside the first touch's edges are flush: which of them gives the normal hangs on which shape comes first. */
static int has_flush_faces(const Pair *p, const tacTouch *first) {
    const tacShape *const shape[2] = {&p->shape[0], &p->shape[1]};
    const tacPose *const pose[2] = {&p->pose[0], &p->pose[1]};
    return tac_flush(shape, pose, first).side >= 0;
}

void check_invariance(const Pair *p, tacDraw *d, double reach, double tol) {
    tacTouch t[TAC_MAX_TOUCH], u[TAC_MAX_TOUCH];
    int n = touches_of(p, reach, t);
    for (int i = 0; i < n; i++) /* at a switch rounding may choose */
        if (!(t[i].margin > LEAST_MARGIN) || (i > 0 && fabs(t[i].dist - t[0].dist) < LEAST_MARGIN) ||
            fabs(t[i].dist - reach) < LEAST_MARGIN)
            return;
    tacPose by = draw_pose(d, 3);
    Pair moved = *p, swapped = {{p->shape[1], p->shape[0]}, {p->pose[1], p->pose[0]}};
    for (int i = 0; i < 2; i++)
        moved.pose[i] = (tacPose){tac_pose_point(&by, p->pose[i].p), tac_mulmm3(by.R, p->pose[i].R)};
    CHECK_INT(touches_of(&moved, reach, u), n);
    for (int i = 0; i < n; i++)
        check_moved(&t[i], &u[i], &by, tol);
    int m = touches_of(&swapped, reach, u);
    CHECK((m > 0) == (n > 0));
    if (n > 0 && !has_flush_faces(p, t) && !has_flush_faces(&swapped, u)) CHECK_INT(m, n);
    if (p->shape[0].type != p->shape[1].type || n == 1)
        for (int i = 0; i < n; i++)
            check_swapped(&t[i], &u[i]);
}

void check_margin(const Pair *p, tacDraw *d) {
    tacTouch t[TAC_MAX_TOUCH], u[TAC_MAX_TOUCH];
    int n = touches_of(p, HUGE_VAL, t);
    double margin = n > 1 ? fmin(t[0].margin, 0.5 * (t[1].dist - t[0].dist)) : t[0].margin;
    for (int i = 2; i < n; i++)
        margin = fmin(margin, 0.5 * (t[i].dist - t[0].dist));
    if (!(margin > LEAST_MARGIN)) return;
    for (int k = 0; k < MARGIN_TRIES; k++) {
        Pair moved = *p;
        int i = k % 2;
        double by = WITHIN_MARGIN * fmin(margin, 1), size = shape_size(&p->shape[i]);
        if (k < 2 || size == 0) {
            moved.pose[i].p = tac_madd3(p->pose[i].p, by, draw_direction(d));
        } else {
            tacVec3 turn = tac_scale3(by / (2 * size), draw_direction(d));
            moved.pose[i].R = tac_mulmm3(tac_quat_mat(tac_quat_exp(turn)), p->pose[i].R);
        }
        CHECK(touches_of(&moved, HUGE_VAL, u) > 0);
        CHECK(same_features(&t[0], &u[0]));
    }
}

void check_random_pairs(tacGeomType a, tacGeomType b, int n, double range, double tol) {
    tacDraw d = {(uint64_t)(a * 100 + b), 0};
    int overlaps = 0;
    for (int i = 0; i < n; i++) {
        Pair p = draw_pair(&d, a, b, range);
        tacTouch t[TAC_MAX_TOUCH];
        double size = pair_size(&p);
        CHECK(check_touches(&p, HUGE_VAL, tol * size, t) > 0);
        overlaps += t[0].dist < 0;
        double reach = t[0].dist + draw_uniform(&d, 0, 0.5);
        CHECK(check_touches(&p, reach, tol * size, t) > 0);
        CHECK_INT(touches_of(&p, t[0].dist, t), 0);
        if (i % 10 == 0) check_greatest(&p, &d, tol * size);
        check_invariance(&p, &d, reach, 10 * tol * size);
        check_margin(&p, &d);
    }
    CHECK(overlaps > n / 10 && overlaps < n - n / 10);
}

void check_continuity(const Pair *from, const Pair *to, int steps, double tol) {
    tacTouch t[TAC_MAX_TOUCH];
    double before = 0, step = tac_norm3(tac_sub3(to->pose[1].p, from->pose[1].p)) / steps;
    for (int i = 0; i <= steps; i++) {
        Pair p = *from;
        double s = (double)i / steps;
        p.pose[1].p = tac_madd3(from->pose[1].p, s, tac_sub3(to->pose[1].p, from->pose[1].p));
        CHECK(touches_of(&p, HUGE_VAL, t) > 0);
        check_touch(&p, &t[0], tol);
        if (i > 0) CHECK_LT(fabs(t[0].dist - before), step + tol);
        before = t[0].dist;
    }
}

static double nearest_before(int n, const tacTouch *before, tacVec3 x) {
    double least = HUGE_VAL;
    for (int i = 0; i < n; i++)
        least = fmin(least, tac_norm3(tac_sub3(before[i].point[0], x)));
    return least;
}

void check_sliding(const Pair *from, tacVec3 to, int steps, double reach, double most) {
    tacTouch before[TAC_MAX_TOUCH], now[TAC_MAX_TOUCH];
    tacVec3 way = tac_sub3(to, from->pose[0].p);
    int count = 0, n, two = 0;
    for (int i = 0; i <= steps; i++, count = n) {
        Pair p = *from;
        p.pose[0].p = tac_madd3(from->pose[0].p, (double)i / steps, way);
        n = touches_of(&p, reach, now);
        for (int k = 0; k < n && count > 0; k++)
            if (now[k].dist < 0.9 * reach)
                CHECK_LT(nearest_before(count, before, now[k].point[0]), most * tac_norm3(way) / steps);
        memcpy(before, now, sizeof now);
        two += n >= 2;
    }
    CHECK(two > steps / 4); /* it did lie on something */
}
