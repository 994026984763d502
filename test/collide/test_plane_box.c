#include "pair_checks.h"

#include <math.h>

static const double TOL = 1e-13; /* of the shapes' size */

static void test_random(void **state) {
    (void)state;
    check_random_pairs(TAC_GEOM_PLANE, TAC_GEOM_BOX, 1000, 1.5, TOL);
}

/* The touches are the corners within reach, all of them, in their order but for the deepest. */
static void test_corners(void **state) {
    (void)state;
    tacDraw d = {3, 0};
    for (int k = 0; k < 500; k++) {
        Pair p = draw_pair(&d, TAC_GEOM_PLANE, TAC_GEOM_BOX, 1);
        double reach = draw_uniform(&d, -0.2, 0.5);
        tacTouch t[TAC_MAX_TOUCH];
        int n = touches_of(&p, reach, t), expected = 0, seen[8] = {0};
        for (int i = 0; i < 8; i++) {
            tacVec3 x = tac_pose_point(&p.pose[1], tac_shape_vertex(&p.shape[1], i));
            expected += tac_pose_local(&p.pose[0], x).z < reach;
        }
        CHECK_INT(n, expected);
        for (int i = 0; i < n; i++) {
            int corner = t[i].feature[1].id[0];
            tacVec3 x = tac_pose_point(&p.pose[1], tac_shape_vertex(&p.shape[1], corner));
            CHECK_ARRAY(3, &t[i].point[1], &x, 0);
            CHECK_INT(seen[corner]++, 0);
            CHECK(i < 2 || corner > t[i - 1].feature[1].id[0]);
        }
    }
}

static void test_resting(void **state) {
    (void)state;
    Pair p = {{shape_of(TAC_GEOM_PLANE, 0, 0, 0), shape_of(TAC_GEOM_BOX, 1, 2, 0.5)},
              {pose_at(0, 0, 0), pose_at(5, 6, 0.49)}};
    tacTouch t[TAC_MAX_TOUCH];
    CHECK_INT(check_touches(&p, 0.1, TOL, t), 4);
    for (int i = 0; i < 4; i++) {
        CHECK_INT(t[i].feature[1].id[0], i); /* bit 2 clear: the lower ones */
        CHECK_NEAR(t[i].dist, -0.01, TOL);
        CHECK(t[i].margin == HUGE_VAL);
    }
    CHECK_INT(touches_of(&p, -0.011, t), 0);
    p.shape[1].size = tac_zero3();
    CHECK_INT(check_touches(&p, 1, TOL, t), 8);
    p.pose[1] = pose_at(1e6, 1e6, 1e6), p.shape[1].size = tac_vec3(1e-6, 1e-6, 1e-6);
    CHECK_INT(touches_of(&p, HUGE_VAL, t), 8);
    CHECK_NEAR(t[0].dist, 1e6 - 1e-6, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_corners),
                                       cmocka_unit_test(test_resting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
