/* Bunch-Kaufman factorization   [Golub2013, sec. 4.4.4]. Storage of the result:
 *   pivot[k] >= 0                    block of one: D = A_kk; row k was exchanged with row pivot[k]
 *   pivot[k] = pivot[k+1] = -1 - p   block of two: D = [A_kk A_jk; A_jk A_jj], j = k+1; row j was exchanged with row p
 * and L strictly below the blocks. Exchanges act on whole rows, so that P A P^T = L D L^T holds as written. */
#include "math/dense.h"

#include "math/scalar.h"

#include <stdbool.h>
#include <stddef.h>

/* (1 + sqrt 17)/8: bounds the growth of one block of two like that of two blocks of one. */
#define GROWTH 0.6403882032022076

/* Entry (i, j) of the symmetric matrix kept in the lower triangle. */
static double *at(int n, double *A, int i, int j) {
    return i >= j ? A + (size_t)i * (size_t)n + (size_t)j : A + (size_t)j * (size_t)n + (size_t)i;
}

static void swap(double *a, double *b) {
    double t = *a;
    *a = *b;
    *b = t;
}

/* Exchanges rows and columns i < j of the symmetric matrix, and rows i, j of L in the columns before. */
static void swap_symmetric(int n, double *A, double *scale, int i, int j) {
    for (int c = 0; c < n; c++)
        if (c != i && c != j) swap(at(n, A, i, c), at(n, A, j, c));
    swap(at(n, A, i, i), at(n, A, j, j));
    swap(scale + i, scale + j);
}

/* Index of the largest |A_ik| with i in from .. n-1, i != skip; -1 when there is none. */
static int largest_in(int n, double *A, int k, int from, int skip) {
    int best = -1;
    for (int i = from; i < n; i++)
        if (i != skip && (best < 0 || tac_abs(*at(n, A, i, k)) > tac_abs(*at(n, A, best, k)))) best = i;
    return best;
}

/* Chooses the block at k: its size, and in *row which row takes part in it (k itself: no exchange). */
static int choose_pivot(int n, double *A, int k, int *row) {
    *row = k;
    int r = largest_in(n, A, k, k + 1, k);
    if (r < 0) return 1;
    double diagonal = tac_abs(*at(n, A, k, k)), column = tac_abs(*at(n, A, r, k));
    if (diagonal >= GROWTH * column) return 1;
    double other = tac_abs(*at(n, A, largest_in(n, A, r, k, r), r));
    if (diagonal * other >= GROWTH * column * column) return 1;
    *row = r;
    return tac_abs(*at(n, A, r, r)) >= GROWTH * other ? 1 : 2;
}

/* A_ij -= A_ik A_jk / D for i >= j > k; column k becomes L. */
static void eliminate_one(int n, double *A, int k) {
    double d = *at(n, A, k, k);
    if (d == 0) return; /* the pivot rule leaves a zero only where the whole column is zero */
    for (int i = n - 1; i > k; i--) {
        double l = *at(n, A, i, k) / d;
        for (int j = k + 1; j <= i; j++)
            *at(n, A, i, j) -= l * *at(n, A, j, k);
        *at(n, A, i, k) = l;
    }
}

/* The same for a block of two: (l1, l2) = D^-1 (A_ik, A_ik+1), scaled by the off-diagonal entry against overflow. */
static void eliminate_two(int n, double *A, int k) {
    double b = *at(n, A, k + 1, k), a = *at(n, A, k, k) / b, c = *at(n, A, k + 1, k + 1) / b;
    double inverse = 1 / ((a * c - 1) * b);
    for (int i = n - 1; i > k + 1; i--) {
        double u = *at(n, A, i, k), v = *at(n, A, i, k + 1);
        double l1 = (c * u - v) * inverse, l2 = (a * v - u) * inverse;
        for (int j = k + 2; j <= i; j++)
            *at(n, A, i, j) -= l1 * *at(n, A, j, k) + l2 * *at(n, A, j, k + 1);
        *at(n, A, i, k) = l1;
        *at(n, A, i, k + 1) = l2;
    }
}

/* scale_i = max_j |A_ij| */
static void row_scales(int n, double *A, double *scale) {
    for (int i = 0; i < n; i++) {
        scale[i] = 0;
        for (int j = 0; j < n; j++)
            scale[i] = tac_max(scale[i], tac_abs(*at(n, A, i, j)));
    }
}

int tac_ldl_factor(int n, double *A, int *pivot, double *work) {
    int bad = -1;
    row_scales(n, A, work);
    for (int k = 0; k < n;) {
        int row, size = choose_pivot(n, A, k, &row), head = k + size - 1;
        if (row != head) swap_symmetric(n, A, work, head, row);
        double largest = tac_abs(size == 1 ? *at(n, A, k, k) : *at(n, A, k + 1, k));
        if (bad < 0 && !(largest > TAC_DENSE_MIN_PIVOT * work[k])) bad = k;
        if (size == 1) {
            pivot[k] = row;
            eliminate_one(n, A, k);
        } else {
            pivot[k] = pivot[k + 1] = -1 - row;
            eliminate_two(n, A, k);
        }
        k += size;
    }
    return bad;
}

/* Solves with the block of D at k, in place. */
static void solve_block(int n, const double *A, int k, bool two, double *x) {
    const double *row = A + (size_t)k * (size_t)n + (size_t)k;
    if (!two) {
        x[k] = row[0] != 0 ? x[k] / row[0] : 0;
        return;
    }
    double b = row[n], a = row[0] / b, c = row[n + 1] / b;
    double inverse = 1 / ((a * c - 1) * b), u = x[k], v = x[k + 1];
    x[k] = (c * u - v) * inverse;
    x[k + 1] = (a * v - u) * inverse;
}

/* Applies the exchange made at step k (of the block's last row) to x. */
static void exchange(const int *pivot, int k, double *x) {
    int head = pivot[k] >= 0 ? k : k + 1, row = pivot[k] >= 0 ? pivot[k] : -1 - pivot[k];
    swap(x + head, x + row);
}

static int block_size(const int *pivot, int k) { return pivot[k] >= 0 ? 1 : 2; }

/* x = P^T L^-T D^-1 L^-1 P x */
void tac_ldl_solve(int n, const double *A, const int *pivot, double *x) {
    for (int k = 0; k < n; k += block_size(pivot, k))
        exchange(pivot, k, x);
    for (int k = 0; k < n; k += block_size(pivot, k)) {
        int size = block_size(pivot, k);
        for (int i = k + size; i < n; i++)
            for (int s = 0; s < size; s++)
                x[i] -= A[(size_t)i * (size_t)n + (size_t)(k + s)] * x[k + s];
    }
    for (int k = 0; k < n; k += block_size(pivot, k))
        solve_block(n, A, k, pivot[k] < 0, x);
    for (int k = n - 1; k >= 0;) {
        int first = pivot[k] >= 0 ? k : k - 1;
        for (int i = n - 1; i > k; i--)
            for (int s = first; s <= k; s++)
                x[s] -= A[(size_t)i * (size_t)n + (size_t)s] * x[i];
        k = first - 1;
    }
    for (int k = n - 1; k >= 0;) {
        int first = pivot[k] >= 0 ? k : k - 1;
        exchange(pivot, first, x);
        k = first - 1;
    }
}

/* A block of two made by the pivot rule has a negative determinant: one eigenvalue of each sign. */
int tac_ldl_negative(int n, const double *A, const int *pivot) {
    int count = 0;
    for (int k = 0; k < n; k += block_size(pivot, k))
        count += pivot[k] < 0 || A[(size_t)k * (size_t)n + (size_t)k] < 0;
    return count;
}
