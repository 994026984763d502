#include "base/random.h"

enum { PHILOX_ROUNDS = 10 };
#define PHILOX_MULTIPLIER UINT64_C(0xD2B74407B1CE6E93) /* [Salmon2011, table 2] */
#define PHILOX_WEYL       UINT64_C(0x9E3779B97F4A7C15) /* fractional bits of the golden ratio: key schedule */

/* High 64 bits of a b, by 32-bit halves: C17 has no 128-bit integer. */
static uint64_t multiply_high(uint64_t a, uint64_t b) {
    uint64_t a0 = a & 0xFFFFFFFFu, a1 = a >> 32, b0 = b & 0xFFFFFFFFu, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t carry = a0 * b1 + (middle & 0xFFFFFFFFu);
    return a1 * b1 + (middle >> 32) + (carry >> 32);
}

tacRandomPair tac_random_pair(uint64_t seed, uint64_t stream, uint64_t index) {
    uint64_t first = index, second = stream, key = seed;
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        uint64_t high = multiply_high(PHILOX_MULTIPLIER, first), low = PHILOX_MULTIPLIER * first;
        first = high ^ key ^ second;
        second = low;
        key += PHILOX_WEYL;
    }
    return (tacRandomPair){first, second};
}

uint64_t tac_random_bits(uint64_t seed, uint64_t stream, uint64_t index) {
    return tac_random_pair(seed, stream, index).first;
}

double tac_random_uniform(uint64_t seed, uint64_t stream, uint64_t index) {
    return (double)(tac_random_bits(seed, stream, index) >> 11) * TAC_RANDOM_UNIT;
}
