#include "support/check.h"
#include "tactus/tactus.h"

#include <math.h>
#include <string.h>

/* Packed models carry hashes as checksums: these values never change. */
static void known_answers(void **state) {
    (void)state;
    CHECK(tac_hash("", 0, 0) == UINT64_C(0xe220a8397b1dcdaf));
    CHECK(tac_hash("a", 1, 0) == UINT64_C(0x121842d00719760b));
    CHECK(tac_hash("tactus: a physics engine", 24, 0) == UINT64_C(0x286ac7702cd3f4db));
    CHECK(tac_hash("tactus: a physics engine", 24, 1) == UINT64_C(0x610e8f16752e2a63));
    const unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    CHECK(tac_hash(bytes, 8, 0) == UINT64_C(0xb8e77efc60674435)); /* read as 0x0807060504030201 on every machine */
}

static void length_start_and_alignment(void **state) {
    (void)state;
    const char zeros[40] = {0};
    for (size_t n = 0; n < 40; n++)
        for (size_t k = 0; k < n; k++)
            CHECK(tac_hash(zeros, n, 0) != tac_hash(zeros, k, 0));
    char text[64], moved[65];
    for (int i = 0; i < 64; i++)
        text[i] = (char)(i * 37);
    memcpy(moved + 1, text, 64);
    CHECK(tac_hash(text, 61, 5) == tac_hash(moved + 1, 61, 5));
    CHECK(tac_hash(text, 61, 5) != tac_hash(text, 61, 6));
    CHECK(tac_hash(NULL, 0, 3) == tac_hash(text, 0, 3));
}

/* Flipping any one input bit flips each output bit with probability 1/2: mean 32 of 64, and no output bit is deaf. */
static void avalanche(void **state) {
    (void)state;
    enum { TRIALS = 64, BYTES = 29 };
    static int flips[64];
    long total = 0, pairs = 0;
    for (uint64_t t = 0; t < TRIALS; t++) {
        unsigned char data[BYTES];
        for (uint64_t i = 0; i < BYTES; i++)
            data[i] = (unsigned char)tac_random_bits(t, 0, i);
        uint64_t before = tac_hash(data, BYTES, 0);
        for (int bit = 0; bit < 8 * BYTES; bit++, pairs++) {
            data[bit / 8] ^= (unsigned char)(1 << bit % 8);
            uint64_t change = before ^ tac_hash(data, BYTES, 0);
            data[bit / 8] ^= (unsigned char)(1 << bit % 8);
            CHECK(change != 0);
            for (int b = 0; b < 64; b++) {
                flips[b] += (int)(change >> b & 1);
                total += (long)(change >> b & 1);
            }
        }
    }
    CHECK_NEAR((double)total / (double)pairs, 32, 0.2);
    for (int b = 0; b < 64; b++)
        CHECK_NEAR((double)flips[b] / (double)pairs, 0.5, 0.02);
}

/* 2^16 small integers: no collision among 64-bit hashes, nor in a fair share of the upper and lower 32 bits. */
static void no_collisions_among_small_integers(void **state) {
    (void)state;
    enum { COUNT = 1 << 16 };
    static unsigned char high[COUNT], low[COUNT];
    memset(high, 0, sizeof high);
    memset(low, 0, sizeof low);
    int used_high = 0, used_low = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t h = tac_hash(&i, sizeof i, 0);
        used_high += !high[h >> 48];
        used_low += !low[h & 0xFFFF];
        high[h >> 48] = low[h & 0xFFFF] = 1;
    }
    double expected = COUNT * (1 - exp(-1.0)); /* balls into bins */
    CHECK_NEAR(used_high, expected, 0.01 * COUNT);
    CHECK_NEAR(used_low, expected, 0.01 * COUNT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(length_start_and_alignment),
        cmocka_unit_test(avalanche),
        cmocka_unit_test(no_collisions_among_small_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
