#include "pair_checks.h"

#include <math.h>

/* Of the shapes' size; rounding of a few products. */
static const double TOL = 1e-12;

static void test_random(void **state) {
    (void)state;
    check_random_pairs(TAC_GEOM_SPHERE, TAC_GEOM_BOX, 1000, 1.5, TOL);
}

/* A sphere of radius 0.5 about x, beside the box of half-sizes 1, 2, 3 at the origin. */
static tacTouch beside(double x, double y, double z) {
    Pair p = {{shape_of(TAC_GEOM_SPHERE, 0.5, 0, 0), shape_of(TAC_GEOM_BOX, 1, 2, 3)},
              {pose_at(x, y, z), pose_at(0, 0, 0)}};
    tacTouch t[TAC_MAX_TOUCH];
    CHECK_INT(check_touches(&p, HUGE_VAL, TOL, t), 1);
    return t[0];
}
static void expect(tacTouch t, double dist, tacFeatureKind kind, int id0, int id1) {
    CHECK_NEAR(t.dist, dist, TOL);
    CHECK_INT(t.feature[1].kind, kind);
    CHECK_INT(t.feature[1].id[0], id0);
    CHECK_INT(t.feature[1].id[1], id1);
}

static void test_every_region(void **state) {
    (void)state;
    expect(beside(2, 0.5, 0), 0.5, TAC_FEATURE_PLANE, 1, 0);
    expect(beside(0, 0, -5), 1.5, TAC_FEATURE_PLANE, 4, 0);
    expect(beside(4, -6, 0), 4.5, TAC_FEATURE_LINE, 1, 5);
    expect(beside(0, 5, 7), 4.5, TAC_FEATURE_LINE, 6, 7);
    expect(beside(-3, 0, 3.5), sqrt(4.25) - 0.5, TAC_FEATURE_LINE, 4, 6);
    expect(beside(3, 4, 4), 2.5, TAC_FEATURE_POINT, 7, 0);
    expect(beside(-3, -3, -5), 2.5, TAC_FEATURE_POINT, 0, 0);
    expect(beside(0.75, 0, 0), -0.75, TAC_FEATURE_PLANE, 1, 0);
    expect(beside(0, -1.75, 0.5), -0.75, TAC_FEATURE_PLANE, 2, 0);
    expect(beside(0.1, 0.5, 2.875), -0.625, TAC_FEATURE_PLANE, 5, 0);
}

/* The middle: the + face of the thinnest axis; a cube's: the first. On the surface: the face's normal, no difference of
 * equal points. */
static void test_degenerate(void **state) {
    (void)state;
    tacTouch t = beside(0, 0, 0);
    expect(t, -1.5, TAC_FEATURE_PLANE, 1, 0);
    CHECK_NEAR(t.normal.x, -1, 0);
    t = beside(1, 0, 0);
    expect(t, -0.5, TAC_FEATURE_PLANE, 1, 0);
    CHECK_NEAR(t.normal.x, -1, 0);
    expect(beside(1, 2, 3), -0.5, TAC_FEATURE_PLANE, 1, 0);
    expect(beside(1 + 0x1p-46, 2 + 0x1p-46, 3), -0.5, TAC_FEATURE_PLANE, 1, 0);
    Pair dot = {{shape_of(TAC_GEOM_SPHERE, 0, 0, 0), shape_of(TAC_GEOM_BOX, 0, 0, 0)},
                {pose_at(1, 2, 2), pose_at(0, 0, 0)}};
    CHECK_INT(check_touches(&dot, HUGE_VAL, TOL, &t), 1);
    CHECK_NEAR(t.dist, 3, TOL);
    dot.pose[0] = pose_at(0, 0, 0);
    CHECK_INT(check_touches(&dot, HUGE_VAL, TOL, &t), 1);
    CHECK_NEAR(t.dist, 0, 0);
}

static void test_scales(void **state) {
    (void)state;
    tacTouch t;
    Pair far = {{shape_of(TAC_GEOM_SPHERE, 0.5, 0, 0), shape_of(TAC_GEOM_BOX, 1, 2, 3)},
                {pose_at(1e6, 2e6, 2e6), pose_at(0, 0, 0)}};
    CHECK_INT(check_touches(&far, HUGE_VAL, TOL * 1e6, &t), 1);
    CHECK_NEAR(t.dist, sqrt(pow(1e6 - 1, 2) + pow(2e6 - 2, 2) + pow(2e6 - 3, 2)) - 0.5, 1e-9);
    Pair small = {{shape_of(TAC_GEOM_SPHERE, 1e-6, 0, 0), shape_of(TAC_GEOM_BOX, 1e-6, 2e-6, 3e-6)},
                  {pose_at(3e-6, 4e-6, 4e-6), pose_at(0, 0, 0)}};
    CHECK_INT(check_touches(&small, HUGE_VAL, TOL * 1e-6, &t), 1);
    CHECK_NEAR(t.dist, 2e-6, TOL * 1e-6);
}

/* Along a line through face, edge and corner regions and the inside. */
static void test_continuity(void **state) {
    (void)state;
    tacDraw d = {5, 0};
    for (int i = 0; i < 30; i++) {
        Pair from = draw_pair(&d, TAC_GEOM_SPHERE, TAC_GEOM_BOX, 2), to = from;
        to.pose[1].p = tac_sub3(tac_scale3(2, to.pose[0].p), to.pose[1].p); /* through the centre */
        check_continuity(&from, &to, 100, TOL * 10);
        to.pose[1].p = tac_add3(to.pose[1].p, draw_vec3(&d, 0.3));
        check_continuity(&from, &to, 100, TOL * 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_every_region),
                                       cmocka_unit_test(test_degenerate), cmocka_unit_test(test_scales),
                                       cmocka_unit_test(test_continuity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
