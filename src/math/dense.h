/* Small dense matrices: row major, pointer plus size. Nothing allocates; outputs overlap no input unless said.
 * Sums run in a fixed order that the source spells out, so every compiler gives the same bits. */
#pragma once

#include <stddef.h>

/* A pivot this much smaller than the numbers it was computed from has no digits left. */
#define TAC_DENSE_MIN_PIVOT 1e-14
/* Default rank tolerance of tac_qr_factor, times max(m, n), relative to the largest diagonal entry of R: 2^-52. */
#define TAC_DENSE_RANK_TOL 2.220446049250313e-16

/* --- Products (dense.c) ---------------------------------------------------------------------------------------- */

/* a . b, four interleaved partial sums. */
double tac_dense_dot(int n, const double *a, const double *b);
/* Largest |x_i|; 0 of none. */
double tac_dense_largest(int n, const double *x);
/* y += s x */
void tac_dense_axpy(int n, double s, const double *x, double *y);
/* y += s[0] x, z += s[1] x */
void tac_dense_axpy_two(int n, const double s[2], const double *x, double *y, double *z);
/* y <- scale (y + sum_e c[e] X_row[e]), terms in this order; X has rows of n numbers. (dense_rows.c) */
void tac_dense_add_rows(int n, int count, const double *c, const int *row, const double *X, double scale, double *y);
/* The same without wide registers, with the same bits. */
void tac_dense_add_rows_narrow(int n, int count, const double *c, const int *row, const double *X, double scale,
                               double *y);
/* Four sums at once: row k of Y (4 rows, ld apart) += sum_e c[4 e + k] X_e, terms in this order, without those of
 * zeros. rows: of tac_dense_block_rows. (dense_rows.c) */
void tac_dense_add_to_four(int n, int count, const int *rows, const double *c, const double *X, double *Y, int ld);
/* The same without wide registers, with the same bits. */
void tac_dense_add_to_four_narrow(int n, int count, const int *rows, const double *c, const double *X, double *Y,
                                  int ld);
/* Rows of X (count, of n numbers) that are not zero within each block of columns: how many, then which. Length of that
 * list. */
void tac_dense_block_rows(int n, int count, const double *X, int *rows);
size_t tac_dense_block_rows_size(int n, int count);
/* Lines e and e + 1 of A^T X, from column e on (what is left of it in `out`, 2 x ld, is of no use). A, X: count rows of
 * ld numbers, a multiple of eight. (dense_lines.c) */
void tac_dense_two_lines(int count, int ld, int e, const double *A, const double *X, double *out);
/* The same without wide registers, with the same bits. */
void tac_dense_two_lines_narrow(int count, int ld, int e, const double *A, const double *X, double *out);
/* y = A x, A m x n */
void tac_dense_mulv(int m, int n, const double *A, const double *x, double *y);
/* y = A^T x, A m x n */
void tac_dense_multv(int m, int n, const double *A, const double *x, double *y);
/* C = A B, A m x k, B k x n */
void tac_dense_mul(int m, int k, int n, const double *A, const double *B, double *C);
/* C = A^T B, A k x m, B k x n */
void tac_dense_mulat(int m, int k, int n, const double *A, const double *B, double *C);
/* C = A B^T, A m x k, B n x k */
void tac_dense_mulbt(int m, int k, int n, const double *A, const double *B, double *C);
/* At (n x m) = A^T, A m x n */
void tac_dense_transpose(int m, int n, const double *A, double *At);

/* --- Cholesky, A = L L^T (dense.c) ------------------------------------------------------------------------------ */

/* A (n x n) -> L in its lower triangle; the upper one is neither read nor written. Returns -1, or the first row whose
 * pivot is below TAC_DENSE_MIN_PIVOT times its diagonal entry: not positive definite, and L is not usable. */
int tac_cholesky_factor(int n, double *A);
/* x <- A^-1 x */
void tac_cholesky_solve(int n, const double *L, double *x);
/* X <- A^-1 X, X n x k. */
void tac_cholesky_solve_many(int n, const double *L, int k, double *X);

/* --- L D L^T of a symmetric, indefinite matrix (dense_ldl.c) ---------------------------------------------------- */

/* Bunch-Kaufman: P A P^T = L D L^T with blocks of one and two on the diagonal of D. Reads and writes the lower triangle
 * of A (n x n). pivot (n): see dense_ldl.c; work (n). Returns -1, or the first row whose pivot is below
 * TAC_DENSE_MIN_PIVOT times the largest entry of its row in A. The factor is complete in either case: the caller
 * decides whether it is good enough. A pivot of exactly zero makes that component of a solution zero. */
int tac_ldl_factor(int n, double *A, int *pivot, double *work);
/* x <- A^-1 x */
void tac_ldl_solve(int n, const double *A, const int *pivot, double *x);
/* Number of negative eigenvalues, by Sylvester's law of inertia. */
int tac_ldl_negative(int n, const double *A, const int *pivot);

/* --- L U with partial pivoting (dense_lu.c) --------------------------------------------------------------------- */

/* P A = L U in place; row k was exchanged with row pivot[k] >= k. work (n). Returns -1, or the first column whose pivot
 * is below TAC_DENSE_MIN_PIVOT times the largest entry of the column in A; complete in either case, as above. */
int tac_lu_factor(int n, double *A, int *pivot, double *work);
/* x <- A^-1 x */
void tac_lu_solve(int n, const double *LU, const int *pivot, double *x);
/* X <- A^-1 X, X n x k. work, index (n each). */
void tac_lu_solve_many(int n, const double *LU, const int *pivot, int k, double *X, double *work, int *index);
/* x <- A^-T x */
void tac_lu_solve_transposed(int n, const double *LU, const int *pivot, double *x);

/* --- Q R with column pivoting and rank detection (dense_qr.c) --------------------------------------------------- */

/* A P = Q [T 0; 0 0] Z: Q and Z are products of Householder reflections, T is rank x rank and upper triangular. */
typedef struct tacQr {
    int m, n;             /* given */
    double *A;            /* given: m x n, overwritten by the factors */
    double *left, *right; /* given: min(m, n) each, scales of the reflections in Q and Z */
    int *column;          /* given: n, column j of A P is column column[j] of A */
    double *work;         /* given: m + n, overwritten by every call */
    int rank;             /* found */
} tacQr;

/* Factors; the rank is the number of diagonal entries of R above tol times the first, tol <= 0 for the default
 * TAC_DENSE_RANK_TOL max(m, n). Returns the rank. */
int tac_qr_factor(tacQr *qr, double tol);
/* b (m) -> x (n): the shortest of the vectors that minimize |A x - b| (docs/theory/math.md, LS1). */
void tac_qr_solve(const tacQr *qr, const double *b, double *x);
/* The transposed map: x (n) -> b (m). */
void tac_qr_solve_transposed(const tacQr *qr, const double *x, double *b);
