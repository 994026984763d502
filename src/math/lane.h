/* Several right sides side by side: every number of an algorithm is a Lane of LANES doubles, one for each right side.
 * Included by files that define LANES (1 or 4), and LANE_WIDE where functions are compiled for 256-bit registers
 * (base/lanes.h). No operation mixes right sides, and bits do not depend on LANE_WIDE. */
#pragma once

#include "base/lanes.h"
#include "math/six.h"

#include <stddef.h>

#if LANES == 1
typedef double Lane;
#else
typedef double Lane __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));
#endif
#ifdef LANE_WIDE
#define LANE_TARGET TAC_WIDE
#else
#define LANE_TARGET
#endif
#define LANE_INLINE LANE_TARGET static inline __attribute__((always_inline))
/* Calls that are always inlined have no binary interface that could change. */
#pragma GCC diagnostic ignored "-Wpsabi"

/* Numbers of right side k, as doubles LANES apart. */
LANE_INLINE const double *lane_of(const Lane *x, int k) { return (const double *)(const void *)x + k; }

LANE_INLINE void lane_zero(int n, Lane *x) {
    for (int i = 0; i < n; i++)
        x[i] = (Lane){0};
}

/* Largest |x_i| of each right side. */
LANE_INLINE void lane_largest(int n, const Lane *x, double most[LANES]) {
    const double *at = lane_of(x, 0);
    for (int k = 0; k < LANES; k++)
        most[k] = 0;
    for (int i = 0; i < n; i++, at += LANES)
        for (int k = 0; k < LANES; k++) {
            double size = at[k] < 0 ? -at[k] : at[k];
            most[k] = size > most[k] ? size : most[k];
        }
}

/* a . x, y += s a, y += x, of six numbers; the terms of the first as in math/six.h. */
#if LANES == 1
LANE_INLINE Lane lane_dot6(const double *a, const Lane *x) { return tac_six_dot(a, x); }
LANE_INLINE void lane_axpy6(Lane s, const double *a, Lane *y) { tac_six_axpy(s, a, y); }
LANE_INLINE void lane_add6(const Lane *x, Lane *y) { tac_six_axpy(1, x, y); }
#else
LANE_INLINE Lane lane_dot6(const double *a, const Lane *x) {
    return ((a[0] * x[0] + a[2] * x[2]) + a[4] * x[4]) + ((a[1] * x[1] + a[3] * x[3]) + a[5] * x[5]);
}
LANE_INLINE void lane_axpy6(Lane s, const double *a, Lane *y) {
    for (int i = 0; i < 6; i++)
        y[i] += s * a[i];
}
LANE_INLINE void lane_add6(const Lane *x, Lane *y) {
    for (int i = 0; i < 6; i++)
        y[i] += x[i];
}
#endif

/* y += s A^T x, of a block of six rows. The sums stay in registers. */
LANE_INLINE void lane_add_multv6(double s, const double *A, const Lane *x, Lane *y) {
    Lane sum[6];
    for (int i = 0; i < 6; i++)
        sum[i] = y[i];
    for (int r = 0; r < 6; r++) {
        Lane of = s * x[r];
        for (int i = 0; i < 6; i++)
            sum[i] += of * A[6 * r + i];
    }
    for (int i = 0; i < 6; i++)
        y[i] = sum[i];
}

/* y = A^T x, of a block of six rows. */
LANE_INLINE void lane_multv6(const double *A, const Lane *x, Lane *y) {
    Lane sum[6];
    for (int i = 0; i < 6; i++)
        sum[i] = x[0] * A[i];
    for (int r = 1; r < 6; r++)
        for (int i = 0; i < 6; i++)
            sum[i] += x[r] * A[6 * r + i];
    for (int i = 0; i < 6; i++)
        y[i] = sum[i];
}

/* x = P^T L^-T U^-T x, as tac_lu_solve_transposed. */
LANE_INLINE void lane_lu_solve_transposed(int n, const double *LU, const int *pivot, Lane *x) {
    for (int i = 0; i < n; i++) {
        const double *row = LU + (size_t)i * (size_t)n;
        x[i] *= row[i] != 0 ? 1 / row[i] : 0;
        for (int j = i + 1; j < n; j++)
            x[j] -= x[i] * row[j];
    }
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < i; j++)
            x[j] -= x[i] * LU[(size_t)i * (size_t)n + (size_t)j];
    for (int k = n - 1; k >= 0; k--) {
        Lane swapped = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = swapped;
    }
}
