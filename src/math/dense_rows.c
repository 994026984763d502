/* Sums of many rows, by strips of columns held in registers; the bits are those of one row after another. */
#include "base/lanes.h"
#include "math/dense.h"

#include <stddef.h>

typedef double Two __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef double Four __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));

/* The columns from `first` on, two at a time and then one. */
static void add_columns(int first, int n, int count, const double *c, const int *row, const double *X, double scale,
                        double *y) {
    int j = first;
    for (; j + 2 <= n; j += 2) {
        Two *to = (Two *)(void *)(y + j), a = to[0];
        for (int e = 0; e < count; e++)
            a += c[e] * *(const Two *)(const void *)(X + (size_t)row[e] * (size_t)n + (size_t)j);
        to[0] = scale * a;
    }
    if (j == n) return;
    double sum = y[j];
    for (int e = 0; e < count; e++)
        sum += c[e] * X[(size_t)row[e] * (size_t)n + (size_t)j];
    y[j] = scale * sum;
}

void tac_dense_add_rows_narrow(int n, int count, const double *c, const int *row, const double *X, double scale,
                               double *y) {
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        Two *to = (Two *)(void *)(y + j), a = to[0], b = to[1];
        for (int e = 0; e < count; e++) {
            const Two *x = (const Two *)(const void *)(X + (size_t)row[e] * (size_t)n + (size_t)j);
            a += c[e] * x[0];
            b += c[e] * x[1];
        }
        to[0] = scale * a;
        to[1] = scale * b;
    }
    add_columns(j, n, count, c, row, X, scale, y);
}

/* Four columns from `first` on, of which y was `before`. */
TAC_WIDE static inline void add_four(int first, Four before, int n, int count, const double *c, const int *row,
                                     const double *X, double scale, double *y) {
    for (int e = 0; e < count; e++)
        before += c[e] * *(const Four *)(const void *)(X + (size_t)row[e] * (size_t)n + (size_t)first);
    *(Four *)(void *)(y + first) = scale * before;
}

/* Columns left over after strips of eight and four: the last four are computed as one strip. Some of them are computed
 * twice, from their values before, and so with the same bits. */
TAC_WIDE static void add_wide(int n, int count, const double *c, const int *row, const double *X, double scale,
                              double *y) {
    int j = 0;
    if (n < 4) {
        add_columns(0, n, count, c, row, X, scale, y);
        return;
    }
    Four last = *(const Four *)(const void *)(y + n - 4);
    for (; j + 8 <= n; j += 8) {
        Four *to = (Four *)(void *)(y + j), a = to[0], b = to[1];
        for (int e = 0; e < count; e++) {
            const Four *x = (const Four *)(const void *)(X + (size_t)row[e] * (size_t)n + (size_t)j);
            a += c[e] * x[0];
            b += c[e] * x[1];
        }
        to[0] = scale * a;
        to[1] = scale * b;
    }
    if (j + 4 <= n) {
        add_four(j, *(const Four *)(const void *)(y + j), n, count, c, row, X, scale, y);
        j += 4;
    }
    if (j < n) add_four(n - 4, last, n, count, c, row, X, scale, y);
}

void tac_dense_add_rows(int n, int count, const double *c, const int *row, const double *X, double scale, double *y) {
    if (count == 0 && scale == 1) return;
    if (tac_has_wide())
        add_wide(n, count, c, row, X, scale, y);
    else
        tac_dense_add_rows_narrow(n, count, c, row, X, scale, y);
}

/* --- Four sums at once -------------------------------------------------------------------------------------------- */

/* Columns whose sums stay in registers. */
enum { BLOCK = 8 };

#define INLINE static inline __attribute__((always_inline))

/* `wide` (1 or 2) times four columns from j on, of all four sums; terms of the rows listed. */
INLINE void add_block(int j, int wide, int n, const int *rows, const double *c, const double *X, double *Y, int ld) {
    Four sum[4][2];
    for (int k = 0; k < 4; k++)
        for (int s = 0; s < wide; s++)
            sum[k][s] = *(const Four *)(const void *)(Y + k * ld + j + 4 * s);
    for (int e = 1; e <= rows[0]; e++) {
        const double *x = X + (size_t)rows[e] * (size_t)n + (size_t)j, *of = c + 4 * rows[e];
        for (int s = 0; s < wide; s++)
            for (int k = 0; k < 4; k++)
                sum[k][s] += of[k] * *(const Four *)(const void *)(x + 4 * s);
    }
    for (int k = 0; k < 4; k++)
        for (int s = 0; s < wide; s++)
            *(Four *)(void *)(Y + k * ld + j + 4 * s) = sum[k][s];
}

/* One column, the four sums side by side. */
INLINE void add_column(int j, int n, const int *rows, const double *c, const double *X, double *Y, int ld) {
    Four sum = {Y[j], Y[ld + j], Y[2 * ld + j], Y[3 * ld + j]};
    for (int e = 1; e <= rows[0]; e++)
        sum += X[(size_t)rows[e] * (size_t)n + (size_t)j] * *(const Four *)(const void *)(c + 4 * rows[e]);
    for (int k = 0; k < 4; k++)
        Y[k * ld + j] = sum[k];
}

INLINE void add_to_four(int n, int count, const int *rows, const double *c, const double *X, double *Y, int ld) {
    int j = 0;
    for (; j + BLOCK <= n; j += BLOCK, rows += count + 1)
        add_block(j, 2, n, rows, c, X, Y, ld);
    for (; j + 4 <= n; j += 4)
        add_block(j, 1, n, rows, c, X, Y, ld);
    for (; j < n; j++)
        add_column(j, n, rows, c, X, Y, ld);
}

TAC_WIDE static void add_to_four_wide(int n, int count, const int *rows, const double *c, const double *X, double *Y,
                                      int ld) {
    add_to_four(n, count, rows, c, X, Y, ld);
}

void tac_dense_add_to_four_narrow(int n, int count, const int *rows, const double *c, const double *X, double *Y,
                                  int ld) {
    add_to_four(n, count, rows, c, X, Y, ld);
}

void tac_dense_add_to_four(int n, int count, const int *rows, const double *c, const double *X, double *Y, int ld) {
    if (tac_has_wide())
        add_to_four_wide(n, count, rows, c, X, Y, ld);
    else
        tac_dense_add_to_four_narrow(n, count, rows, c, X, Y, ld);
}

size_t tac_dense_block_rows_size(int n, int count) { return (size_t)((n + BLOCK - 1) / BLOCK) * (size_t)(count + 1); }

static int is_zero(int n, const double *x) {
    for (int i = 0; i < n; i++)
        if (x[i] != 0) return 0;
    return 1;
}

void tac_dense_block_rows(int n, int count, const double *X, int *rows) {
    for (int j = 0; j < n; j += BLOCK, rows += count + 1) {
        int wide = n - j < BLOCK ? n - j : BLOCK;
        rows[0] = 0;
        for (int e = 0; e < count; e++)
            if (!is_zero(wide, X + (size_t)e * (size_t)n + (size_t)j)) rows[++rows[0]] = e;
    }
}
