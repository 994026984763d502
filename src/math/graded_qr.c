#include "math/graded_qr.h"

#include "math/scalar.h"

static double *column_of(const tacGradedQr *qr, int j) { return qr->A + (long)qr->m * j; }

/* sum a_i b_i from row k on, two interleaved partial sums */
static double dot_below(int k, int m, const double *a, const double *b) {
    double even = 0, odd = 0;
    int i = k;
    for (; i + 1 < m; i += 2) {
        even += a[i] * b[i];
        odd += a[i + 1] * b[i + 1];
    }
    return i < m ? even + odd + a[i] * b[i] : even + odd;
}

static void swap_columns(tacGradedQr *qr, int j, int k) {
    double *a = column_of(qr, j), *b = column_of(qr, k);
    for (int i = 0; i < qr->m && j != k; i++) {
        double keep = a[i];
        a[i] = b[i];
        b[i] = keep;
    }
    int keep = qr->column[j];
    qr->column[j] = qr->column[k];
    qr->column[k] = keep;
}

static void swap_rows(tacGradedQr *qr, int i, int k) {
    for (int j = 0; j < qr->n && i != k; j++) {
        double *a = column_of(qr, j), keep = a[i];
        a[i] = a[k];
        a[k] = keep;
    }
}

/* The column with the largest rest, to place k -> its length squared. */
static double choose_column(tacGradedQr *qr, int k) {
    double most = -1;
    int best = k;
    for (int j = k; j < qr->n; j++) {
        const double *a = column_of(qr, j);
        double length = dot_below(k, qr->m, a, a);
        if (!(length > most)) continue;
        most = length;
        best = j;
    }
    swap_columns(qr, k, best);
    return most;
}

/* The row with the largest entry in column k, to place k. */
static void choose_row(tacGradedQr *qr, int k) {
    const double *a = column_of(qr, k);
    int best = k;
    for (int i = k + 1; i < qr->m; i++)
        if (tac_abs(a[i]) > tac_abs(a[best])) best = i;
    swap_rows(qr, k, best);
    qr->row[k] = best;
}

static void reflect(const double *v, double beta, int k, int m, double *a) {
    double by = beta * dot_below(k, m, v, a);
    for (int i = k; i < m; i++)
        a[i] -= by * v[i];
}

int tac_graded_factor(tacGradedQr *qr) {
    for (int j = 0; j < qr->n; j++)
        qr->column[j] = j;
    for (int k = 0; k < qr->n; k++) {
        double square = choose_column(qr, k), length = tac_sqrt(square);
        if (!(square > 0) || !tac_finite(square)) return 0;
        choose_row(qr, k);
        double *v = column_of(qr, k);
        qr->diag[k] = v[k] > 0 ? -length : length;
        qr->beta[k] = 1 / (length * (length + tac_abs(v[k])));
        v[k] -= qr->diag[k];
        for (int j = k + 1; j < qr->n; j++)
            reflect(v, qr->beta[k], k, qr->m, column_of(qr, j));
    }
    return 1;
}

static void swap(double *t, int i, int k) {
    double keep = t[i];
    t[i] = t[k];
    t[k] = keep;
}

/* Reflections are stored with all exchanges of rows applied, so exchanges come first. */
void tac_graded_rotate(const tacGradedQr *qr, double *t) {
    for (int k = 0; k < qr->n; k++)
        swap(t, k, qr->row[k]);
    for (int k = 0; k < qr->n; k++)
        reflect(column_of(qr, k), qr->beta[k], k, qr->m, t);
}

void tac_graded_rotate_back(const tacGradedQr *qr, double *t) {
    for (int k = qr->n - 1; k >= 0; k--)
        reflect(column_of(qr, k), qr->beta[k], k, qr->m, t);
    for (int k = qr->n - 1; k >= 0; k--)
        swap(t, k, qr->row[k]);
}

void tac_graded_upper(const tacGradedQr *qr, double *w, double *x) {
    for (int k = qr->n - 1; k >= 0; k--) {
        for (int j = k + 1; j < qr->n; j++)
            w[k] -= column_of(qr, j)[k] * w[j];
        w[k] /= qr->diag[k];
    }
    for (int k = 0; k < qr->n; k++)
        x[qr->column[k]] = w[k];
}

void tac_graded_lower(const tacGradedQr *qr, const double *b, double *w) {
    for (int k = 0; k < qr->n; k++) {
        w[k] = b[qr->column[k]];
        for (int j = 0; j < k; j++)
            w[k] -= column_of(qr, k)[j] * w[j];
        w[k] /= qr->diag[k];
    }
}
