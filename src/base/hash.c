#include "tactus/tactus.h"

/* Fractional bits of the golden ratio, odd: keeps zero words from leaving a zero state unchanged. */
#define HASH_STEP UINT64_C(0x9E3779B97F4A7C15)

/* A bijection of 64-bit words in which every input bit flips every output bit with probability near 1/2
 * [Stafford2011, variant 13]. */
static uint64_t mix(uint64_t z) {
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* n <= 8 bytes as one little-endian word, on any machine. */
static uint64_t word_of(const unsigned char *p, size_t n) {
    uint64_t word = 0;
    for (size_t i = 0; i < n; i++)
        word |= (uint64_t)p[i] << 8 * i;
    return word;
}

/* h <- mix((h ^ word) + step) for each word, the tail filled with zeros; then once more with the length, which tells
 * "a" from "a\0". Each step is a bijection of h: two starts never meet on the same bytes. */
uint64_t tac_hash(const void *bytes, size_t n, uint64_t start) {
    const unsigned char *p = bytes;
    uint64_t h = start;
    if (p == NULL) n = 0;
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        h = mix((h ^ word_of(p + i, 8)) + HASH_STEP);
    if (i < n) h = mix((h ^ word_of(p + i, n - i)) + HASH_STEP);
    return mix((h ^ (uint64_t)n) + HASH_STEP);
}
