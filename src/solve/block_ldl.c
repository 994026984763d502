#include "solve/block_ldl.h"

#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

static double *row_of(const tacBlockLu *K, int i) { return tac_block_lu_at(K, i, 0); }

void tac_block_ldl_clear(tacBlockLu *K) {
    for (int k = 0; k < K->nblock; k++) {
        int first = K->first[K->order[k]], size = K->size[K->order[k]], runs = tac_block_lu_beside(K, k);
        for (int i = first; i < first + size; i++) {
            memset(row_of(K, i) + i, 0, (size_t)(first + size - i) * sizeof(double));
            for (int s = 0; s < runs; s++)
                memset(row_of(K, i) + K->run[2 * s], 0, (size_t)K->run[2 * s + 1] * sizeof(double));
        }
    }
}

/* --- Factor ------------------------------------------------------------------------------------------------------- */

enum { SIX = 6 };

/* y -= l[0] x_0 + ... + l[5] x_5 over n numbers, x_k rows `apart` numbers apart. */
static void take_six(int n, const double *l, const double *x, size_t apart, double *y) {
    const double *x0 = x, *x1 = x0 + apart, *x2 = x1 + apart, *x3 = x2 + apart, *x4 = x3 + apart, *x5 = x4 + apart;
    double l0 = l[0], l1 = l[1], l2 = l[2], l3 = l[3], l4 = l[4], l5 = l[5];
    int j = 0;
    for (; j + 2 <= n; j += 2) {
        double u = ((l0 * x0[j] + l1 * x1[j]) + (l2 * x2[j] + l3 * x3[j])) + (l4 * x4[j] + l5 * x5[j]);
        double v =
            ((l0 * x0[j + 1] + l1 * x1[j + 1]) + (l2 * x2[j + 1] + l3 * x3[j + 1])) + (l4 * x4[j + 1] + l5 * x5[j + 1]);
        y[j] -= u;
        y[j + 1] -= v;
    }
    if (j < n) y[j] -= ((l0 * x0[j] + l1 * x1[j]) + (l2 * x2[j] + l3 * x3[j])) + (l4 * x4[j] + l5 * x5[j]);
}

/* Updates row i by `count` pivots from `first` on: in columns i to `last`, then in the runs from `run` on. */
static void update_row(const tacBlockLu *K, int i, int first, int count, int last, int run, int runs) {
    double l[SIX], *row = row_of(K, i);
    for (int p = first; p < first + count; p += SIX) {
        int some = first + count - p < SIX ? first + count - p : SIX;
        for (int q = 0; q < some; q++)
            l[q] = row_of(K, p + q)[i] * row_of(K, p + q)[p + q];
        for (int s = run - 1; s < runs; s++) {
            int from = s < run ? i : K->run[2 * s], n = s < run ? last - i : K->run[2 * s + 1];
            if (some == SIX) take_six(n, l, row_of(K, p) + from, (size_t)K->n, row + from);
            for (int q = 0; q < some && some < SIX; q++)
                tac_dense_axpy(n, -l[q], row_of(K, p + q) + from, row + from);
        }
    }
}

int tac_block_ldl_factor(tacBlockLu *K) {
    for (int k = 0; k < K->nblock; k++) {
        int first = K->first[K->order[k]], size = K->size[K->order[k]], runs = tac_block_lu_beside(K, k);
        for (int i = first; i < first + size; i++) {
            update_row(K, i, first, i - first, first + size, 0, runs);
            double pivot = row_of(K, i)[i];
            if (!(pivot > 0) || !tac_finite(pivot)) return 0;
            row_of(K, i)[i] = 1 / pivot;
        }
        for (int r = 0; r < runs; r++) {
            int begin = K->run[2 * r], end = begin + K->run[2 * r + 1];
            for (int i = begin; i < end; i++)
                update_row(K, i, first, size, end, r + 1, runs);
        }
    }
    return 1;
}

/* --- Solve -------------------------------------------------------------------------------------------------------- */

/* Columns beside row p of a block that ends at `last`: the block's own (s = -1), then run s. */
typedef struct Columns {
    int from, n;
} Columns;

static Columns beside(const tacBlockLu *K, int p, int last, int s) {
    return s < 0 ? (Columns){p + 1, last - p - 1} : (Columns){K->run[2 * s], K->run[2 * s + 1]};
}

/* y = D^-1 U^-T b:  y_p = b_p/d_p, b_j -= K_pj y_p for j > p */
static void push_row(const tacBlockLu *K, int p, int last, int runs, double *x) {
    const double *row = row_of(K, p);
    x[p] *= row[p];
    for (int s = -1; s < runs; s++) {
        Columns c = beside(K, p, last, s);
        tac_dense_axpy(c.n, -x[p], row + c.from, x + c.from);
    }
}

/* x = U^-1 y:  x_p = y_p - (sum K_pj x_j)/d_p */
static void pull_row(const tacBlockLu *K, int p, int last, int runs, double *x) {
    const double *row = row_of(K, p);
    double sum = 0;
    for (int s = -1; s < runs; s++) {
        Columns c = beside(K, p, last, s);
        sum += tac_dense_dot(c.n, row + c.from, x + c.from);
    }
    x[p] -= row[p] * sum;
}

void tac_block_ldl_solve(tacBlockLu *K, double *x) {
    for (int b = 0; b < K->nblock; b++) {
        int first = K->first[K->order[b]], last = first + K->size[K->order[b]], runs = tac_block_lu_beside(K, b);
        for (int p = first; p < last; p++)
            push_row(K, p, last, runs, x);
    }
    for (int b = K->nblock - 1; b >= 0; b--) {
        int first = K->first[K->order[b]], last = first + K->size[K->order[b]], runs = tac_block_lu_beside(K, b);
        for (int p = last - 1; p >= first; p--)
            pull_row(K, p, last, runs, x);
    }
}

static void push_rows(const tacBlockLu *K, int p, int last, int runs, int k, double *X) {
    const double *row = row_of(K, p);
    double *own = X + (size_t)p * (size_t)k;
    for (int i = 0; i < k; i++)
        own[i] *= row[p];
    for (int s = -1; s < runs; s++) {
        Columns c = beside(K, p, last, s);
        for (int j = c.from; j < c.from + c.n; j++)
            if (row[j] != 0) tac_dense_axpy(k, -row[j], own, X + (size_t)j * (size_t)k);
    }
}

static void pull_rows(const tacBlockLu *K, int p, int last, int runs, int k, double *X) {
    const double *row = row_of(K, p);
    double *own = X + (size_t)p * (size_t)k;
    for (int s = -1; s < runs; s++) {
        Columns c = beside(K, p, last, s);
        for (int j = c.from; j < c.from + c.n; j++)
            if (row[j] != 0) tac_dense_axpy(k, -row[p] * row[j], X + (size_t)j * (size_t)k, own);
    }
}

void tac_block_ldl_solve_many(tacBlockLu *K, int k, double *X) {
    for (int b = 0; b < K->nblock; b++) {
        int first = K->first[K->order[b]], last = first + K->size[K->order[b]], runs = tac_block_lu_beside(K, b);
        for (int p = first; p < last; p++)
            push_rows(K, p, last, runs, k, X);
    }
    for (int b = K->nblock - 1; b >= 0; b--) {
        int first = K->first[K->order[b]], last = first + K->size[K->order[b]], runs = tac_block_lu_beside(K, b);
        for (int p = last - 1; p >= first; p--)
            pull_rows(K, p, last, runs, k, X);
    }
}
