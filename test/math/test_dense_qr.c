#include "math/dense.h"
#include "support/check.h"
#include "support/draw.h"

#include <math.h>
#include <string.h>

#define TOL       1e-12
#define TOL_SOLVE 1e-9 /* random matrices up to 16 x 16 of known rank */

enum { MOST = 16 };

typedef struct tacQrMemory {
    double A[MOST * MOST], left[MOST], right[MOST], work[2 * MOST];
    int column[MOST];
} tacQrMemory;

static tacQr factor(tacQrMemory *memory, int m, int n, const double *A, double tol) {
    memset(memory, 0xFF, sizeof *memory);
    memcpy(memory->A, A, (size_t)(m * n) * sizeof(double));
    tacQr qr = {.m = m, .n = n, .A = memory->A, .left = memory->left, .right = memory->right};
    qr.column = memory->column;
    qr.work = memory->work;
    int rank = tac_qr_factor(&qr, tol);
    CHECK_INT(rank, qr.rank);
    return qr;
}

/* A = B C with B m x r and C r x n: rank r. */
static void draw_rank(tacDraw *d, int m, int n, int r, double *A) {
    double B[MOST * MOST], C[MOST * MOST];
    draw_array(d, m * r, B);
    draw_array(d, r * n, C);
    tac_dense_mul(m, r, n, B, C, A);
}

/* x solves the least-squares problem when A^T (A x - b) = 0, and is the shortest when x is in the range of A^T, that is
 * when adding any null vector's component is not possible: checked by x = A^T y for some y, found by a second solve. */
static void check_solution(int m, int n, const double *A, const double *b, const double *x, const tacQr *qr) {
    double r[MOST], g[MOST], zero[MOST] = {0};
    tac_dense_mulv(m, n, A, x, r);
    for (int i = 0; i < m; i++)
        r[i] -= b[i];
    tac_dense_multv(m, n, A, r, g);
    CHECK_ARRAY(n, g, zero, TOL_SOLVE);
    double Ax[MOST], again[MOST];
    tac_dense_mulv(m, n, A, x, Ax);
    tac_qr_solve(qr, Ax, again); /* A^+ A x = x for x in the range of A^T only */
    CHECK_ARRAY(n, again, x, TOL_SOLVE);
}

/* The same map transposed: y . A^+ b = b . A^+T y. */
static void check_transposed(tacDraw *d, int m, int n, const double *b, const double *x, const tacQr *qr) {
    double y[MOST], back[MOST];
    draw_array(d, n, y);
    tac_qr_solve_transposed(qr, y, back);
    double want = tac_dense_dot(n, y, x);
    CHECK_NEAR(tac_dense_dot(m, b, back), want, TOL_SOLVE * (1 + fabs(want)));
}

static void every_shape_and_rank(void **state) {
    (void)state;
    tacDraw d = {1, 0};
    tacQrMemory memory;
    double A[MOST * MOST], b[MOST], x[MOST];
    for (int t = 0; t < 500; t++) {
        int m = draw_int(&d, MOST + 1), n = draw_int(&d, MOST + 1), least = m < n ? m : n, r = draw_int(&d, least + 1);
        if (t % 3 == 0) r = least;
        draw_rank(&d, m, n, r, A);
        tacQr qr = factor(&memory, m, n, A, 1e-10);
        CHECK_INT(qr.rank, r);
        draw_array(&d, m, b);
        tac_qr_solve(&qr, b, x);
        check_solution(m, n, A, b, x, &qr);
        check_transposed(&d, m, n, b, x, &qr);
        for (int j = 1; j < r; j++) /* pivoting orders the diagonal, until Z mixes it */
            CHECK(r < n || fabs(qr.A[j * n + j]) <= fabs(qr.A[(j - 1) * n + j - 1]) * (1 + TOL));
    }
}

/* The shortest solution of one equation: x = a b/|a|^2; and against the formula A^T (A A^T)^-1 b. */
static void shortest_solutions(void **state) {
    (void)state;
    tacDraw d = {2, 0};
    tacQrMemory memory;
    double row[3] = {1, 2, 2}, b[MOST] = {9}, x[MOST], expected[3] = {1, 2, 2};
    tacQr qr = factor(&memory, 1, 3, row, 0);
    CHECK_INT(qr.rank, 1);
    tac_qr_solve(&qr, b, x);
    CHECK_ARRAY(3, x, expected, TOL);
    double A[5 * 9], G[25], y[MOST], other[MOST];
    draw_array(&d, 45, A);
    draw_array(&d, 5, b);
    tac_dense_mulbt(5, 9, 5, A, A, G);
    CHECK_INT(tac_cholesky_factor(5, G), -1);
    memcpy(y, b, sizeof y);
    tac_cholesky_solve(5, G, y);
    tac_dense_multv(5, 9, A, y, other);
    qr = factor(&memory, 5, 9, A, 0);
    CHECK_INT(qr.rank, 5);
    tac_qr_solve(&qr, b, x);
    CHECK_ARRAY(9, x, other, TOL);
}

/* A line through four points by least squares: y = 3.5 + 1.4 x. */
static void known_least_squares(void **state) {
    (void)state;
    tacQrMemory memory;
    double A[8] = {1, 1, 1, 2, 1, 3, 1, 4}, b[4] = {6, 5, 7, 10}, x[2], expected[2] = {3.5, 1.4};
    tacQr qr = factor(&memory, 4, 2, A, 0);
    CHECK_INT(qr.rank, 2);
    tac_qr_solve(&qr, b, x);
    CHECK_ARRAY(2, x, expected, TOL);
}

static void rank_of_special_matrices(void **state) {
    (void)state;
    tacQrMemory memory;
    double zero[9] = {0}, b[3] = {1, 2, 3}, x[3], count[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, nothing[3] = {0, 0, 0};
    tacQr qr = factor(&memory, 3, 3, zero, 0);
    CHECK_INT(qr.rank, 0);
    tac_qr_solve(&qr, b, x);
    CHECK_ARRAY(3, x, nothing, 0);
    CHECK_INT(factor(&memory, 3, 3, count, 0).rank, 2);
    CHECK_INT(factor(&memory, 0, 3, count, 0).rank, 0);
    CHECK_INT(factor(&memory, 3, 0, count, 0).rank, 0);
    double huge[4] = {1e300, 0, 0, 1e300}, tiny[4] = {1e-300, 0, 0, 1e-300}, mixed[4] = {1e200, 0, 0, 1e-200};
    CHECK_INT(factor(&memory, 2, 2, huge, 0).rank, 2);
    CHECK_INT(factor(&memory, 2, 2, tiny, 0).rank, 2);
    CHECK_INT(factor(&memory, 2, 2, mixed, 0).rank, 1);
    double near[4] = {1, 1, 1, 1 + 1e-9};
    CHECK_INT(factor(&memory, 2, 2, near, 0).rank, 2);
    CHECK_INT(factor(&memory, 2, 2, near, 1e-6).rank, 1); /* the tolerance is the caller's */
}

static void golden_bits(void **state) {
    (void)state;
    tacDraw d = {3, 0};
    tacQrMemory memory;
    double A[12 * 16], b[16], x[16];
    draw_rank(&d, 12, 16, 9, A);
    draw_array(&d, 12, b);
    tacQr qr = factor(&memory, 12, 16, A, 1e-10);
    CHECK_INT(qr.rank, 9);
    tac_qr_solve(&qr, b, x);
    CHECK(tac_hash(x, sizeof x, 0) == UINT64_C(0xcc8419c1575d90f8));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_and_rank), cmocka_unit_test(shortest_solutions),
        cmocka_unit_test(known_least_squares),  cmocka_unit_test(rank_of_special_matrices),
        cmocka_unit_test(golden_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
