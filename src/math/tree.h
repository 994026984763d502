/* Symmetric matrices with the sparsity of a tree, M = L^T D L without fill   [Featherstone2008, sec. 6.5; math.md, T1].
 *
 * Entry (i, j) is stored only where j is i or an ancestor of i. Row i has depth[i] numbers starting at adr[i]:
 *   (i, i), (i, parent), (i, grandparent), ..., (i, root)
 * so the tail of row i lies beside the whole row of each ancestor, and all inner loops run over contiguous numbers.
 * A factor has the same layout: the strictly lower part of the unit triangular L, and 1/D on the diagonal. */
#pragma once

typedef struct tacTree {
    int n;
    const int *parent; /* n: smaller than the own index; -1 for a root. Any numbering with parents first */
    const int *adr;    /* n: address of (i, i); rows are packed in order, adr[i+1] = adr[i] + depth[i] */
    const int *depth;  /* n: number of ancestors, self included */
} tacTree;

/* A pivot this much smaller than the diagonal entry it comes from has no digits left: the matrix counts as singular. */
#define TAC_TREE_MIN_PIVOT 1e-14

/* L <- factor of M + diag(extra); extra (n) may be NULL. M and L do not overlap. Returns -1, or the index of the first
 * pivot found not positive enough (from the leaves, that is from n - 1 down), and then L is not usable. */
int tac_tree_factor(const tacTree *tree, const double *M, const double *extra, double *L);
/* The same, without extra, of the rows first .. end - 1 of n runs (first, end) alone, in ascending order. Together they
 * have the ancestors of all their rows, and each is as long as can be; other rows of L stay. */
int tac_tree_factor_runs(const tacTree *tree, const double *M, int n, int (*run)[2], double *L);

/* x <- M^-1 x. */
void tac_tree_solve(const tacTree *tree, const double *L, double *x);
/* X <- M^-1 X for X n x k, row major; each column has the bits tac_tree_solve would give it. */
void tac_tree_solve_many(const tacTree *tree, const double *L, int k, double *X);
/* The same for k columns of rows that are ld numbers apart. */
void tac_tree_solve_block(const tacTree *tree, const double *L, int k, int ld, double *X);
/* Its two halves, in the order applied:  X <- L^-T X,  X <- L^-1 D^-1 X. */
void tac_tree_push_many(const tacTree *tree, const double *L, int k, double *X);
void tac_tree_pull_many(const tacTree *tree, const double *L, int k, double *X);
/* X <- M^-1, n x n, rows ld numbers apart; symmetric to the bit. */
void tac_tree_inverse(const tacTree *tree, const double *L, int ld, double *X);
/* Halves of the solve, M^-1 = L^-1 D^-1 L^-T, in the order applied:  x <- L^-T x,  x <- D^-1 x,  x <- L^-1 x. */
void tac_tree_solve_lt(const tacTree *tree, const double *L, double *x);
void tac_tree_solve_d(const tacTree *tree, const double *L, double *x);
void tac_tree_solve_l(const tacTree *tree, const double *L, double *x);
/* x <- L x */
void tac_tree_mul_l(const tacTree *tree, const double *L, double *x);

/* y <- M x; x and y do not overlap. */
void tac_tree_mul(const tacTree *tree, const double *M, const double *x, double *y);
/* Y <- M X, n rows of k numbers each. */
void tac_tree_mul_many(const tacTree *tree, const double *M, int k, const double *X, double *Y);
/* dense (n x n, row major, symmetric) <- M. */
void tac_tree_dense(const tacTree *tree, const double *M, double *dense);
