/* Rows of six numbers and blocks of six rows, the algebra of spatial vectors as plain arrays: sizes that the compiler
 * knows, two numbers at a time. */
#pragma once

#include <string.h>

typedef double tacTwo __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));

/* y += s x */
static inline void tac_six_axpy(double s, const double *x, double *y) {
    tacTwo *to = (tacTwo *)(void *)y;
    const tacTwo *from = (const tacTwo *)(const void *)x;
    to[0] += s * from[0];
    to[1] += s * from[1];
    to[2] += s * from[2];
}

/* a . b */
static inline double tac_six_dot(const double *a, const double *b) {
    const tacTwo *x = (const tacTwo *)(const void *)a, *y = (const tacTwo *)(const void *)b;
    tacTwo sum = (x[0] * y[0] + x[1] * y[1]) + x[2] * y[2];
    return sum[0] + sum[1];
}

/* y = A x */
static inline void tac_six_mulv(const double *A, const double *x, double *y) {
    for (int i = 0; i < 6; i++)
        y[i] = tac_six_dot(A + 6 * i, x);
}

/* y += s A^T x */
static inline void tac_six_add_multv(double s, const double *A, const double *x, double *y) {
    for (int i = 0; i < 6; i++)
        tac_six_axpy(s * x[i], A + 6 * i, y);
}

/* y = A^T x */
static inline void tac_six_multv(const double *A, const double *x, double *y) {
    memset(y, 0, 6 * sizeof *y);
    tac_six_add_multv(1, A, x, y);
}

/* B += s A, of blocks */
static inline void tac_six_add_block(double s, const double *A, double *B) {
    for (int i = 0; i < 6; i++)
        tac_six_axpy(s, A + 6 * i, B + 6 * i);
}
