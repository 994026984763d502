/* Block principal pivoting. */
#include "solve/boxed.h"

#include "math/scalar.h"

#include <string.h>

/* The class row i should have, given f and w of the present classes. */
static int wanted_class(const tacBoxed *problem, const double *f, const double *w, const int *row_class, int i,
                        double tolerance) {
    double a = tac_boxed_diagonal(problem, i), lo, hi;
    int p = problem->parent[i];
    tac_boxed_bounds(problem, f, i, &lo, &hi);
    if (row_class[i] == TAC_ROW_FREE) {
        if (f[i] < lo - tolerance) return TAC_ROW_LOW;
        return f[i] > hi + tolerance ? TAC_ROW_HIGH : TAC_ROW_FREE;
    }
    if (row_class[i] == TAC_ROW_OFF) { /* asked only when the parent takes up force again: about -w_p/A_pp */
        double fp = tac_max(-w[p] / tac_boxed_diagonal(problem, p), 0), z = -w[i] / a;
        if (z <= problem->low[i] * fp) return TAC_ROW_LOW;
        return z >= problem->high[i] * fp ? TAC_ROW_HIGH : TAC_ROW_FREE;
    }
    double pull = row_class[i] == TAC_ROW_LOW ? -w[i] / a : w[i] / a; /* > 0: off the bound */
    return pull > tolerance ? TAC_ROW_FREE : row_class[i];
}

/* -> number of rows whose class should change. Rows of idle parents do not count. */
static int find_wrong(const tacBoxed *problem, const double *f, const double *w, const int *row_class, int *wanted) {
    double tolerance = tac_boxed_tolerance(problem, f);
    int wrong = 0;
    for (int i = 0; i < problem->n; i++) {
        int p = problem->parent[i];
        wanted[i] = row_class[i];
        if (p >= 0 && row_class[p] != TAC_ROW_FREE) continue;
        if (problem->low[i] == problem->high[i]) { /* no width: its force is right in any class, w names the side */
            wanted[i] = w[i] > 0 ? TAC_ROW_LOW : TAC_ROW_HIGH;
            wrong += row_class[i] == TAC_ROW_FREE;
            continue;
        }
        wanted[i] = wanted_class(problem, f, w, row_class, i, tolerance);
        wrong += wanted[i] != row_class[i];
    }
    return wrong;
}

/* Rows follow their parents: off with them, and back with them. */
static void follow_parents(const tacBoxed *problem, const double *f, const double *w, int *row_class) {
    for (int i = 0; i < problem->n; i++) {
        int p = problem->parent[i];
        if (p < 0) continue;
        if (row_class[p] != TAC_ROW_FREE)
            row_class[i] = TAC_ROW_OFF;
        else if (row_class[i] == TAC_ROW_OFF)
            row_class[i] = wanted_class(problem, f, w, row_class, i, 0);
    }
}

int tac_boxed_sort(const tacBoxed *problem, const double *f, const double *w, int *row_class, int *wanted) {
    int wrong = find_wrong(problem, f, w, row_class, wanted);
    memcpy(row_class, wanted, (size_t)problem->n * sizeof *row_class);
    if (wrong > 0) follow_parents(problem, f, w, row_class);
    return wrong;
}

int tac_boxed_pivot(const tacBoxed *problem, tacBoxedWork *work, double *f, double *w, int *row_class, int *pivots) {
    int fewest = problem->n + 1, patience = TAC_BOXED_PATIENCE;
    while (patience >= 0) {
        if (!tac_boxed_solve_classes(problem, row_class, work, f, w)) return 0;
        ++*pivots;
        int wrong = tac_boxed_sort(problem, f, w, row_class, work->wanted);
        if (wrong == 0) return 1;
        patience = wrong < fewest ? TAC_BOXED_PATIENCE : patience - 1;
        fewest = wrong < fewest ? wrong : fewest;
    }
    return 0;
}
