/* Counter-based random numbers: a pure function of (seed, stream, index), so any thread can draw any number in any
 * order and every machine draws the same. */
#pragma once

#include "tactus/tactus.h"

/* 2^-53: the spacing of the uniform numbers. */
#define TAC_RANDOM_UNIT (1.0 / 9007199254740992.0)

typedef struct tacRandomPair {
    uint64_t first, second;
} tacRandomPair;

/* (seed, stream, index) -> 128 random bits: Philox 2x64 with ten rounds, key = seed, counter = (index, stream)
 * [Salmon2011, sec. 3.3]. tac_random_bits is its first word. */
tacRandomPair tac_random_pair(uint64_t seed, uint64_t stream, uint64_t index);
