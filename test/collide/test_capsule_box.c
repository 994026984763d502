#include "pair_checks.h"

#include <math.h>

static const double TOL = 1e-12; /* of the shapes' size */
static const double QUARTER = 1.5707963267948966;

static void test_random(void **state) {
    (void)state;
    check_random_pairs(TAC_GEOM_CAPSULE, TAC_GEOM_BOX, 1500, 1.5, TOL);
}

/* Thin boxes and long capsules: many edges and deep overlaps. */
static void test_extreme_sizes(void **state) {
    (void)state;
    tacDraw d = {21, 0};
    for (int i = 0; i < 800; i++) {
        Pair p = draw_pair(&d, TAC_GEOM_CAPSULE, TAC_GEOM_BOX, 1.2);
        p.shape[0].size = tac_vec3(0.05, draw_uniform(&d, 0, 3), 0);
        p.shape[1].size.x *= i % 2 ? 0.01 : 1, p.shape[1].size.y *= i % 3 ? 0.1 : 1;
        tacTouch t[TAC_MAX_TOUCH];
        CHECK(check_touches(&p, HUGE_VAL, TOL * 5, t) > 0);
        if (i % 10 == 0) check_greatest(&p, &d, TOL * 5);
        check_invariance(&p, &d, 0.1, TOL * 50);
        check_margin(&p, &d);
    }
}

/* A capsule of radius 0.1 and half-length 1 at p turned by r, beside the box of half-sizes 1, 2, 3. */
static int beside(tacVec3 p, tacVec3 r, double reach, tacTouch *t) {
    Pair q = {{shape_of(TAC_GEOM_CAPSULE, 0.1, 1, 0), shape_of(TAC_GEOM_BOX, 1, 2, 3)},
              {pose_turned(p, r), pose_at(0, 0, 0)}};
    return check_touches(&q, reach, TOL, t);
}
static void expect(const tacTouch *t, double dist, int kind0, int id0, int kind1, int id1) {
    CHECK_NEAR(t->dist, dist, TOL);
    CHECK_INT(t->feature[0].kind, kind0);
    CHECK_INT(t->feature[0].id[0], id0);
    CHECK_INT(t->feature[1].kind, kind1);
    CHECK_INT(t->feature[1].id[0], id1);
}

static void test_every_pair_of_features(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    CHECK_INT(beside(tac_vec3(0, 0, 4.5), tac_zero3(), 1, t), 1); /* standing on a face */
    expect(t, 0.4, TAC_FEATURE_POINT, 0, TAC_FEATURE_PLANE, 5);
    CHECK(beside(tac_vec3(1.7, 2.9, 0.5), tac_vec3(-0.5, 0.4, 0), 0.6, t) > 0); /* an end beside an edge */
    CHECK_INT(t[0].feature[0].kind, TAC_FEATURE_POINT);
    CHECK_INT(t[0].feature[1].kind, TAC_FEATURE_LINE);
    CHECK_INT(beside(tac_vec3(1.5, 0, 4.1), tac_vec3(0, 0.6, 0), 0.2, t), 1); /* leaning outwards above an edge */
    CHECK_INT(t[0].feature[0].kind, TAC_FEATURE_POINT);
    CHECK_INT(beside(tac_vec3(1.4, 0, 3.4), tac_vec3(0, -QUARTER / 2, 0), 1, t), 1); /* across an edge */
    expect(t, hypot(0.4, 0.4) - 0.1, TAC_FEATURE_LINE, 0, TAC_FEATURE_LINE, 5);
    CHECK(beside(tac_vec3(1.3, 2.3, 3.3), tac_vec3(QUARTER / 2, -QUARTER / 2, 0), 1, t) > 0); /* past a corner */
    CHECK_INT(t[0].feature[0].kind, TAC_FEATURE_LINE);
    CHECK_INT(t[0].feature[1].kind, TAC_FEATURE_POINT);
    CHECK_INT(t[0].feature[1].id[0], 7);
    CHECK_INT(beside(tac_vec3(2, 2.5, 4.5), tac_zero3(), 2, t), 1); /* end over a corner */
    expect(t, sqrt(1 + 0.25 + 0.25) - 0.1, TAC_FEATURE_POINT, 0, TAC_FEATURE_POINT, 7);
}

/* Along a face: both ends, or where the face ends, by an edge that clips. */
static void test_along_face(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    tacVec3 along_x = tac_vec3(0, QUARTER, 0);
    CHECK_INT(beside(tac_vec3(1.1, 0, 1), tac_zero3(), 0.1, t), 2); /* beside the face x = 1 */
    expect(&t[0], 0, TAC_FEATURE_POINT, 0, TAC_FEATURE_PLANE, 1);
    expect(&t[1], 0, TAC_FEATURE_POINT, 1, TAC_FEATURE_PLANE, 1);
    CHECK_INT(beside(tac_vec3(0.5, 0, 3.05), along_x, 0.1, t), 2); /* over the top, beyond its edge at x = 1 */
    CHECK_NEAR(t[0].dist, -0.05, TOL);
    CHECK_NEAR(t[1].dist, -0.05, TOL);
    double low = fmin(t[0].point[0].x, t[1].point[0].x), high = fmax(t[0].point[0].x, t[1].point[0].x);
    CHECK_NEAR(low, -0.5, TOL);
    CHECK_NEAR(high, 1, TOL);
    for (double tilt = 1e-17; tilt < 0.02; tilt *= 10) { /* tilted either way: the same two places */
        for (int side = -1; side < 2; side += 2) {
            CHECK_INT(beside(tac_vec3(0.5, 0, 3.05), tac_vec3(0, QUARTER + side * tilt, 0), 0.1, t), 2);
            low = fmin(t[0].point[0].x, t[1].point[0].x), high = fmax(t[0].point[0].x, t[1].point[0].x);
            CHECK_NEAR(low, -0.5, 3 * tilt + TOL);
            CHECK_NEAR(high, 1, 3 * tilt + TOL);
            CHECK_NEAR(t[0].normal.z, -1, 3 * tilt + TOL);
            CHECK_NEAR(t[1].normal.z, -1, TOL);
        }
    }
    Pair bridge = {{shape_of(TAC_GEOM_CAPSULE, 0.1, 3, 0), shape_of(TAC_GEOM_BOX, 1, 2, 3)},
                   {pose_turned(tac_vec3(0, 0.3, 3.05), tac_vec3(0, QUARTER + 0.005, 0)), pose_at(0, 0, 0)}};
    CHECK_INT(check_touches(&bridge, 0.1, TOL, t), 2); /* beyond both edges */
    CHECK_INT(t[0].rule, TAC_RULE_NEAREST);
    CHECK_INT(t[0].feature[1].kind, TAC_FEATURE_LINE);
    CHECK_INT(t[1].rule, TAC_RULE_CLIP);
    CHECK_INT(t[1].feature[1].kind, TAC_FEATURE_PLANE);
    CHECK_NEAR(t[0].point[1].x, 1, TOL);
    CHECK_NEAR(t[1].point[1].x, -1, TOL);
}

/* Along an edge, out of the slabs of its faces: both ends, or an end and the corner. */
static void test_along_edge(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    CHECK_INT(beside(tac_vec3(1.3, 2.4, 1), tac_zero3(), 0.5, t), 2);
    expect(&t[0], 0.4, TAC_FEATURE_POINT, 0, TAC_FEATURE_LINE, 3);
    expect(&t[1], 0.4, TAC_FEATURE_POINT, 1, TAC_FEATURE_LINE, 3);
    CHECK_INT(beside(tac_vec3(1.3, 2.4, 3), tac_zero3(), 0.5, t), 2);
    expect(&t[0], 0.4, TAC_FEATURE_POINT, 0, TAC_FEATURE_LINE, 3);
    expect(&t[1], 0.4, TAC_FEATURE_LINE, 0, TAC_FEATURE_POINT, 7);
    Pair longer = {{shape_of(TAC_GEOM_CAPSULE, 0.1, 5, 0), shape_of(TAC_GEOM_BOX, 1, 2, 3)},
                   {pose_at(1.3, 2.4, 0.5), pose_at(0, 0, 0)}};
    CHECK_INT(check_touches(&longer, 0.5, TOL, t), 2);
    CHECK_NEAR(fabs(t[0].point[1].z), 3, TOL);
    CHECK_NEAR(t[0].point[1].z + t[1].point[1].z, 0, TOL);
}

/* The segment inside or through the box. */
static void test_deep(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    tacDraw d = {22, 0};
    CHECK_INT(beside(tac_vec3(0.8, 0, 0), tac_zero3(), 0, t), 2); /* inside, along the face x = 1 */
    CHECK_NEAR(t[0].dist, -0.3, TOL);
    CHECK_NEAR(t[0].normal.x, -1, TOL);
    CHECK_INT(beside(tac_vec3(0, 0, 3.5), tac_zero3(), 0, t), 1); /* standing in the top */
    expect(&t[0], -0.6, TAC_FEATURE_POINT, 0, TAC_FEATURE_PLANE, 5);
    CHECK(beside(tac_vec3(0, 0, 0), tac_zero3(), 0, t) >= 1); /* the middle */
    CHECK_NEAR(t[0].dist, -1.1, TOL);
    CHECK_INT(beside(tac_vec3(0.95, 0.2, 2.95), tac_vec3(0, -QUARTER / 2, 0), 0, t), 1); /* cutting an edge off */
    expect(&t[0], -0.1 * sqrt(0.5) - 0.1, TAC_FEATURE_LINE, 0, TAC_FEATURE_LINE, 5);
    for (int i = 0; i < 500; i++) {
        Pair p = draw_pair(&d, TAC_GEOM_CAPSULE, TAC_GEOM_BOX, 0.3);
        p.pose[0].p = p.pose[1].p;
        p.pose[0].p.x += draw_uniform(&d, -0.5, 0.5);
        CHECK(check_touches(&p, HUGE_VAL, TOL * 5, t) > 0);
        if (i % 10 == 0) check_greatest(&p, &d, TOL * 5);
    }
}

/* Core on the surface: faces, edges, corners; every answer is minus the radius. */
static void test_core_on_surface(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    CHECK(beside(tac_vec3(0, 0, 4), tac_zero3(), 0, t) > 0);
    CHECK_NEAR(t[0].dist, -0.1, TOL);
    CHECK_NEAR(t[0].normal.z, -1, TOL);
    CHECK(beside(tac_vec3(1, 2, 4), tac_zero3(), 0, t) > 0);
    CHECK_NEAR(t[0].dist, -0.1, TOL);
    CHECK(beside(tac_vec3(1, 2, 1), tac_zero3(), 0, t) > 0);
    CHECK_NEAR(t[0].dist, -0.1, TOL);
    CHECK(beside(tac_vec3(1, 0, 3), tac_vec3(0, -QUARTER / 2, 0), 0, t) > 0);
    CHECK_NEAR(t[0].dist, -0.1, TOL);
    CHECK_NEAR(t[0].normal.x, -sqrt(0.5), 1e-6);
    CHECK(beside(tac_vec3(1 + 1e-14, 2, 1), tac_zero3(), 0, t) > 0);
    CHECK_NEAR(t[0].dist, -0.1, TOL);
    CHECK(beside(tac_vec3(1 + 1e-9, 2 + 1e-9, 1), tac_vec3(1e-9, 0, 0), 0, t) > 0);
    CHECK_NEAR(t[0].dist, -0.1, 1e-8);
}

static void test_sizes(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    Pair p = {{shape_of(TAC_GEOM_CAPSULE, 0, 0, 0), shape_of(TAC_GEOM_BOX, 0, 0, 0)},
              {pose_at(1, 2, 2), pose_at(0, 0, 0)}};
    CHECK(check_touches(&p, HUGE_VAL, TOL, t) > 0);
    CHECK_NEAR(t[0].dist, 3, TOL);
    p.pose[0] = p.pose[1];
    CHECK(check_touches(&p, HUGE_VAL, TOL, t) > 0);
    CHECK_NEAR(t[0].dist, 0, 0);
    p.shape[0] = shape_of(TAC_GEOM_CAPSULE, 1e-6, 2e-6, 0), p.shape[1] = shape_of(TAC_GEOM_BOX, 1e-6, 1e-6, 1e-6);
    p.pose[0] = pose_at(0, 0, 5e-6);
    CHECK(check_touches(&p, HUGE_VAL, TOL * 1e-6, t) > 0);
    CHECK_NEAR(t[0].dist, 1e-6, 1e-18);
    p.pose[0] = pose_at(3e6, 4e6, 0);
    CHECK(touches_of(&p, HUGE_VAL, t) > 0);
    CHECK_NEAR(t[0].dist, 5e6, 1e-5);
    p.shape[1] = shape_of(TAC_GEOM_BOX, 1, 1, 0); /* a plate without thickness, pierced */
    p.shape[0] = shape_of(TAC_GEOM_CAPSULE, 0.1, 0.3, 0);
    p.pose[0] = pose_at(0, 0, 0.1);
    CHECK(check_touches(&p, HUGE_VAL, TOL, t) > 0);
    CHECK_NEAR(t[0].dist, -0.3, TOL);
}

static void test_continuity(void **state) {
    (void)state;
    tacDraw d = {23, 0};
    for (int i = 0; i < 30; i++) {
        Pair from = draw_pair(&d, TAC_GEOM_CAPSULE, TAC_GEOM_BOX, 2), to = from;
        to.pose[1].p = tac_sub3(tac_scale3(2, to.pose[0].p), to.pose[1].p);
        to.pose[1].p = tac_add3(to.pose[1].p, draw_vec3(&d, 0.3));
        check_continuity(&from, &to, 100, TOL * 10);
    }
}

/* Slid over the top from side to side, tilted, turned and rolled a little: points move as the capsule does. */
static void test_sliding(void **state) {
    (void)state;
    for (int k = 0; k < 8; k++) {
        tacMat3 lean = pose_turned(tac_zero3(), tac_vec3(0, QUARTER + (k & 1 ? 0.01 : -0.003), 0)).R;
        tacMat3 roll = pose_turned(tac_zero3(), tac_vec3(k & 2 ? 0.02 : 0, 0, 0)).R;
        tacMat3 turn = pose_turned(tac_zero3(), tac_vec3(0, 0, k & 4 ? 0.4 : 0)).R;
        Pair p = {{shape_of(TAC_GEOM_CAPSULE, 0.1, 1, 0), shape_of(TAC_GEOM_BOX, 1, 2, 3)},
                  {pose_at(-3, 0.9, 3.09), pose_at(0, 0, 0)}};
        p.pose[0].R = tac_mulmm3(turn, tac_mulmm3(roll, lean));
        check_sliding(&p, tac_vec3(3, 0.9, 3.09), 3000, 0.05, 1.5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_extreme_sizes),
                                       cmocka_unit_test(test_every_pair_of_features),
                                       cmocka_unit_test(test_along_face),
                                       cmocka_unit_test(test_along_edge),
                                       cmocka_unit_test(test_deep),
                                       cmocka_unit_test(test_core_on_surface),
                                       cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_continuity),
                                       cmocka_unit_test(test_sliding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
