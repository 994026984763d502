#include "math/dense.h"

#include "math/scalar.h"

#include <stddef.h>

/* A Householder reflection H = I - t v v^T, v_0 = 1, maps (alpha, rest) to (beta, 0)   [Golub2013, alg. 5.1.1]:
 *   beta = -sign(alpha) |(alpha, rest)|,  t = (beta - alpha)/beta,  v_rest = rest/(alpha - beta). */
typedef struct tacReflection {
    double beta, t, divisor; /* v_rest = rest / divisor; t = 0: nothing to do */
} tacReflection;

/* largest: max |rest_i|, by which squares were scaled; squares: sum (rest_i/largest)^2. */
static tacReflection make_reflection(double alpha, double largest, double squares) {
    if (largest == 0) return (tacReflection){alpha, 0, 1};
    double scaled = alpha / largest, norm = largest * tac_sqrt(scaled * scaled + squares);
    if (!tac_finite(scaled)) norm = tac_abs(alpha); /* rest is negligible beside alpha */
    double beta = alpha >= 0 ? -norm : norm;
    return (tacReflection){beta, (beta - alpha) / beta, alpha - beta};
}

static double *row_of(const tacQr *qr, int i) { return qr->A + (size_t)i * (size_t)qr->n; }

/* Largest |A_ij| of column j over rows from .. m-1, and the sum of squares of the entries divided by it. */
static double column_squares(const tacQr *qr, int j, int from, double *largest) {
    double big = 0, sum = 0;
    for (int i = from; i < qr->m; i++)
        big = tac_max(big, tac_abs(row_of(qr, i)[j]));
    for (int i = from; i < qr->m && big > 0; i++) {
        double scaled = row_of(qr, i)[j] / big;
        sum += scaled * scaled;
    }
    *largest = big;
    return sum;
}

/* The column of largest norm among k .. n-1, over rows k .. m-1; norms are computed afresh, never updated. */
static int choose_column(const tacQr *qr, int k) {
    int best = k;
    double best_norm = -1;
    for (int j = k; j < qr->n; j++) {
        double largest, squares = column_squares(qr, j, k, &largest), norm = largest * tac_sqrt(squares);
        if (norm > best_norm) {
            best_norm = norm;
            best = j;
        }
    }
    return best;
}

static void swap_columns(tacQr *qr, int a, int b) {
    for (int i = 0; i < qr->m; i++) {
        double t = row_of(qr, i)[a];
        row_of(qr, i)[a] = row_of(qr, i)[b];
        row_of(qr, i)[b] = t;
    }
    int c = qr->column[a];
    qr->column[a] = qr->column[b];
    qr->column[b] = c;
}

/* Makes the reflection of column k, stores v below the diagonal, and applies it to the columns after k:
 * w = A^T v, A -= t v w^T. */
static void reflect_column(tacQr *qr, int k) {
    int rest = qr->n - k - 1;
    double largest, squares = column_squares(qr, k, k + 1, &largest), *top = row_of(qr, k), *w = qr->work;
    tacReflection h = make_reflection(top[k], largest, squares);
    top[k] = h.beta;
    qr->left[k] = h.t;
    if (h.t == 0) return;
    for (int j = 0; j < rest; j++)
        w[j] = top[k + 1 + j];
    for (int i = k + 1; i < qr->m; i++) {
        double *row = row_of(qr, i);
        row[k] /= h.divisor;
        tac_dense_axpy(rest, row[k], row + k + 1, w);
    }
    tac_dense_axpy(rest, -h.t, w, top + k + 1);
    for (int i = k + 1; i < qr->m; i++)
        tac_dense_axpy(rest, -h.t * row_of(qr, i)[k], w, row_of(qr, i) + k + 1);
}

/* [R11 R12] = [T 0] Z for rank < n: row k, from the last up, is reflected so that its part in R12 vanishes; v takes its
 * place there. */
static void reflect_row(tacQr *qr, int k) {
    int r = qr->rank, rest = qr->n - r;
    double *row = row_of(qr, k), largest = 0, squares = 0;
    for (int j = r; j < qr->n; j++)
        largest = tac_max(largest, tac_abs(row[j]));
    for (int j = r; j < qr->n && largest > 0; j++)
        squares += (row[j] / largest) * (row[j] / largest);
    tacReflection h = make_reflection(row[k], largest, squares);
    row[k] = h.beta;
    qr->right[k] = h.t;
    if (h.t == 0) return;
    for (int j = r; j < qr->n; j++)
        row[j] /= h.divisor;
    for (int i = 0; i < k; i++) {
        double *above = row_of(qr, i), s = -h.t * (above[k] + tac_dense_dot(rest, row + r, above + r));
        above[k] += s;
        tac_dense_axpy(rest, s, row + r, above + r);
    }
}

int tac_qr_factor(tacQr *qr, double tol) {
    int smaller = qr->m < qr->n ? qr->m : qr->n, larger = qr->m > qr->n ? qr->m : qr->n;
    if (tol <= 0) tol = TAC_DENSE_RANK_TOL * larger;
    for (int j = 0; j < qr->n; j++)
        qr->column[j] = j;
    qr->rank = 0;
    for (int k = 0; k < smaller; k++) {
        int best = choose_column(qr, k);
        if (best != k) swap_columns(qr, k, best);
        reflect_column(qr, k);
        double pivot = tac_abs(row_of(qr, k)[k]);
        if (!(pivot > 0) || !(pivot > tol * tac_abs(qr->A[0]))) break;
        qr->rank = k + 1;
    }
    if (qr->rank < qr->n)
        for (int k = qr->rank - 1; k >= 0; k--)
            reflect_row(qr, k);
    return qr->rank;
}

/* c <- H_k c, one of the reflections in Q. */
static void reflect_left(const tacQr *qr, int k, double *c) {
    double sum = c[k];
    for (int i = k + 1; i < qr->m; i++)
        sum += row_of(qr, i)[k] * c[i];
    double s = -qr->left[k] * sum;
    c[k] += s;
    for (int i = k + 1; i < qr->m; i++)
        c[i] += s * row_of(qr, i)[k];
}

/* y <- H_k y, one of the reflections in Z. */
static void reflect_right(const tacQr *qr, int k, double *y) {
    int r = qr->rank, rest = qr->n - r;
    const double *v = row_of(qr, k) + r;
    double s = -qr->right[k] * (y[k] + tac_dense_dot(rest, v, y + r));
    y[k] += s;
    tac_dense_axpy(rest, s, v, y + r);
}

/* x = P Z^T [T^-1 (Q^T b)_1; 0]: of Q rank reflections, as the rest does not enter a solution; those of Z in the order
 * opposite to that of their making. */
void tac_qr_solve(const tacQr *qr, const double *b, double *x) {
    double *c = qr->work, *y = qr->work + qr->m;
    for (int i = 0; i < qr->m; i++)
        c[i] = b[i];
    for (int k = 0; k < qr->rank; k++)
        reflect_left(qr, k, c);
    for (int i = qr->rank - 1; i >= 0; i--) {
        const double *row = row_of(qr, i);
        y[i] = (c[i] - tac_dense_dot(qr->rank - i - 1, row + i + 1, y + i + 1)) / row[i];
    }
    for (int j = qr->rank; j < qr->n; j++)
        y[j] = 0;
    for (int k = 0; k < qr->rank && qr->rank < qr->n; k++)
        reflect_right(qr, k, y);
    for (int j = 0; j < qr->n; j++)
        x[qr->column[j]] = y[j];
}

/* b = Q [T^-T (Z P^T x)_1; 0] */
void tac_qr_solve_transposed(const tacQr *qr, const double *x, double *b) {
    double *y = qr->work + qr->m;
    for (int j = 0; j < qr->n; j++)
        y[j] = x[qr->column[j]];
    for (int k = qr->rank - 1; k >= 0 && qr->rank < qr->n; k--)
        reflect_right(qr, k, y);
    for (int i = 0; i < qr->m; i++)
        b[i] = i < qr->rank ? y[i] : 0;
    for (int i = 0; i < qr->rank; i++) {
        const double *row = row_of(qr, i);
        b[i] /= row[i];
        tac_dense_axpy(qr->rank - i - 1, -b[i], row + i + 1, b + i + 1);
    }
    for (int k = qr->rank - 1; k >= 0; k--)
        reflect_left(qr, k, b);
}
