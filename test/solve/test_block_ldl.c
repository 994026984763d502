/* Sparse symmetric factors of blocks against the dense solution. */
#include "solve/block_ldl.h"

#include "math/dense.h"
#include "support/check.h"
#include "tactus/tactus.h"

#include <math.h>
#include <string.h>

enum { MAX_BLOCKS = 80, MAX_SIZE = 600, COLUMNS = 5 };

/* Condition numbers up to 1e3. */
static const double TOL_SOLUTION = 1e-11;

static unsigned char memory[8 << 20] __attribute__((aligned(64)));
static double dense[MAX_SIZE * MAX_SIZE];

/* A system of blocks: a grid of width columns; every third pair of neighbours apart. */
typedef struct System {
    tacBlockLu K;
    int n, block[MAX_SIZE], place[MAX_SIZE], width;
} System;

static int linked(int i, int j, int width) {
    int d = i > j ? i - j : j - i;
    return d == 1 || d == width || (d == width + 1 && (i + j) % 3 != 0);
}

static void begin(System *s, int nblock, int width, tacArena *arena) {
    int size[MAX_BLOCKS] = {0}, at = 0;
    tac_arena_init(arena, memory, sizeof memory);
    tac_arena_spoil(arena);
    for (int i = 0; i < nblock; i++)
        size[i] = i % 4 == 3 ? 1 : i % 5 == 0 ? 13 : 6;
    CHECK(tac_block_lu_begin(&s->K, nblock, size, arena));
    for (int i = 0; i < nblock; i++)
        for (int j = 0; j < i; j++)
            if (linked(i, j, width)) tac_block_lu_link(&s->K, i, j);
    tac_block_lu_order(&s->K);
    for (int i = 0; i < nblock; i++)
        for (int k = 0; k < size[i]; k++)
            s->block[at] = i, s->place[at++] = s->K.first[i] + k;
    s->n = s->K.n, s->width = width;
    CHECK(s->n <= MAX_SIZE);
}

/* Random numbers, diagonally dominant; the part on and above the diagonal goes to K, `shift` to its diagonal too. */
static void fill(System *s, uint64_t seed, double shift) {
    int n = s->n;
    tac_block_ldl_clear(&s->K);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            int there = s->block[i] == s->block[j] || linked(s->block[i], s->block[j], s->width);
            double a = there ? tac_random_normal(seed, 1, (uint64_t)(i * n + j)) + (i == j ? shift : 0) : 0;
            int p = s->place[i], q = s->place[j];
            dense[i * n + j] = dense[j * n + i] = a;
            if (there) *tac_block_lu_at(&s->K, p < q ? p : q, p < q ? q : p) = a;
        }
}

static double error_of(int nblock, int width, uint64_t seed) {
    static System s;
    static double X[MAX_SIZE * COLUMNS];
    int pivot[MAX_SIZE], n;
    double x[MAX_SIZE], y[MAX_SIZE], work[MAX_SIZE], worst = 0;
    tacArena arena;
    begin(&s, nblock, width, &arena);
    fill(&s, seed, 100);
    n = s.n;
    CHECK(tac_block_ldl_factor(&s.K));
    CHECK(tac_lu_factor(n, dense, pivot, work) < 0);
    for (int c = 0; c < COLUMNS; c++)
        for (int i = 0; i < n; i++)
            X[s.place[i] * COLUMNS + c] = tac_random_normal(seed, (uint64_t)c + 2, (uint64_t)i);
    for (int i = 0; i < n; i++)
        y[i] = x[s.place[i]] = X[s.place[i] * COLUMNS + COLUMNS - 1];
    tac_block_ldl_solve(&s.K, x);
    tac_block_ldl_solve_many(&s.K, COLUMNS, X);
    tac_lu_solve(n, dense, pivot, y);
    for (int i = 0; i < n; i++) {
        CHECK(y[i] != 0);
        worst = fmax(worst, fabs(x[s.place[i]] - y[i]));
        worst = fmax(worst, fabs(X[s.place[i] * COLUMNS + COLUMNS - 1] - y[i]));
    }
    return worst;
}

static void against_dense(void **state) {
    (void)state;
    CHECK_LT(error_of(1, 1, 1), TOL_SOLUTION);
    CHECK_LT(error_of(2, 1, 2), TOL_SOLUTION);
    CHECK_LT(error_of(64, 8, 3), TOL_SOLUTION);
    CHECK_LT(error_of(70, 7, 4), TOL_SOLUTION);
    CHECK_LT(error_of(65, 60, 5), TOL_SOLUTION);
}

/* What is not positive definite is told. */
static void indefinite_is_refused(void **state) {
    (void)state;
    static System s;
    tacArena arena;
    begin(&s, 20, 4, &arena);
    fill(&s, 7, -1);
    CHECK(!tac_block_ldl_factor(&s.K));
    fill(&s, 7, (double)NAN);
    CHECK(!tac_block_ldl_factor(&s.K));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(against_dense), cmocka_unit_test(indefinite_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
