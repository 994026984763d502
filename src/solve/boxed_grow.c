/* Friction grown from nothing: without it the problem is convex and pivoting solves it; a little more friction changes
 * few classes. Takes problems on which pivoting from a guess goes round in circles. */
#include "solve/boxed.h"

#include <string.h>

/* Share of the bounds by which they grow at once: at first, at least; and how many times. */
#define FIRST_SHARE 0.25
#define LEAST_SHARE 1e-4
enum { MOST_ROUNDS = 200, PIVOTS_A_ROUND = 12 };

/* Bounds at a share of their own. */
static tacBoxed at_share(const tacBoxed *problem, double share, tacBoxedWork *work) {
    tacBoxed part = *problem;
    for (int i = 0; i < problem->n; i++) {
        double scale = problem->parent[i] < 0 ? 1 : share;
        work->low[i] = problem->parent[i] < 0 ? problem->low[i] : scale * problem->low[i];
        work->high[i] = problem->parent[i] < 0 ? problem->high[i] : scale * problem->high[i];
    }
    part.low = work->low, part.high = work->high;
    return part;
}

/* Nothing has friction yet: bounded rows wait at the side to which they are pulled once they may. */
static int begin(const tacBoxed *problem, tacBoxedWork *work, double *f, double *w, int *row_class, int *pivots) {
    tacBoxed part = at_share(problem, 0, work);
    for (int i = 0; i < problem->n; i++)
        row_class[i] = problem->parent[i] >= 0 ? TAC_ROW_OFF : problem->low[i] == 0 ? TAC_ROW_LOW : TAC_ROW_FREE;
    if (!tac_boxed_pivot(&part, work, PIVOTS_A_ROUND + 2 * problem->n, f, w, row_class, pivots)) return 0;
    for (int i = 0; i < problem->n; i++) {
        int p = problem->parent[i];
        if (p >= 0 && row_class[p] == TAC_ROW_FREE) row_class[i] = w[i] > 0 ? TAC_ROW_LOW : TAC_ROW_HIGH;
    }
    return 1;
}

int tac_boxed_grow(const tacBoxed *problem, tacBoxedWork *work, double *f, double *w, int *row_class, int *pivots) {
    size_t classes = (size_t)problem->n * sizeof *row_class;
    double share = 0, more = FIRST_SHARE;
    if (!begin(problem, work, f, w, row_class, pivots)) return 0;
    memcpy(work->kept, row_class, classes);
    for (int round = 0; round < MOST_ROUNDS && share < 1 && more >= LEAST_SHARE; round++) {
        double next = share + more < 1 ? share + more : 1;
        tacBoxed part = at_share(problem, next, work);
        if (tac_boxed_pivot(&part, work, PIVOTS_A_ROUND, f, w, row_class, pivots)) {
            share = next, more *= 2;
            memcpy(work->kept, row_class, classes);
        } else {
            more /= 4;
            memcpy(row_class, work->kept, classes);
        }
    }
    return share == 1;
}
