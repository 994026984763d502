/* Projected Gauss-Seidel: each row in turn takes the force that its own condition asks for. */
#include "solve/boxed.h"

#include "math/dense.h"
#include "math/scalar.h"

void tac_boxed_sweep(const tacBoxed *problem, int count, double *f, double *w) {
    int n = problem->n;
    for (int sweep = 0; sweep < count; sweep++) {
        double change = 0;
        for (int i = 0; i < n; i++) {
            const double *A = problem->A + (size_t)i * (size_t)n;
            double lo, hi, a = tac_boxed_diagonal(problem, i);
            double wi = problem->b[i] + tac_dense_dot(n, A, f) + (a - A[i]) * f[i];
            tac_boxed_bounds(problem, f, i, &lo, &hi);
            double next = tac_min(tac_max(f[i] - wi / a, lo), hi);
            change = tac_max(change, tac_abs(next - f[i]));
            f[i] = next;
        }
        if (change == 0) break;
    }
    tac_boxed_multiply(problem, f, w);
}
