#include "pair_checks.h"

#include <math.h>

/* Of the shapes' size. The nearest point is worse than the distance where the surface is flat. */
static const double TOL = 1e-10;
static const double TOL_DIST = 1e-13;

static void test_random(void **state) {
    (void)state;
    check_random_pairs(TAC_GEOM_SPHERE, TAC_GEOM_ELLIPSOID, 1000, 1.5, TOL);
}

static Pair at_centre(double x, double y, double z) {
    return (Pair){{shape_of(TAC_GEOM_SPHERE, 0.5, 0, 0), shape_of(TAC_GEOM_ELLIPSOID, 1, 2, 4)},
                  {pose_at(x, y, z), pose_at(0, 0, 0)}};
}
static tacTouch touch_of(Pair p) {
    tacTouch t;
    CHECK_INT(check_touches(&p, HUGE_VAL, TOL, &t), 1);
    return t;
}

/* On the axes, outside and inside; beyond the focus of an axis the nearest point leaves it. */
static void test_axes(void **state) {
    (void)state;
    CHECK_NEAR(touch_of(at_centre(3, 0, 0)).dist, 1.5, TOL_DIST);
    CHECK_NEAR(touch_of(at_centre(0, -3, 0)).dist, 0.5, TOL_DIST);
    CHECK_NEAR(touch_of(at_centre(0, 0, 7)).dist, 2.5, TOL_DIST);
    CHECK_NEAR(touch_of(at_centre(0.5, 0, 0)).dist, -1, TOL_DIST);
    CHECK_NEAR(touch_of(at_centre(0, 0, 3.9)).dist, -0.6, TOL_DIST);
    /* (0, 0, z) inside the radius of curvature at the tip: x = sqrt(1 - z^2/(c^2 - a^2)) a, distance^2 = x^2 + (z -
     * z')^2 with z' = c^2 z/(c^2 - a^2) */
    double z = 1, far = 16.0 / 15, x = sqrt(1 - far * far / 16);
    CHECK_NEAR(touch_of(at_centre(0, 0, z)).dist, -sqrt(x * x + (z - far) * (z - far)) - 0.5, TOL_DIST);
}

/* The middle: along the least radius, to its + side. A ball: along x. Points on the plane between the two nearest
 * points, and beside it. */
static void test_degenerate(void **state) {
    (void)state;
    tacTouch t = touch_of(at_centre(0, 0, 0));
    CHECK_NEAR(t.dist, -1.5, TOL_DIST);
    CHECK_NEAR(t.normal.x, -1, TOL_DIST);
    CHECK_NEAR(t.margin, 0, 0);
    for (double e = 1e-300; e < 1; e *= 1e20) {
        t = touch_of(at_centre(-e, 0.1, 0.2));
        CHECK_NEAR(t.dist, touch_of(at_centre(e, 0.1, 0.2)).dist, TOL_DIST);
        CHECK(t.normal.x > 0.9);
    }
    Pair p = at_centre(0, 0, 0);
    p.shape[1].size = tac_vec3(2, 2, 2);
    CHECK_NEAR(touch_of(p).dist, -2.5, TOL_DIST);
    p.pose[0] = pose_at(0, 3, 4);
    CHECK_NEAR(touch_of(p).dist, 2.5, TOL_DIST);
    p.pose[0] = pose_at(0, 0.3, 0.4);
    CHECK_NEAR(touch_of(p).dist, -2, TOL_DIST);
    CHECK_NEAR(touch_of(p).normal.x, 0, TOL_DIST);
    p.shape[1].size = tac_zero3();
    CHECK_NEAR(touch_of(p).dist, 0, TOL_DIST);
    p.pose[0] = p.pose[1];
    CHECK_NEAR(touch_of(p).dist, -0.5, TOL_DIST);
}

/* A disk, a needle, and radii of very different size. */
static void test_flat(void **state) {
    (void)state;
    tacDraw d = {8, 0};
    double least[] = {0, 1e-12, 1e-6, 1e-3};
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 200; i++) {
            Pair p = draw_pair(&d, TAC_GEOM_SPHERE, TAC_GEOM_ELLIPSOID, 1.5);
            p.shape[1].size.y = least[k];
            if (i % 2) p.shape[1].size.z = least[k];
            tacTouch t;
            CHECK_INT(touches_of(&p, HUGE_VAL, &t), 1);
            CHECK_NEAR(gap_along(&p, t.normal), t.dist, 1e-9);
            CHECK_LT(greatest_gap(&p, &d, 6), t.dist + 1e-9);
        }
    }
}

static void test_scales(void **state) {
    (void)state;
    Pair p = {{shape_of(TAC_GEOM_SPHERE, 1e-6, 0, 0), shape_of(TAC_GEOM_ELLIPSOID, 1e-6, 2e-6, 3e-6)},
              {pose_at(3e-6, 0, 0), pose_at(0, 0, 0)}};
    CHECK_NEAR(touch_of(p).dist, 1e-6, 1e-18);
    p.pose[0] = pose_at(3e6, 4e6, 0);
    tacTouch t;
    CHECK_INT(touches_of(&p, HUGE_VAL, &t), 1);
    CHECK_NEAR(t.dist, 5e6, 1e-5);
    CHECK_INT(touches_of(&p, 1e6, &t), 0);
}

static void test_continuity(void **state) {
    (void)state;
    tacDraw d = {9, 0};
    for (int i = 0; i < 30; i++) {
        Pair from = draw_pair(&d, TAC_GEOM_SPHERE, TAC_GEOM_ELLIPSOID, 2), to = from;
        to.pose[1].p = tac_sub3(tac_scale3(2, to.pose[0].p), to.pose[1].p);
        check_continuity(&from, &to, 100, TOL * 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),     cmocka_unit_test(test_axes),
                                       cmocka_unit_test(test_degenerate), cmocka_unit_test(test_flat),
                                       cmocka_unit_test(test_scales),     cmocka_unit_test(test_continuity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
