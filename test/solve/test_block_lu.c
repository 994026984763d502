/* Sparse factors of blocks against the dense ones. */
#include "solve/block_lu.h"

#include "math/dense.h"
#include "support/check.h"
#include "tactus/tactus.h"

#include <math.h>
#include <string.h>

enum { MAX_BLOCKS = 80, MAX_SIZE = 400 };

/* Condition numbers up to 1e3. */
static const double TOL_SOLUTION = 1e-11;

static unsigned char memory[4 << 20] __attribute__((aligned(64)));
static double dense[MAX_SIZE * MAX_SIZE];

/* A grid of width columns and its diagonals; every third block has no neighbour above. */
static int linked(int i, int j, int width) {
    int d = i > j ? i - j : j - i;
    return d == 1 || d == width || (d == width + 1 && (i + j) % 3 != 0) || (i == 0 && j % 17 == 5) ||
           (j == 0 && i % 17 == 5);
}

/* Solves one random system; returns the error, and the share of blocks that are filled. */
static double error_of(int nblock, int width, uint64_t seed, double *filled) {
    int size[MAX_BLOCKS], pivot[MAX_SIZE], block[MAX_SIZE], place[MAX_SIZE], at = 0, count = 0;
    double x[MAX_SIZE], y[MAX_SIZE], work[MAX_SIZE], worst = 0;
    tacArena arena;
    tacBlockLu lu;
    for (int i = 0; i < nblock; i++)
        size[i] = i % 4 == 3 ? 1 : i % 5 == 0 ? 7 : 6;
    tac_arena_init(&arena, memory, sizeof memory);
    tac_arena_spoil(&arena);
    CHECK(tac_block_lu_begin(&lu, nblock, size, &arena));
    CHECK(lu.n <= MAX_SIZE && arena.used <= tac_block_lu_bytes(nblock, lu.n));
    for (int i = 0; i < nblock; i++)
        for (int j = 0; j < i; j++)
            if (linked(i, j, width)) tac_block_lu_link(&lu, i, j);
    tac_block_lu_order(&lu);
    for (int i = 0; i < nblock; i++)
        for (int k = 0; k < size[i]; k++)
            block[at] = i, place[at++] = lu.first[i] + k;
    int n = lu.n;
    tac_block_lu_clear(&lu);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int there = block[i] == block[j] || linked(block[i], block[j], width);
            double a = there ? tac_random_normal(seed, 1, (uint64_t)(i * n + j)) + (i == j ? 30 : 0) : 0;
            dense[i * n + j] = a, count += there;
            if (there) *tac_block_lu_at(&lu, place[i], place[j]) = a;
        }
    for (int i = 0; i < n; i++)
        y[i] = x[place[i]] = tac_random_normal(seed, 2, (uint64_t)i);
    CHECK(tac_block_lu_factor(&lu));
    tac_block_lu_solve(&lu, x);
    CHECK(tac_lu_factor(n, dense, pivot, work) < 0);
    tac_lu_solve(n, dense, pivot, y);
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(x[place[i]] - y[i]));
    *filled = (double)count / n / n;
    return worst;
}

static void against_dense(void **state) {
    (void)state;
    double filled;
    CHECK_LT(error_of(1, 1, 1, &filled), TOL_SOLUTION);
    CHECK_LT(error_of(2, 1, 2, &filled), TOL_SOLUTION);
    CHECK_LT(error_of(64, 8, 3, &filled), TOL_SOLUTION);
    CHECK_LT(error_of(70, 7, 4, &filled), TOL_SOLUTION);
    CHECK_LT(error_of(65, 60, 5, &filled), TOL_SOLUTION);
    CHECK(filled < 0.2);
}

/* The order keeps a star sparse, whose centre comes first in number, and a chain. */
static void order_keeps_zeros(void **state) {
    (void)state;
    int size[MAX_BLOCKS], fill = 0;
    tacArena arena;
    tacBlockLu lu;
    for (int i = 0; i < MAX_BLOCKS; i++)
        size[i] = 3;
    tac_arena_init(&arena, memory, sizeof memory);
    CHECK(tac_block_lu_begin(&lu, MAX_BLOCKS, size, &arena));
    for (int i = 1; i < MAX_BLOCKS; i++)
        tac_block_lu_link(&lu, 0, i);
    tac_block_lu_order(&lu);
    for (int i = 0; i < MAX_BLOCKS * lu.words; i++)
        fill += __builtin_popcountll(lu.link[i]);
    CHECK_INT(fill, MAX_BLOCKS - 1);
}

static void singular(void **state) {
    (void)state;
    int size[2] = {2, 2};
    tacArena arena;
    tacBlockLu lu;
    tac_arena_init(&arena, memory, sizeof memory);
    CHECK(tac_block_lu_begin(&lu, 2, size, &arena));
    tac_block_lu_order(&lu);
    tac_block_lu_clear(&lu);
    CHECK(!tac_block_lu_factor(&lu));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(against_dense), cmocka_unit_test(order_keeps_zeros),
                                       cmocka_unit_test(singular)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
