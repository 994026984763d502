#include "collide/nearest.h"

#include "collide/closed_form.h"
#include "collide/corners.h"
#include "pair_checks.h"
#include "solids.h"

#include <math.h>
#include <string.h>

/* Newton's end. */
static const double TOL = 1e-12;

/* A guess about the truth: n and points off by `error`, bounds by as much. */
static tacGuess guess_near(const tacCores *c, tacVec3 n, tacVec3 x0, double dist, double error, tacDraw *d) {
    tacVec3 m = tac_madd3(n, error, draw_vec3(d, 1));
    m = tac_scale3(1 / tac_norm3(m), m);
    tacGuess g = {.n = m, .lower = dist - error, .upper = dist + error, .normal_error = 2 * error, .ncorner = 1};
    g.x[0] = tac_madd3(x0, error, draw_vec3(d, 1));
    g.x[1] = tac_madd3(tac_madd3(x0, dist, n), error, draw_vec3(d, 1));
    int v0 = -1, v1 = -1;
    tac_shape_support(c->shape[0], m, &v0);
    tac_shape_support(c->shape[1], tac_neg3(tac_mulmtv3(c->pose.R, m)), &v1);
    g.id[0][0] = v0 < 0 ? 0 : v0, g.id[1][0] = v1 < 0 ? 0 : v1;
    return g;
}

static void expect_features(const tacTouch *t, tacFeatureKind k0, tacFeatureKind k1) {
    CHECK_INT(t->feature[0].kind, k0);
    CHECK_INT(t->feature[1].kind, k1);
}

/* --- Known features ----------------------------------------------------------------------------------------------- */

typedef struct Known {
    tacShape a, b;
    tacPose B; /* a is at the origin */
    tacVec3 n, x0;
    double dist; /* of the cores */
    tacFeatureKind kind[2];
} Known;

static Known known(int i) {
    const double q = 0.78539816339744831, s = sqrt(0.5);
    tacShape cube = shape_of(TAC_GEOM_BOX, 1, 1, 1), tin = shape_of(TAC_GEOM_CYLINDER, 1, 1, 0),
             egg = shape_of(TAC_GEOM_ELLIPSOID, 1, 1, 2);
    tacShape hat = shape_of(TAC_GEOM_CONE, 1, 1, 0), ball = shape_of(TAC_GEOM_SPHERE, 0.3, 0, 0),
             rod = shape_of(TAC_GEOM_CAPSULE, 0.3, 1, 0);
    tacVec3 z = {0, 0, 1};
    switch (i) {
    case 1: /* an egg upright on a box */
        return (Known){
            cube, egg, pose_at(0.1, 0.2, 3.5), z, {0.1, 0.2, 1}, 0.5, {TAC_FEATURE_PLANE, TAC_FEATURE_ELLIPSOID}};
    case 2: /* the same inside */
        return (Known){
            cube, egg, pose_at(0.1, 0.2, 2.9), z, {0.1, 0.2, 1}, -0.1, {TAC_FEATURE_PLANE, TAC_FEATURE_ELLIPSOID}};
    case 3: /* a ball beside a tin */
        return (Known){tin, ball, pose_at(2, 0, 0.3), {1, 0, 0}, {1, 0, 0.3}, 1, {TAC_FEATURE_LINE, TAC_FEATURE_POINT}};
    case 4: /* above its rim */
        return (Known){
            tin, ball, pose_at(2, 0, 2), {s, 0, s}, {1, 0, 1}, sqrt(2), {TAC_FEATURE_CIRCLE, TAC_FEATURE_POINT}};
    case 5: /* above its end */
        return (Known){tin, ball, pose_at(0.5, 0, 2), z, {0.5, 0, 1}, 1, {TAC_FEATURE_PLANE, TAC_FEATURE_POINT}};
    case 6: /* two tins crossed */
        return (Known){tin,
                       tin,
                       pose_turned(tac_vec3(2.5, 0.1, 0.2), tac_vec3(2 * q, 0, 0)),
                       {1, 0, 0},
                       {1, 0, 0.2},
                       0.5,
                       {TAC_FEATURE_LINE, TAC_FEATURE_LINE}};
    case 7: /* a ball above the tip of a cone */
        return (Known){hat,
                       ball,
                       pose_at(0.1, 0, 2),
                       {0.1 / sqrt(1.01), 0, 1 / sqrt(1.01)},
                       {0, 0, 1},
                       sqrt(1.01),
                       {TAC_FEATURE_POINT, TAC_FEATURE_POINT}};
    case 8: /* beside its side, whose normal is (2, 0, 1)/sqrt(5) */
        return (Known){hat,
                       ball,
                       pose_at(2.5, 0, 1),
                       {2 / sqrt(5), 0, 1 / sqrt(5)},
                       {0.5, 0, 0},
                       sqrt(5),
                       {TAC_FEATURE_SIDE, TAC_FEATURE_POINT}};
    case 9: /* below it */
        return (Known){
            hat, ball, pose_at(0.5, 0, -2), {0, 0, -1}, {0.5, 0, -1}, 1, {TAC_FEATURE_PLANE, TAC_FEATURE_POINT}};
    default: /* a rod beside an egg */
        return (Known){egg,
                       rod,
                       pose_turned(tac_vec3(2, 0.3, 0), tac_vec3(2 * q, 0, 0)),
                       {1, 0, 0},
                       {1, 0, 0},
                       1,
                       {TAC_FEATURE_ELLIPSOID, TAC_FEATURE_LINE}};
    }
}

/* From guesses of any roughness: found, with the right features, to rounding; or not found, never wrong. */
static void test_known(void **state) {
    (void)state;
    static const double ERROR[] = {1e-12, 1e-9, 1e-6, 1e-3, 1e-2};
    tacDraw d = {1, 0};
    int found[5] = {0};
    for (int i = 1; i <= 10; i++)
        for (int k = 0; k < 5; k++)
            for (int m = 0; m < 20; m++) {
                Known w = known(i);
                tacPose A = pose_at(0, 0, 0);
                tacCores c = tac_cores(&w.a, &A, &w.b, &w.B);
                c.scale = 5;
                tacGuess g = guess_near(&c, w.n, w.x0, w.dist, ERROR[k], &d);
                tacTouch t;
                if (!tac_nearest_features(&c, &g, 1, &t)) continue;
                found[k]++;
                expect_features(&t, w.kind[0], w.kind[1]);
                double pads = tac_shape_pad(&w.a) + tac_shape_pad(&w.b);
                CHECK_NEAR(t.dist, w.dist - pads, TOL);
                CHECK_LT(tac_norm3(tac_sub3(t.normal, w.n)), TOL);
                CHECK_LT(tac_norm3(tac_sub3(t.point[0], w.x0)), 1e-9);
            }
    for (int k = 0; k < 4; k++)
        CHECK_INT(found[k], 200);
    CHECK(found[4] > 150);
}

/* Bounds that exclude the truth: nothing is found, and the guess comes back as it was. */
static void test_wrong_bounds(void **state) {
    (void)state;
    tacDraw d = {2, 0};
    for (int i = 1; i <= 10; i++) {
        Known w = known(i);
        tacPose A = pose_at(0, 0, 0);
        tacCores c = tac_cores(&w.a, &A, &w.b, &w.B);
        c.scale = 5;
        tacGuess g = guess_near(&c, w.n, w.x0, w.dist, 1e-6, &d);
        g.lower += 0.01, g.upper += 0.01;
        tacTouch t;
        CHECK_INT(tac_nearest_features(&c, &g, 1, &t), 0);
        CHECK_NEAR(t.dist, g.lower - tac_shape_pad(&w.a) - tac_shape_pad(&w.b), TOL);
        CHECK_LT(tac_norm3(tac_sub3(t.normal, g.n)), TOL);
        CHECK_LT(tac_norm3(tac_sub3(tac_sub3(t.point[1], t.point[0]), tac_scale3(t.dist, t.normal))), TOL);
    }
}

/* --- Families ----------------------------------------------------------------------------------------------------- */

/* A point on the axis of a tin: every point of a circle is as near; the one where the search stands is taken. */
static void test_family(void **state) {
    (void)state;
    tacShape tin = shape_of(TAC_GEOM_CYLINDER, 1, 3, 0), tin2 = shape_of(TAC_GEOM_CYLINDER, 0.5, 3, 0);
    tacPose A = pose_at(0, 0, 0), B = pose_at(0, 0, 0.5);
    tacCores c = tac_cores(&tin, &A, &tin2, &B);
    c.scale = 5;
    tacDraw d = {3, 0};
    for (int k = 0; k < 50; k++) {
        double angle = draw_uniform(&d, -3, 3);
        tacVec3 n = {cos(angle), sin(angle), draw_uniform(&d, -1e-3, 1e-3)}; /* about -1.5 along any of these */
        tacTouch t = {.normal = tac_scale3(1 / tac_norm3(n), n), .rule = TAC_RULE_NEAREST};
        t.feature[0] = tac_feature(TAC_FEATURE_LINE, 0, 1), t.feature[1] = tac_feature(TAC_FEATURE_LINE, 0, 1);
        t.point[0] = tac_add3(n, draw_vec3(&d, 1e-3)), t.point[1] = tac_add3(tac_scale3(-0.5, n), draw_vec3(&d, 1e-3));
        CHECK_INT(tac_nearest_degenerate(&c, &t), 1);
        CHECK_NEAR(t.dist, -1.5, TOL);
        CHECK_NEAR(t.normal.z, 0, TOL);
        CHECK_LT(tac_norm3(tac_sub3(t.normal, n)), 1e-2);
        CHECK_LT(tac_norm3(tac_sub3(tac_madd3(t.point[0], t.dist, t.normal), t.point[1])), TOL);
    }
    /* no common normal: two planes at an angle */
    tacPose tilted = pose_turned(tac_vec3(0, 0, 6.2), tac_vec3(0.1, 0, 0));
    c = tac_cores(&tin, &A, &tin2, &tilted);
    c.scale = 5;
    tacTouch t = {.normal = {0, 0, 1}, .point = {{0, 0, 3}, {0, 0, 3.2}}};
    t.feature[0] = tac_feature(TAC_FEATURE_PLANE, 1, 0), t.feature[1] = tac_feature(TAC_FEATURE_PLANE, 0, 0);
    CHECK_INT(tac_nearest_degenerate(&c, &t), 0);
}

/* --- Corners ------------------------------------------------------------------------------------------------------ */

static void test_corners(void **state) {
    (void)state;
    tacShape cube = shape_of(TAC_GEOM_BOX, 1, 1, 1), rod = shape_of(TAC_GEOM_CAPSULE, 0.3, 1, 0);
    tacCorners c = {.n = 0};
    int face[4];
    tac_corners_near_support(&cube, tac_vec3(0, 0, 1), 1e-9, &c);
    CHECK_INT(c.n, 4);
    for (int i = 0; i < 4; i++)
        CHECK_INT(c.id[i], 4 + i);
    CHECK_INT(tac_corners_faces(&cube, &c, 4, face), 1);
    CHECK_INT(face[0], 5);
    c.n = 0;
    tac_corners_near_support(&cube, tac_vec3(0, sqrt(0.5), sqrt(0.5)), 1e-9, &c);
    CHECK_INT(c.n, 2);
    CHECK(tac_corners_are_edge(&cube, c.id[0], c.id[1]));
    CHECK_INT(tac_corners_faces(&cube, &c, 4, face), 0);
    c.n = 0;
    tac_corners_near_support(&cube, tac_vec3(0.6, 0.48, 0.64), 1e-9, &c);
    CHECK_INT(c.n, 1);
    CHECK_INT(c.id[0], 7);
    CHECK(!tac_corners_are_edge(&cube, 0, 3));
    CHECK_INT(tac_corners_face(&cube, 2, (int[]){0, 3}), 4); /* a diagonal */
    CHECK_INT(tac_corners_face(&cube, 2, (int[]){0, 7}), -1);
    CHECK_INT(tac_corners_face(&rod, 2, (int[]){0, 1}), -1);
    c.n = 0;
    tac_corners_near_support(&rod, tac_vec3(1, 0, 0), 1e-9, &c);
    CHECK_INT(c.n, 2);
}

/* A face with more corners than are looked at: as many as fit, no more. */
static void test_many_corners(void **state) {
    (void)state;
    Solid solid;
    make_prism(&solid, SOLID_MAX_SIDES, 1, 1, 1);
    tacCorners c = {.n = 0};
    int face[4];
    tac_corners_near_support(&solid.shape, tac_vec3(0, 0, 1), 1e-9, &c);
    CHECK_INT(c.n, TAC_MOST_CORNERS);
    CHECK_INT(tac_corners_faces(&solid.shape, &c, 4, face), 1);
    CHECK_NEAR(tac_shape_face_normal(&solid.shape, face[0]).z, 1, TOL);
    free_solid(&solid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),   cmocka_unit_test(test_wrong_bounds), cmocka_unit_test(test_family),
        cmocka_unit_test(test_corners), cmocka_unit_test(test_many_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
