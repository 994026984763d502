#include "math/dense.h"

#include "math/scalar.h"

#include <stddef.h>

static void swap_rows(int n, double *a, double *b) {
    for (int j = 0; j < n; j++) {
        double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
}

/* scale_j = max_i |A_ij| */
static void column_scales(int n, const double *A, double *scale) {
    for (int j = 0; j < n; j++)
        scale[j] = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            scale[j] = tac_max(scale[j], tac_abs(A[(size_t)i * (size_t)n + (size_t)j]));
}

/* Row of the largest entry of column k on or below the diagonal; the first of equals. */
static int largest_below(int n, const double *A, int k) {
    int best = k;
    for (int i = k + 1; i < n; i++)
        if (tac_abs(A[(size_t)i * (size_t)n + (size_t)k]) > tac_abs(A[(size_t)best * (size_t)n + (size_t)k])) best = i;
    return best;
}

/* Gaussian elimination by rows   [Golub2013, alg. 3.4.1] */
int tac_lu_factor(int n, double *A, int *pivot, double *work) {
    int bad = -1;
    column_scales(n, A, work);
    for (int k = 0; k < n; k++) {
        double *top = A + (size_t)k * (size_t)n;
        pivot[k] = largest_below(n, A, k);
        if (pivot[k] != k) swap_rows(n, top, A + (size_t)pivot[k] * (size_t)n);
        if (bad < 0 && !(tac_abs(top[k]) > TAC_DENSE_MIN_PIVOT * work[k])) bad = k;
        if (top[k] == 0) continue; /* the whole column is zero: nothing to eliminate */
        for (int i = k + 1; i < n; i++) {
            double *row = A + (size_t)i * (size_t)n;
            row[k] /= top[k];
            tac_dense_axpy(n - k - 1, -row[k], top + k + 1, row + k + 1);
        }
    }
    return bad;
}

static void swap_entries(double *x, int i, int j) {
    double t = x[i];
    x[i] = x[j];
    x[j] = t;
}

/* x = U^-1 L^-1 P x */
void tac_lu_solve(int n, const double *LU, const int *pivot, double *x) {
    for (int k = 0; k < n; k++)
        swap_entries(x, k, pivot[k]);
    for (int i = 0; i < n; i++)
        x[i] -= tac_dense_dot(i, LU + (size_t)i * (size_t)n, x);
    for (int i = n - 1; i >= 0; i--) {
        const double *row = LU + (size_t)i * (size_t)n;
        double sum = x[i] - tac_dense_dot(n - i - 1, row + i + 1, x + i + 1);
        x[i] = row[i] != 0 ? sum / row[i] : 0;
    }
}

/* X = U^-1 L^-1 P X: row i takes the others' with the coefficients of row i, as the columns above. */
void tac_lu_solve_many(int n, const double *LU, const int *pivot, int k, double *X, double *work, int *index) {
    size_t width = (size_t)k;
    for (int i = 0; i < n; i++)
        if (pivot[i] != i) swap_rows(k, X + (size_t)i * width, X + (size_t)pivot[i] * width);
    for (int i = 0; i < n; i++)
        index[i] = i;
    for (int i = 0; i < n; i++) {
        const double *row = LU + (size_t)i * (size_t)n;
        for (int j = 0; j < i; j++)
            work[j] = -row[j];
        tac_dense_add_rows(k, i, work, index, X, 1, X + (size_t)i * width);
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = LU + (size_t)i * (size_t)n;
        for (int j = i + 1; j < n; j++)
            work[j] = -row[j];
        tac_dense_add_rows(k, n - i - 1, work + i + 1, index + i + 1, X, row[i] != 0 ? 1 / row[i] : 0,
                           X + (size_t)i * width);
    }
}

/* x = P^T L^-T U^-T x */
void tac_lu_solve_transposed(int n, const double *LU, const int *pivot, double *x) {
    for (int i = 0; i < n; i++) {
        const double *row = LU + (size_t)i * (size_t)n;
        x[i] = row[i] != 0 ? x[i] / row[i] : 0;
        tac_dense_axpy(n - i - 1, -x[i], row + i + 1, x + i + 1);
    }
    for (int i = n - 1; i >= 0; i--)
        tac_dense_axpy(i, -x[i], LU + (size_t)i * (size_t)n, x);
    for (int k = n - 1; k >= 0; k--)
        swap_entries(x, k, pivot[k]);
}
