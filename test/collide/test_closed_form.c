/* Closed forms where shapes and places are extreme: sizes from zero and 1e-6 to 1e3 in one pair, up to 1e6 apart,
 * centres, axes and faces that coincide exactly or to rounding. */
#include "pair_checks.h"

#include "collide/closed_form.h"

#include <math.h>

/* Of the largest number in the case. */
static const double TOL = 1e-9;
enum { CASES = 40000, PAIRS = 13 };

static const tacGeomType PAIR[PAIRS][2] = {
    {TAC_GEOM_PLANE, TAC_GEOM_SPHERE},    {TAC_GEOM_PLANE, TAC_GEOM_CAPSULE},  {TAC_GEOM_PLANE, TAC_GEOM_ELLIPSOID},
    {TAC_GEOM_PLANE, TAC_GEOM_CYLINDER},  {TAC_GEOM_PLANE, TAC_GEOM_BOX},      {TAC_GEOM_PLANE, TAC_GEOM_CONE},
    {TAC_GEOM_SPHERE, TAC_GEOM_SPHERE},   {TAC_GEOM_SPHERE, TAC_GEOM_CAPSULE}, {TAC_GEOM_SPHERE, TAC_GEOM_ELLIPSOID},
    {TAC_GEOM_SPHERE, TAC_GEOM_CYLINDER}, {TAC_GEOM_SPHERE, TAC_GEOM_BOX},     {TAC_GEOM_CAPSULE, TAC_GEOM_CAPSULE},
    {TAC_GEOM_CAPSULE, TAC_GEOM_BOX}};

static double draw_size(tacDraw *d) {
    static const double SIZE[] = {0, 0, 1e-6, 1e-3, 0.5, 1, 1, 2, 1e3};
    return SIZE[draw_int(d, sizeof SIZE / sizeof *SIZE)];
}
static double draw_place(tacDraw *d) {
    static const double PLACE[] = {0, 0, 1e-300, 1e-12, 1e-6, 1e-3, 0.5, 1, 1, 2, 1e3, 1e6};
    return PLACE[draw_int(d, sizeof PLACE / sizeof *PLACE)];
}

/* Identity, a quarter turn, anything, or a turn of 1e-17 to 1. */
static tacMat3 draw_turn(tacDraw *d) {
    switch (draw_int(d, 4)) {
    case 0:
        return pose_at(0, 0, 0).R;
    case 1:
        return (tacMat3){{0, 0, 1, 0, 1, 0, -1, 0, 0}};
    case 2:
        return tac_quat_mat(draw_quat(d));
    default:
        return pose_turned(tac_zero3(), tac_scale3(pow(10, draw_uniform(d, -17, 0)), draw_vec3(d, 1))).R;
    }
}

static Pair draw_extreme(tacDraw *d, const tacGeomType type[2]) {
    Pair p;
    for (int i = 0; i < 2; i++) {
        double x = draw_size(d), y = draw_size(d), z = draw_size(d);
        p.shape[i] = shape_of(type[i], x, y, z);
        x = draw_place(d), y = draw_int(d, 2) ? draw_place(d) : 0, z = draw_int(d, 3) ? draw_place(d) : 0;
        p.pose[i] = (tacPose){{draw_int(d, 2) ? x : -x, y, -z}, draw_turn(d)};
    }
    if (draw_int(d, 4) == 0) p.pose[1].p = p.pose[0].p;
    return p;
}

static void check_extreme(const Pair *p) {
    tacTouch t[TAC_MAX_TOUCH];
    double size = pair_size(p) + tac_norm3(p->pose[0].p) + tac_norm3(p->pose[1].p), tol = TOL * size;
    int n = touches_of(p, HUGE_VAL, t);
    CHECK(n >= 1 && n <= TAC_MAX_TOUCH);
    for (int i = 0; i < n; i++) {
        CHECK(isfinite(t[i].dist) && !isnan(t[i].margin));
        CHECK_NEAR(tac_norm3(t[i].normal), 1, 1e-14);
        CHECK_LT(t[0].dist - t[i].dist, tol + 1e-300);
        tacVec3 moved = tac_madd3(t[i].point[0], t[i].dist, t[i].normal);
        CHECK_LT(tac_norm3(tac_sub3(t[i].point[1], moved)), tol + 1e-300);
    }
    CHECK_LT(fabs(gap_along(p, t[0].normal) - t[0].dist), tol + 1e-300);
    for (int i = 0; i < 2; i++) /* on the surface: as far as the shape reaches along the normal */
        CHECK_LT(point_outside(p, i, t[0].point[i]), tol + 1e-300);
}

static void test_extremes(void **state) {
    (void)state;
    tacDraw d = {5, 0};
    for (int i = 0; i < CASES; i++) {
        Pair p = draw_extreme(&d, PAIR[i % PAIRS]);
        check_extreme(&p);
    }
}

/* The deepest comes first, the others keep their order. */
static void test_order(void **state) {
    (void)state;
    double dist[] = {3, 1, 2, 1, 5}, expected[] = {1, 3, 2, 1, 5};
    tacTouch t[5];
    for (int i = 0; i < 5; i++)
        t[i] = (tacTouch){.dist = dist[i], .angle = i};
    CHECK_INT(tac_deepest_first(5, t), 5);
    for (int i = 0; i < 5; i++)
        CHECK_NEAR(t[i].dist, expected[i], 0);
    CHECK_NEAR(t[0].angle, 1, 0); /* the first of equals */
    CHECK_INT(tac_deepest_first(0, t), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_extremes), cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
