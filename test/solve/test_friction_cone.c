/* One contact's cone variables, eliminated: the equations of a step hold, and the stiffness is their answer. */
#include "solve/friction_cone.h"

#include "math/cone.h"
#include "support/check.h"
#include "support/draw.h"

#include <math.h>
#include <string.h>

#define TOL      1e-10
#define TOL_PATH 1e-13 /* of numbers as they are */

static tacFrictionPoint draw_point(tacDraw *d, double mu) {
    tacFrictionPoint p = {.mu = mu, .gamma = draw_uniform(d, 0.1, 2), .s = draw_uniform(d, 0.1, 2)};
    p.soft = draw_uniform(d, 0, 1);
    p.xi[1] = draw_uniform(d, -1, 1), p.xi[2] = draw_uniform(d, -1, 1), p.xi[0] = draw_uniform(d, 1.5, 3);
    p.eta[1] = draw_uniform(d, -1, 1), p.eta[2] = draw_uniform(d, -1, 1), p.eta[0] = draw_uniform(d, 1.5, 3);
    for (int k = 0; k < 2; k++) {
        p.side_xi[k][0] = draw_uniform(d, 1.5, 3), p.side_xi[k][1] = draw_uniform(d, -1, 1);
        p.side_eta[k][0] = draw_uniform(d, 1.5, 3), p.side_eta[k][1] = draw_uniform(d, -1, 1);
    }
    return p;
}

/* The six equations of friction_cone.h, written out. */
static void check_equations(const tacFrictionPoint *p, const tacFrictionRhs *z, const tacFrictionStep *d, double dphi,
                            const double du[2]) {
    double one[3], two[3];
    CHECK_NEAR(d->s, dphi + p->soft * d->gamma - z->e_s, TOL);
    CHECK_NEAR(p->gamma * d->s + p->s * d->gamma, z->c_normal, TOL);
    if (p->mu == 0) return;
    CHECK_NEAR(d->xi[0], p->mu * d->gamma - z->e_xi, TOL);
    CHECK_NEAR(d->eta[1], du[0] - z->e_eta[0], TOL);
    CHECK_NEAR(d->eta[2], du[1] - z->e_eta[1], TOL);
    tac_cone_product(3, p->xi, d->eta, one);
    tac_cone_product(3, p->eta, d->xi, two);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(one[i] + two[i], z->c_friction[i], TOL);
}

static void step_solves_its_equations(void **state) {
    (void)state;
    tacDraw d = {21, 0};
    for (int k = 0; k < 100; k++) {
        tacFrictionPoint p = draw_point(&d, k % 4 == 0 ? 0 : 0.7);
        tacFrictionRhs z;
        double du[2], dphi = draw_normal(&d);
        draw_array(&d, sizeof z / sizeof(double), &z.e_s);
        draw_array(&d, 2, du);
        tacFrictionStep step = tac_friction_step(&p, &z, dphi, du);
        CHECK(step.gamma != 0);
        check_equations(&p, &z, &step, dphi, du);
    }
}

/* Along (t_1 +- t_2)/sqrt 2. */
static double along(int k, const double x[2]) { return (x[0] + (k == 0 ? 1 : -1) * x[1]) / sqrt(2); }

/* The same equations of a pyramid, and its impulses along the tangents. */
static void pyramid_solves_its_equations(void **state) {
    (void)state;
    tacDraw d = {24, 0};
    for (int k = 0; k < 100; k++) {
        tacFrictionPoint p = draw_point(&d, 0.7);
        tacFrictionRhs z;
        double du[2], dphi = draw_normal(&d), one[2], two[2];
        p.pyramid = 1;
        draw_array(&d, sizeof z / sizeof(double), &z.e_s);
        draw_array(&d, 2, du);
        tacFrictionStep step = tac_friction_step(&p, &z, dphi, du);
        CHECK_NEAR(p.gamma * step.s + p.s * step.gamma, z.c_normal, TOL);
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(step.side_xi[i][0], p.mu * step.gamma / sqrt(2) - z.e_side[i][0], TOL);
            CHECK_NEAR(step.side_eta[i][1], along(i, du) - z.e_side[i][1], TOL);
            CHECK_NEAR(step.side_xi[i][1], along(i, step.xi + 1), TOL);
            tac_cone_product(2, p.side_xi[i], step.side_eta[i], one);
            tac_cone_product(2, p.side_eta[i], step.side_xi[i], two);
            CHECK_NEAR(one[0] + two[0], z.c_side[i][0], TOL);
            CHECK_NEAR(one[1] + two[1], z.c_side[i][1], TOL);
        }
    }
}

/* Numbers of cones -> the point and what is off -> numbers again; starts are on the central path with the slip asked
 * for. */
static void numbers_of_cones(void **state) {
    (void)state;
    static const int NUMBERS[3] = {1, 4, 5};
    tacDraw d = {25, 0};
    for (int kind = 0; kind < 3; kind++) {
        tacFrictionPoint p = {.mu = kind == 0 ? 0 : 0.6, .pyramid = kind == 2, .yield = {0.3, 0.5}};
        tacFrictionRhs e;
        int dim[TAC_FRICTION_CONES], n = tac_friction_cones(&p, dim), sum = 0;
        double a[TAC_FRICTION_NUMBERS] = {1.5}, b[TAC_FRICTION_NUMBERS] = {0.2}, gap_slip[3], w[3];
        draw_array(&d, 3, gap_slip);
        gap_slip[0] = b[0] - tac_yield(&p.yield, a[0], &p.soft);
        tac_friction_start(&p, 0.3, gap_slip + 1, a, b);
        for (int c = 0; c < n; sum += dim[c++]) {
            tac_cone_product(dim[c], a + sum, b + sum, w);
            for (int i = 0; i < dim[c] && c > 0; i++)
                CHECK_NEAR(w[i], i == 0 ? 0.3 : 0, TOL);
        }
        CHECK_INT(sum, NUMBERS[kind]);
        CHECK_LT(tac_friction_evaluate(&p, &e, gap_slip, a, b), TOL);
        if (kind > 0) CHECK_LT(tac_friction_share(&p), 1);
        gap_slip[2] += 0.1;
        CHECK_NEAR(tac_friction_evaluate(&p, &e, gap_slip, a, b), kind == 0 ? 0 : kind == 1 ? 0.1 : 0.1 / sqrt(2), TOL);
        tacFrictionStep same = {.gamma = p.gamma, .s = p.s};
        memcpy(same.xi, p.xi, sizeof p.xi), memcpy(same.eta, p.eta, sizeof p.eta);
        memcpy(same.side_xi, p.side_xi, sizeof p.side_xi), memcpy(same.side_eta, p.side_eta, sizeof p.side_eta);
        double da[TAC_FRICTION_NUMBERS] = {0}, db[TAC_FRICTION_NUMBERS] = {0};
        tac_friction_store(&p, &same, da, db);
        CHECK_ARRAY(sum, da, a, TOL);
        CHECK_ARRAY(sum, db, b, TOL);
    }
}

/* Impulses answer gap and slip by -K. */
static void stiffness_is_the_answer(void **state) {
    (void)state;
    tacDraw d = {22, 0};
    for (int k = 0; k < 50; k++) {
        tacFrictionPoint p = draw_point(&d, 0.5);
        p.pyramid = k % 2;
        double K[9], at[3];
        draw_array(&d, 3, at);
        tac_friction_stiffness(&p, K);
        tacFrictionStep step = tac_friction_step(&p, NULL, at[0], at + 1);
        double got[3] = {step.gamma, step.xi[1], step.xi[2]};
        CHECK(K[0] > 0);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(got[i], -(K[3 * i] * at[0] + K[3 * i + 1] * at[1] + K[3 * i + 2] * at[2]), TOL);
    }
}

/* The compliance is the stiffness' inverse, and following an answer gives the step itself. */
static void compliance_is_the_inverse(void **state) {
    (void)state;
    tacDraw d = {23, 0};
    for (int k = 0; k < 50; k++) {
        tacFrictionPoint p = draw_point(&d, k % 5 == 0 ? 0 : 0.5);
        tacFrictionRhs z;
        double K[9], C[9], w[3], at[3], dp[3];
        draw_array(&d, sizeof z / sizeof(double), &z.e_s);
        draw_array(&d, 3, at);
        tac_friction_stiffness(&p, K);
        tac_friction_compliance(&p, C);
        for (int i = 0; i < (p.mu > 0 ? 9 : 1); i++) {
            double sum = 0;
            for (int j = 0; j < 3; j++)
                sum += K[i / 3 * 3 + j] * C[3 * j + i % 3];
            CHECK_NEAR(sum, i % 4 == 0, TOL);
        }
        tacFrictionStep step = tac_friction_step(&p, &z, at[0], at + 1);
        dp[0] = step.gamma, dp[1] = step.xi[1], dp[2] = step.xi[2];
        tac_friction_offset(&p, &z, w);
        for (int i = 0; i < (p.mu > 0 ? 3 : 1); i++)
            CHECK_NEAR(w[i] - C[3 * i] * dp[0] - C[3 * i + 1] * dp[1] - C[3 * i + 2] * dp[2], at[i], TOL);
        tacFrictionStep same = tac_friction_step_of_impulse(&p, &z, dp, at);
        CHECK_ARRAY(sizeof step / sizeof(double), &same.gamma, &step.gamma, TOL);
    }
}

/* a o b = k e to rounding, a_0 is kept, and so is r a_t - b_t/r, from deep inside the cones to their borders. */
static void settled_points_are_on_the_path(void **state) {
    (void)state;
    tacDraw d = {24, 0};
    for (int i = 0; i < 2000; i++) {
        double k = pow(10, draw_uniform(&d, -20, 1)), r = pow(10, draw_uniform(&d, -3, 3));
        double a[3] = {pow(10, draw_uniform(&d, -8, 2)), draw_normal(&d), draw_normal(&d)}, b[3], u[2], w[2], o[3];
        int n = 1 + i % 2;
        draw_array(&d, 2, u);
        if (i % 50 == 0) a[1] = u[0] = 0, n = 1; /* nothing along the tangent */
        double a_0 = a[0], gap = draw_normal(&d), impulse = draw_normal(&d), was = r * impulse - gap / r;
        for (int t = 0; t < n; t++)
            w[t] = r * a[1 + t] - u[t] / r;
        tac_friction_project_to_path(n, r * r, k, u, a, b);
        tac_cone_product(1 + n, a, b, o);
        CHECK(a[0] == a_0 && b[0] > 0);
        CHECK_NEAR(o[0] / k, 1, TOL_PATH * (1 + a[0] * b[0] / k));
        for (int t = 0; t < n; t++) {
            CHECK_NEAR(o[1 + t], 0, TOL_PATH * (k + a[0] * b[0]));
            CHECK_NEAR(r * a[1 + t] - b[1 + t] / r, w[t], TOL_PATH * (1 + fabs(w[t])));
        }
        tac_pair_project_to_path(r * r, k, &impulse, &gap);
        CHECK(impulse > 0 && gap > 0);
        CHECK_NEAR(impulse * gap / k, 1, TOL_PATH);
        CHECK_NEAR(r * impulse - gap / r, was, TOL_PATH * (1 + fabs(was)));
    }
}

/* Near the border of both cones what is left to it keeps its digits. */
static void settled_points_keep_the_digits_of_products(void **state) {
    (void)state;
    double a[3] = {1, 3, 4}, b[3], u[2] = {0, 0}, k = 1e-12;
    tac_friction_project_to_path(2, 1, k, u, a,
                                 b); /* slides: |a_t| = 1 - k/(2 (5 - 1)), b = 4 (1, -3/5, -4/5), about */
    CHECK_NEAR((1 - sqrt(a[1] * a[1] + a[2] * a[2])) / k, 0.125, 1e-3);
    CHECK_NEAR(b[0], 4, k);
    CHECK_NEAR(b[1], -2.4, k);
    CHECK_NEAR(b[2], -3.2, k);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(step_solves_its_equations),
                                       cmocka_unit_test(pyramid_solves_its_equations),
                                       cmocka_unit_test(numbers_of_cones),
                                       cmocka_unit_test(stiffness_is_the_answer),
                                       cmocka_unit_test(compliance_is_the_inverse),
                                       cmocka_unit_test(settled_points_are_on_the_path),
                                       cmocka_unit_test(settled_points_keep_the_digits_of_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
