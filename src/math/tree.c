#include "math/tree.h"

#include "base/error.h"
#include "base/lanes.h"
#include "math/dense.h"
#include "math/tree_strips.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Rows are handled in blocks of up to three consecutive ones, each the parent of the next: k, k+1, k+2 with
 * parent[k+1] = k, parent[k+2] = k+1. They share the ancestors of k, so that one walk up the tree serves the block and
 * every ancestor's row is read and written once; short inner loops cost more by being started than by their length, and
 * there are three to nine times fewer of them. Within a block x0, x1, x2 point into rows k, k+1, k+2 at one common
 * column. Subtractions happen in the order of the plain algorithm, k+2 before k+1 before k.
 *
 * Inner loops are written two numbers at a time, loads before stores, so that compilers use 128-bit registers at -O2.
 * Entries are independent: the bits are those of one at a time. */

/* y -= a x */
static inline void subtract_one(int n, const double *x, double a, double *y) {
    int i = 0;
    for (; i + 2 <= n; i += 2) {
        double u = y[i] - a * x[i], v = y[i + 1] - a * x[i + 1];
        y[i] = u;
        y[i + 1] = v;
    }
    if (i < n) y[i] -= a * x[i];
}

/* y -= a1 x1, then a0 x0 */
static inline void subtract_two(int n, const double *x1, double a1, const double *x0, double a0, double *y) {
    int i = 0;
    for (; i + 2 <= n; i += 2) {
        double u = y[i] - a1 * x1[i] - a0 * x0[i];
        double v = y[i + 1] - a1 * x1[i + 1] - a0 * x0[i + 1];
        y[i] = u;
        y[i + 1] = v;
    }
    if (i < n) y[i] = y[i] - a1 * x1[i] - a0 * x0[i];
}

/* y -= a[2] x2, then a[1] x1, then a[0] x0 */
static inline void subtract_three(int n, const double *x2, const double *x1, const double *x0, const double a[3],
                                  double *y) {
    double a0 = a[0], a1 = a[1], a2 = a[2];
    int i = 0;
    for (; i + 2 <= n; i += 2) {
        double u = y[i] - a2 * x2[i] - a1 * x1[i] - a0 * x0[i];
        double v = y[i + 1] - a2 * x2[i + 1] - a1 * x1[i + 1] - a0 * x0[i + 1];
        y[i] = u;
        y[i + 1] = v;
    }
    if (i < n) y[i] = y[i] - a2 * x2[i] - a1 * x1[i] - a0 * x0[i];
}

/* x1 -= a[2] x2;  x0 -= a[1] x2, then a[0] x1: the columns that the rows of a block share. */
static inline void subtract_within(int n, const double *x2, double *x1, double *x0, const double a[3]) {
    double a10 = a[0], a20 = a[1], a21 = a[2];
    int i = 0;
    for (; i + 2 <= n; i += 2) {
        double u1 = x1[i] - a21 * x2[i], v1 = x1[i + 1] - a21 * x2[i + 1];
        double u0 = x0[i] - a20 * x2[i] - a10 * u1, v0 = x0[i + 1] - a20 * x2[i + 1] - a10 * v1;
        x1[i] = u1;
        x1[i + 1] = v1;
        x0[i] = u0;
        x0[i + 1] = v0;
    }
    if (i < n) {
        x1[i] -= a21 * x2[i];
        x0[i] = x0[i] - a20 * x2[i] - a10 * x1[i];
    }
}

/* --- Factorization: M_ij -= M_ki M_kj / D_k for all ancestors i, j of k, from the last k down   [math.md, T2] ----- */

static bool good_pivot(double pivot, double diagonal) { return pivot > 0 && pivot > TAC_TREE_MIN_PIVOT * diagonal; }

/* Row k becomes a row of L; its ancestors' rows lose its share. diagonal: the entry of M, by which the pivot is judged.
 * Returns -1 or the bad pivot. */
static int eliminate_one(const tacTree *tree, int k, const double *diagonal, double *L) {
    double *x = L + tree->adr[k];
    if (!good_pivot(x[0], diagonal[0])) return k;
    double inverse = 1 / x[0];
    *x++ = inverse;
    int n = tree->depth[k] - 1;
    for (int i = tree->parent[k]; i >= 0; i = tree->parent[i], n--) {
        double a = x[0] * inverse;
        subtract_one(n, x, a, L + tree->adr[i]);
        *x++ = a;
    }
    return -1;
}

/* The same for rows k + 1 and k. */
static int eliminate_two(const tacTree *tree, int k, const double *diagonal, double *L) {
    double *x0 = L + tree->adr[k], *x1 = L + tree->adr[k + 1];
    if (!good_pivot(x1[0], diagonal[1])) return k + 1;
    double inverse1 = 1 / x1[0], a10 = x1[1] * inverse1;
    x0[0] -= a10 * x1[1];
    if (!good_pivot(x0[0], diagonal[0])) return k;
    double inverse0 = 1 / x0[0];
    x1[0] = inverse1;
    x1[1] = a10;
    x0[0] = inverse0;
    x1 += 2;
    x0 += 1;
    int n = tree->depth[k] - 1;
    subtract_one(n, x1, a10, x0);
    for (int i = tree->parent[k]; i >= 0; i = tree->parent[i], n--) {
        double a1 = x1[0] * inverse1, a0 = x0[0] * inverse0;
        subtract_two(n, x1, a1, x0, a0, L + tree->adr[i]);
        *x1++ = a1;
        *x0++ = a0;
    }
    return -1;
}

/* The same for rows k + 2, k + 1 and k. */
static int eliminate_three(const tacTree *tree, int k, const double *diagonal, double *L) {
    double *x0 = L + tree->adr[k], *x1 = L + tree->adr[k + 1], *x2 = L + tree->adr[k + 2];
    if (!good_pivot(x2[0], diagonal[2])) return k + 2;
    double inverse2 = 1 / x2[0], a21 = x2[1] * inverse2, a20 = x2[2] * inverse2;
    x1[0] -= a21 * x2[1];
    x1[1] -= a21 * x2[2];
    x0[0] -= a20 * x2[2];
    if (!good_pivot(x1[0], diagonal[1])) return k + 1;
    double inverse1 = 1 / x1[0], a10 = x1[1] * inverse1;
    x0[0] -= a10 * x1[1];
    if (!good_pivot(x0[0], diagonal[0])) return k;
    double inverse0 = 1 / x0[0];
    x2[0] = inverse2;
    x2[1] = a21;
    x2[2] = a20;
    x1[0] = inverse1;
    x1[1] = a10;
    x0[0] = inverse0;
    x2 += 3;
    x1 += 2;
    x0 += 1;
    int n = tree->depth[k] - 1;
    subtract_within(n, x2, x1, x0, (double[3]){a10, a20, a21});
    for (int i = tree->parent[k]; i >= 0; i = tree->parent[i], n--) {
        const double a[3] = {x0[0] * inverse0, x1[0] * inverse1, x2[0] * inverse2};
        subtract_three(n, x2, x1, x0, a, L + tree->adr[i]);
        *x2++ = a[2];
        *x1++ = a[1];
        *x0++ = a[0];
    }
    return -1;
}

/* L <- M + diag(extra). */
static void copy_matrix(const tacTree *tree, const double *M, const double *extra, double *L) {
    int last = tree->n - 1;
    memcpy(L, M, (size_t)(tree->adr[last] + tree->depth[last]) * sizeof(double));
    if (extra == NULL) return;
    for (int i = 0; i < tree->n; i++)
        L[tree->adr[i]] += extra[i];
}

/* Rows end - 1 down to first of L, which has those of M: -1, or the first bad pivot's. */
static int eliminate_rows(const tacTree *tree, const double *M, const double *extra, int first, int end, double *L) {
    int bad = -1;
    for (int last = end - 1; last >= first && bad < 0;) {
        int count = tac_tree_rows_ending(tree, last), k = last - count + 1;
        double diagonal[3];
        for (int s = 0; s < count; s++)
            diagonal[s] = M[tree->adr[k + s]] + (extra != NULL ? extra[k + s] : 0);
        if (count == 3)
            bad = eliminate_three(tree, k, diagonal, L);
        else if (count == 2)
            bad = eliminate_two(tree, k, diagonal, L);
        else
            bad = eliminate_one(tree, k, diagonal, L);
        last = k - 1;
    }
    return bad;
}

int tac_tree_factor(const tacTree *tree, const double *M, const double *extra, double *L) {
    if (tree->n == 0) return -1;
    TAC_ASSERT(L != M);
    copy_matrix(tree, M, extra, L);
    return eliminate_rows(tree, M, extra, 0, tree->n, L);
}

int tac_tree_factor_runs(const tacTree *tree, const double *M, int n, int (*run)[2], double *L) {
    int bad = -1;
    for (int r = 0; r < n; r++) {
        int from = tree->adr[run[r][0]], last = run[r][1] - 1;
        memcpy(L + from, M + from, (size_t)(tree->adr[last] + tree->depth[last] - from) * sizeof *L);
    }
    for (int r = n - 1; r >= 0 && bad < 0; r--)
        bad = eliminate_rows(tree, M, NULL, run[r][0], run[r][1], L);
    return bad;
}

/* --- x <- L^-T x: x_i -= L_ki x_k for all ancestors i of k, from the last k to the first   [math.md, T3] ---------- */

void tac_tree_solve_lt(const tacTree *tree, const double *L, double *x) {
    const int *parent = tree->parent;
    for (int last = tree->n - 1; last >= 0;) {
        int count = tac_tree_rows_ending(tree, last), k = last - count + 1, i = parent[k];
        const double *x0 = L + tree->adr[k] + 1;
        if (count == 1) {
            double a = x[k];
            for (; i >= 0; i = parent[i])
                x[i] -= *x0++ * a;
        } else if (count == 2) {
            const double *x1 = L + tree->adr[k + 1] + 1;
            double a1 = x[k + 1], a0 = x[k] - *x1++ * a1;
            x[k] = a0;
            for (; i >= 0; i = parent[i])
                x[i] = x[i] - *x1++ * a1 - *x0++ * a0;
        } else {
            const double *x1 = L + tree->adr[k + 1] + 1, *x2 = L + tree->adr[k + 2] + 1;
            double a2 = x[k + 2], a1 = x[k + 1] - *x2++ * a2;
            double a0 = x[k] - *x2++ * a2 - *x1++ * a1;
            x[k + 1] = a1;
            x[k] = a0;
            for (; i >= 0; i = parent[i])
                x[i] = x[i] - *x2++ * a2 - *x1++ * a1 - *x0++ * a0;
        }
        last = k - 1;
    }
}

void tac_tree_solve_d(const tacTree *tree, const double *L, double *x) {
    for (int k = 0; k < tree->n; k++)
        x[k] *= L[tree->adr[k]];
}

/* --- x <- L^-1 x: x_k -= sum_i L_ki x_i over the ancestors i of k, from the first k to the last   [math.md, T4].
 * Terms in this order: the ancestors of the block, nearest first, then the rows of the block itself. --------------- */

void tac_tree_solve_l(const tacTree *tree, const double *L, double *x) {
    const int *parent = tree->parent;
    for (int k = 0; k < tree->n;) {
        int count = tac_tree_rows_beginning(tree, k), i = parent[k];
        const double *x0 = L + tree->adr[k] + 1;
        double y0 = x[k];
        if (count == 1) {
            for (; i >= 0; i = parent[i])
                y0 -= *x0++ * x[i];
        } else if (count == 2) {
            const double *x1 = L + tree->adr[k + 1] + 1;
            const double a10 = *x1++;
            double y1 = x[k + 1];
            for (; i >= 0; i = parent[i]) {
                y1 -= *x1++ * x[i];
                y0 -= *x0++ * x[i];
            }
            x[k + 1] = y1 - a10 * y0;
        } else {
            const double *x1 = L + tree->adr[k + 1] + 1, *x2 = L + tree->adr[k + 2] + 1;
            const double a10 = *x1++, a21 = *x2++, a20 = *x2++;
            double y1 = x[k + 1], y2 = x[k + 2];
            for (; i >= 0; i = parent[i]) {
                y2 -= *x2++ * x[i];
                y1 -= *x1++ * x[i];
                y0 -= *x0++ * x[i];
            }
            y1 -= a10 * y0;
            x[k + 1] = y1;
            x[k + 2] = y2 - a20 * y0 - a21 * y1;
        }
        x[k] = y0;
        k += count;
    }
}

/* x_k += sum_i L_ki x_i over the ancestors i of k, from the last k to the first. */
void tac_tree_mul_l(const tacTree *tree, const double *L, double *x) {
    for (int k = tree->n - 1; k >= 0; k--) {
        const double *l = L + tree->adr[k] + 1;
        for (int i = tree->parent[k]; i >= 0; i = tree->parent[i])
            x[k] += *l++ * x[i];
    }
}

void tac_tree_solve(const tacTree *tree, const double *L, double *x) {
    tac_tree_solve_lt(tree, L, x);
    tac_tree_solve_d(tree, L, x);
    tac_tree_solve_l(tree, L, x);
}

/* --- n x k right sides ------------------------------------------------------------------------------------------- */

static void solve_strips(const tacTree *tree, const double *L, tacStrips job) {
    if (tac_has_wide())
        tac_tree_strips_wide(tree, L, job);
    else
        tac_tree_strips_narrow(tree, L, job);
}

void tac_tree_solve_block(const tacTree *tree, const double *L, int k, int ld, double *X) {
    solve_strips(tree, L, (tacStrips){X, ld, k, 0, TAC_PASS_BOTH});
}

void tac_tree_solve_many(const tacTree *tree, const double *L, int k, double *X) {
    tac_tree_solve_block(tree, L, k, k, X);
}

void tac_tree_push_many(const tacTree *tree, const double *L, int k, double *X) {
    solve_strips(tree, L, (tacStrips){X, k, k, 0, TAC_PASS_PUSH});
}

void tac_tree_pull_many(const tacTree *tree, const double *L, int k, double *X) {
    solve_strips(tree, L, (tacStrips){X, k, k, 0, TAC_PASS_PULL});
}

/* The same on the identity, of which L^-T keeps the upper triangle; below it the inverse is that above. */
void tac_tree_inverse(const tacTree *tree, const double *L, int ld, double *X) {
    size_t n = (size_t)tree->n, width = (size_t)ld;
    for (size_t i = 0; i < n; i++) {
        memset(X + i * width, 0, n * sizeof(double));
        X[i * width + i] = 1;
    }
    solve_strips(tree, L, (tacStrips){X, ld, tree->n, 1, TAC_PASS_BOTH});
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < i; j++)
            X[i * width + j] = X[j * width + i];
}

/* --- Products --------------------------------------------------------------------------------------------------- */

void tac_tree_mul(const tacTree *tree, const double *M, const double *x, double *y) {
    for (int i = 0; i < tree->n; i++)
        y[i] = 0;
    for (int k = 0; k < tree->n; k++) {
        const double *entry = M + tree->adr[k];
        double xk = x[k], sum = *entry++ * xk;
        for (int i = tree->parent[k]; i >= 0; i = tree->parent[i]) {
            double a = *entry++;
            sum += a * x[i];
            y[i] += a * xk;
        }
        y[k] += sum;
    }
}

void tac_tree_mul_many(const tacTree *tree, const double *M, int k, const double *X, double *Y) {
    for (size_t i = 0; i < (size_t)tree->n * (size_t)k; i++)
        Y[i] = 0;
    for (int i = 0; i < tree->n; i++) {
        const double *row = M + tree->adr[i];
        double *yi = Y + (size_t)i * (size_t)k;
        const double *xi = X + (size_t)i * (size_t)k;
        tac_dense_axpy(k, *row, xi, yi);
        for (int j = tree->parent[i]; j >= 0; j = tree->parent[j]) {
            double a = *++row;
            if (a == 0) continue;
            tac_dense_axpy(k, a, X + (size_t)j * (size_t)k, yi);
            tac_dense_axpy(k, a, xi, Y + (size_t)j * (size_t)k);
        }
    }
}

void tac_tree_dense(const tacTree *tree, const double *M, double *dense) {
    size_t n = (size_t)tree->n;
    for (size_t i = 0; i < n * n; i++)
        dense[i] = 0;
    for (int k = 0; k < tree->n; k++) {
        const double *entry = M + tree->adr[k];
        for (int i = k; i >= 0; i = tree->parent[i], entry++) {
            dense[(size_t)k * n + (size_t)i] = *entry;
            dense[(size_t)i * n + (size_t)k] = *entry;
        }
    }
}
