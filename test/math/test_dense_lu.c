#include "math/dense.h"
#include "support/check.h"
#include "support/draw.h"

#include <math.h>
#include <string.h>

#define TOL          1e-13
#define TOL_RESIDUAL 1e-14 /* |A x - b| <= tol |x|: backward stable whatever the condition */

enum { MOST = 20 };

static double largest(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* P A = L U entry by entry. */
static void check_factors(int n, const double *A, const double *LU, const int *pivot) {
    double PA[MOST * MOST], product[MOST * MOST];
    memcpy(PA, A, (size_t)(n * n) * sizeof(double));
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++) {
            double t = PA[k * n + j];
            PA[k * n + j] = PA[pivot[k] * n + j];
            PA[pivot[k] * n + j] = t;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = i <= j ? LU[i * n + j] : 0;
            for (int k = 0; k < i && k <= j; k++)
                sum += LU[i * n + k] * LU[k * n + j];
            product[i * n + j] = sum;
            CHECK(i <= j || fabs(LU[i * n + j]) <= 1); /* partial pivoting */
        }
    CHECK_ARRAY(n * n, product, PA, TOL);
}

static void factors_and_solves(void **state) {
    (void)state;
    tacDraw d = {1, 0};
    double A[MOST * MOST], LU[MOST * MOST], x[MOST], b[MOST], Ax[MOST], work[MOST];
    int pivot[MOST];
    for (int t = 0; t < 100; t++) {
        int n = t <= MOST ? t : 1 + draw_int(&d, MOST);
        draw_array(&d, n * n, A);
        if (n > 0 && t % 2) A[0] = 0; /* a pivot is needed */
        if (n > 1 && t % 3 == 0)
            for (int j = 0; j < n; j++)
                A[j] *= 1e-10; /* badly scaled row */
        memcpy(LU, A, sizeof A);
        if (n == 1 && A[0] == 0) continue;
        CHECK_INT(tac_lu_factor(n, LU, pivot, work), -1);
        check_factors(n, A, LU, pivot);
        draw_array(&d, n, b);
        memcpy(x, b, sizeof x);
        tac_lu_solve(n, LU, pivot, x);
        tac_dense_mulv(n, n, A, x, Ax);
        CHECK_ARRAY(n, Ax, b, TOL_RESIDUAL * (1 + largest(n, x)));
        memcpy(x, b, sizeof x);
        tac_lu_solve_transposed(n, LU, pivot, x);
        tac_dense_multv(n, n, A, x, Ax);
        CHECK_ARRAY(n, Ax, b, TOL_RESIDUAL * (1 + largest(n, x)));
    }
}

/* Many right sides at once: each column as alone, for widths that fill registers and that do not. */
static void solves_many(void **state) {
    (void)state;
    enum { WIDTH = 19 };
    tacDraw d = {5, 0};
    double A[MOST * MOST], X[MOST * WIDTH], x[MOST], work[MOST];
    int pivot[MOST], index[MOST];
    for (int t = 0; t < 60; t++) {
        int n = t % (MOST + 1), k = 1 + t % WIDTH;
        draw_array(&d, n * n, A);
        if (n > 1) A[0] = 0;
        tac_lu_factor(n, A, pivot, work);
        draw_array(&d, n * k, X);
        double before[MOST * WIDTH];
        memcpy(before, X, sizeof X);
        tac_lu_solve_many(n, A, pivot, k, X, work, index);
        for (int j = 0; j < k; j++) {
            for (int i = 0; i < n; i++)
                x[i] = before[i * k + j];
            tac_lu_solve(n, A, pivot, x);
            for (int i = 0; i < n; i++)
                CHECK_NEAR(X[i * k + j], x[i], TOL_RESIDUAL * (1 + largest(n, x)));
        }
    }
}

static void known_solution(void **state) {
    (void)state;
    double A[9] = {0, 2, 1, 1, -2, -3, -1, 1, 2}, b[3] = {-8, 0, 3}, work[3], x[3] = {-4, -5, 2};
    int pivot[3];
    CHECK_INT(tac_lu_factor(3, A, pivot, work), -1);
    tac_lu_solve(3, A, pivot, b);
    CHECK_ARRAY(3, b, x, TOL);
}

/* The first column without a pivot is named; a solve stays finite and solves what can be solved. */
static void singular(void **state) {
    (void)state;
    double A[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, work[4], zero[4] = {0, 0, 0, 0}, scaled[4] = {1, 0, 0, 1e-200};
    int pivot[4];
    CHECK_INT(tac_lu_factor(3, A, pivot, work), 2); /* by rounding, not exactly */
    CHECK_INT(tac_lu_factor(2, zero, pivot, work), 0);
    double x[2] = {1, 2};
    tac_lu_solve(2, zero, pivot, x);
    CHECK(x[0] == 0 && x[1] == 0);
    x[0] = 1;
    tac_lu_solve_transposed(2, zero, pivot, x);
    CHECK(x[0] == 0 && x[1] == 0);
    CHECK_INT(tac_lu_factor(2, scaled, pivot, work), -1); /* small is not singular */
    double twice[9] = {1, 1, 2, 1, 1, 3, 0, 0, 1}, b[3] = {3, 4, 1};
    CHECK_INT(tac_lu_factor(3, twice, pivot, work), 1);
    tac_lu_solve(3, twice, pivot, b); /* x0 + x1 + 2 x2 = 3, ..., x2 = 1 has a solution with x1 = 0 */
    for (int i = 0; i < 3; i++)
        CHECK(isfinite(b[i]));
}

static void golden_bits(void **state) {
    (void)state;
    tacDraw d = {3, 0};
    double A[MOST * MOST], x[MOST], work[MOST];
    int pivot[MOST];
    draw_array(&d, MOST * MOST, A);
    CHECK_INT(tac_lu_factor(MOST, A, pivot, work), -1);
    draw_array(&d, MOST, x);
    tac_lu_solve(MOST, A, pivot, x);
    tac_lu_solve_transposed(MOST, A, pivot, x);
    CHECK(tac_hash(x, sizeof x, tac_hash(A, sizeof A, 0)) == UINT64_C(0x0627ae3fb59ccdbc));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_and_solves), cmocka_unit_test(solves_many), cmocka_unit_test(known_solution),
        cmocka_unit_test(singular),           cmocka_unit_test(golden_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
