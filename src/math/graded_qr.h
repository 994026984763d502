/* Least squares with rows of very different size, as in interior points. The method is Householder's QR with exchanges
 * of rows and columns [PowellReid1969, CoxHigham1998]. The error of each row is small relative to that row. Forming
 * A^T A would lose every row smaller than 1e-8 times the largest. */
#pragma once

/* A Pc = Pr Q R, m >= n. Column major, so that a column is contiguous. */
typedef struct tacGradedQr {
    int m, n;
    double *A;    /* given: m x n; overwritten: R above the diagonal, reflections below it and on it */
    double *diag; /* given: n, the diagonal of R */
    double *beta; /* given: n, 2 / |v|^2 of each reflection; 0: none */
    int *column;  /* given: n, column j of R is column column[j] of A */
    int *row;     /* given: n, row j was exchanged with row row[j] */
} tacGradedQr;

/* Factors. 0: A has not full rank, or is not finite. */
int tac_graded_factor(tacGradedQr *qr);
/* t (m) -> Q^T Pr^T t, in place; and back. */
void tac_graded_rotate(const tacGradedQr *qr, double *t);
void tac_graded_rotate_back(const tacGradedQr *qr, double *t);
/* w (n) -> x with R Pc^T x = w; w is overwritten. With w the head of a rotated t, x minimizes |A x - t|. */
void tac_graded_upper(const tacGradedQr *qr, double *w, double *x);
/* b (n) -> w with Pc R^T w = b. */
void tac_graded_lower(const tacGradedQr *qr, const double *b, double *w);
