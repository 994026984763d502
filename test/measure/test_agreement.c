#include "support/check.h"

/* What is not a number is worse than anything, before and after; an array with such an entry agrees with nothing. */
static void nan_fails(void **state) {
    (void)state;
    CHECK(worse(1, 2) == 2 && worse(2, 1) == 2);
    CHECK(worse(nan(""), 1) == HUGE_VAL && worse(1, nan("")) == HUGE_VAL);
    CHECK(worse(worse(0, nan("")), 1) == HUGE_VAL);
    const double a[3] = {1, -20, 3}, b[3] = {1, -20.5, 3.25}, broken[3] = {1, nan(""), 3};
    CHECK_NEAR(relative_error(3, a, b), 0.5 / 20.5, 1e-16);
    CHECK(relative_error(3, a, a) == 0 && relative_error(0, a, b) == 0);
    CHECK(relative_error(3, a, broken) == HUGE_VAL && relative_error(3, broken, a) == HUGE_VAL);
    CHECK(relative_error(1, (double[]){HUGE_VAL}, (double[]){HUGE_VAL}) == HUGE_VAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nan_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
