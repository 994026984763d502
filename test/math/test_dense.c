#include "math/dense.h"
#include "support/check.h"
#include "support/draw.h"

#include <math.h>
#include <string.h>

#define TOL       1e-13
#define TOL_SOLVE 1e-10 /* random positive definite matrices up to 20 x 20, condition up to 1e4 */

enum { MOST = 20 };

/* C_ij = sum_k A_ik B_kj with strides, so that a transpose is a choice of strides. */
static void product(int m, int k, int n, const double *A, int ar, int ac, const double *B, int br, int bc, double *C) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            long double sum = 0;
            for (int l = 0; l < k; l++)
                sum += (long double)A[i * ar + l * ac] * (long double)B[l * br + j * bc];
            C[i * n + j] = (double)sum;
        }
}

static void products(void **state) {
    (void)state;
    tacDraw d = {1, 0};
    static double A[MOST * MOST], B[MOST * MOST], C[MOST * MOST], expected[MOST * MOST];
    for (int t = 0; t < 200; t++) {
        int m = draw_int(&d, 9), k = draw_int(&d, 9), n = draw_int(&d, 9);
        draw_array(&d, MOST * MOST, A);
        draw_array(&d, MOST * MOST, B);
        memset(C, 0xFF, sizeof C); /* NaN: results may not depend on what was there */
        tac_dense_mul(m, k, n, A, B, C);
        product(m, k, n, A, k, 1, B, n, 1, expected);
        CHECK_ARRAY(m * n, C, expected, TOL);
        memset(C, 0xFF, sizeof C);
        tac_dense_mulat(m, k, n, A, B, C);
        product(m, k, n, A, 1, m, B, n, 1, expected);
        CHECK_ARRAY(m * n, C, expected, TOL);
        memset(C, 0xFF, sizeof C);
        tac_dense_mulbt(m, k, n, A, B, C);
        product(m, k, n, A, k, 1, B, 1, k, expected);
        CHECK_ARRAY(m * n, C, expected, TOL);
        memset(C, 0xFF, sizeof C);
        tac_dense_mulv(m, k, A, B, C);
        product(m, k, 1, A, k, 1, B, 1, 1, expected);
        CHECK_ARRAY(m, C, expected, TOL);
        memset(C, 0xFF, sizeof C);
        tac_dense_multv(k, m, A, B, C);
        product(m, k, 1, A, 1, m, B, 1, 1, expected);
        CHECK_ARRAY(m, C, expected, TOL);
        tac_dense_transpose(m, n, A, C);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                CHECK(C[j * m + i] == A[i * n + j]);
    }
    CHECK(tac_dense_dot(0, A, B) == 0);
}

/* A = G G^T + s I */
static void draw_positive(tacDraw *d, int n, double s, double *A) {
    double G[MOST * MOST];
    draw_array(d, n * n, G);
    product(n, n, n, G, n, 1, G, 1, n, A);
    for (int i = 0; i < n; i++)
        A[i * n + i] += s;
}

static void cholesky_solves(void **state) {
    (void)state;
    tacDraw d = {2, 0};
    double A[MOST * MOST], L[MOST * MOST], x[MOST], b[MOST], X[MOST * 3], B[MOST * 3];
    for (int n = 0; n <= MOST; n++) {
        draw_positive(&d, n, 1e-2, A);
        memcpy(L, A, sizeof A);
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                L[i * n + j] = nan(""); /* the upper triangle is not read */
        CHECK_INT(tac_cholesky_factor(n, L), -1);
        draw_array(&d, n, x);
        draw_array(&d, 3 * n, X);
        tac_dense_mulv(n, n, A, x, b);
        tac_dense_mul(n, n, 3, A, X, B);
        tac_cholesky_solve(n, L, b);
        tac_cholesky_solve_many(n, L, 3, B);
        CHECK_ARRAY(n, b, x, TOL_SOLVE);
        CHECK_ARRAY(3 * n, B, X, TOL_SOLVE);
    }
}

static void cholesky_of_a_known_matrix(void **state) {
    (void)state;
    double A[9] = {4, 0, 0, 12, 37, 0, -16, -43, 98}, expected[9] = {2, 0, 0, 6, 1, 0, -8, 5, 3};
    CHECK_INT(tac_cholesky_factor(3, A), -1);
    CHECK_ARRAY(9, A, expected, 0);
}

static void cholesky_refuses(void **state) {
    (void)state;
    double zero[1] = {0}, negative[1] = {-1}, singular[4] = {1, 0, 2, 4}, indefinite[4] = {1, 0, 2, 1};
    double rounding[9] = {
        1.0 / 3, 0, 0, 0.1, 1, 0, 1.0 / 3 + 0.1, 1.1, 1.0 / 3 + 0.1 + 1.1}; /* row 2 = row 0 + row 1 */
    double unknown[4] = {1, 0, nan(""), 1}, infinite[1] = {HUGE_VAL};
    CHECK_INT(tac_cholesky_factor(1, zero), 0);
    CHECK_INT(tac_cholesky_factor(1, negative), 0);
    CHECK_INT(tac_cholesky_factor(2, singular), 1);
    CHECK_INT(tac_cholesky_factor(2, indefinite), 1);
    CHECK_INT(tac_cholesky_factor(3, rounding), 2);
    CHECK_INT(tac_cholesky_factor(2, unknown), 1);
    CHECK_INT(tac_cholesky_factor(1, infinite), 0);
    double small[1] = {1e-200}; /* small is not singular */
    CHECK_INT(tac_cholesky_factor(1, small), -1);
}

/* Sums of rows have the bits of one row after another, whatever is left over after strips, and touch nothing else. */
static void sums_of_rows(void **state) {
    (void)state;
    tacDraw d = {7, 0};
    double X[MOST * MOST], c[MOST], y[MOST + 1], narrow[MOST + 1], expected[MOST + 1];
    int row[MOST];
    for (int t = 0; t < 400; t++) {
        int n = t % (MOST + 1), count = draw_int(&d, MOST + 1);
        double scale = t % 3 == 0 ? 1 : draw_uniform(&d, -2, 2);
        draw_array(&d, MOST * MOST, X), draw_array(&d, MOST, c), draw_array(&d, MOST + 1, y);
        memcpy(expected, y, sizeof y);
        memcpy(narrow, y, sizeof y);
        for (int e = 0; e < count; e++)
            row[e] = draw_int(&d, MOST);
        for (int j = 0; j < n; j++) {
            for (int e = 0; e < count; e++)
                expected[j] += c[e] * X[row[e] * n + j];
            expected[j] *= scale;
        }
        tac_dense_add_rows(n, count, c, row, X, scale, y);
        tac_dense_add_rows_narrow(n, count, c, row, X, scale, narrow);
        CHECK(memcmp(y, expected, sizeof y) == 0);
        CHECK(memcmp(narrow, expected, sizeof y) == 0);
    }
}

/* Four sums at once have the bits of one row after another, and touch nothing else. */
static void four_sums(void **state) {
    (void)state;
    tacDraw d = {8, 0};
    enum { LD = MOST + 3 };
    double X[MOST * MOST], c[4 * MOST], Y[4 * LD], narrow[4 * LD], expected[4 * LD];
    int rows[MOST * (MOST + 1)];
    for (int t = 0; t < 400; t++) {
        int n = t % (MOST + 1), count = draw_int(&d, MOST + 1);
        draw_array(&d, MOST * MOST, X);
        for (int i = 0; i < MOST * MOST; i++)
            X[i] *= t % 2 == 0 || i * 7 % (5 + t) < 2;
        tac_dense_block_rows(n, count, X, rows);
        CHECK(tac_dense_block_rows_size(n, count) <= sizeof rows / sizeof *rows);
        draw_array(&d, 4 * MOST, c), draw_array(&d, 4 * LD, Y);
        memcpy(expected, Y, sizeof Y);
        memcpy(narrow, Y, sizeof Y);
        for (int k = 0; k < 4; k++)
            for (int e = 0; e < count; e++)
                for (int j = 0; j < n; j++)
                    expected[k * LD + j] += c[4 * e + k] * X[e * n + j];
        tac_dense_add_to_four(n, count, rows, c, X, Y, LD);
        tac_dense_add_to_four_narrow(n, count, rows, c, X, narrow, LD);
        CHECK(memcmp(Y, expected, sizeof Y) == 0);
        CHECK(memcmp(narrow, expected, sizeof Y) == 0);
    }
}

/* Lines of A^T X have the bits of one row after another. */
static void lines_are_products(void **state) {
    (void)state;
    enum { LD = 16, ROWS = 9 };
    tacDraw d = {11, 0};
    double A[ROWS * LD], X[ROWS * LD], out[2 * LD], narrow[2 * LD];
    for (int t = 0; t < 200; t++) {
        int count = draw_int(&d, ROWS + 1), e = 2 * draw_int(&d, LD / 2);
        draw_array(&d, ROWS * LD, A), draw_array(&d, ROWS * LD, X);
        tac_dense_two_lines(count, LD, e, A, X, out);
        tac_dense_two_lines_narrow(count, LD, e, A, X, narrow);
        for (int c = e; c < 2 * LD; c++) {
            double sum = 0;
            for (int i = 0; i < count; i++)
                sum += A[i * LD + e + c / LD] * X[i * LD + c % LD];
            if (c % LD >= e) CHECK(out[c] == sum && narrow[c] == sum);
        }
    }
}

/* The same bits from every compiler at every optimization level. */
static void golden_bits(void **state) {
    (void)state;
    tacDraw d = {3, 0};
    double A[MOST * MOST], C[MOST * MOST], x[MOST];
    draw_array(&d, MOST * MOST, A);
    tac_dense_mulbt(MOST, MOST, MOST, A, A, C);
    for (int i = 0; i < MOST; i++)
        C[i * MOST + i] += 1;
    CHECK_INT(tac_cholesky_factor(MOST, C), -1);
    draw_array(&d, MOST, x);
    tac_cholesky_solve(MOST, C, x);
    CHECK(tac_hash(x, sizeof x, tac_hash(C, sizeof C, 0)) == UINT64_C(0x910d1090eae8e0e0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),         cmocka_unit_test(sums_of_rows),
        cmocka_unit_test(four_sums),        cmocka_unit_test(lines_are_products),
        cmocka_unit_test(cholesky_solves),  cmocka_unit_test(cholesky_of_a_known_matrix),
        cmocka_unit_test(cholesky_refuses), cmocka_unit_test(golden_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
