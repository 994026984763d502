#include "pair_checks.h"

#include <math.h>

static const double TOL = 1e-13; /* of the shapes' size */

static void test_random(void **state) {
    (void)state;
    check_random_pairs(TAC_GEOM_PLANE, TAC_GEOM_ELLIPSOID, 1000, 1.5, TOL);
}

/* On its axes; and turned by 45 degrees, where the half-width is sqrt((a^2 + c^2)/2). */
static void test_known(void **state) {
    (void)state;
    Pair p = {{shape_of(TAC_GEOM_PLANE, 0, 0, 0), shape_of(TAC_GEOM_ELLIPSOID, 1, 2, 3)},
              {pose_at(0, 0, 0), pose_at(4, 5, 3.5)}};
    tacTouch t;
    CHECK_INT(check_touches(&p, 1, TOL, &t), 1);
    CHECK_NEAR(t.dist, 0.5, TOL);
    tacVec3 lowest = {4, 5, 0.5};
    CHECK_ARRAY(3, &t.point[1], &lowest, TOL);
    p.pose[1].R = pose_turned(tac_zero3(), tac_vec3(0, 0.78539816339744831, 0)).R;
    CHECK_INT(check_touches(&p, 2, TOL, &t), 1);
    CHECK_NEAR(t.dist, 3.5 - sqrt(5), TOL);
    CHECK_INT(touches_of(&p, 1, &t), 0);
}

/* A disk that lies in the plane and a point have their centre as lowest point. */
static void test_degenerate(void **state) {
    (void)state;
    Pair p = {{shape_of(TAC_GEOM_PLANE, 0, 0, 0), shape_of(TAC_GEOM_ELLIPSOID, 1, 2, 0)},
              {pose_at(0, 0, 0), pose_at(4, 5, 0.5)}};
    tacTouch t;
    CHECK_INT(touches_of(&p, 1, &t), 1);
    CHECK_NEAR(t.dist, 0.5, 0);
    tacVec3 centre = {4, 5, 0.5};
    CHECK_ARRAY(3, &t.point[1], &centre, 0);
    p.shape[1].size = tac_zero3();
    CHECK_INT(touches_of(&p, 1, &t), 1);
    CHECK_NEAR(t.dist, 0.5, 0);
    p.shape[1].size = tac_vec3(1e-6, 2e-6, 3e-6);
    p.pose[1].p = tac_vec3(1e6, 0, 1e6);
    CHECK_INT(touches_of(&p, HUGE_VAL, &t), 1);
    CHECK_NEAR(t.dist, 1e6 - 3e-6, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_known),
                                       cmocka_unit_test(test_degenerate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
