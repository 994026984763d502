#include "math/dense.h"
#include "support/check.h"
#include "support/draw.h"

#include <math.h>
#include <string.h>

#define TOL       1e-12
#define TOL_SOLVE 1e-9 /* random indefinite matrices up to 20 x 20 */

enum { MOST = 20 };

static void draw_symmetric(tacDraw *d, int n, double *A) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            A[i * n + j] = A[j * n + i] = draw_uniform(d, -1, 1);
}

/* Factors a copy, leaving the upper triangle poisoned. */
static int factor_copy(int n, const double *A, double *F, int *pivot) {
    double work[MOST];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            F[i * n + j] = j <= i ? A[i * n + j] : nan("");
    return tac_ldl_factor(n, F, pivot, work);
}

static double solve_error(tacDraw *d, int n, const double *A) {
    double F[MOST * MOST], x[MOST], b[MOST];
    int pivot[MOST];
    CHECK_INT(factor_copy(n, A, F, pivot), -1);
    draw_array(d, n, x);
    tac_dense_mulv(n, n, A, x, b);
    tac_ldl_solve(n, F, pivot, b);
    return relative_error(n, b, x);
}

static void solves_indefinite(void **state) {
    (void)state;
    tacDraw d = {1, 0};
    double A[MOST * MOST];
    for (int t = 0; t < 300; t++) {
        int n = t <= MOST ? t : 1 + draw_int(&d, MOST);
        draw_symmetric(&d, n, A);
        if (t % 2)
            for (int i = 0; i < n; i++)
                A[i * n + i] = 0; /* nothing but blocks of two at first */
        if (n == 1 && A[0] == 0) continue;
        if (t % 2 && n == 3) A[8] = 0.5;
        CHECK_LT(solve_error(&d, n, A), TOL_SOLVE);
    }
}

/* Saddle points [H J^T; J 0]: as many negative eigenvalues as constraints. */
static void saddle_points(void **state) {
    (void)state;
    tacDraw d = {2, 0};
    for (int t = 0; t < 100; t++) {
        int n = 1 + draw_int(&d, 12), m = draw_int(&d, n + 1 < 8 ? n + 1 : 8), size = n + m;
        double G[12 * 12], H[12 * 12], A[MOST * MOST], F[MOST * MOST];
        int pivot[MOST];
        draw_array(&d, n * n, G);
        tac_dense_mulbt(n, n, n, G, G, H);
        for (int i = 0; i < size; i++)
            for (int j = 0; j <= i; j++) {
                double entry = i < n ? H[i * n + j] + (i == j) : j < n ? draw_uniform(&d, -1, 1) : 0;
                A[i * size + j] = A[j * size + i] = entry;
            }
        CHECK_INT(factor_copy(size, A, F, pivot), -1);
        CHECK_INT(tac_ldl_negative(size, F, pivot), m);
        CHECK_LT(solve_error(&d, size, A), TOL_SOLVE);
    }
}

/* Eigenvalue signs of S D S^T are those of D (Sylvester). */
static void counts_negative_eigenvalues(void **state) {
    (void)state;
    tacDraw d = {3, 0};
    for (int t = 0; t < 100; t++) {
        int n = 1 + draw_int(&d, MOST), negative = 0, pivot[MOST];
        double S[MOST * MOST], SD[MOST * MOST], A[MOST * MOST], F[MOST * MOST];
        draw_array(&d, n * n, S);
        memcpy(SD, S, sizeof S);
        for (int j = 0; j < n; j++) {
            double sign = draw_uniform(&d, -1, 1) < 0 ? -1 : 1;
            negative += sign < 0;
            for (int i = 0; i < n; i++)
                SD[i * n + j] *= sign;
        }
        tac_dense_mulbt(n, n, n, SD, S, A);
        CHECK_INT(factor_copy(n, A, F, pivot), -1);
        CHECK_INT(tac_ldl_negative(n, F, pivot), negative);
    }
}

static void known_solution(void **state) {
    (void)state;
    double A[4] = {0, 0, 1, 0}, work[3], b[2] = {3, 5};
    int pivot[3];
    CHECK_INT(tac_ldl_factor(2, A, pivot, work), -1); /* [0 1; 1 0] */
    CHECK(pivot[0] < 0 && pivot[1] == pivot[0]);
    CHECK_INT(tac_ldl_negative(2, A, pivot), 1);
    tac_ldl_solve(2, A, pivot, b);
    CHECK(b[0] == 5 && b[1] == 3);
    double B[9] = {1, 0, 0, 2, 1, 0, 3, 4, 1}, c[3] = {14, 16, 14}, x[3] = {1, 2, 3}; /* [1 2 3; 2 1 4; 3 4 1] */
    CHECK_INT(tac_ldl_factor(3, B, pivot, work), -1);
    tac_ldl_solve(3, B, pivot, c);
    CHECK_ARRAY(3, c, x, TOL);
}

static void singular(void **state) {
    (void)state;
    double work[3], zero[4] = {0, 0, 0, 0}, x[3] = {1, 2, 3};
    int pivot[3];
    CHECK_INT(tac_ldl_factor(2, zero, pivot, work), 0);
    tac_ldl_solve(2, zero, pivot, x);
    CHECK(x[0] == 0 && x[1] == 0);
    double rank_one[4] = {1, 0, 2, 4};
    CHECK_INT(tac_ldl_factor(2, rank_one, pivot, work), 1);
    double thirds[9] = {1.0 / 3, 0, 0, 0.1, 1, 0, 1.0 / 3 + 0.1, 1.1, 1.0 / 3 + 0.1 + 1.1};
    CHECK(tac_ldl_factor(3, thirds, pivot, work) >= 0);
    double empty[1] = {0};
    CHECK_INT(tac_ldl_factor(0, empty, pivot, work), -1);
    double scaled[4] = {1, 0, 0, 1e-200};
    CHECK_INT(tac_ldl_factor(2, scaled, pivot, work), -1);
}

static void golden_bits(void **state) {
    (void)state;
    tacDraw d = {4, 0};
    double A[MOST * MOST], x[MOST], work[MOST];
    int pivot[MOST];
    draw_symmetric(&d, MOST, A);
    CHECK_INT(tac_ldl_factor(MOST, A, pivot, work), -1);
    draw_array(&d, MOST, x);
    tac_ldl_solve(MOST, A, pivot, x);
    CHECK(tac_hash(x, sizeof x, tac_hash(A, sizeof A, 0)) == UINT64_C(0xe062acd4904dbd11));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_indefinite),
        cmocka_unit_test(saddle_points),
        cmocka_unit_test(counts_negative_eigenvalues),
        cmocka_unit_test(known_solution),
        cmocka_unit_test(singular),
        cmocka_unit_test(golden_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
