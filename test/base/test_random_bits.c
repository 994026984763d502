#include "base/random.h"
#include "support/check.h"

#include <math.h>

enum { DRAWS = 200000 };
/* Standard deviations of a statistic of DRAWS numbers that a good generator stays within; the seeds are fixed. */
#define TOL_SIGMAS 4.0

/* Known answers of Philox 2x64-10, published with the method [Salmon2011]: counter, key -> words. */
static void philox_known_answers(void **state) {
    (void)state;
    static const uint64_t answer[3][5] = {
        {0, 0, 0, 0xca00a0459843d731, 0x66c24222c9a845b5},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x65b021d60cd8310f, 0x4d02f3222f86df20},
        {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x0a5e742c2997341c, 0xb0f883d38000de5d},
    };
    for (int i = 0; i < 3; i++) {
        tacRandomPair pair = tac_random_pair(answer[i][2], answer[i][1], answer[i][0]);
        CHECK(pair.first == answer[i][3]);
        CHECK(pair.second == answer[i][4]);
        CHECK(tac_random_bits(answer[i][2], answer[i][1], answer[i][0]) == answer[i][3]);
    }
}

/* The streams users see never change: results of experiments depend on them. */
static void uniform_known_answers(void **state) {
    (void)state;
    CHECK(tac_random_uniform(0, 0, 0) == 0x1.9401408b3087ap-1);
    CHECK(tac_random_uniform(1, 2, 3) == (double)(tac_random_bits(1, 2, 3) >> 11) * 0x1p-53);
    CHECK(tac_random_bits(1, 2, 3) == UINT64_C(0x96f5a74d1412763f));
    CHECK(tac_random_bits(42, 7, UINT64_C(1) << 40) == UINT64_C(0x7669704f9ac3737f));
}

static void each_argument_matters(void **state) {
    (void)state;
    uint64_t base = tac_random_bits(1, 1, 1);
    CHECK(base == tac_random_bits(1, 1, 1));
    for (int bit = 0; bit < 64; bit++) {
        uint64_t flip = UINT64_C(1) << bit;
        CHECK(tac_random_bits(1 ^ flip, 1, 1) != base);
        CHECK(tac_random_bits(1, 1 ^ flip, 1) != base);
        CHECK(tac_random_bits(1, 1, 1 ^ flip) != base);
    }
}

/* Mean 1/2, variance 1/12, no correlation between neighbours along index, stream or seed. */
static void uniform_moments(void **state) {
    (void)state;
    double sum = 0, square = 0, along[3] = {0, 0, 0}, low = 1, high = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        double u = tac_random_uniform(5, 6, i);
        low = fmin(low, u);
        high = fmax(high, u);
        sum += u - 0.5;
        square += (u - 0.5) * (u - 0.5) - 1.0 / 12;
        along[0] += (u - 0.5) * (tac_random_uniform(5, 6, i + 1) - 0.5);
        along[1] += (u - 0.5) * (tac_random_uniform(5, 7, i) - 0.5);
        along[2] += (u - 0.5) * (tac_random_uniform(6, 6, i) - 0.5);
    }
    double n = sqrt((double)DRAWS);
    CHECK(low >= 0 && low < 1e-4);
    CHECK(high < 1 && high > 1 - 1e-4);
    CHECK_LT(fabs(sum), TOL_SIGMAS * n / sqrt(12));
    CHECK_LT(fabs(square), TOL_SIGMAS * n / sqrt(180)); /* variance of (u - 1/2)^2 is 1/180 */
    for (int i = 0; i < 3; i++)
        CHECK_LT(fabs(along[i]), TOL_SIGMAS * n / 12);
}

/* Each of the 64 bits is set half of the time. */
static void bits_are_fair(void **state) {
    (void)state;
    int count[64] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        uint64_t bits = tac_random_bits(9, 9, i);
        for (int b = 0; b < 64; b++)
            count[b] += (int)(bits >> b & 1);
    }
    for (int b = 0; b < 64; b++)
        CHECK_LT(fabs(count[b] - 0.5 * DRAWS), (TOL_SIGMAS + 0.5) * 0.5 * sqrt((double)DRAWS));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_known_answers),  cmocka_unit_test(uniform_known_answers),
        cmocka_unit_test(each_argument_matters), cmocka_unit_test(uniform_moments),
        cmocka_unit_test(bits_are_fair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
