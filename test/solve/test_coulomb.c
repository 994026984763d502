/* Coulomb's cone: where a point is projected to, and how that moves with it. */
#include "solve/coulomb.h"

#include "support/check.h"
#include "support/draw.h"

#define TOL      1e-13
#define TOL_DIFF 1e-8 /* central differences at 1e-6 of numbers of about one */
#define STEP     1e-6

/* The nearest point p of a closed cone is in it, z - p in its polar cone, and both are orthogonal. */
static void projection_is_the_nearest_point(void **state) {
    (void)state;
    tacDraw d = {31, 0};
    int inside = 0, tip = 0, mantle = 0;
    for (int k = 0; k < 300; k++) {
        double z[3], p[3], mu = k % 5 == 0 ? 0 : draw_uniform(&d, 0.1, 1.5);
        draw_array(&d, 3, z);
        tac_coulomb_project(mu, z, p, NULL);
        double rest[3] = {z[0] - p[0], z[1] - p[1], z[2] - p[2]};
        CHECK_LT(tac_sqrt(p[1] * p[1] + p[2] * p[2]), mu * p[0] + TOL);
        CHECK_LT(mu * tac_sqrt(rest[1] * rest[1] + rest[2] * rest[2]), -rest[0] + TOL);
        CHECK_NEAR(rest[0] * p[0] + rest[1] * p[1] + rest[2] * p[2], 0, TOL);
        int same = rest[0] == 0 && rest[1] == 0 && rest[2] == 0;
        inside += same, tip += p[0] == 0, mantle += !same && p[0] > 0;
    }
    CHECK(inside > 10 && tip > 10 && mantle > 10);
}

static void derivative_of_the_projection(void **state) {
    (void)state;
    tacDraw d = {32, 0};
    for (int k = 0; k < 200; k++) {
        double z[3], p[3], A[9], mu = draw_uniform(&d, 0.1, 1.5);
        draw_array(&d, 3, z);
        tac_coulomb_project(mu, z, p, A);
        for (int j = 0; j < 3; j++) {
            double more[3] = {z[0], z[1], z[2]}, less[3] = {z[0], z[1], z[2]}, high[3], low[3];
            more[j] += STEP, less[j] -= STEP;
            tac_coulomb_project(mu, more, high, NULL);
            tac_coulomb_project(mu, less, low, NULL);
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(A[3 * i + j], (high[i] - low[i]) / (2 * STEP), TOL_DIFF);
        }
    }
}

/* df = (1 - A) dr + AB du */
static void derivative_of_the_map(void **state) {
    (void)state;
    tacDraw d = {33, 0};
    for (int k = 0; k < 200; k++) {
        double x[6], f[3], A[9], AB[9], mu = draw_uniform(&d, 0.1, 1.5);
        draw_array(&d, 6, x);
        tac_coulomb_map(mu, x, x + 3, f, A, AB);
        for (int j = 0; j < 6; j++) {
            double high[3], low[3], at = x[j];
            x[j] = at + STEP;
            tac_coulomb_map(mu, x, x + 3, high, NULL, NULL);
            x[j] = at - STEP;
            tac_coulomb_map(mu, x, x + 3, low, NULL, NULL);
            x[j] = at;
            for (int i = 0; i < 3; i++) {
                double want = j < 3 ? (i == j) - A[3 * i + j] : AB[3 * i + j - 3];
                CHECK_NEAR(want, (high[i] - low[i]) / (2 * STEP), TOL_DIFF);
            }
        }
    }
}

/* At the edges between pieces: the tip, the axis, no friction. */
static void edges(void **state) {
    (void)state;
    double zero[3] = {0, 0, 0}, axis[3] = {-1, 0, 0}, up[3] = {2, 1, 0}, p[3], A[9];
    tac_coulomb_project(0.5, zero, p, A);
    CHECK(p[0] == 0 && p[1] == 0 && A[0] == 0);
    tac_coulomb_project(0.5, axis, p, A);
    CHECK(p[0] == 0 && A[0] == 0);
    tac_coulomb_project(0.5, up, p, A); /* on the border: of the inside */
    CHECK(p[0] == 2 && p[1] == 1 && A[0] == 1 && A[4] == 1);
    tac_coulomb_project(0, up, p, A);
    CHECK(p[0] == 2 && p[1] == 0 && p[2] == 0 && A[0] == 1 && A[4] == 0 && A[8] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection_is_the_nearest_point),
        cmocka_unit_test(derivative_of_the_projection),
        cmocka_unit_test(derivative_of_the_map),
        cmocka_unit_test(edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
