/* Problems whose A is only semidefinite (redundant rows and no compliance).
 *
 * f is the limit of f_k+1, which solves
 *   w = (A + D) f_k+1 + b - D f_k,        D a small share of A's diagonal                        [Rockafellar1976]
 * Each is a problem with the same definite matrix. The term of D vanishes with f_k+1 - f_k, so the limit solves the
 * problem itself. If A is definite on the free rows, a few rounds suffice. Redundant forces stay at their first values,
 * with the least |D^1/2 f|. */
#include "solve/boxed.h"

#include "math/scalar.h"

#include <string.h>

/* D relative to the diagonal: far above rounding, far below the relevant eigenvalues. */
#define SHARE 1e-6
/* Lower bound of the diagonal that D is a share of, relative to the largest entry. */
#define LEAST_DIAGONAL 1e-3
/* Rounds continue while each leaves less than this fraction of the residual. */
#define GAIN 0.7
enum { ROUNDS = 60 };

static void set_shift(const tacBoxed *problem, double *shift) {
    double largest = 0;
    for (int i = 0; i < problem->n; i++)
        largest = tac_max(largest, tac_boxed_diagonal(problem, i));
    for (int i = 0; i < problem->n; i++)
        shift[i] = SHARE * tac_max(tac_boxed_diagonal(problem, i), LEAST_DIAGONAL * largest);
}

/* One round: f, classes -> the next f. Its w is that of the problem itself. */
static int advance(const tacBoxed *problem, tacBoxedWork *work, double *f, double *w, int *row_class, int *pivots) {
    tacBoxed near = *problem;
    tacBoxedDense dense = {&near, work};
    tacBoxedRun run = tac_boxed_dense_run(&dense, f, w, row_class, pivots);
    int n = problem->n, ok;
    for (int i = 0; i < n; i++)
        work->near_b[i] = problem->b[i] - work->shift[i] * f[i];
    for (int i = 0; i < n; i++)
        work->near_shift[i] = work->shift[i] + (problem->shift == NULL ? 0 : problem->shift[i]);
    near.b = work->near_b;
    near.shift = work->near_shift;
    ok = tac_boxed_pivot(&run, 1, TAC_BOXED_PATIENCE);
    for (int way = 0; way < TAC_BOXED_WAYS && !ok; way++)
        ok = tac_boxed_path(&near, work, way, f, w, row_class, pivots);
    tac_boxed_multiply(problem, f, w);
    return ok;
}

int tac_boxed_proximal(const tacBoxed *problem, tacBoxedWork *work, double *f, double *w, int *row_class, int *pivots) {
    double residual = TAC_INFINITY;
    memset(f, 0, (size_t)problem->n * sizeof *f);
    set_shift(problem, work->shift);
    for (int round = 0; round < ROUNDS; round++) {
        double before = residual;
        if (!advance(problem, work, f, w, row_class, pivots)) return 0;
        residual = tac_boxed_residual(problem, f, w);
        if (!(residual < GAIN * before)) break;
    }
    return residual <= tac_boxed_tolerance(problem, f);
}
