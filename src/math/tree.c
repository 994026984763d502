#include "math/tree.h"

#include <string.h>

/* y[n] -= a x[n] */
static void subtract_row(int n, double a, const double *restrict x, double *restrict y) {
    for (int i = 0; i < n; i++)
        y[i] -= a * x[i];
}

/* Row k is final: takes what it owes from the rows of its ancestors i, M_ij -= M_ki M_kj / D_k, and becomes a row of L. */
static void eliminate(const tacTree *tree, int k, double inverse, double *L) {
    double *row = L + tree->adr[k];
    int n = tree->depth[k];
    int i = tree->parent[k];
    for (int m = 1; m < n; m++) {
        double a = row[m] * inverse;
        subtract_row(n - m, a, row + m, L + tree->adr[i]);
        row[m] = a;
        i = tree->parent[i];
    }
    row[0] = inverse;
}

int tac_tree_factor(const tacTree *tree, const double *M, const double *extra, double *L) {
    for (int i = 0; i < tree->n; i++) {
        memcpy(L + tree->adr[i], M + tree->adr[i], (size_t)tree->depth[i] * sizeof(double));
        if (extra != NULL) L[tree->adr[i]] += extra[i];
    }
    for (int k = tree->n - 1; k >= 0; k--) {
        double diagonal = M[tree->adr[k]] + (extra != NULL ? extra[k] : 0), pivot = L[tree->adr[k]];
        if (!(pivot > 0) || !(pivot > TAC_TREE_MIN_PIVOT * diagonal)) return k;
        eliminate(tree, k, 1 / pivot, L);
    }
    return -1;
}

void tac_tree_solve_lt(const tacTree *tree, const double *L, double *x) {
    for (int k = tree->n - 1; k >= 0; k--) {
        const double *entry = L + tree->adr[k];
        for (int i = tree->parent[k]; i >= 0; i = tree->parent[i])
            x[i] -= *++entry * x[k];
    }
}

void tac_tree_solve_d(const tacTree *tree, const double *L, double *x) {
    for (int k = 0; k < tree->n; k++)
        x[k] *= L[tree->adr[k]];
}

void tac_tree_solve_l(const tacTree *tree, const double *L, double *x) {
    for (int k = 0; k < tree->n; k++) {
        const double *entry = L + tree->adr[k];
        double sum = x[k];
        for (int i = tree->parent[k]; i >= 0; i = tree->parent[i])
            sum -= *++entry * x[i];
        x[k] = sum;
    }
}

void tac_tree_solve(const tacTree *tree, const double *L, double *x) {
    tac_tree_solve_lt(tree, L, x);
    tac_tree_solve_d(tree, L, x);
    tac_tree_solve_l(tree, L, x);
}

void tac_tree_solve_many(const tacTree *tree, const double *L, int nrhs, double *X) {
    size_t width = (size_t)nrhs;
    for (int k = tree->n - 1; k >= 0; k--) {
        const double *entry = L + tree->adr[k];
        for (int i = tree->parent[k]; i >= 0; i = tree->parent[i])
            subtract_row(nrhs, *++entry, X + (size_t)k * width, X + (size_t)i * width);
    }
    for (int k = 0; k < tree->n; k++) {
        const double *entry = L + tree->adr[k];
        double *row = X + (size_t)k * width;
        for (int c = 0; c < nrhs; c++)
            row[c] *= *entry;
        for (int i = tree->parent[k]; i >= 0; i = tree->parent[i])
            subtract_row(nrhs, *++entry, X + (size_t)i * width, row);
    }
}

void tac_tree_mul(const tacTree *tree, const double *M, const double *x, double *y) {
    for (int i = 0; i < tree->n; i++)
        y[i] = 0;
    for (int k = 0; k < tree->n; k++) {
        const double *entry = M + tree->adr[k];
        double sum = *entry * x[k];
        for (int i = tree->parent[k]; i >= 0; i = tree->parent[i]) {
            sum += *++entry * x[i];
            y[i] += *entry * x[k];
        }
        y[k] += sum;
    }
}

void tac_tree_dense(const tacTree *tree, const double *M, double *dense) {
    size_t n = (size_t)tree->n;
    memset(dense, 0, n * n * sizeof(double));
    for (int k = 0; k < tree->n; k++) {
        const double *entry = M + tree->adr[k];
        for (int i = k; i >= 0; i = tree->parent[i], entry++) {
            dense[(size_t)k * n + (size_t)i] = *entry;
            dense[(size_t)i * n + (size_t)k] = *entry;
        }
    }
}
