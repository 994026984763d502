/* The rows that take part.
 *
 * An open contact has neither force nor friction, but the cost of every method grows with the square of all rows. Rows
 * that the guess leaves without force are left out. The solution of the others is right if no row left out has w < 0.
 * Otherwise those rows are added, and the search continues from there. */
#include "solve/boxed.h"

#include <string.h>

/* Limit on rounds of adding rows. After it the whole problem is solved. */
enum { ROUNDS = 4 };
/* Patience of pivoting (tac_boxed_pivot). It is 0 after the guess, where other methods are as fast. It is larger after
 * rows were added, because most classes are right then. */
enum { FIRST_PATIENCE = 0, PATIENCE = 3 };

typedef struct Part {
    const tacBoxed *whole;
    tacBoxed boxed; /* its rows, in order */
    double *A, *b, *low, *high, *f, *w;
    int *row;                /* row of the whole */
    int *parent, *row_class; /* as rows of the part */
    int *place;              /* rows of the whole: row of the part, or -1 */
} Part;

static Part lay_out(const tacBoxed *whole, const tacBoxedWork *work) {
    int n = whole->n, *ints = work->part_class;
    double *reals = work->part_row;
    return (Part){whole,         {0},           work->part, reals,    reals + n,    reals + 2 * n,
                  reals + 3 * n, reals + 4 * n, ints,       ints + n, ints + 2 * n, ints + 3 * n};
}

/* 1: the row, or its parent, is at a lower bound of zero. */
static int is_idle(const tacBoxed *whole, const int *row_class, int i) {
    int p = whole->parent[i] < 0 ? i : whole->parent[i];
    return row_class[p] == TAC_ROW_LOW && whole->low[p] == 0;
}

static void gather(Part *part, const int *row_class) {
    const tacBoxed *whole = part->whole;
    int n = 0;
    for (int i = 0; i < whole->n; i++) {
        part->place[i] = -1;
        if (is_idle(whole, row_class, i)) continue;
        part->b[n] = whole->b[i];
        part->low[n] = whole->low[i];
        part->high[n] = whole->high[i];
        part->parent[n] = whole->parent[i] < 0 ? -1 : part->place[whole->parent[i]];
        part->row_class[n] = row_class[i];
        part->row[n] = i;
        part->place[i] = n++;
    }
    for (int k = 0; k < n; k++) {
        const double *from = whole->A + (size_t)part->row[k] * (size_t)whole->n;
        double *to = part->A + (size_t)k * (size_t)n;
        for (int l = 0; l < n; l++)
            to[l] = from[part->row[l]];
        to[k] = tac_boxed_diagonal(whole, part->row[k]);
    }
    part->boxed = (tacBoxed){n,          part->A, part->b,          part->parent,       part->low,
                             part->high, NULL,    whole->symmetric, whole->semidefinite};
}

static int solve(const Part *part, int patience, tacBoxedWork *work, tacBoxedResult *result) {
    tacBoxedDense dense = {&part->boxed, work};
    tacBoxedRun run = tac_boxed_dense_run(&dense, part->f, part->w, part->row_class, &result->pivots);
    if (tac_boxed_pivot(&run, 1, patience)) {
        if (result->method < TAC_BOXED_PIVOT && result->pivots > 1) result->method = TAC_BOXED_PIVOT;
        return 1;
    }
    if (part->boxed.semidefinite) return 0; /* the way may have no end */
    result->method = TAC_BOXED_PATH;
    return tac_boxed_path(&part->boxed, work, 0, part->f, part->w, part->row_class, &result->pivots);
}

/* Copies the part's solution to the whole, and computes w everywhere. */
static void scatter(const Part *part, double *f, double *w, int *row_class) {
    const tacBoxed *whole = part->whole;
    for (int i = 0; i < whole->n; i++) {
        int k = part->place[i];
        f[i] = k < 0 ? 0 : part->f[k];
        row_class[i] = k >= 0 ? part->row_class[k] : whole->parent[i] < 0 ? TAC_ROW_LOW : TAC_ROW_OFF;
    }
    tac_boxed_multiply(whole, f, w);
}

/* Adds the rows left out that break their condition. Returns whether there is any. */
static int take_in(const Part *part, const double *f, const double *w, int *row_class) {
    const tacBoxed *whole = part->whole;
    double tolerance = tac_boxed_tolerance(whole, f);
    int any = 0;
    for (int i = 0; i < whole->n; i++) {
        int p = whole->parent[i], is_in = part->place[i] >= 0;
        if (is_in) continue;
        if (p < 0 && -w[i] > tolerance * tac_boxed_diagonal(whole, i)) {
            row_class[i] = TAC_ROW_FREE;
            any = 1;
        }
        if (p >= 0 && row_class[p] == TAC_ROW_FREE) row_class[i] = tac_boxed_child_class(whole, w, i);
    }
    return any;
}

int tac_boxed_part(const tacBoxed *problem, tacBoxedWork *work, double *f, double *w, int *row_class,
                   tacBoxedResult *result) {
    Part part = lay_out(problem, work);
    result->method = TAC_BOXED_GUESS;
    for (int round = 0; round < ROUNDS; round++) {
        gather(&part, row_class);
        if (!solve(&part, round == 0 ? FIRST_PATIENCE : PATIENCE, work, result)) return 0;
        scatter(&part, f, w, row_class);
        if (!take_in(&part, f, w, row_class)) return 1;
    }
    return 0;
}
