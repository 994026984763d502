/* Second-order cones: product, its derivative, and the way to the border. */
#include "math/cone.h"

#include "support/check.h"
#include "support/draw.h"

#include <math.h>

#define TOL_EXACT  1e-14
#define TOL_BORDER 1e-12

static void draw_inside(tacDraw *d, int n, double *y) {
    double square = 0;
    draw_array(d, n, y);
    for (int i = 1; i < n; i++)
        square += y[i] * y[i];
    y[0] = sqrt(square) + draw_uniform(d, 0.01, 1);
}

static void product_by_hand(void **state) {
    (void)state;
    double u[3] = {2, 1, -1}, v[3] = {3, 0.5, 4}, w[3], want[3] = {6 + 0.5 - 4, 2 * 0.5 + 3 * 1, 2 * 4 - 3};
    tac_cone_product(3, u, v, w);
    CHECK_ARRAY(3, w, want, TOL_EXACT);
    tac_cone_product(1, u, v, w);
    CHECK_NEAR(w[0], 6, TOL_EXACT);
}

/* The product is linear in u: its derivative times u is the product itself. */
static void derivative_is_arrow(void **state) {
    (void)state;
    tacDraw d = {11, 0};
    for (int k = 0; k < 20; k++) {
        double u[4], v[4], w[4], J[16], Ju[4] = {0, 0, 0, 0};
        int n = 1 + k % 4;
        draw_array(&d, n, u), draw_array(&d, n, v);
        tac_cone_product(n, u, v, w);
        tac_cone_product_jac(n, v, J);
        for (int i = 0; i < n * n; i++)
            Ju[i / n] += J[i] * u[i % n];
        CHECK(J[0] != 0);
        CHECK_ARRAY(n, Ju, w, TOL_EXACT);
    }
}

static void reach_ends_at_the_border(void **state) {
    (void)state;
    tacDraw draw = {12, 0};
    int ends = 0;
    for (int k = 0; k < 400; k++) {
        double y[4], d[4], at[4];
        int n = 1 + k % 4;
        draw_inside(&draw, n, y), draw_array(&draw, n, d);
        double alpha = tac_cone_reach(n, y, d), far = isfinite(alpha) ? alpha : 1e6;
        ends += isfinite(alpha);
        for (int i = 0; i < n; i++)
            at[i] = y[i] + far * d[i];
        if (isfinite(alpha))
            CHECK_NEAR(tac_cone_margin(n, at) / (1 + fabs(at[0])), 0, TOL_BORDER);
        else
            CHECK(tac_cone_margin(n, at) > 0);
        for (int i = 0; i < n; i++)
            at[i] = y[i] + 0.999 * far * d[i];
        CHECK(tac_cone_margin(n, at) > 0);
    }
    CHECK(ends > 100 && ends < 400);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(product_by_hand), cmocka_unit_test(derivative_is_arrow),
                                       cmocka_unit_test(reach_ends_at_the_border)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
