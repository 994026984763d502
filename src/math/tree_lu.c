#include "math/tree_lu.h"

#include "math/dense.h"
#include "math/scalar.h"

#include <stddef.h>

/* --- Factorization: A_ij -= (A_ik / A_kk) A_kj for all ancestors i, j of k, from the last k down   [math.md, T5] -- */

/* Row and column k become those of L and U; the ancestors' entries lose their share. Row i of the lower part takes the
 * ancestors j at or above i, column i of the upper one those above: both lie beside the rest of row and column k. */
static void eliminate(const tacTree *tree, int k, double *lower, double *upper) {
    double *row = lower + tree->adr[k], *column = upper + tree->adr[k], inverse = 1 / row[0];
    int n = tree->depth[k];
    for (int t = 1; t < n; t++)
        column[t] *= inverse;
    for (int t = 1, i = tree->parent[k]; i >= 0; i = tree->parent[i], t++) {
        tac_dense_axpy(n - t, -column[t], row + t, lower + tree->adr[i]);
        tac_dense_axpy(n - t - 1, -row[t], column + t + 1, upper + tree->adr[i] + 1);
    }
    row[0] = inverse;
}

/* The pivot is judged by the diagonal entry of A that it comes from, kept in the unused number of the upper column. */
int tac_tree_lu_factor(const tacTree *tree, double *lower, double *upper) {
    for (int k = 0; k < tree->n; k++)
        upper[tree->adr[k]] = lower[tree->adr[k]];
    for (int k = tree->n - 1; k >= 0; k--) {
        double pivot = lower[tree->adr[k]], diagonal = upper[tree->adr[k]];
        if (!(tac_abs(pivot) > TAC_TREE_MIN_PIVOT * tac_abs(diagonal))) return k;
        eliminate(tree, k, lower, upper);
    }
    return -1;
}

/* --- Solves: A^-1 = L^-1 U^-1, A^-T = U^-T L^-T ------------------------------------------------------------------- */

void tac_tree_lu_solve(const tacTree *tree, const double *lower, const double *upper, double *x) {
    for (int r = tree->n - 1; r >= 0; r--) { /* U^-1 */
        const double *entry = upper + tree->adr[r] + 1;
        for (int i = tree->parent[r]; i >= 0; i = tree->parent[i])
            x[i] -= *entry++ * x[r];
    }
    for (int r = 0; r < tree->n; r++) { /* L^-1 */
        const double *entry = lower + tree->adr[r] + 1;
        double inverse = entry[-1];
        for (int i = tree->parent[r]; i >= 0; i = tree->parent[i])
            x[r] -= *entry++ * x[i];
        x[r] *= inverse;
    }
}

void tac_tree_lu_solve_many(const tacTree *tree, const double *lower, const double *upper, int k, double *X) {
    size_t width = (size_t)k;
    for (int r = tree->n - 1; r >= 0; r--) { /* U^-1 */
        const double *entry = upper + tree->adr[r] + 1;
        for (int i = tree->parent[r]; i >= 0; i = tree->parent[i])
            tac_dense_axpy(k, -*entry++, X + (size_t)r * width, X + (size_t)i * width);
    }
    for (int r = 0; r < tree->n; r++) { /* L^-1 */
        const double *entry = lower + tree->adr[r] + 1;
        double *row = X + (size_t)r * width, inverse = entry[-1];
        for (int i = tree->parent[r]; i >= 0; i = tree->parent[i])
            tac_dense_axpy(k, -*entry++, X + (size_t)i * width, row);
        for (int c = 0; c < k; c++)
            row[c] *= inverse;
    }
}

void tac_tree_lu_solve_transposed(const tacTree *tree, const double *lower, const double *upper, double *x) {
    for (int r = tree->n - 1; r >= 0; r--) { /* L^-T */
        const double *entry = lower + tree->adr[r] + 1;
        x[r] *= entry[-1];
        for (int i = tree->parent[r]; i >= 0; i = tree->parent[i])
            x[i] -= *entry++ * x[r];
    }
    for (int r = 0; r < tree->n; r++) { /* U^-T */
        const double *entry = upper + tree->adr[r] + 1;
        for (int i = tree->parent[r]; i >= 0; i = tree->parent[i])
            x[r] -= *entry++ * x[i];
    }
}
