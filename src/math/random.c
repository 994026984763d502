#include "base/random.h"

#include "math/scalar.h"

/* Box-Muller: n = sqrt(-2 ln u) cos(2 pi t), with u in (0, 1] and t in [0, 1) from the two words of one draw. */
double tac_random_normal(uint64_t seed, uint64_t stream, uint64_t index) {
    static const double two_pi = 6.283185307179586;
    tacRandomPair pair = tac_random_pair(seed, stream, index);
    double u = ((double)(pair.first >> 11) + 1) * TAC_RANDOM_UNIT;
    double t = (double)(pair.second >> 11) * TAC_RANDOM_UNIT;
    return tac_sqrt(-2 * tac_log(u)) * tac_cos(two_pi * t);
}
