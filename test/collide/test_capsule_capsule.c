#include "pair_checks.h"

#include <math.h>

static const double TOL = 1e-12; /* of the shapes' size */

static void test_random(void **state) {
    (void)state;
    check_random_pairs(TAC_GEOM_CAPSULE, TAC_GEOM_CAPSULE, 1500, 1.5, TOL);
}

/* Capsules of radius 0.1 and half-lengths 1 and 2, the second at p turned by r. */
static int pair_touches(tacVec3 p, tacVec3 r, double reach, tacTouch *t) {
    Pair q = {{shape_of(TAC_GEOM_CAPSULE, 0.1, 1, 0), shape_of(TAC_GEOM_CAPSULE, 0.1, 2, 0)},
              {pose_at(0, 0, 0), pose_turned(p, r)}};
    return check_touches(&q, reach, TOL, t);
}
static void expect(const tacTouch *t, double dist, int kind0, int id0, int kind1, int id1) {
    CHECK_NEAR(t->dist, dist, TOL);
    CHECK_INT(t->feature[0].kind, kind0);
    CHECK_INT(t->feature[0].id[0], id0);
    CHECK_INT(t->feature[1].kind, kind1);
    CHECK_INT(t->feature[1].id[0], id1);
}
static const double QUARTER = 1.5707963267948966;

static void test_every_region(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    tacVec3 turn = tac_vec3(0, QUARTER, 0); /* z to x */
    CHECK_INT(pair_touches(tac_vec3(0, 1, 0), turn, 1, t), 1);
    expect(t, 0.8, TAC_FEATURE_LINE, 0, TAC_FEATURE_LINE, 0);
    CHECK_INT(pair_touches(tac_vec3(0, 0.3, 1.4), turn, 1, t), 1);
    expect(t, 0.3, TAC_FEATURE_POINT, 1, TAC_FEATURE_LINE, 0);
    CHECK_INT(pair_touches(tac_vec3(2.3, 0.4, 0), turn, 1, t), 1);
    expect(t, 0.3, TAC_FEATURE_LINE, 0, TAC_FEATURE_POINT, 0);
    CHECK_INT(pair_touches(tac_vec3(-2.3, 0, -1.4), turn, 1, t), 1);
    expect(t, 0.3, TAC_FEATURE_POINT, 0, TAC_FEATURE_POINT, 1);
}

/* Side by side: both ends of the common stretch; the shorter capsule's, or one of each. */
static void test_parallel(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    CHECK_INT(pair_touches(tac_vec3(0.5, 0, 0), tac_zero3(), 1, t), 2);
    expect(&t[0], 0.3, TAC_FEATURE_POINT, 0, TAC_FEATURE_LINE, 0);
    expect(&t[1], 0.3, TAC_FEATURE_POINT, 1, TAC_FEATURE_LINE, 0);
    CHECK_INT(pair_touches(tac_vec3(0.5, 0, 2), tac_zero3(), 1, t), 2);
    expect(&t[0], 0.3, TAC_FEATURE_POINT, 1, TAC_FEATURE_LINE, 0);
    expect(&t[1], 0.3, TAC_FEATURE_LINE, 0, TAC_FEATURE_POINT, 0);
    CHECK_NEAR(t[1].point[0].z, 0, TOL);
    CHECK_INT(pair_touches(tac_vec3(0, 0.5, 0), tac_vec3(2 * QUARTER, 0, 0), 1, t), 2); /* head to tail */
    expect(&t[0], 0.3, TAC_FEATURE_POINT, 0, TAC_FEATURE_LINE, 0);
    CHECK_INT(pair_touches(tac_vec3(0, 0, 3.5), tac_zero3(), 1, t), 1); /* in line */
    expect(&t[0], 0.3, TAC_FEATURE_POINT, 1, TAC_FEATURE_POINT, 0);
    CHECK_NEAR(t[0].normal.z, 1, TOL);
}

/* Turned a little against each other: the same ends, and between them the nearest points of the lines. The distances
 * go over into the parallel ones. */
static void test_nearly_parallel(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    for (double turn = 1e-2; turn > 1e-17; turn *= 0.1) {
        int n = pair_touches(tac_vec3(0.5, 0, 0), tac_vec3(turn, 0, 0), 1, t); /* about the line between the two */
        CHECK_INT(n, turn > 1e-12 ? 3 : 2);
        CHECK_NEAR(t[0].dist, 0.3, TOL);
        CHECK_NEAR(t[n - 1].dist, sqrt(0.25 + pow(sin(turn), 2)) - 0.2, TOL);
        CHECK_NEAR(t[n - 2].dist, t[n - 1].dist, TOL);
        CHECK_NEAR(t[n - 2].point[0].z, -1, 0.1);
        CHECK_NEAR(t[n - 1].point[0].z, 1, 0.1);
        n = pair_touches(tac_vec3(0.5, 0, 0), tac_vec3(0, turn, 0), 1, t); /* towards each other */
        CHECK_INT(n, 2);
        CHECK_INT(t[0].feature[0].kind, TAC_FEATURE_POINT);
        CHECK_NEAR(t[0].dist, 0.5 * cos(turn) - sin(turn) - 0.2, TOL);
    }
}

/* Lines that nearly meet at a small angle: the distance does not lose digits. */
static void test_small_angle_meeting(void **state) {
    (void)state;
    tacDraw d = {11, 0};
    tacTouch t[TAC_MAX_TOUCH];
    for (int i = 0; i < 2000; i++) {
        double turn = pow(10, draw_uniform(&d, -12, -2)), away = pow(10, draw_uniform(&d, -16, -2));
        double s = draw_uniform(&d, -0.9, 0.9); /* where they meet, on both */
        tacVec3 r = tac_vec3(turn, 0, 0), u = tac_vec3(0, -sin(turn), cos(turn));
        tacVec3 p = tac_sub3(tac_vec3(away, 0, s), tac_scale3(s, u));
        Pair q = {{shape_of(TAC_GEOM_CAPSULE, 0.1, 1, 0), shape_of(TAC_GEOM_CAPSULE, 0.1, 2, 0)},
                  {pose_at(0, 0, 0), pose_turned(p, r)}};
        CHECK(touches_of(&q, 0, t) > 0);
        CHECK_NEAR(t[0].dist, away - 0.2, 1e-14);
        CHECK_NEAR(gap_along(&q, t[0].normal), t[0].dist, 1e-13);
    }
}

/* Cores that meet: the depth is the sum of the radii, and the normal parts them. */
static int meeting(tacVec3 p, tacMat3 R, tacTouch *t) {
    Pair q = {{shape_of(TAC_GEOM_CAPSULE, 0.1, 1, 0), shape_of(TAC_GEOM_CAPSULE, 0.1, 2, 0)},
              {pose_at(0, 0, 0), {p, R}}};
    return check_touches(&q, 0, TOL, t);
}

static void test_meeting_cores(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    const tacMat3 turn = {{0, 0, 1, 0, 1, 0, -1, 0, 0}}, straight = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}; /* z to x; z to z */
    CHECK_INT(meeting(tac_vec3(0.5, 0, 0.5), turn, t), 1);                                         /* crossing */
    CHECK_NEAR(t[0].dist, -0.2, TOL);
    CHECK_NEAR(fabs(t[0].normal.y), 1, TOL);
    CHECK_INT(meeting(tac_vec3(0.5, 0, 1), turn, t), 1); /* the first's end on the second */
    CHECK_NEAR(t[0].dist, -0.2, TOL);
    CHECK_NEAR(t[0].normal.z, 1, TOL);
    CHECK_INT(meeting(tac_vec3(2, 0, 0.5), turn, t), 1); /* the second's end on the first */
    CHECK_NEAR(t[0].dist, -0.2, TOL);
    CHECK_NEAR(t[0].normal.x, 1, TOL);
    CHECK_INT(meeting(tac_vec3(2, 0, 1), turn, t), 1); /* two ends */
    CHECK_NEAR(t[0].dist, -0.2, TOL);
    CHECK_NEAR(t[0].normal.x, sqrt(0.5), TOL);
    CHECK_NEAR(t[0].normal.z, sqrt(0.5), TOL);
    CHECK_INT(meeting(tac_vec3(0, 0, 0.5), straight, t), 2); /* one inside the other's line */
    CHECK_NEAR(t[0].dist, -0.2, TOL);
    CHECK_NEAR(t[0].normal.x, 1, TOL);
    CHECK_INT(meeting(tac_vec3(0, 0, 3), straight, t), 1); /* end to end */
    CHECK_NEAR(t[0].dist, -0.2, TOL);
    CHECK_NEAR(t[0].normal.z, 1, TOL);
}

static void test_sizes(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    Pair p = {{shape_of(TAC_GEOM_CAPSULE, 0, 0, 0), shape_of(TAC_GEOM_CAPSULE, 0, 0, 0)},
              {pose_at(0, 0, 0), pose_at(1, 2, 2)}};
    CHECK_INT(check_touches(&p, HUGE_VAL, TOL, t), 1);
    CHECK_NEAR(t[0].dist, 3, TOL);
    p.pose[1] = p.pose[0];
    CHECK_INT(check_touches(&p, HUGE_VAL, TOL, t), 1);
    CHECK_NEAR(t[0].dist, 0, 0);
    p.shape[0] = p.shape[1] = shape_of(TAC_GEOM_CAPSULE, 1e-6, 2e-6, 0);
    p.pose[1] = pose_at(5e-6, 0, 0);
    CHECK_INT(check_touches(&p, HUGE_VAL, TOL * 1e-6, t), 2); /* ends face ends */
    CHECK_NEAR(t[0].dist, 3e-6, 1e-18);
    p.pose[1] = pose_at(3e6, 4e6, 0);
    CHECK(touches_of(&p, HUGE_VAL, t) > 0);
    CHECK_NEAR(t[0].dist, 5e6, 1e-5);
}

static void test_continuity(void **state) {
    (void)state;
    tacDraw d = {12, 0};
    for (int i = 0; i < 30; i++) {
        Pair from = draw_pair(&d, TAC_GEOM_CAPSULE, TAC_GEOM_CAPSULE, 2), to = from;
        to.pose[1].p = tac_sub3(tac_scale3(2, to.pose[0].p), to.pose[1].p);
        check_continuity(&from, &to, 100, TOL * 10);
    }
}

/* Slid along each other, nearly parallel: points move as the capsules do, the crossing of the lines faster. */
static void test_sliding(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        tacVec3 r = tac_vec3(k & 1 ? 0.02 : 0, k & 2 ? 0.01 : -0.01, 0);
        Pair p = {{shape_of(TAC_GEOM_CAPSULE, 0.1, 1, 0), shape_of(TAC_GEOM_CAPSULE, 0.1, 2, 0)},
                  {pose_turned(tac_vec3(0.19, 0, -4), r), pose_at(0, 0, 0)}};
        check_sliding(&p, tac_vec3(0.19, 0, 4), 3000, 0.05, 1.5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_every_region),
                                       cmocka_unit_test(test_parallel),
                                       cmocka_unit_test(test_nearly_parallel),
                                       cmocka_unit_test(test_small_angle_meeting),
                                       cmocka_unit_test(test_meeting_cores),
                                       cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_continuity),
                                       cmocka_unit_test(test_sliding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
