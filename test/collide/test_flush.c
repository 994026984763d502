/* Crossing planks: an edge of the one over an edge of the other, at tilts through the angles within which faces are
 * flush. The lower plank lies along x with its top at z = 0.1; the upper one lies along y, turned by t about x and then
 * by s about y. With e = Ry(s) Rx(t) y the nearest touch's normal and the faces' angles are
 *   n ~ (0, -cos s sin t, cos t),   N0 . n = cos t/sqrt(cos^2 s sin^2 t + cos^2 t),   -N0 . N1 = cos s cos t,
 *   |x . N1| = cos t |sin s|. */
#include "collide/flush.h"

#include "collide/closed_form.h"
#include "collide/touch_motion.h"
#include "measure/differences.h"
#include "pair_checks.h"
#include "solids.h"

#include <math.h>
#include <string.h>

/* Closed forms of lengths of order 1. */
static const double TOL = 1e-12;
/* Ridders' differences through the whole search; entries are of order 1 to 10. */
static const double TOL_GRADIENT = 1e-7;
static const double FIRST_STEP = 1e-4;
static const double DEPTH = 1e-3;
/* Share of the margin that planks are moved by. */
static const double WITHIN_MARGIN = 0.45;

/* m: what a turn stops short of a change, and less than which below the reach no touch counts. */
static const double BESIDE_CHANGE = 1e-6;
static const double NEAR_REACH = 1e-4;

enum { TOP = 5, BOTTOM = 4 }; /* faces +z, -z */

static double rad(double degrees) { return degrees * 3.14159265358979323846 / 180; }

/* Planks that overlap by `depth`, found from where they are apart: the distance falls as the upper one does, by n.z. */
static Pair planks(double t, double s, double depth) {
    Pair p = {{shape_of(TAC_GEOM_BOX, 1, 0.2, 0.1), shape_of(TAC_GEOM_BOX, 0.2, 1, 0.1)}, {pose_at(0, 0, 0)}};
    tacQuat turn = tac_quat_mul(tac_quat_exp(tac_vec3(0, s, 0)), tac_quat_exp(tac_vec3(t, 0, 0)));
    double z = sqrt(cos(s) * cos(s) * sin(t) * sin(t) + cos(t) * cos(t)) / cos(t);
    p.pose[1] = (tacPose){tac_vec3(0.01, 0.02, 0.8), tac_quat_mat(turn)};
    tacTouch first[TAC_MAX_TOUCH];
    CHECK(touches_of(&p, HUGE_VAL, first) > 0);
    p.pose[1].p.z -= (first[0].dist + depth) * z;
    return p;
}

static tacFlush flush_of(const Pair *p, const tacTouch *first) {
    const tacShape *const shape[2] = {&p->shape[0], &p->shape[1]};
    const tacPose *const pose[2] = {&p->pose[0], &p->pose[1]};
    return tac_flush(shape, pose, first);
}

/* The touch that is the crossing of the first one's edges along a face's normal; 0: there is none. */
static const tacTouch *crossing_of(const tacTouch *t, int n) {
    if (n < 2 || t[1].rule != TAC_RULE_CLIP) return 0;
    int face = tac_touch_side(&t[1], TAC_FEATURE_PLANE);
    if (!tac_same_feature(t[1].clip, t[0].feature[face])) return 0;
    return tac_same_feature(t[1].feature[1 - face], t[0].feature[1 - face]) ? &t[1] : 0;
}

/* --- Which faces -------------------------------------------------------------------------------------------------- */

typedef struct Known {
    double t, s; /* degrees */
    int side, crossing;
} Known;

static const Known KNOWN[] = {
    {0.3, 0.3, 0, 0},  /* flush, and so level that the crossing is the touch */
    {2, 1, 0, 1},      /* flush faces: N is the lower plank's */
    {-3, 2, 0, 1},     /* to the other side */
    {4.9, 1.5, 0, 1},  /* 5.12 degrees in all */
    {4.9, 1.6, 1, 1},  /* 5.15: only the lower edge still lies along the upper face */
    {7, 2, 1, 1},      /* which is at 2 degrees to n */
    {20, 3, 1, 1},     /* at any tilt about that edge */
    {1, 7, -1, 0},     /* the upper edge along the lower face: a patch without the crossing */
    {5.3, 5.3, -1, 0}, /* neither */
    {12, 12, -1, 0},
};

static void known_tilts(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
        const Known *k = &KNOWN[i];
        double t = rad(k->t), s = rad(k->s);
        Pair p = planks(t, s, DEPTH);
        tacTouch touch[TAC_MAX_TOUCH];
        int n = touches_of(&p, 0, touch);
        tacFlush f = flush_of(&p, touch);
        CHECK_NEAR(touch[0].dist, -DEPTH, TOL);
        CHECK(f.edges);
        CHECK_INT(f.side, k->side);
        CHECK_INT(f.face[0], k->side == 0 ? TOP : -1);
        CHECK_INT(f.face[1], k->side >= 0 ? BOTTOM : -1);
        double cosine = cos(t) / sqrt(cos(s) * cos(s) * sin(t) * sin(t) + cos(t) * cos(t));
        if (k->side == 0) CHECK_NEAR(f.slant, sqrt(1 - cosine * cosine), TOL);
        CHECK((crossing_of(touch, n) != 0) == k->crossing);
    }
}

/* dist (N . n) is the first touch's, to rounding, and its points stand over each other along N. */
static void the_same_touch_along_a_face(void **state) {
    (void)state;
    tacDraw d = {31, 0};
    int found[2] = {0, 0};
    for (int i = 0; i < 2000; i++) {
        Pair p = planks(rad(draw_uniform(&d, -8, 8)), rad(draw_uniform(&d, -8, 8)), draw_uniform(&d, 0, 0.01));
        tacTouch t[TAC_MAX_TOUCH];
        int n = touches_of(&p, 0.01, t);
        for (int k = 0; k < n; k++)
            CHECK(t[k].dist > t[0].dist / TAC_FLUSH_SLANT - TOL || t[0].dist > 0);
        const tacTouch *c = crossing_of(t, n);
        tacFlush f = flush_of(&p, t);
        if (c == 0) continue;
        tacVec3 N = tac_feature_normal(&p.shape[f.side], &p.pose[f.side], c->feature[f.side]);
        CHECK_LT(tac_norm3(tac_sub3(f.side == 0 ? N : tac_neg3(N), c->normal)), TOL);
        CHECK_NEAR(c->dist * tac_dot3(c->normal, t[0].normal), t[0].dist, TOL);
        CHECK(tac_dot3(c->normal, t[0].normal) > (f.side == 0 ? TAC_FLUSH_FACES : TAC_FLUSH_SLANT));
        check_touch(&p, c, 1e-9);
        found[f.side]++;
    }
    CHECK(found[0] > 100 && found[1] > 100);
}

/* --- How far the switch is ---------------------------------------------------------------------------------------- */

static Pair moved(const Pair *p, tacDraw *d, double by) {
    Pair q = *p;
    int i = draw_int(d, 2);
    tacVec3 v = tac_quat_rotate(draw_quat(d), tac_vec3(0, 0, 1));
    if (draw_int(d, 2))
        q.pose[i].p = tac_madd3(q.pose[i].p, by, v);
    else
        q.pose[i].R =
            tac_mulmm3(tac_quat_mat(tac_quat_exp(tac_scale3(by / tac_norm3(p->shape[i].size), v))), q.pose[i].R);
    return q;
}

static int is_there(const tacTouch *t, const tacTouch *among, int n) {
    for (int i = 0; i < n; i++)
        if (memcmp(t->feature, among[i].feature, sizeof t->feature) == 0 && t->rule == among[i].rule &&
            tac_same_feature(t->clip, among[i].clip))
            return 1;
    return 0;
}

/* Within the crossing's margin it stays; and near an angle the margin is small. */
static void stays_within_its_margin(void **state) {
    (void)state;
    tacDraw d = {32, 0};
    int tried = 0;
    for (int i = 0; i < 3000; i++) {
        Pair p = planks(rad(draw_uniform(&d, -6, 6)), rad(draw_uniform(&d, -6, 6)), DEPTH);
        tacTouch t[TAC_MAX_TOUCH], u[TAC_MAX_TOUCH];
        int n = touches_of(&p, 0.1, t);
        const tacTouch *c = crossing_of(t, n);
        if (c == 0) continue;
        CHECK(c->margin <= flush_of(&p, t).room * tac_norm3(p.shape[0].size) + TOL);
        Pair q = moved(&p, &d, WITHIN_MARGIN * fmin(c->margin, t[0].margin));
        CHECK(is_there(c, u, touches_of(&q, 0.1, u)));
        tried++;
    }
    CHECK(tried > 500);
}

/* The set of touches of two pairs is the same, but for those near `reach`. */
static int same_touches(const Pair *p, const Pair *q, double reach) {
    tacTouch t[2][TAC_MAX_TOUCH];
    int n[2] = {touches_of(p, reach, t[0]), touches_of(q, reach, t[1])};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n[k]; i++)
            if (t[k][i].dist < reach - NEAR_REACH && !is_there(&t[k][i], t[1 - k], n[1 - k])) return 0;
    return 1;
}

static double least_margin(const Pair *p, double reach) {
    tacTouch t[TAC_MAX_TOUCH];
    int n = touches_of(p, reach, t);
    double least = HUGE_VAL;
    for (int i = 0; i < n; i++)
        least = fmin(least, t[i].margin);
    return least;
}

/* Shape 1 turned about its origin by `way` metres at radius 1.1, more than any shape here has. */
static Pair turned(const Pair *p, tacVec3 axis, double way) {
    Pair q = *p;
    q.pose[1].R = tac_mulmm3(tac_quat_mat(tac_quat_exp(tac_scale3(way / 1.1, axis))), q.pose[1].R);
    return q;
}

/* Turns until the touches change, and finds where: just before and just after, some touch's margin says so. -> whether
 * they do while the first stays. */
static int check_change(const Pair *p, tacVec3 axis, double reach) {
    tacTouch first[2][TAC_MAX_TOUCH];
    double from = 0, to = 0.02;
    Pair q = turned(p, axis, to);
    if (same_touches(p, &q, reach)) return 0;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (from + to);
        q = turned(p, axis, middle);
        *(same_touches(p, &q, reach) ? &from : &to) = middle;
    }
    Pair before = turned(p, axis, from - BESIDE_CHANGE), after = turned(p, axis, to + BESIDE_CHANGE);
    if (touches_of(&before, reach, first[0]) == 0 || touches_of(&after, reach, first[1]) == 0) return 0;
    if (!is_there(first[0], first[1], 1) || same_touches(&before, &after, reach)) return 0;
    CHECK_LT(least_margin(&before, reach), 2 * BESIDE_CHANGE);
    CHECK_LT(least_margin(&after, reach), 2 * BESIDE_CHANGE);
    return 1;
}

static tacVec3 draw_axis(tacDraw *d) { return tac_quat_rotate(draw_quat(d), tac_vec3(0, 0, 1)); }

/* Also where the first touch is the only one. */
static void angles_are_flagged(void **state) {
    (void)state;
    tacDraw d = {33, 0};
    int found = 0;
    for (int i = 0; i < 3000; i++) {
        Pair p = planks(rad(draw_uniform(&d, -7, 7)), rad(draw_uniform(&d, -7, 7)), DEPTH);
        found += check_change(&p, draw_axis(&d), 0);
    }
    CHECK(found > 300);
}

/* Roofs as low as 2 to 5 degrees: of the second shape's faces two are opposed to one of the first. */
static void opposed_faces_are_flagged(void **state) {
    (void)state;
    tacDraw d = {34, 0};
    Solid low, high;
    int found = 0;
    make_prism(&low, 4, 1, 0.5, 0.02), make_prism(&high, 5, 0.6, 1, 0.01);
    for (int i = 0; i < 3000; i++) {
        Pair p = {{low.shape, high.shape}, {pose_at(0, 0, 0)}};
        tacVec3 tilt = tac_vec3(rad(draw_uniform(&d, -4, 4)), rad(draw_uniform(&d, -4, 4)), draw_uniform(&d, 0, 1));
        p.pose[1] = pose_turned(tac_vec3(draw_uniform(&d, -1, 1), draw_uniform(&d, -1, 1), 1), tilt);
        tacTouch t[TAC_MAX_TOUCH];
        for (int k = 0; k < 8; k++) {
            CHECK(touches_of(&p, HUGE_VAL, t) > 0);
            p.pose[1].p.z -= t[0].dist + DEPTH;
        }
        if (t[0].feature[0].kind != TAC_FEATURE_LINE || t[0].feature[1].kind != TAC_FEATURE_LINE) continue;
        found += check_change(&p, draw_axis(&d), 0);
    }
    CHECK(found > 100);
    free_solid(&low), free_solid(&high);
}

/* --- How it moves ------------------------------------------------------------------------------------------------- */

static int crossing_along(void *context, double h, double *out) {
    TouchMotion *m = context;
    Pair p;
    tacTouch t[TAC_MAX_TOUCH];
    motion_at(m, h, p.shape, p.pose);
    const tacTouch *c = crossing_of(t, touches_of(&p, 0.1, t));
    if (c != 0) motion_pack(c, out);
    return c == 0;
}

static void check_crossing_moves(const Pair *p) {
    tacTouch t[TAC_MAX_TOUCH];
    const tacTouch *c = crossing_of(t, touches_of(p, 0.1, t));
    TouchMotion m = {.shape = {p->shape[0], p->shape[1]}, .pose = {p->pose[0], p->pose[1]}, .about = {0.1, 0.2, 0.3}};
    double work[DIFFERENCE_ROWS * DIFFERENCE_ROWS * 4 * MOTION_NUMBERS], numeric[MOTION_NUMBERS], exact[MOTION_NUMBERS];
    tacVec3 corner[2][MOTION_MOST_CORNERS];
    tacTouchSystem k;
    CHECK(c != 0);
    CHECK(tac_touch_prepare(&p->shape[0], &p->pose[0], &p->shape[1], &p->pose[1], c, &k) == TAC_OK);
    for (m.side = 0; m.side < 2; m.side++)
        for (m.what = 0; m.what < motion_count(&m, m.side); m.what++) {
            tacShapeTangent da = motion_tangent(&m, 0, corner[0]), db = motion_tangent(&m, 1, corner[1]);
            tacTouchTangent tangent = tac_touch_jvp(&k, &da, &db);
            motion_pack_tangent(&tangent, exact);
            CHECK_INT(difference_ridders(crossing_along, &m, MOTION_NUMBERS, FIRST_STEP, numeric, NULL, work), 0);
            CHECK_ARRAY(MOTION_NUMBERS, exact, numeric, TOL_GRADIENT);
        }
}

/* The crossing's derivative, through the search: along a face of either plank. */
static void crossing_moves(void **state) {
    (void)state;
    const double tilts[][2] = {{2, 1}, {-3, 2}, {4, -2}, {7, 2}, {10, -3}};
    for (int i = 0; i < 5; i++) {
        Pair p = planks(rad(tilts[i][0]), rad(tilts[i][1]), DEPTH);
        check_crossing_moves(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_tilts),
        cmocka_unit_test(the_same_touch_along_a_face),
        cmocka_unit_test(stays_within_its_margin),
        cmocka_unit_test(angles_are_flagged),
        cmocka_unit_test(opposed_faces_are_flagged),
        cmocka_unit_test(crossing_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
