#include "math/quat.h"
#include "support/check.h"
#include "support/draw.h"

#include <math.h>
#include <string.h>

#define TOL          1e-14 /* a few roundings */
#define TOL_EXACT    3e-16 /* one or two roundings, for values near one: the series may not be worse than the formula */
#define TOL_GRADIENT 1e-9  /* central differences with h = 1e-5 */
#define PI           3.14159265358979323846

enum { TRIALS = 200 };

static void check_quat(tacQuat a, tacQuat b, double tol) { CHECK_ARRAY(4, &a, &b, tol); }

/* Same rotation: equal up to sign. */
static void check_rotation(tacQuat a, tacQuat b, double tol) {
    double sign = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0 ? -1 : 1;
    check_quat((tacQuat){sign * a.w, sign * a.x, sign * a.y, sign * a.z}, b, tol);
}

/* Angles from zero to beyond pi, with both sides of the switch to the series, next to it and farther off. */
static const double ANGLES[] = {0,
                                1e-300,
                                1e-160,
                                1e-20,
                                1e-8,
                                1e-4,
                                5e-3,
                                TAC_QUAT_SMALL_ANGLE *(1 - 1e-12),
                                TAC_QUAT_SMALL_ANGLE *(1 + 1e-12),
                                2e-2,
                                0.5,
                                1,
                                2,
                                3,
                                3.1415};
enum { NANGLE = sizeof ANGLES / sizeof ANGLES[0] };

static void products_and_rotation(void **state) {
    (void)state;
    tacDraw d = {1, 0};
    tacQuat i = {0, 1, 0, 0}, j = {0, 0, 1, 0}, k = {0, 0, 0, 1};
    check_quat(tac_quat_mul(i, j), k, 0);
    check_quat(tac_quat_mul(j, k), i, 0);
    for (int t = 0; t < TRIALS; t++) {
        tacQuat a = draw_quat(&d), b = draw_quat(&d);
        tacVec3 x = draw_vec3(&d, 1);
        tacVec3 once = tac_quat_rotate(tac_quat_mul(a, b), x), twice = tac_quat_rotate(a, tac_quat_rotate(b, x));
        CHECK_ARRAY(3, &once, &twice, TOL);
        tacVec3 by_matrix = tac_mulmv3(tac_quat_mat(a), x), rotated = tac_quat_rotate(a, x);
        CHECK_ARRAY(3, &by_matrix, &rotated, TOL);
        tacQuat pure = tac_quat_mul(tac_quat_mul(a, (tacQuat){0, x.x, x.y, x.z}), tac_quat_conj(a));
        CHECK_ARRAY(3, &pure.x, &rotated, TOL);
        tacMat3 RtR = tac_mulmm3(tac_transpose3(tac_quat_mat(a)), tac_quat_mat(a));
        tacMat3 one = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
        CHECK_ARRAY(9, RtR.m, one.m, TOL);
        double p[4];
        tac_quat_store(p, a);
        check_quat(tac_quat_load(p), a, 0);
    }
}

static void normalizing(void **state) {
    (void)state;
    tacDraw d = {2, 0};
    tacQuat one = tac_quat_identity();
    for (int t = 0; t < TRIALS; t++) {
        double s = tac_exp(draw_uniform(&d, -20, 20));
        tacQuat q = draw_quat(&d), scaled = {s * q.w, s * q.x, s * q.y, s * q.z};
        check_quat(tac_quat_normalize(scaled), q, TOL);
        tacQuat once = tac_quat_normalize(scaled), twice = tac_quat_normalize(once);
        CHECK(memcmp(&once, &twice, sizeof once) == 0);
    }
    check_quat(tac_quat_normalize((tacQuat){0, 0, 0, 0}), one, 0);
    check_quat(tac_quat_normalize((tacQuat){0, 0.9e-15, 0, 0}), one, 0);
    check_quat(tac_quat_normalize((tacQuat){0, 2e-15, 0, 0}), (tacQuat){0, 1, 0, 0}, 0);
    check_quat(tac_quat_normalize((tacQuat){nan(""), 0, 0, 1}), one, 0);
    check_quat(tac_quat_normalize((tacQuat){0, HUGE_VAL, 0, 1}), one, 0);
    check_quat(tac_quat_normalize((tacQuat){0, 1e200, 0, 0}), one, 0); /* its square is not finite */
}

/* exp against (cos(a/2), axis sin(a/2)) in extended precision, on both sides of the switch. */
static void exponential(void **state) {
    (void)state;
    tacDraw d = {3, 0};
    for (int t = 0; t < NANGLE; t++) {
        for (int k = 0; k < 20; k++) {
            tacVec3 axis = draw_vec3(&d, 1);
            axis = tac_scale3(1 / tac_norm3(axis), axis);
            tacVec3 r = tac_scale3(ANGLES[t], axis);
            long double x = (long double)r.x, y = (long double)r.y, z = (long double)r.z;
            long double a = sqrtl(x * x + y * y + z * z), s = a > 0 ? sinl(a / 2) / a : 0.5L;
            tacQuat expected = {(double)cosl(a / 2), (double)(s * x), (double)(s * y), (double)(s * z)};
            tacQuat q = tac_quat_exp(r);
            check_quat(q, expected, TOL_EXACT);
            CHECK_NEAR(q.x, expected.x, 4 * TOL_EXACT * fabs(expected.x)); /* small parts keep their digits */
            check_quat(tac_quat_axis_angle(axis, ANGLES[t]), expected, TOL);
        }
    }
    check_quat(tac_quat_exp(tac_zero3()), tac_quat_identity(), 0);
}

static void logarithm_inverts(void **state) {
    (void)state;
    tacDraw d = {4, 0};
    for (int t = 0; t < NANGLE; t++) {
        for (int k = 0; k < 20; k++) {
            tacVec3 axis = draw_vec3(&d, 1);
            tacVec3 r = tac_scale3(ANGLES[t] / tac_norm3(axis), axis);
            tacQuat q = tac_quat_exp(r), minus = {-q.w, -q.x, -q.y, -q.z},
                    longer = {7 * q.w, 7 * q.x, 7 * q.y, 7 * q.z};
            tacVec3 back = tac_quat_log(q), of_minus = tac_quat_log(minus), of_longer = tac_quat_log(longer);
            double tol = TOL * ANGLES[t]; /* relative to the angle, whatever its size */
            CHECK_NEAR(back.x, r.x, tol);
            CHECK_NEAR(back.y, r.y, tol);
            CHECK_NEAR(back.z, r.z, tol);
            CHECK_ARRAY(3, &of_minus, &back, 0);
            CHECK_NEAR(of_longer.x, back.x, tol);
        }
    }
    for (int t = 0; t < TRIALS; t++) {
        tacQuat q = draw_quat(&d);
        check_rotation(tac_quat_exp(tac_quat_log(q)), q, TOL);
        CHECK_LT(tac_norm3(tac_quat_log(q)), PI + TOL);
    }
}

/* Half turns have two logarithms; the sign of the vector part as it stands is kept. Nothing has no direction. */
static void logarithm_at_its_edges(void **state) {
    (void)state;
    tacVec3 half = tac_quat_log((tacQuat){0, 0, 1, 0}), other = tac_quat_log((tacQuat){-0.0, 0, -1, 0});
    CHECK_NEAR(half.y, PI, TOL);
    CHECK_NEAR(other.y, -PI, TOL);
    tacVec3 none = tac_quat_log((tacQuat){0, 0, 0, 0}), identity = tac_quat_log((tacQuat){-1, 0, 0, 0});
    CHECK(none.x == 0 && none.y == 0 && none.z == 0);
    CHECK(identity.x == 0 && identity.y == 0 && identity.z == 0);
    double s = tan(0.5 * TAC_QUAT_SMALL_ANGLE);
    for (int side = -1; side <= 1; side += 2) {
        double x = s * (1 + side * 1e-6);
        tacVec3 r = tac_quat_log((tacQuat){1, x, 0, 0});
        CHECK_NEAR(r.x, 2 * atanl((long double)x), TOL_EXACT * TAC_QUAT_SMALL_ANGLE);
    }
}

static void from_matrix(void **state) {
    (void)state;
    tacDraw d = {5, 0};
    for (int t = 0; t < 10 * TRIALS; t++) {
        tacQuat q = draw_quat(&d), p = tac_quat_from_mat(tac_quat_mat(q));
        check_rotation(p, q, TOL);
        CHECK(p.w >= 0);
        CHECK_NEAR(tac_quat_norm(p), 1, TOL_EXACT);
    }
    /* half turns about the axes and about nearby axes: w is as good as zero, each branch has its turn */
    for (int axis = 0; axis < 3; axis++) {
        double v[3] = {1e-9, -1e-9, 1e-9};
        v[axis] = 1;
        tacQuat q = tac_quat_normalize((tacQuat){1e-12, v[0], v[1], v[2]});
        check_rotation(tac_quat_from_mat(tac_quat_mat(q)), q, TOL);
        tacQuat pure = {0, axis == 0, axis == 1, axis == 2};
        check_quat(tac_quat_from_mat(tac_quat_mat(pure)), pure, 0);
    }
    check_quat(tac_quat_from_mat((tacMat3){{1, 0, 0, 0, 1, 0, 0, 0, 1}}), tac_quat_identity(), 0);
}

static void from_direction(void **state) {
    (void)state;
    tacDraw d = {6, 0};
    const double tilt[] = {1e-14, 1e-9, 1e-4, 0.1, 1, 1.5707963, 2, 3, PI - 1e-4, PI - 1e-9};
    for (int t = 0; t < 10; t++) {
        double turn = draw_uniform(&d, 0, 2 * PI), length = tac_exp(draw_uniform(&d, -5, 5));
        tacVec3 dir = {sin(tilt[t]) * cos(turn), sin(tilt[t]) * sin(turn), cos(tilt[t])};
        tacQuat q = tac_quat_from_z(tac_scale3(length, dir));
        tacVec3 z = tac_quat_rotate(q, (tacVec3){0, 0, 1});
        CHECK_ARRAY(3, &z, &dir, TOL);
        CHECK(q.z == 0); /* the shortest: axis in the plane */
        CHECK(q.w >= 0);
        CHECK_NEAR(tac_norm3(tac_quat_log(q)), tilt[t], TOL);
    }
    check_quat(tac_quat_from_z((tacVec3){0, 0, 3}), tac_quat_identity(), 0);
    check_quat(tac_quat_from_z((tacVec3){0, 0, -3}), (tacQuat){0, 1, 0, 0}, 0);
    check_quat(tac_quat_from_z(tac_zero3()), tac_quat_identity(), 0);
    check_quat(tac_quat_from_z((tacVec3){nan(""), 0, 1}), tac_quat_identity(), 0);
}

/* d/dt log(exp(-r) exp(r + t d)) at t = 0 is Jr d. */
static void right_jacobian_is_the_derivative(void **state) {
    (void)state;
    tacDraw d = {7, 0};
    double h = 1e-5;
    for (int t = 3; t < NANGLE; t++) {
        tacVec3 axis = draw_vec3(&d, 1), r = tac_scale3(ANGLES[t] / tac_norm3(axis), axis);
        tacMat3 J = tac_quat_right_jacobian(r), differences;
        for (int j = 0; j < 3; j++) {
            tacVec3 step = {h * (j == 0), h * (j == 1), h * (j == 2)};
            tacQuat base = tac_quat_conj(tac_quat_exp(r));
            tacVec3 up = tac_quat_log(tac_quat_mul(base, tac_quat_exp(tac_add3(r, step))));
            tacVec3 down = tac_quat_log(tac_quat_mul(base, tac_quat_exp(tac_sub3(r, step))));
            for (int i = 0; i < 3; i++)
                differences.m[3 * i + j] = (tac_get3(up, i) - tac_get3(down, i)) / (2 * h);
        }
        CHECK(fabs(J.m[0]) > 0.01);
        CHECK_ARRAY(9, J.m, differences.m, TOL_GRADIENT);
        tacVec3 same = tac_mulmv3(J, r); /* a rotation about its own axis is no different */
        CHECK_NEAR(tac_norm3(tac_sub3(same, r)), 0, TOL * (1 + ANGLES[t]));
    }
    tacMat3 zero = tac_quat_right_jacobian(tac_zero3()), one = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    CHECK_ARRAY(9, zero.m, one.m, 0);
}

/* Against the closed form in extended precision, on both sides of the switch. */
static void right_jacobian_keeps_its_digits(void **state) {
    (void)state;
    for (int t = 3; t < NANGLE; t++) {
        tacVec3 r = tac_scale3(ANGLES[t], (tacVec3){0.6, 0, 0.8});
        long double x = (long double)r.x, z = (long double)r.z, aa = x * x + z * z, a = sqrtl(aa), half = sinl(a / 2);
        long double B = 2 * half * half / aa,
                    C = a < 0.1L ? 1 / 6.0L - aa / 120 + aa * aa / 5040 : (a - sinl(a)) / (a * aa);
        double expected[9] = {(double)(1 - C * z * z), (double)(B * z),      (double)(C * x * z),
                              (double)(-B * z),        (double)(1 - C * aa), (double)(B * x),
                              (double)(C * x * z),     (double)(-B * x),     (double)(1 - C * x * x)};
        tacMat3 J = tac_quat_right_jacobian(r);
        CHECK_ARRAY(9, J.m, expected, 2 * TOL_EXACT);
        CHECK_NEAR(J.m[1], expected[1], 2e-15 * fabs(expected[1]));
    }
}

/* Jr^-1 Jr = 1 on both sides of the switch; against the closed form in extended precision. */
static void right_jacobian_inverse(void **state) {
    (void)state;
    tacDraw d = {8, 0};
    tacMat3 one = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int t = 0; t < NANGLE; t++)
        for (int k = 0; k < 20; k++) {
            tacVec3 axis = draw_vec3(&d, 1), r = tac_scale3(ANGLES[t] / tac_norm3(axis), axis);
            tacMat3 product = tac_mulmm3(tac_quat_right_jacobian_inverse(r), tac_quat_right_jacobian(r));
            CHECK_ARRAY(9, product.m, one.m, TOL);
        }
    for (int side = -1; side <= 1; side += 2) {
        double a = TAC_QUAT_SMALL_ANGLE * (1 + side * 1e-9);
        long double half = (long double)a / 2, E = (1 - half * cosl(half) / sinl(half)) / (4 * half * half);
        tacMat3 J = tac_quat_right_jacobian_inverse((tacVec3){a, 0, 0});
        double corner = (double)(1 - E * 4 * half * half);
        double expected[9] = {1, 0, 0, 0, corner, -0.5 * a, 0, 0.5 * a, corner};
        CHECK_ARRAY(9, J.m, expected, TOL_EXACT);
    }
}

/* Moving one component and normalizing turns by this vector, to first order. */
static void component_turns(void **state) {
    (void)state;
    tacDraw d = {77, 0};
    const double h = 1e-5;
    for (int t = 0; t < TRIALS; t++) {
        tacQuat q = draw_quat(&d);
        for (int k = 0; k < 4; k++) {
            double moved[2][4];
            tac_quat_store(moved[0], q), tac_quat_store(moved[1], q);
            moved[0][k] += h, moved[1][k] -= h;
            tacVec3 ahead = tac_quat_log(tac_quat_mul(tac_quat_conj(q), tac_quat_normalize(tac_quat_load(moved[0]))));
            tacVec3 behind = tac_quat_log(tac_quat_mul(tac_quat_conj(q), tac_quat_normalize(tac_quat_load(moved[1]))));
            tacVec3 central = tac_scale3(0.5 / h, tac_sub3(ahead, behind)), turn = tac_quat_component_turn(q, k);
            CHECK_ARRAY(3, &turn, &central, TOL_GRADIENT);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_and_rotation),
        cmocka_unit_test(normalizing),
        cmocka_unit_test(exponential),
        cmocka_unit_test(logarithm_inverts),
        cmocka_unit_test(logarithm_at_its_edges),
        cmocka_unit_test(from_matrix),
        cmocka_unit_test(from_direction),
        cmocka_unit_test(right_jacobian_is_the_derivative),
        cmocka_unit_test(right_jacobian_keeps_its_digits),
        cmocka_unit_test(right_jacobian_inverse),
        cmocka_unit_test(component_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
