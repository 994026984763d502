#include "base/threads.h"
#include "support/check.h"

#include <string.h>

enum { ITEMS = 1000, MOST = 8 };

typedef struct tacTally {
    int runs[ITEMS];   /* how often each item ran */
    int worker[ITEMS]; /* who ran it */
    double value[ITEMS];
    double scratch[MOST][64]; /* one per worker: a race if two threads share one */
} tacTally;

static void run_item(void *context, int item, int worker) {
    tacTally *tally = context;
    tally->runs[item]++;
    tally->worker[item] = worker;
    double *scratch = tally->scratch[worker], sum = 0;
    for (int i = 0; i < 64; i++)
        scratch[i] = 1.0 / (1 + item + i);
    for (int i = 0; i < 64; i++)
        sum += scratch[i];
    tally->value[item] = sum;
}

static void every_item_runs_once(void **state) {
    (void)state;
    static tacTally one, many;
    memset(&one, 0, sizeof one);
    tacPool *pool;
    CHECK_INT(tac_pool_new(1, &pool, NULL), TAC_OK);
    CHECK_INT(tac_pool_size(pool), 1);
    tac_pool_run(pool, ITEMS, 7, run_item, &one);
    tac_pool_free(pool);
    for (int threads = 1; threads <= MOST; threads++) {
        memset(&many, 0, sizeof many);
        CHECK_INT(tac_pool_new(threads, &pool, NULL), TAC_OK);
        CHECK_INT(tac_pool_size(pool), threads);
        tac_pool_run(pool, ITEMS, 7, run_item, &many);
        for (int i = 0; i < ITEMS; i++) {
            CHECK_INT(many.runs[i], 1);
            CHECK(many.worker[i] >= 0 && many.worker[i] < threads);
            CHECK(i % 7 == 0 || many.worker[i] == many.worker[i - 1]); /* chunks */
        }
        CHECK(memcmp(one.value, many.value, sizeof one.value) == 0); /* same bits for any number of threads */
        tac_pool_free(pool);
    }
}

/* Fewer items than threads, none at all, and many short rounds on one pool. */
static void small_and_repeated_rounds(void **state) {
    (void)state;
    static tacTally tally;
    tacPool *pool;
    CHECK_INT(tac_pool_new(4, &pool, NULL), TAC_OK);
    memset(&tally, 0, sizeof tally);
    tac_pool_run(pool, 0, 1, run_item, &tally);
    for (int i = 0; i < ITEMS; i++)
        CHECK_INT(tally.runs[i], 0);
    enum { ROUNDS = 2000 };
    long expected[5] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        tac_pool_run(pool, round % 6, 1 + round % 3, run_item, &tally);
        for (int i = 0; i < round % 6; i++)
            expected[i]++;
    }
    for (int i = 0; i < 5; i++)
        CHECK_INT(tally.runs[i], expected[i]);
    tac_pool_free(pool);
}

static void two_pools_do_not_meet(void **state) {
    (void)state;
    static tacTally a, b;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    tacPool *first, *second;
    CHECK_INT(tac_pool_new(2, &first, NULL), TAC_OK);
    CHECK_INT(tac_pool_new(3, &second, NULL), TAC_OK);
    tac_pool_run(first, ITEMS, 10, run_item, &a);
    tac_pool_run(second, ITEMS, 10, run_item, &b);
    tac_pool_free(first);
    tac_pool_run(second, ITEMS, 10, run_item, &b);
    tac_pool_free(second);
    for (int i = 0; i < ITEMS; i++) {
        CHECK_INT(a.runs[i], 1);
        CHECK_INT(b.runs[i], 2);
    }
}

static void bad_counts_are_refused(void **state) {
    (void)state;
    tacPool *pool = NULL;
    tacError err;
    CHECK_INT(tac_pool_new(0, &pool, &err), TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "got 0");
    CHECK_INT(tac_pool_new(-5, &pool, NULL), TAC_ERR_ARGUMENT);
    CHECK(pool == NULL);
    tac_pool_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_runs_once),
        cmocka_unit_test(small_and_repeated_rounds),
        cmocka_unit_test(two_pools_do_not_meet),
        cmocka_unit_test(bad_counts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
