#include "pair_checks.h"

#include <math.h>

static const double TOL = 1e-12; /* of the shapes' size */
static const double QUARTER = 1.5707963267948966, THIRD = 2.0943951023931953;

static void test_random(void **state) {
    (void)state;
    check_random_pairs(TAC_GEOM_PLANE, TAC_GEOM_CYLINDER, 1000, 1.5, TOL);
    check_random_pairs(TAC_GEOM_PLANE, TAC_GEOM_CONE, 1000, 1.5, TOL);
}

/* Tilted by `tilt` about y, at height z over the floor. */
static int on_floor(tacGeomType type, double tilt, double z, double reach, tacTouch *t) {
    Pair p = {{shape_of(TAC_GEOM_PLANE, 0, 0, 0), shape_of(type, 0.5, 1, 0)},
              {pose_at(0, 0, 0), pose_turned(tac_vec3(2, 3, z), tac_vec3(0, tilt, 0))}};
    return check_touches(&p, reach, TOL, t);
}

/* Standing: three points of the lower rim at 120 degrees, wherever it leans to. Upside down: those of the other rim. */
static void test_standing(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    for (int flip = 0; flip < 2; flip++) {
        for (double lean = 0; lean < 0.05; lean += 0.02) {
            double tilt = lean + (flip ? 2 * QUARTER : 0);
            CHECK_INT(on_floor(TAC_GEOM_CYLINDER, tilt, 0.99, 0.2, t), 3);
            tacVec3 sum = tac_zero3();
            for (int i = 0; i < 3; i++) {
                CHECK_INT(t[i].feature[1].kind, TAC_FEATURE_CIRCLE);
                CHECK_INT(t[i].feature[1].id[0], flip);
                CHECK_INT(t[i].rule, i == 0 ? TAC_RULE_NEAREST : TAC_RULE_RIM);
                CHECK_NEAR(fabs(t[i].angle), i == 0 ? 0 : THIRD, TOL);
                CHECK_NEAR(t[i].dist, 0.99 - cos(lean) + (i == 0 ? -0.5 : 0.25) * sin(lean), TOL);
                sum = tac_madd3(sum, 1.0 / 3, t[i].point[1]);
            }
            tacVec3 centre = {2 - sin(lean), 3, 0.99 - cos(lean)}; /* of the rim */
            CHECK_ARRAY(3, &sum, &centre, TOL);
        }
    }
}

/* Standing straight has no lowest point: the x axis of the cylinder tells, and there is no margin. */
static void test_flat_rim(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    CHECK_INT(on_floor(TAC_GEOM_CYLINDER, 0, 1, 0.2, t), 3);
    tacVec3 x = {2.5, 3, 0};
    CHECK_ARRAY(3, &t[0].point[1], &x, TOL);
    CHECK_NEAR(t[0].margin, 0, TOL);
    CHECK_INT(on_floor(TAC_GEOM_CONE, 0, 1, 0.2, t), 3);
    CHECK_ARRAY(3, &t[0].point[1], &x, TOL);
    for (double tilt = 1e-13; tilt < 1e-7; tilt *= 10) { /* both sides of the switch agree in distance */
        CHECK_INT(on_floor(TAC_GEOM_CYLINDER, tilt, 1, 0.2, t), 3);
        CHECK_NEAR(t[0].dist, 1 - cos(tilt) - 0.5 * sin(tilt), 1e-10);
    }
}

/* A rim that counts as flat, tilted about its x axis: the points stay where they are and have each its own height. */
static void test_nearly_flat_rim(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    for (double tilt = 1e-11; tilt < 0.9e-9; tilt *= 9) {
        Pair p = {{shape_of(TAC_GEOM_PLANE, 0, 0, 0), shape_of(TAC_GEOM_CYLINDER, 0.5, 1, 0)},
                  {pose_at(0, 0, 0), pose_turned(tac_vec3(0, 0, 1), tac_vec3(tilt, 0, 0))}};
        CHECK_INT(check_touches(&p, 0.2, 0.5e-9, t), 3); /* what lies lower: at most r times the tilt */
        for (int k = 0; k < 3; k++) {
            double angle = atan2(t[k].point[1].y, t[k].point[1].x);
            CHECK_NEAR(t[k].dist, 0.5 * sin(angle) * tilt, 1e-15);
            CHECK_NEAR(fabs(angle), t[k].rule == TAC_RULE_RIM ? THIRD : 0, 1e-7);
        }
    }
}

/* Lying: the lowest point of either rim. */
static void test_lying(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    CHECK_INT(on_floor(TAC_GEOM_CYLINDER, QUARTER + 0.01, 0.5, 0.2, t), 2);
    CHECK_INT(t[0].feature[1].id[0], 1);
    CHECK_INT(t[1].feature[1].id[0], 0);
    CHECK_NEAR(t[0].dist, 0.5 - sin(0.01) - 0.5 * cos(0.01), TOL);
    CHECK_NEAR(t[1].dist, 0.5 + sin(0.01) - 0.5 * cos(0.01), TOL);
    CHECK_INT(on_floor(TAC_GEOM_CYLINDER, QUARTER, 0.5, 0.2, t), 2);
    CHECK_NEAR(t[0].dist - t[1].dist, 0, TOL);
}

/* On its apex; on its side: apex and one point of the rim; deep: all four. */
static void test_cone(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    CHECK_INT(on_floor(TAC_GEOM_CONE, 2 * QUARTER - 0.1, cos(0.1), 0.2, t), 1);
    CHECK_INT(t[0].feature[1].kind, TAC_FEATURE_POINT);
    CHECK_NEAR(t[0].dist, 0, TOL);
    double slope = atan(0.25); /* of the side */
    CHECK_INT(on_floor(TAC_GEOM_CONE, QUARTER + slope, sin(slope), 0.2, t), 2);
    CHECK_NEAR(t[0].dist, 0, TOL);
    CHECK_NEAR(t[1].dist, 0, TOL);
    CHECK_INT(on_floor(TAC_GEOM_CONE, 0.3, -5, 0.2, t), 4);
}

static void test_zero_sizes(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    Pair p = {{shape_of(TAC_GEOM_PLANE, 0, 0, 0), shape_of(TAC_GEOM_CYLINDER, 0, 0, 0)},
              {pose_at(0, 0, 0), pose_at(1, 2, 0.5)}};
    CHECK(check_touches(&p, 1, TOL, t) >= 1);
    CHECK_NEAR(t[0].dist, 0.5, 0);
    p.shape[1] = shape_of(TAC_GEOM_CONE, 1e-6, 0, 0);
    CHECK(check_touches(&p, 1, TOL, t) >= 1);
    CHECK_NEAR(t[0].dist, 0.5, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),    cmocka_unit_test(test_standing),
                                       cmocka_unit_test(test_flat_rim),  cmocka_unit_test(test_nearly_flat_rim),
                                       cmocka_unit_test(test_lying),     cmocka_unit_test(test_cone),
                                       cmocka_unit_test(test_zero_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
