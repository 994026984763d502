#include "solve/checkpoint.h"

/* A number beyond any number of steps. */
#define TAC_MANY 1e18

/* C(s + r, s): steps that s stored states reverse with r repetitions. */
static double reach(int s, int r) {
    double n = 1;
    if (s < 0 || r < 0) return 0;
    for (int k = 1; k <= r && n < TAC_MANY; k++)
        n = n * (s + k) / k;
    return n;
}

/* Splits the steps at a new state. The part before it is reversed later, with all s states and one repetition less. The
 * part after it is reversed now, with s - 1 states: reach(s, r) = reach(s, r - 1) + reach(s - 1, r). Among the splits
 * that keep both within reach, this one leaves the later part full if it can, and the part after it no smaller than one
 * repetition less reaches. */
int tac_checkpoint_split(int steps, int slots) {
    int s = slots + 1 < steps ? slots + 1 : steps, r = 1;
    while (reach(s, r) < steps)
        r++;
    double before = reach(s, r - 1), after = reach(s - 1, r - 1);
    double split = before < steps - after ? before : steps - after;
    return split < 1 ? 1 : split > steps - 1 ? steps - 1 : (int)split;
}
