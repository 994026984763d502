/* Eigenvalues of a small symmetric matrix by cyclic Jacobi rotations [GolubVanLoan2013, 8.5]. */
#include "optimize/fit/fit.h"

#include "math/scalar.h"

/* Sweeps until all entries off the diagonal are below rounding; convergence is quadratic, ten are plenty. */
enum { MOST_SWEEPS = 60 };

/* One rotation in the plane (p, q) that makes A[p][q] zero; rows p and q of V follow. */
static void rotate(size_t n, double *A, double *V, size_t p, size_t q) {
    double theta = (A[q * n + q] - A[p * n + p]) / (2 * A[p * n + q]);
    double t = (theta >= 0 ? 1 : -1) / (tac_abs(theta) + tac_sqrt(theta * theta + 1));
    double c = 1 / tac_sqrt(t * t + 1), s = t * c;
    for (size_t k = 0; k < n; k++) {
        double a = A[k * n + p], b = A[k * n + q];
        A[k * n + p] = c * a - s * b;
        A[k * n + q] = s * a + c * b;
    }
    for (size_t k = 0; k < n; k++) {
        double a = A[p * n + k], b = A[q * n + k], v = V[p * n + k], w = V[q * n + k];
        A[p * n + k] = c * a - s * b;
        A[q * n + k] = s * a + c * b;
        V[p * n + k] = c * v - s * w;
        V[q * n + k] = s * v + c * w;
    }
}

/* One sweep; how many rotations it made. */
static int sweep(size_t n, double *A, double *V) {
    int count = 0;
    for (size_t p = 0; p + 1 < n; p++) {
        for (size_t q = p + 1; q < n; q++) {
            double scale = tac_sqrt(tac_abs(A[p * n + p] * A[q * n + q]));
            if (tac_abs(A[p * n + q]) <= __DBL_EPSILON__ * scale || A[p * n + q] == 0) continue;
            rotate(n, A, V, p, q);
            A[p * n + q] = A[q * n + p] = 0;
            count++;
        }
    }
    return count;
}

static void swap_rows(size_t n, double *value, double *V, size_t i, size_t j) {
    double a = value[i];
    value[i] = value[j];
    value[j] = a;
    for (size_t k = 0; k < n; k++) {
        double b = V[i * n + k];
        V[i * n + k] = V[j * n + k];
        V[j * n + k] = b;
    }
}

void tac_symmetric_eigen(int count, double *A, double *value, double *vector) {
    size_t n = (size_t)count;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            vector[i * n + j] = i == j;
    for (int i = 0; i < MOST_SWEEPS && sweep(n, A, vector) > 0; i++) {
    }
    for (size_t i = 0; i < n; i++)
        value[i] = A[i * n + i];
    for (size_t i = 0; i < n; i++) {
        size_t most = i;
        for (size_t j = i + 1; j < n; j++)
            if (value[j] > value[most]) most = j;
        if (most != i) swap_rows(n, value, vector, i, most);
    }
}
