#include "pair_checks.h"

#include <math.h>

static const double TOL = 1e-13; /* of the shapes' size */

static void test_random(void **state) {
    (void)state;
    check_random_pairs(TAC_GEOM_PLANE, TAC_GEOM_SPHERE, 1000, 1.5, TOL);
    check_random_pairs(TAC_GEOM_PLANE, TAC_GEOM_CAPSULE, 1000, 1.5, TOL);
}

static void test_sphere_on_tilted_plane(void **state) {
    (void)state;
    Pair p = {{shape_of(TAC_GEOM_PLANE, 0, 0, 0), shape_of(TAC_GEOM_SPHERE, 0.25, 0, 0)},
              {pose_turned(tac_vec3(1, 2, 3), tac_vec3(0, 1.5707963267948966, 0)), pose_at(1.2, 7, 8)}};
    tacTouch t;
    CHECK_INT(check_touches(&p, 1, TOL, &t), 1);
    CHECK_NEAR(t.dist, -0.05, TOL); /* the plane's normal is +x */
    CHECK_NEAR(t.normal.x, 1, TOL);
    tacVec3 below = {1, 7, 8}, surface = {0.95, 7, 8};
    CHECK_ARRAY(3, &t.point[0], &below, TOL);
    CHECK_ARRAY(3, &t.point[1], &surface, TOL);
    CHECK(t.margin == HUGE_VAL);
}

/* Both ends, the deeper first whichever it is; an end alone where the other is out of reach. */
static void test_capsule_ends(void **state) {
    (void)state;
    for (int up = 0; up < 2; up++) {
        double tilt = up ? 0.1 : -0.1;
        Pair p = {{shape_of(TAC_GEOM_PLANE, 0, 0, 0), shape_of(TAC_GEOM_CAPSULE, 0.2, 1, 0)},
                  {pose_at(0, 0, 0), pose_turned(tac_vec3(3, 0, 0.25), tac_vec3(0, 1.5707963267948966 + tilt, 0))}};
        tacTouch t[TAC_MAX_TOUCH];
        CHECK_INT(check_touches(&p, 1, TOL, t), 2);
        CHECK_INT(t[0].feature[1].id[0], up); /* the +z end points down for a positive tilt */
        CHECK_NEAR(t[0].dist, 0.05 - sin(0.1), TOL);
        CHECK_NEAR(t[1].dist, 0.05 + sin(0.1), TOL);
        CHECK_INT(check_touches(&p, 0.1, TOL, t), 1);
        CHECK_INT(check_touches(&p, -0.1, TOL, t), 0);
    }
}

/* Level: the first end is the first touch; of zero length: two touches in one place. */
static void test_degenerate(void **state) {
    (void)state;
    Pair p = {{shape_of(TAC_GEOM_PLANE, 0, 0, 0), shape_of(TAC_GEOM_CAPSULE, 0.2, 1, 0)},
              {pose_at(0, 0, 0), pose_at(0, 0, 0.1)}};
    tacTouch t[TAC_MAX_TOUCH];
    p.pose[1].R = (tacMat3){{0, 0, 1, 0, 1, 0, -1, 0, 0}}; /* z along x */
    CHECK_INT(check_touches(&p, 1, TOL, t), 2);
    CHECK_INT(t[0].feature[1].id[0], 0);
    CHECK_NEAR(t[0].dist, -0.1, TOL);
    CHECK_NEAR(t[1].dist, -0.1, TOL);
    p.shape[1].size = tac_vec3(0, 0, 0);
    CHECK_INT(check_touches(&p, 1, TOL, t), 2);
    CHECK_NEAR(t[0].dist, 0.1, TOL);
    p.shape[1] = shape_of(TAC_GEOM_SPHERE, 1e-6, 0, 0);
    p.pose[1] = pose_at(1e6, -1e6, 1e6);
    CHECK_INT(touches_of(&p, HUGE_VAL, t), 1);
    CHECK_NEAR(t[0].dist, 1e6 - 1e-6, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_sphere_on_tilted_plane),
                                       cmocka_unit_test(test_capsule_ends), cmocka_unit_test(test_degenerate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
