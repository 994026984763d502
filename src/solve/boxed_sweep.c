/* Projected Gauss-Seidel: each row in turn takes the force that satisfies its own condition. */
#include "solve/boxed.h"

#include "math/dense.h"
#include "math/scalar.h"

/* The force that satisfies row i's own condition, with the others given. z: the same without bounds. */
static double answer(const tacBoxed *problem, const double *f, int i, double *z) {
    const double *A = problem->A + (size_t)i * (size_t)problem->n;
    double lo, hi, a = tac_boxed_diagonal(problem, i);
    tac_boxed_bounds(problem, f, i, &lo, &hi);
    *z = lo;
    if (!(lo < hi)) return lo; /* friction without a normal force: known */
    *z = f[i] - (problem->b[i] + tac_dense_dot(problem->n, A, f) + (a - A[i]) * f[i]) / a;
    return tac_min(tac_max(*z, lo), hi);
}

void tac_boxed_sweep(const tacBoxed *problem, int count, double *f, double *w) {
    for (int sweep = 0; sweep < count; sweep++) {
        double change = 0, z;
        for (int i = 0; i < problem->n; i++) {
            double next = answer(problem, f, i, &z);
            change = tac_max(change, tac_abs(next - f[i]));
            f[i] = next;
        }
        if (change == 0) break;
    }
    tac_boxed_multiply(problem, f, w);
}

/* Class of a row whose force has just become f by its own condition. */
static int class_of(const tacBoxed *problem, const double *f, const int *row_class, int i, double z) {
    int p = problem->parent[i];
    if (p >= 0 && row_class[p] != TAC_ROW_FREE) return TAC_ROW_OFF;
    return z < f[i] || (z == f[i] && problem->low[i] == problem->high[i]) ? TAC_ROW_LOW
           : z > f[i]                                                     ? TAC_ROW_HIGH
                                                                          : TAC_ROW_FREE;
}

void tac_boxed_guess(const tacBoxed *problem, int most, double *f, int *row_class) {
    int changes = 1;
    for (int i = 0; i < problem->n; i++) {
        f[i] = 0;
        row_class[i] = TAC_ROW_OFF;
    }
    for (int sweep = 0; sweep < most && changes > 0; sweep++) {
        changes = 0;
        for (int i = 0; i < problem->n; i++) {
            double z;
            f[i] = answer(problem, f, i, &z);
            int row = class_of(problem, f, row_class, i, z);
            changes += row != row_class[i];
            row_class[i] = row;
        }
    }
}
