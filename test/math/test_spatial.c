#include "math/spatial.h"
#include "support/check.h"
#include "support/draw.h"

#define TOL 1e-13

enum { TRIALS = 100 };

static tacVec6 draw_vec6(tacDraw *d) {
    tacVec3 a = draw_vec3(d, 1), b = draw_vec3(d, 1);
    return (tacVec6){a, b};
}

static void check_vec6(tacVec6 a, tacVec6 b) { CHECK_ARRAY(6, &a, &b, TOL); }

static void algebra(void **state) {
    (void)state;
    tacDraw d = {1, 0};
    for (int t = 0; t < TRIALS; t++) {
        tacVec6 a = draw_vec6(&d), b = draw_vec6(&d);
        check_vec6(tac_madd6(a, 2, b), tac_add6(a, tac_scale6(2, b)));
        check_vec6(tac_sub6(tac_add6(a, b), b), a);
        check_vec6(tac_add6(a, tac_zero6()), a);
        double dot = 0;
        for (int i = 0; i < 6; i++)
            dot += i < 3 ? tac_get3(a.ang, i) * tac_get3(b.ang, i) : tac_get3(a.lin, i - 3) * tac_get3(b.lin, i - 3);
        CHECK_NEAR(tac_dot6(a, b), dot, TOL);
    }
}

/* (a x b) . f = -b . (a x* f): power does not depend on the frame; a x a = 0; Jacobi's identity. */
static void cross_products(void **state) {
    (void)state;
    tacDraw d = {2, 0};
    for (int t = 0; t < TRIALS; t++) {
        tacVec6 a = draw_vec6(&d), b = draw_vec6(&d), c = draw_vec6(&d), f = draw_vec6(&d);
        CHECK(tac_abs(tac_dot6(tac_crossm6(a, b), f)) > 0);
        CHECK_NEAR(tac_dot6(tac_crossm6(a, b), f), -tac_dot6(b, tac_crossf6(a, f)), TOL);
        check_vec6(tac_crossm6(a, a), tac_zero6());
        check_vec6(tac_crossm6(a, b), tac_scale6(-1, tac_crossm6(b, a)));
        tacVec6 first = tac_crossm6(a, tac_crossm6(b, c)), second = tac_crossm6(b, tac_crossm6(c, a));
        check_vec6(tac_add6(tac_add6(first, second), tac_crossm6(c, tac_crossm6(a, b))), tac_zero6());
    }
}

/* A cloud of point masses has the momentum of its parts: f = sum m v_p, n = sum r x m v_p with v_p = v + w x r. */
static void inertia_of_points(void **state) {
    (void)state;
    tacDraw d = {3, 0};
    for (int t = 0; t < TRIALS; t++) {
        tacInertia total = {0, {0, 0, 0}, {0, 0, 0, 0, 0, 0}};
        tacVec6 V = draw_vec6(&d), momentum = tac_zero6();
        for (int p = 0; p < 5; p++) {
            double m = draw_uniform(&d, 0.1, 2);
            tacVec3 r = draw_vec3(&d, 1), v = tac_add3(V.lin, tac_cross3(V.ang, r));
            total = tac_inertia_add(total, (tacInertia){m, tac_scale3(m, r), tac_pointsym3(m, r)});
            momentum.lin = tac_madd3(momentum.lin, m, v);
            momentum.ang = tac_madd3(momentum.ang, m, tac_cross3(r, v));
        }
        check_vec6(tac_inertia_mul(total, V), momentum);
        CHECK(tac_dot6(V, momentum) > 0);
        tacSym6 H = tac_sym6_inertia(&total);
        check_vec6(tac_sym6_mul(&H, V), momentum);
    }
}

/* (H + G - s u u^T) x by parts. */
static void symmetric_six(void **state) {
    (void)state;
    tacDraw d = {4, 0};
    for (int t = 0; t < TRIALS; t++) {
        tacSym6 H, G;
        draw_array(&d, 6, &H.A.xx), draw_array(&d, 9, H.B.m), draw_array(&d, 6, &H.C.xx);
        draw_array(&d, 6, &G.A.xx), draw_array(&d, 9, G.B.m), draw_array(&d, 6, &G.C.xx);
        tacVec6 u = draw_vec6(&d), x = draw_vec6(&d), y = draw_vec6(&d);
        double s = draw_uniform(&d, 0.5, 2);
        tacVec6 expected = tac_add6(tac_sym6_mul(&H, x), tac_sym6_mul(&G, x));
        expected = tac_madd6(expected, -s * tac_dot6(u, x), u);
        tac_sym6_add(&H, &G);
        tac_sym6_downdate(&H, s, u);
        check_vec6(tac_sym6_mul(&H, x), expected);
        CHECK_NEAR(tac_dot6(y, tac_sym6_mul(&H, x)), tac_dot6(x, tac_sym6_mul(&H, y)), TOL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algebra),
        cmocka_unit_test(cross_products),
        cmocka_unit_test(inertia_of_points),
        cmocka_unit_test(symmetric_six),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
