#include "base/lanes.h"
#include "math/dense.h"
#include "math/tree.h"
#include "math/tree_strips.h"
#include "support/check.h"
#include "support/draw.h"

#include <math.h>
#include <string.h>

#define TOL       1e-13
#define TOL_SOLVE 1e-9 /* random diagonally dominated matrices up to 40 x 40 */

enum { MOST = 40, ENTRIES = MOST * (MOST + 1) / 2, WIDTH = 19 };

typedef struct tacTestTree {
    int parent[MOST], adr[MOST], depth[MOST], entries;
    tacTree tree;
} tacTestTree;

static void finish_tree(tacTestTree *t, int n) {
    t->entries = 0;
    for (int i = 0; i < n; i++) {
        t->depth[i] = 1 + (t->parent[i] >= 0 ? t->depth[t->parent[i]] : 0);
        t->adr[i] = t->entries;
        t->entries += t->depth[i];
    }
    t->tree = (tacTree){n, t->parent, t->adr, t->depth};
}

/* Kinds of trees: chain, star, forest, random (not depth first), chains hung anywhere, breadth first. */
enum { CHAIN, STAR, FOREST, RANDOM, BRANCHES, BREADTH, KINDS };

static void draw_tree(tacDraw *d, int kind, int n, tacTestTree *t) {
    for (int i = 0; i < n; i++) {
        int at = 0;
        switch (kind) {
        case CHAIN:
            at = i - 1;
            break;
        case STAR:
            at = i == 0 ? -1 : 0;
            break;
        case FOREST:
            at = draw_int(d, 3) == 0 ? -1 : i - 1;
            break;
        case RANDOM:
            at = draw_int(d, i + 1) - 1;
            break;
        case BRANCHES:
            at = draw_int(d, 4) == 0 ? draw_int(d, i + 1) - 1 : i - 1;
            break;
        default:
            at = i == 0 ? -1 : (i - 1) / 2;
        }
        t->parent[i] = at;
    }
    finish_tree(t, n);
}

/* A symmetric matrix with the tree's zeros, positive definite by dominance. */
static void draw_matrix(tacDraw *d, const tacTestTree *t, double *M) {
    draw_array(d, t->entries, M);
    for (int i = 0; i < t->tree.n; i++)
        M[t->adr[i]] = draw_uniform(d, 1, 2) + 0.5 * t->tree.n;
}

static void expands(void **state) {
    (void)state;
    /* 0 <- 1 <- 3, 0 <- 2: not depth first */
    tacTestTree t = {.parent = {-1, 0, 0, 1}};
    finish_tree(&t, 4);
    const double M[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const double expected[16] = {1, 3, 5, 8, 3, 2, 0, 7, 5, 0, 4, 0, 8, 7, 0, 6};
    double dense[16];
    memset(dense, 0xFF, sizeof dense);
    tac_tree_dense(&t.tree, M, dense);
    CHECK_ARRAY(16, dense, expected, 0);
}

/* L^T D L is the matrix, L has the tree's zeros, for trees of every kind and size. */
static void factors(void **state) {
    (void)state;
    tacDraw d = {1, 0};
    tacTestTree t;
    static double M[ENTRIES], L[ENTRIES], dense[MOST * MOST], lower[MOST * MOST], rebuilt[MOST * MOST];
    for (int trial = 0; trial < 40 * KINDS; trial++) {
        int n = trial < 6 * KINDS ? trial / KINDS : draw_int(&d, MOST + 1);
        draw_tree(&d, trial % KINDS, n, &t);
        draw_matrix(&d, &t, M);
        memset(L, 0xFF, sizeof L);
        CHECK_INT(tac_tree_factor(&t.tree, M, NULL, L), -1);
        tac_tree_dense(&t.tree, M, dense);
        tac_tree_dense(&t.tree, L, lower);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0; /* (L^T D L)_ij = sum_k L_ki D_k L_kj */
                for (int k = i > j ? i : j; k < n; k++)
                    sum += (k == i ? 1 : lower[k * n + i]) * (k == j ? 1 : lower[k * n + j]) / lower[k * n + k];
                rebuilt[i * n + j] = sum;
            }
        CHECK_ARRAY(n * n, rebuilt, dense, TOL);
    }
}

static void solves_and_multiplies(void **state) {
    (void)state;
    tacDraw d = {2, 0};
    tacTestTree t;
    static double M[ENTRIES], L[ENTRIES], dense[MOST * MOST], x[MOST], y[MOST], expected[MOST], half[MOST];
    for (int trial = 0; trial < 40 * KINDS; trial++) {
        int n = trial < 6 * KINDS ? trial / KINDS : draw_int(&d, MOST + 1);
        draw_tree(&d, trial % KINDS, n, &t);
        draw_matrix(&d, &t, M);
        CHECK_INT(tac_tree_factor(&t.tree, M, NULL, L), -1);
        tac_tree_dense(&t.tree, M, dense);
        draw_array(&d, n, x);
        tac_dense_mulv(n, n, dense, x, expected);
        memset(y, 0xFF, sizeof y);
        tac_tree_mul(&t.tree, M, x, y);
        CHECK_ARRAY(n, y, expected, TOL);
        memcpy(half, y, sizeof half);
        tac_tree_solve(&t.tree, L, y);
        CHECK_ARRAY(n, y, x, TOL_SOLVE);
        /* the halves: x^T M x = |D^1/2 L x|^2 with D L x = L^-T M x, and L^-1 undoes L */
        double energy = 0, quadratic = tac_dense_dot(n, x, expected);
        tac_tree_solve_lt(&t.tree, L, half);
        for (int i = 0; i < n; i++)
            energy += half[i] * half[i] * L[t.adr[i]];
        CHECK_NEAR(energy, quadratic, TOL * (1 + 100 * fabs(quadratic)));
        tac_tree_solve_d(&t.tree, L, half);
        tac_tree_solve_l(&t.tree, L, half);
        CHECK(memcmp(half, y, (size_t)n * sizeof(double)) == 0);
        memcpy(half, x, sizeof half);
        tac_tree_mul_l(&t.tree, L, half);
        tac_tree_solve_l(&t.tree, L, half);
        CHECK_ARRAY(n, half, x, TOL_SOLVE);
    }
}

/* Ways to solve for many right sides: the one of this processor, and both of those it chooses from. */
static void solve_chosen(const tacTree *tree, const double *L, tacStrips job) {
    tac_tree_solve_block(tree, L, job.k, job.ld, job.X);
}
/* By halves, one after the other. */
static void solve_halves(const tacTree *tree, const double *L, tacStrips job) {
    tac_tree_push_many(tree, L, job.k, job.X);
    tac_tree_pull_many(tree, L, job.k, job.X);
}
typedef void (*SolveStrips)(const tacTree *tree, const double *L, tacStrips job);

static void check_columns(const tacTree *tree, const double *L, SolveStrips solve, int k, const double *given) {
    static double X[MOST * WIDTH], x[MOST];
    memcpy(X, given, sizeof X);
    solve(tree, L, (tacStrips){X, k, k, 0, TAC_PASS_BOTH});
    for (int c = 0; c < k; c++) {
        for (int i = 0; i < tree->n; i++)
            x[i] = given[i * k + c];
        tac_tree_solve(tree, L, x);
        for (int i = 0; i < tree->n; i++)
            CHECK(x[i] == X[i * k + c]);
    }
    for (int i = tree->n * k; i < MOST * WIDTH; i++)
        CHECK(X[i] == given[i]);
}

static void many_right_sides_have_the_bits_of_one(void **state) {
    (void)state;
    tacDraw d = {3, 0};
    tacTestTree t;
    static double M[ENTRIES], L[ENTRIES], X[MOST * WIDTH];
    for (int trial = 0; trial < 10 * (WIDTH + 1) * KINDS; trial++) {
        int n = draw_int(&d, MOST + 1), k = trial % (WIDTH + 1);
        draw_tree(&d, trial % KINDS, n, &t);
        draw_matrix(&d, &t, M);
        CHECK_INT(tac_tree_factor(&t.tree, M, NULL, L), -1);
        draw_array(&d, MOST * WIDTH, X);
        for (int i = 0; i < MOST * WIDTH; i++)
            if (draw_int(&d, 3) == 0) X[i] = 0;
        check_columns(&t.tree, L, solve_chosen, k, X);
        check_columns(&t.tree, L, solve_halves, k, X);
        check_columns(&t.tree, L, tac_tree_strips_narrow, k, X);
        if (tac_has_wide()) check_columns(&t.tree, L, tac_tree_strips_wide, k, X);
    }
}

/* The inverse, column by column the bits of a solve on and above the diagonal, symmetric, in rows further apart;
 * columns of rows further apart likewise. */
static void inverse_is_symmetric(void **state) {
    (void)state;
    tacDraw d = {9, 0};
    enum { EXTRA = 3 };
    static double M[ENTRIES], L[ENTRIES], X[MOST * (MOST + EXTRA)], x[MOST];
    for (int round = 0; round < 60; round++) {
        tacTestTree t;
        int n = 1 + round % MOST, ld = n + EXTRA;
        draw_tree(&d, BRANCHES, n, &t);
        draw_matrix(&d, &t, M);
        CHECK_INT(tac_tree_factor(&t.tree, M, NULL, L), -1);
        for (int i = 0; i < n * ld; i++)
            X[i] = 7; /* what was there does not matter */
        tac_tree_inverse(&t.tree, L, ld, X);
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++)
                x[i] = i == j;
            tac_tree_solve(&t.tree, L, x);
            for (int i = 0; i < n; i++) {
                CHECK(X[i * ld + j] == X[j * ld + i]);
                if (i <= j) CHECK(X[i * ld + j] == x[i]);
            }
        }
        for (int i = 0; i < n; i++)
            for (int j = n; j < ld; j++)
                CHECK(X[i * ld + j] == 7);
    }
}

/* A chain deeper than the rows that are looked at in one go. */
static void deep_chain(void **state) {
    (void)state;
    tacDraw d = {10, 0};
    enum { DEEP = 200, COLUMNS = 6, DEEP_ENTRIES = DEEP * (DEEP + 1) / 2 };
    static int parent[DEEP], adr[DEEP], depth[DEEP];
    static double L[DEEP_ENTRIES], X[DEEP * COLUMNS], copy[DEEP * COLUMNS], x[DEEP];
    for (int i = 0; i < DEEP; i++)
        parent[i] = i - 1, depth[i] = i + 1, adr[i] = i * (i + 1) / 2;
    tacTree tree = {DEEP, parent, adr, depth};
    for (int i = 0; i < DEEP_ENTRIES; i++)
        L[i] = draw_uniform(&d, -0.05, 0.05);
    for (int i = 0; i < DEEP; i++)
        L[adr[i]] = draw_uniform(&d, 0.5, 1);
    draw_array(&d, DEEP * COLUMNS, X);
    memcpy(copy, X, sizeof copy);
    tac_tree_solve_many(&tree, L, COLUMNS, X);
    for (int c = 0; c < COLUMNS; c++) {
        for (int i = 0; i < DEEP; i++)
            x[i] = copy[i * COLUMNS + c];
        tac_tree_solve(&tree, L, x);
        for (int i = 0; i < DEEP; i++)
            CHECK(x[i] == X[i * COLUMNS + c]);
    }
}

/* extra is added to the diagonal, M is left alone. */
static void extra_diagonal(void **state) {
    (void)state;
    tacDraw d = {4, 0};
    tacTestTree t;
    static double M[ENTRIES], sum[ENTRIES], copy[ENTRIES], L[ENTRIES], other[ENTRIES], extra[MOST];
    draw_tree(&d, BRANCHES, MOST, &t);
    draw_matrix(&d, &t, M);
    memcpy(sum, M, sizeof M);
    memcpy(copy, M, sizeof M);
    for (int i = 0; i < MOST; i++)
        sum[t.adr[i]] += extra[i] = draw_uniform(&d, 0, 1);
    CHECK_INT(tac_tree_factor(&t.tree, M, extra, L), -1);
    CHECK_INT(tac_tree_factor(&t.tree, sum, NULL, other), -1);
    CHECK(memcmp(L, other, (size_t)t.entries * sizeof(double)) == 0);
    CHECK(memcmp(M, copy, (size_t)t.entries * sizeof(double)) == 0);
}

/* Every position of a bad pivot is named, whichever place it has in a block of rows. */
static void names_the_bad_pivot(void **state) {
    (void)state;
    tacDraw d = {5, 0};
    tacTestTree t;
    static double M[ENTRIES], L[ENTRIES];
    for (int kind = 0; kind < KINDS; kind++)
        for (int bad = 0; bad < 13; bad++) {
            draw_tree(&d, kind, 13, &t);
            draw_matrix(&d, &t, M);
            double good = M[t.adr[bad]];
            const double values[4] = {0, -1, nan(""), -HUGE_VAL};
            for (int v = 0; v < 4; v++) {
                M[t.adr[bad]] = values[v];
                CHECK_INT(tac_tree_factor(&t.tree, M, NULL, L), bad);
            }
            M[t.adr[bad]] = good;
            CHECK_INT(tac_tree_factor(&t.tree, M, NULL, L), -1);
        }
}

/* Two hinges on one axis without inertia between them: singular by rounding, not by an exact zero. */
static void singular_by_rounding(void **state) {
    (void)state;
    tacTestTree t = {.parent = {-1, 0, 1}};
    finish_tree(&t, 3);
    double L[6], third = 1.0 / 3, M[6] = {third, third, third, third, third, third};
    CHECK_INT(tac_tree_factor(&t.tree, M, NULL, L), 1);
    double nearly[6] = {1 + 1e-15, 1, 1, 1, 1, 1};
    nearly[1] = 2;
    CHECK_INT(tac_tree_factor(&t.tree, nearly, NULL, L), 0);
    /* small is not singular */
    double small[6] = {1e-30, 1e-30, 0, 1e-30, 0, 0};
    CHECK_INT(tac_tree_factor(&t.tree, small, NULL, L), -1);
    tacTree empty = {0, NULL, NULL, NULL};
    CHECK_INT(tac_tree_factor(&empty, NULL, NULL, NULL), -1);
    tac_tree_solve(&empty, NULL, NULL);
    tac_tree_solve_many(&empty, NULL, 3, NULL);
    tac_tree_mul(&empty, NULL, NULL, NULL);
    tac_tree_dense(&empty, NULL, NULL);
}

/* The plain algorithm, one row at a time: the blocked one gives its very bits. */
static void factor_plainly(const tacTestTree *t, double *L) {
    for (int k = t->tree.n - 1; k >= 0; k--) {
        double *row = L + t->adr[k], inverse = 1 / row[0];
        row[0] = inverse;
        for (int i = t->parent[k], m = 1; i >= 0; i = t->parent[i], m++) {
            double a = row[m] * inverse;
            for (int j = 0; j < t->depth[i]; j++)
                L[t->adr[i] + j] -= a * row[m + j];
            row[m] = a;
        }
    }
}

static void bits_of_the_plain_algorithm(void **state) {
    (void)state;
    tacDraw d = {6, 0};
    tacTestTree t;
    static double M[ENTRIES], L[ENTRIES], plain[ENTRIES];
    uint64_t hash = 0;
    for (int trial = 0; trial < 10 * KINDS; trial++) {
        draw_tree(&d, trial % KINDS, 1 + draw_int(&d, MOST), &t);
        draw_matrix(&d, &t, M);
        memcpy(plain, M, sizeof M);
        CHECK_INT(tac_tree_factor(&t.tree, M, NULL, L), -1);
        factor_plainly(&t, plain);
        CHECK(memcmp(L, plain, (size_t)t.entries * sizeof(double)) == 0);
        double x[MOST];
        draw_array(&d, t.tree.n, x);
        tac_tree_solve(&t.tree, L, x);
        hash = tac_hash(x, (size_t)t.tree.n * sizeof(double), hash);
    }
    CHECK(hash == UINT64_C(0x41613c2532875ed5)); /* from every compiler at every optimization level */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expands),
        cmocka_unit_test(factors),
        cmocka_unit_test(solves_and_multiplies),
        cmocka_unit_test(many_right_sides_have_the_bits_of_one),
        cmocka_unit_test(inverse_is_symmetric),
        cmocka_unit_test(deep_chain),
        cmocka_unit_test(extra_diagonal),
        cmocka_unit_test(names_the_bad_pivot),
        cmocka_unit_test(singular_by_rounding),
        cmocka_unit_test(bits_of_the_plain_algorithm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
