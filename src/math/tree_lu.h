/* Matrices with the pattern of a tree (math/tree.h) that are not symmetric, A = U L without fill and without pivoting:
 * leaves are eliminated first   [math.md, T5].
 *
 * Two arrays of the layout of tree.h: `lower` has row i up to the diagonal, (i, i), (i, parent), ..., (i, root);
 * `upper` has column i above it, ., (parent, i), ..., (root, i), its first number unused. A factor has the same layout:
 * L in lower with the inverse of its diagonal, the strictly upper part of the unit triangular U in upper. */
#pragma once

#include "math/tree.h"

/* A -> its factor, in place. Returns -1, or the index of the first pivot (from n - 1 down) that is not larger than
 * TAC_TREE_MIN_PIVOT times the diagonal entry it comes from, in absolute value; then the factor is not usable. */
int tac_tree_lu_factor(const tacTree *tree, double *lower, double *upper);
/* x <- A^-1 x */
void tac_tree_lu_solve(const tacTree *tree, const double *lower, const double *upper, double *x);
/* X <- A^-1 X for X n x k, row major; each column has the bits tac_tree_lu_solve would give it. */
void tac_tree_lu_solve_many(const tacTree *tree, const double *lower, const double *upper, int k, double *X);
/* x <- A^-T x */
void tac_tree_lu_solve_transposed(const tacTree *tree, const double *lower, const double *upper, double *x);
