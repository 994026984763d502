/* The schedule that stores states: complete, never more than it may store, and with the least recomputation. */
#include "support/check.h"

#include "solve/checkpoint.h"

#include <string.h>

enum { MOST = 400 };

/* Steps taken to reverse `steps` steps with `slots` states stored beside the first, by the rule of the reverse mode: a
 * stack of stored states. Checks that each step is reversed once, from the last to the first. */
static long count_steps(int steps, int slots) {
    int at[MOST], used = 0;
    long taken = 0;
    for (int k = steps - 1; k >= 0; k--) {
        int top = used > 0 ? at[used - 1] : 0;
        while (top < k && used < slots) {
            int split = tac_checkpoint_split(k + 1 - top, slots - used);
            CHECK(split >= 1 && top + split <= k);
            taken += split;
            top = at[used++] = top + split;
        }
        CHECK(top <= k);
        taken += k - top; /* from the last stored state, not stored */
        if (used > 0 && top == k) used--;
    }
    return taken;
}

/* The least number of steps, by trying every first place: t(l, s) = min over m of m + t(l - m, s - 1) + t(m, s). */
static long least[MOST + 1][8];

static void fill_least(void) {
    for (int s = 0; s < 8; s++)
        for (int l = 0; l <= MOST; l++) {
            least[l][s] = l < 2 ? 0 : s == 0 ? (long)l * (l - 1) / 2 : -1;
            for (int m = 1; s > 0 && m < l; m++) {
                long t = m + least[l - m][s - 1] + least[m][s];
                if (least[l][s] < 0 || t < least[l][s]) least[l][s] = t;
            }
        }
}

static void recomputes_as_little_as_possible(void **state) {
    (void)state;
    fill_least();
    for (int s = 0; s < 8; s++)
        for (int l = 1; l <= MOST; l++)
            CHECK_INT(count_steps(l, s), least[l][s]);
}

/* The last state needs no place: it is used where it is made. */
static void no_step_twice_with_full_memory(void **state) {
    (void)state;
    for (int l = 2; l <= MOST; l++) {
        CHECK_INT(count_steps(l, l - 1), l - 1);
        CHECK_INT(count_steps(l, l - 2), l - 1);
        if (l > 3) CHECK(count_steps(l, l - 3) > l - 1);
    }
}

static double choose(int n, int k) { return k == 0 ? 1 : choose(n - 1, k - 1) * n / k; }

/* With s states in all, l <= C(s + r, r) steps take at most r l: the repetition grows with the logarithm of the steps
 * when s does. */
static void repetition_grows_slowly(void **state) {
    (void)state;
    for (int slots = 1; slots < 12; slots++)
        for (int l = 2; l <= MOST; l += 7) {
            int r = 1;
            while (choose(slots + 1 + r, r) < l)
                r++;
            CHECK(count_steps(l, slots) <= (long)r * l);
            CHECK(r < 3 || count_steps(l, slots) > (long)(r - 2) * l / 2); /* the bound says something */
        }
    CHECK(tac_checkpoint_split(2000000000, 1) >= 1);
    CHECK_INT(tac_checkpoint_split(2000000000, 1999999999), 1);
    CHECK_INT(tac_checkpoint_split(2, 1), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recomputes_as_little_as_possible),
        cmocka_unit_test(no_step_twice_with_full_memory),
        cmocka_unit_test(repetition_grows_slowly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
