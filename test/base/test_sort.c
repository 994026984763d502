#include "base/sort.h"
#include "base/random.h"
#include "support/check.h"

#include <string.h>

enum { MOST = 3000 };

/* Ascending, nothing lost, equal keys in the order given. */
static void check_sorted(int n, uint64_t mask) {
    static tacKeyed rows[MOST], spare[MOST];
    static int seen[MOST];
    for (int i = 0; i < n; i++)
        rows[i] = (tacKeyed){tac_random_bits(7, mask, (uint64_t)i) & mask, i, 2 * i};
    const tacKeyed *sorted = tac_sort_keyed(n, rows, spare);
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < n; i++) {
        CHECK(sorted[i].key == (tac_random_bits(7, mask, (uint64_t)sorted[i].value) & mask));
        CHECK_INT(sorted[i].count, 2 * sorted[i].value);
        CHECK_INT(seen[sorted[i].value]++, 0);
        if (i == 0) continue;
        CHECK(sorted[i - 1].key <= sorted[i].key);
        if (sorted[i - 1].key == sorted[i].key) CHECK(sorted[i - 1].value < sorted[i].value);
    }
}

/* Both sides of the switch from insertion to counting, keys with many ties, and with gaps of constant bytes. */
static void sorts(void **state) {
    (void)state;
    static const int COUNTS[] = {0, 1, 2, 39, 40, 41, 42, 300, MOST};
    static const uint64_t MASKS[] = {0, 7, 0xFF, 0xFF00FF, UINT64_C(0xFF000000000000FF), UINT64_MAX};
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++)
        for (size_t j = 0; j < sizeof MASKS / sizeof *MASKS; j++)
            check_sorted(COUNTS[i], MASKS[j]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sorts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
