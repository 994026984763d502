#include "pair_checks.h"

#include <math.h>

static const double TOL = 1e-12; /* of the shapes' size */

static void test_random(void **state) {
    (void)state;
    check_random_pairs(TAC_GEOM_SPHERE, TAC_GEOM_CYLINDER, 1000, 1.5, TOL);
}

/* A sphere of radius 0.5 beside the cylinder of radius 1 and half-length 2. */
static tacTouch beside(double x, double y, double z) {
    Pair p = {{shape_of(TAC_GEOM_SPHERE, 0.5, 0, 0), shape_of(TAC_GEOM_CYLINDER, 1, 2, 0)},
              {pose_at(x, y, z), pose_at(0, 0, 0)}};
    tacTouch t;
    CHECK_INT(check_touches(&p, HUGE_VAL, TOL, &t), 1);
    return t;
}
static void expect(tacTouch t, double dist, tacFeatureKind kind, int id) {
    CHECK_NEAR(t.dist, dist, TOL);
    CHECK_INT(t.feature[1].kind, kind);
    CHECK_INT(t.feature[1].id[0], id);
}

static void test_every_region(void **state) {
    (void)state;
    expect(beside(3, 4, 1), 3.5, TAC_FEATURE_LINE, 0);
    expect(beside(0.3, 0.4, 4), 1.5, TAC_FEATURE_PLANE, 1);
    expect(beside(0.3, 0.4, -4), 1.5, TAC_FEATURE_PLANE, 0);
    expect(beside(0, 4, 6), 4.5, TAC_FEATURE_CIRCLE, 1);
    expect(beside(-4, 0, -6), 4.5, TAC_FEATURE_CIRCLE, 0);
    expect(beside(0, 0.75, 0.5), -0.75, TAC_FEATURE_LINE, 0);
    expect(beside(0, 0.5, 1.75), -0.75, TAC_FEATURE_PLANE, 1);
    expect(beside(0, 0.5, -1.75), -0.75, TAC_FEATURE_PLANE, 0);
}

/* On the axis: sideways along x. On the rim: the side. */
static void test_degenerate(void **state) {
    (void)state;
    tacTouch t = beside(0, 0, 0);
    expect(t, -1.5, TAC_FEATURE_LINE, 0);
    CHECK_NEAR(t.normal.x, -1, 0);
    t = beside(0, 1, 2);
    expect(t, -0.5, TAC_FEATURE_LINE, 0);
    CHECK_NEAR(t.normal.y, -1, 0);
    Pair p = {{shape_of(TAC_GEOM_SPHERE, 0, 0, 0), shape_of(TAC_GEOM_CYLINDER, 0, 0, 0)},
              {pose_at(1, 2, 2), pose_at(0, 0, 0)}};
    CHECK_INT(check_touches(&p, HUGE_VAL, TOL, &t), 1);
    CHECK_NEAR(t.dist, 3, TOL);
    p.pose[0] = p.pose[1];
    CHECK_INT(check_touches(&p, HUGE_VAL, TOL, &t), 1);
    CHECK_NEAR(t.dist, 0, 0);
    p.shape[0] = shape_of(TAC_GEOM_SPHERE, 1e-6, 0, 0), p.shape[1] = shape_of(TAC_GEOM_CYLINDER, 1e-6, 2e-6, 0);
    p.pose[0] = pose_at(0, 4e-6, 6e-6);
    CHECK_INT(check_touches(&p, HUGE_VAL, TOL * 1e-6, &t), 1);
    CHECK_NEAR(t.dist, 4e-6, TOL * 1e-6);
    p.pose[0] = pose_at(0, 3e6, 4e6);
    CHECK_INT(touches_of(&p, HUGE_VAL, &t), 1);
    CHECK_NEAR(t.dist, 5e6, 1e-4);
}

static void test_continuity(void **state) {
    (void)state;
    tacDraw d = {7, 0};
    for (int i = 0; i < 30; i++) {
        Pair from = draw_pair(&d, TAC_GEOM_SPHERE, TAC_GEOM_CYLINDER, 2), to = from;
        to.pose[1].p = tac_sub3(tac_scale3(2, to.pose[0].p), to.pose[1].p);
        check_continuity(&from, &to, 100, TOL * 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_every_region),
                                       cmocka_unit_test(test_degenerate), cmocka_unit_test(test_continuity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
