#include "math/scalar.h"
#include "support/check.h"

#include <math.h>

#define TOL 2e-16 /* relative: one unit in the last place */

/* The engine's functions are those of the C library until others take their place. */
static void functions_have_their_values(void **state) {
    (void)state;
    for (double x = -0.99; x < 1; x += 0.0625) {
        CHECK_NEAR(tac_sin(x), sinl((long double)x), TOL);
        CHECK_NEAR(tac_cos(x), cosl((long double)x), TOL);
        CHECK_NEAR(tac_asin(x), asinl((long double)x), 2 * TOL);
        CHECK_NEAR(tac_acos(x), acosl((long double)x), 4 * TOL);
        CHECK_NEAR(tac_atan2(x, -0.5), atan2l((long double)x, -0.5L), 4 * TOL);
        CHECK_NEAR(tac_exp(x), expl((long double)x), 4 * TOL);
        CHECK_NEAR(tac_log(2 + x), logl(2 + (long double)x), 2 * TOL);
        CHECK_NEAR(tac_pow(2 + x, x), powl(2 + (long double)x, (long double)x), 4 * TOL);
        CHECK(tac_sqrt(2 + x) == sqrt(2 + x));
        CHECK(tac_abs(x) == fabs(x));
    }
}

static void least_and_largest(void **state) {
    (void)state;
    CHECK(tac_min(1, 2) == 1 && tac_min(2, 1) == 1);
    CHECK(tac_max(1, 2) == 2 && tac_max(2, 1) == 2);
    CHECK(tac_clamp(-3, -1, 1) == -1 && tac_clamp(3, -1, 1) == 1 && tac_clamp(0.5, -1, 1) == 0.5);
    CHECK(tac_clamp(0, 2, 2) == 2);
}

static void finds_what_is_not_finite(void **state) {
    (void)state;
    double x[5] = {0, -1, 1e308, 4, 5};
    CHECK_INT(tac_first_nonfinite(5, x), -1);
    CHECK_INT(tac_first_nonfinite(0, NULL), -1);
    x[3] = nan("");
    CHECK_INT(tac_first_nonfinite(5, x), 3);
    x[1] = -HUGE_VAL;
    CHECK_INT(tac_first_nonfinite(5, x), 1);
    CHECK(tac_finite(1e308) && !tac_finite(HUGE_VAL) && !tac_finite(nan("")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_their_values),
        cmocka_unit_test(least_and_largest),
        cmocka_unit_test(finds_what_is_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
