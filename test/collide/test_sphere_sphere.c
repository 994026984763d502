#include "pair_checks.h"

#include <math.h>

static const double TOL = 1e-12; /* of the shapes' size */

static void test_random(void **state) {
    (void)state;
    check_random_pairs(TAC_GEOM_SPHERE, TAC_GEOM_SPHERE, 1000, 1.5, TOL);
    check_random_pairs(TAC_GEOM_SPHERE, TAC_GEOM_CAPSULE, 1000, 1.5, TOL);
}

static tacTouch beside_capsule(double x, double y, double z) {
    Pair p = {{shape_of(TAC_GEOM_SPHERE, 0.5, 0, 0), shape_of(TAC_GEOM_CAPSULE, 0.25, 2, 0)},
              {pose_at(x, y, z), pose_at(0, 0, 0)}};
    tacTouch t;
    CHECK_INT(check_touches(&p, HUGE_VAL, TOL, &t), 1);
    return t;
}

static void test_capsule_regions(void **state) {
    (void)state;
    tacTouch t = beside_capsule(3, 4, 1);
    CHECK_NEAR(t.dist, 4.25, TOL);
    CHECK_INT(t.feature[1].kind, TAC_FEATURE_LINE);
    CHECK_INT(t.feature[1].id[1], 1);
    t = beside_capsule(3, 0, 6);
    CHECK_NEAR(t.dist, 4.25, TOL);
    CHECK_INT(t.feature[1].kind, TAC_FEATURE_POINT);
    CHECK_INT(t.feature[1].id[0], 1);
    t = beside_capsule(0, -3, -6);
    CHECK_INT(t.feature[1].id[0], 0);
    CHECK_NEAR(t.normal.y, 0.6, TOL);
    CHECK_NEAR(t.normal.z, 0.8, TOL);
    /* both sides of the switch from end to segment */
    tacTouch end = beside_capsule(3, 4, 2 + 1e-9), line = beside_capsule(3, 4, 2 - 1e-9);
    CHECK_NEAR(end.dist - line.dist, 0, TOL);
    CHECK_LT(tac_norm3(tac_sub3(end.normal, line.normal)), 1e-9);
    CHECK_LT(end.margin, 1.1e-9);
    CHECK_LT(line.margin, 1.1e-9);
    CHECK(end.feature[1].kind != line.feature[1].kind);
}

/* Where centres coincide the depth is the sum of the radii and the normal a fixed direction. */
static void test_coincident(void **state) {
    (void)state;
    Pair p = {{shape_of(TAC_GEOM_SPHERE, 1, 0, 0), shape_of(TAC_GEOM_SPHERE, 2, 0, 0)},
              {pose_at(1, 1, 1), pose_at(1, 1, 1)}};
    tacTouch t;
    CHECK_INT(check_touches(&p, 0, TOL, &t), 1);
    CHECK_NEAR(t.dist, -3, 0);
    CHECK_NEAR(t.normal.z, 1, 0);
    CHECK_NEAR(t.margin, 0, 0);
    t = beside_capsule(0, 0, 1.5); /* on the axis: along the capsule's x */
    CHECK_NEAR(t.dist, -0.75, TOL);
    CHECK_NEAR(t.normal.x, 1, 0);
    t = beside_capsule(0, 0, 2); /* on an end: the capsule leaves along its axis */
    CHECK_NEAR(t.dist, -0.75, TOL);
    CHECK_NEAR(t.normal.z, -1, 0);
    t = beside_capsule(1e-14, 0, -2);
    CHECK_NEAR(t.dist, -0.75, TOL);
    CHECK_NEAR(t.normal.z, 1, 0);
}

static void test_scales(void **state) {
    (void)state;
    Pair p = {{shape_of(TAC_GEOM_SPHERE, 1e-6, 0, 0), shape_of(TAC_GEOM_CAPSULE, 1e-6, 2e-6, 0)},
              {pose_at(3e-6, 0, 6e-6), pose_at(0, 0, 0)}};
    tacTouch t;
    CHECK_INT(check_touches(&p, HUGE_VAL, TOL * 1e-6, &t), 1);
    CHECK_NEAR(t.dist, 3e-6, TOL * 1e-6);
    p.pose[0] = pose_at(3e6, 4e6, 0);
    CHECK_INT(touches_of(&p, HUGE_VAL, &t), 1);
    CHECK_NEAR(t.dist, 5e6 - 2e-6, 1e-8);
    CHECK_INT(touches_of(&p, 4e6, &t), 0);
    p.shape[1] = shape_of(TAC_GEOM_CAPSULE, 0, 0, 0), p.shape[0] = shape_of(TAC_GEOM_SPHERE, 0, 0, 0);
    CHECK_INT(touches_of(&p, HUGE_VAL, &t), 1);
    CHECK_NEAR(t.dist, 5e6, 1e-8);
    p.pose[0] = p.pose[1];
    CHECK_INT(check_touches(&p, 1, TOL, &t), 1);
    CHECK_NEAR(t.dist, 0, 0);
}

static void test_continuity(void **state) {
    (void)state;
    tacDraw d = {6, 0};
    for (int i = 0; i < 30; i++) {
        Pair from = draw_pair(&d, TAC_GEOM_SPHERE, TAC_GEOM_CAPSULE, 2), to = from;
        to.pose[1].p = tac_sub3(tac_scale3(2, to.pose[0].p), to.pose[1].p);
        check_continuity(&from, &to, 100, TOL * 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_capsule_regions),
                                       cmocka_unit_test(test_coincident), cmocka_unit_test(test_scales),
                                       cmocka_unit_test(test_continuity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
