/* One contact's cone variables, eliminated: the equations of a step hold, and the stiffness is their answer. */
#include "solve/friction_cone.h"

#include "math/cone.h"
#include "support/check.h"
#include "support/draw.h"

#define TOL 1e-10

static tacFrictionPoint draw_point(tacDraw *d, double mu) {
    tacFrictionPoint p = {.mu = mu, .gamma = draw_uniform(d, 0.1, 2), .s = draw_uniform(d, 0.1, 2)};
    p.xi[1] = draw_uniform(d, -1, 1), p.xi[2] = draw_uniform(d, -1, 1), p.xi[0] = draw_uniform(d, 1.5, 3);
    p.eta[1] = draw_uniform(d, -1, 1), p.eta[2] = draw_uniform(d, -1, 1), p.eta[0] = draw_uniform(d, 1.5, 3);
    return p;
}

/* The six equations of friction_cone.h, written out. */
static void check_equations(const tacFrictionPoint *p, const tacFrictionSides *z, const tacFrictionStep *d, double dphi,
                            const double du[2]) {
    double one[3], two[3];
    CHECK_NEAR(d->s, dphi - z->e_s, TOL);
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
        tacFrictionSides z;
        double du[2], dphi = draw_normal(&d);
        draw_array(&d, sizeof z / sizeof(double), &z.e_s);
        draw_array(&d, 2, du);
        tacFrictionStep step = tac_friction_step(&p, &z, dphi, du);
        CHECK(step.gamma != 0);
        check_equations(&p, &z, &step, dphi, du);
    }
}

/* Impulses answer gap and slip by -K. */
static void stiffness_is_the_answer(void **state) {
    (void)state;
    tacDraw d = {22, 0};
    for (int k = 0; k < 50; k++) {
        tacFrictionPoint p = draw_point(&d, 0.5);
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
        tacFrictionSides z;
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
        tacFrictionStep same = tac_friction_follow(&p, &z, dp, at);
        CHECK_ARRAY(sizeof step / sizeof(double), &same.gamma, &step.gamma, TOL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(step_solves_its_equations),
                                       cmocka_unit_test(stiffness_is_the_answer),
                                       cmocka_unit_test(compliance_is_the_inverse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
