#include "support/check.h"
#include "tactus/tactus.h"

#include <math.h>

enum { DRAWS = 200000 };
#define TOL_SIGMAS 4.0 /* standard deviations of a statistic of DRAWS numbers; the seeds are fixed */
#define TOL        1e-14

/* Numbers of the stream never change beyond what the C library's log and cos may. */
static void known_answers(void **state) {
    (void)state;
    CHECK_NEAR(tac_random_normal(0, 0, 0), -0.5604104551580485, TOL);
    CHECK_NEAR(tac_random_normal(1, 2, 3), -0.9006690725302031, TOL);
    CHECK_NEAR(tac_random_normal(42, 7, 1000000), -1.3206555506657092, TOL);
}

/* Moments 0, 1, 0, 3, their variances over n being 1, 2, 15, 96. */
static void moments(void **state) {
    (void)state;
    double sum[5] = {0}, largest = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        double x = tac_random_normal(11, 12, i), power = 1;
        CHECK(isfinite(x));
        largest = fmax(largest, fabs(x));
        for (int k = 1; k <= 4; k++)
            sum[k] += power *= x;
    }
    double n = DRAWS;
    CHECK_LT(fabs(sum[1] / n), TOL_SIGMAS * sqrt(1 / n));
    CHECK_LT(fabs(sum[2] / n - 1), TOL_SIGMAS * sqrt(2 / n));
    CHECK_LT(fabs(sum[3] / n), TOL_SIGMAS * sqrt(15 / n));
    CHECK_LT(fabs(sum[4] / n - 3), TOL_SIGMAS * sqrt(96 / n));
    CHECK(largest > 4 && largest < 7);
}

/* Share of draws below x is the normal distribution function there. */
static void distribution(void **state) {
    (void)state;
    const double at[] = {-2, -1, -0.5, 0, 0.5, 1, 2};
    for (int k = 0; k < 7; k++) {
        int below = 0;
        for (uint64_t i = 0; i < DRAWS; i++)
            below += tac_random_normal(13, 14, i) < at[k];
        double p = 0.5 * erfc(-at[k] / sqrt(2)), n = DRAWS;
        CHECK_LT(fabs(below / n - p), TOL_SIGMAS * sqrt(p * (1 - p) / n));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(moments),
        cmocka_unit_test(distribution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
