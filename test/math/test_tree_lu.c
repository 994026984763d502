#include "math/dense.h"
#include "math/tree_lu.h"
#include "support/check.h"
#include "support/draw.h"

#include <math.h>
#include <string.h>

/* Random diagonally dominated matrices up to 40 x 40. */
#define TOL_SOLVE 1e-12

enum { MOST = 40, ENTRIES = MOST * (MOST + 1) / 2, WIDTH = 5 };

typedef struct Sample {
    int parent[MOST], adr[MOST], depth[MOST], entries;
    tacTree tree;
    double lower[ENTRIES], upper[ENTRIES], dense[MOST * MOST];
} Sample;

/* kind 0: a chain; 1: a forest of short ones; 2: anything with parents first. Dominance by rows. */
static void draw_sample(tacDraw *d, int kind, int n, Sample *s) {
    s->entries = 0;
    memset(s->dense, 0, sizeof s->dense);
    for (int i = 0; i < n; i++) {
        s->parent[i] = kind == 0 || (kind == 1 && draw_int(d, 3) > 0) ? i - 1 : kind == 1 ? -1 : draw_int(d, i + 1) - 1;
        s->depth[i] = 1 + (s->parent[i] >= 0 ? s->depth[s->parent[i]] : 0);
        s->adr[i] = s->entries;
        s->entries += s->depth[i];
    }
    s->tree = (tacTree){n, s->parent, s->adr, s->depth};
    for (int i = 0; i < n; i++)
        for (int j = i, at = s->adr[i]; j >= 0; j = s->parent[j], at++) {
            s->lower[at] = i == j ? (draw_int(d, 2) ? n + 1.0 : -n - 1.0) : draw_uniform(d, -1, 1);
            s->upper[at] = i == j ? (double)NAN : draw_uniform(d, -1, 1); /* the unused number may be anything */
            s->dense[i * n + j] = s->lower[at];
            if (i != j) s->dense[j * n + i] = s->upper[at];
        }
}

static void solves(void **state) {
    (void)state;
    static Sample s;
    tacDraw d = {3, 0};
    for (int kind = 0; kind < 3; kind++)
        for (int n = 1; n <= MOST; n++) {
            double x[MOST], b[MOST], y[MOST];
            draw_sample(&d, kind, n, &s);
            draw_array(&d, n, x);
            CHECK_INT(tac_tree_lu_factor(&s.tree, s.lower, s.upper), -1);
            tac_dense_mulv(n, n, s.dense, x, b);
            memcpy(y, b, sizeof y);
            tac_tree_lu_solve(&s.tree, s.lower, s.upper, y);
            CHECK_ARRAY(n, y, x, TOL_SOLVE);
            tac_dense_multv(n, n, s.dense, x, b);
            tac_tree_lu_solve_transposed(&s.tree, s.lower, s.upper, b);
            CHECK_ARRAY(n, b, x, TOL_SOLVE);
        }
}

static void many_columns_have_the_same_bits(void **state) {
    (void)state;
    static Sample s;
    tacDraw d = {4, 0};
    double X[MOST * WIDTH], x[MOST];
    draw_sample(&d, 2, MOST, &s);
    CHECK_INT(tac_tree_lu_factor(&s.tree, s.lower, s.upper), -1);
    draw_array(&d, MOST * WIDTH, X);
    double given[MOST * WIDTH];
    memcpy(given, X, sizeof given);
    tac_tree_lu_solve_many(&s.tree, s.lower, s.upper, WIDTH, X);
    for (int c = 0; c < WIDTH; c++) {
        for (int i = 0; i < MOST; i++)
            x[i] = given[i * WIDTH + c];
        tac_tree_lu_solve(&s.tree, s.lower, s.upper, x);
        for (int i = 0; i < MOST; i++)
            CHECK(x[i] == X[i * WIDTH + c]);
    }
}

/* On a symmetric matrix it is what the symmetric factorization gives. */
static void agrees_with_the_symmetric_factor(void **state) {
    (void)state;
    static Sample s;
    tacDraw d = {5, 0};
    double M[ENTRIES], L[ENTRIES], x[MOST], y[MOST];
    draw_sample(&d, 2, MOST, &s);
    for (int i = 0; i < MOST; i++)
        s.lower[s.adr[i]] = fabs(s.lower[s.adr[i]]);
    memcpy(M, s.lower, sizeof M);
    memcpy(s.upper, s.lower, sizeof s.upper);
    draw_array(&d, MOST, x);
    memcpy(y, x, sizeof y);
    CHECK_INT(tac_tree_factor(&s.tree, M, NULL, L), -1);
    tac_tree_solve(&s.tree, L, x);
    CHECK_INT(tac_tree_lu_factor(&s.tree, s.lower, s.upper), -1);
    tac_tree_lu_solve(&s.tree, s.lower, s.upper, y);
    CHECK_ARRAY(MOST, y, x, TOL_SOLVE);
}

/* Zero pivots, from the start and after elimination, and NaN, are named. */
static void singular(void **state) {
    (void)state;
    const int parent[2] = {-1, 0}, adr[2] = {0, 1}, depth[2] = {1, 2};
    tacTree tree = {2, parent, adr, depth};
    double zero[3] = {1, 0, 0}, upper[3] = {0};
    CHECK_INT(tac_tree_lu_factor(&tree, zero, upper), 1);
    double product[3] = {6, 2, 3}, column[3] = {0, 0, 4}; /* 6 - 4 * 3 / 2 = 0 */
    CHECK_INT(tac_tree_lu_factor(&tree, product, column), 0);
    double wrong[3] = {(double)NAN, 1, 0}, none[3] = {0};
    CHECK_INT(tac_tree_lu_factor(&tree, wrong, none), 0);
    CHECK_INT(tac_tree_lu_factor(&(tacTree){0, NULL, NULL, NULL}, NULL, NULL), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves),
        cmocka_unit_test(many_columns_have_the_same_bits),
        cmocka_unit_test(agrees_with_the_symmetric_factor),
        cmocka_unit_test(singular),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
