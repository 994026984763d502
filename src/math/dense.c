#include "math/dense.h"

#include "math/scalar.h"

#include <stddef.h>

double tac_dense_dot(int n, const double *a, const double *b) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < n; i++)
        s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

double tac_dense_largest(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = tac_max(most, tac_abs(x[i]));
    return most;
}

void tac_dense_axpy(int n, double s, const double *x, double *y) {
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        double u = y[i] + s * x[i], v = y[i + 1] + s * x[i + 1];
        double p = y[i + 2] + s * x[i + 2], q = y[i + 3] + s * x[i + 3];
        y[i] = u;
        y[i + 1] = v;
        y[i + 2] = p;
        y[i + 3] = q;
    }
    if (i + 2 <= n) {
        double u = y[i] + s * x[i], v = y[i + 1] + s * x[i + 1];
        y[i] = u;
        y[i + 1] = v;
        i += 2;
    }
    if (i < n) y[i] += s * x[i];
}

void tac_dense_axpy_two(int n, const double s[2], const double *x, double *y, double *z) {
    double a = s[0], b = s[1];
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        double p = x[i], q = x[i + 1], u = y[i] + a * p, v = y[i + 1] + a * q, g = z[i] + b * p, h = z[i + 1] + b * q;
        y[i] = u;
        y[i + 1] = v;
        z[i] = g;
        z[i + 1] = h;
        p = x[i + 2];
        q = x[i + 3];
        u = y[i + 2] + a * p;
        v = y[i + 3] + a * q;
        g = z[i + 2] + b * p;
        h = z[i + 3] + b * q;
        y[i + 2] = u;
        y[i + 3] = v;
        z[i + 2] = g;
        z[i + 3] = h;
    }
    for (; i < n; i++) {
        double p = x[i];
        y[i] += a * p;
        z[i] += b * p;
    }
}

static void fill_zero(size_t n, double *x) {
    for (size_t i = 0; i < n; i++)
        x[i] = 0;
}

void tac_dense_mulv(int m, int n, const double *A, const double *x, double *y) {
    for (int i = 0; i < m; i++)
        y[i] = tac_dense_dot(n, A + (size_t)i * (size_t)n, x);
}

void tac_dense_multv(int m, int n, const double *A, const double *x, double *y) {
    fill_zero((size_t)n, y);
    for (int i = 0; i < m; i++)
        tac_dense_axpy(n, x[i], A + (size_t)i * (size_t)n, y);
}

/* y += a[0] x_0, then a[1] x_1, a[2] x_2, a[3] x_3 for four rows x one after another: the bits of four tac_dense_axpy
 * with a quarter of the loads and stores of y. */
static void add_four_rows(int n, const double *a, const double *x, double *y) {
    const double *x0 = x, *x1 = x0 + n, *x2 = x1 + n, *x3 = x2 + n;
    double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    int i = 0;
    for (; i + 2 <= n; i += 2) {
        double u = y[i] + a0 * x0[i] + a1 * x1[i] + a2 * x2[i] + a3 * x3[i];
        double v = y[i + 1] + a0 * x0[i + 1] + a1 * x1[i + 1] + a2 * x2[i + 1] + a3 * x3[i + 1];
        y[i] = u;
        y[i + 1] = v;
    }
    if (i < n) y[i] = y[i] + a0 * x0[i] + a1 * x1[i] + a2 * x2[i] + a3 * x3[i];
}

void tac_dense_mul(int m, int k, int n, const double *A, const double *B, double *C) {
    fill_zero((size_t)m * (size_t)n, C);
    for (int i = 0; i < m; i++) {
        const double *row = A + (size_t)i * (size_t)k;
        double *out = C + (size_t)i * (size_t)n;
        int j = 0;
        for (; j + 4 <= k; j += 4)
            add_four_rows(n, row + j, B + (size_t)j * (size_t)n, out);
        for (; j < k; j++)
            tac_dense_axpy(n, row[j], B + (size_t)j * (size_t)n, out);
    }
}

void tac_dense_mulat(int m, int k, int n, const double *A, const double *B, double *C) {
    fill_zero((size_t)m * (size_t)n, C);
    for (int j = 0; j < k; j++)
        for (int i = 0; i < m; i++)
            tac_dense_axpy(n, A[(size_t)j * (size_t)m + (size_t)i], B + (size_t)j * (size_t)n,
                           C + (size_t)i * (size_t)n);
}

void tac_dense_mulbt(int m, int k, int n, const double *A, const double *B, double *C) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            *C++ = tac_dense_dot(k, A + (size_t)i * (size_t)k, B + (size_t)j * (size_t)k);
}

void tac_dense_transpose(int m, int n, const double *A, double *At) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            *At++ = A[(size_t)i * (size_t)n + (size_t)j];
}

/* L_ij = (A_ij - sum_{k<j} L_ik L_jk) / L_jj, row by row   [Golub2013, sec. 4.2.5] */
int tac_cholesky_factor(int n, double *A) {
    for (int i = 0; i < n; i++) {
        double *row = A + (size_t)i * (size_t)n;
        for (int j = 0; j < i; j++) {
            const double *other = A + (size_t)j * (size_t)n;
            row[j] = (row[j] - tac_dense_dot(j, row, other)) / other[j];
        }
        double pivot = row[i] - tac_dense_dot(i, row, row);
        if (!(pivot > 0) || !(pivot > TAC_DENSE_MIN_PIVOT * row[i]) || !tac_finite(pivot)) return i;
        row[i] = tac_sqrt(pivot);
    }
    return -1;
}

void tac_cholesky_solve(int n, const double *L, double *x) {
    for (int i = 0; i < n; i++) {
        const double *row = L + (size_t)i * (size_t)n;
        x[i] = (x[i] - tac_dense_dot(i, row, x)) / row[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = L + (size_t)i * (size_t)n;
        x[i] /= row[i];
        tac_dense_axpy(i, -x[i], row, x);
    }
}

static void divide_row(int n, double d, double *x) {
    for (int i = 0; i < n; i++)
        x[i] /= d;
}

void tac_cholesky_solve_many(int n, const double *L, int k, double *X) {
    size_t width = (size_t)k;
    for (int i = 0; i < n; i++) {
        const double *row = L + (size_t)i * (size_t)n;
        for (int j = 0; j < i; j++)
            tac_dense_axpy(k, -row[j], X + (size_t)j * width, X + (size_t)i * width);
        divide_row(k, row[i], X + (size_t)i * width);
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = L + (size_t)i * (size_t)n;
        divide_row(k, row[i], X + (size_t)i * width);
        for (int j = 0; j < i; j++)
            tac_dense_axpy(k, -row[j], X + (size_t)i * width, X + (size_t)j * width);
    }
}
