/* Dantzig's method for boxed problems, with bounds that move.
 *
 * Rows are taken up in order. The force of the row in hand is driven from zero until its condition holds; on the way
 * free rows answer so that their w stays zero, bounded ones move with their parents, and whoever comes to the end of
 * its condition changes class. With f_n the parent's force, a free row meets its bounds after
 *   s = (high f_n - f) / (df - high df_n)      s = (low f_n - f) / (df - low df_n)          [Yang2023, IV-B]
 * which knows that the bound moves; without df_n the row passes its bound unseen or stops before it. */
#include "solve/boxed.h"

#include "math/scalar.h"

/* Changes of class that one row may cause, beyond which we take it for a cycle. */
#define CHANGES_PER_ROW 4
#define CHANGES         20

typedef struct Drive {
    const tacBoxed *problem;
    tacBoxedWork *work;
    double *f, *w;
    int *row_class;
    int row; /* in hand; those after it are off */
    int direction;
} Drive;

/* What ends a stretch of the drive. */
typedef struct Event {
    double length;
    int row, row_class;
} Event;

static void nearer(Event *first, double length, int row, int row_class) {
    if (length < first->length) *first = (Event){tac_max(length, 0), row, row_class};
}

/* Directions of all forces and of w per unit of the driven force. */
static int directions(const Drive *d) {
    const tacBoxed *problem = d->problem;
    tacBoxedWork *work = d->work;
    int n = problem->n;
    if (!tac_boxed_factor(problem, d->row_class, work)) return 0;
    for (int k = 0; k < work->free; k++)
        work->rhs[k] = -d->direction * problem->A[(size_t)work->row[k] * (size_t)n + (size_t)d->row];
    tac_boxed_solve_free(work, work->rhs);
    for (int i = 0; i < n; i++) {
        int p = problem->parent[i];
        double e = tac_boxed_factor_of(problem, d->row_class, i);
        work->df[i] = i == d->row ? d->direction : work->place[i] >= 0 ? work->rhs[work->place[i]] : 0;
        if (i < d->row && p >= 0 && e != 0) work->df[i] = e * work->df[p];
    }
    for (int i = 0; i < n; i++) {
        work->dw[i] = 0;
        for (int k = 0; k < n; k++)
            work->dw[i] += problem->A[(size_t)i * (size_t)n + (size_t)k] * work->df[k];
    }
    return 1;
}

/* Distance of f_i to its bounds and how fast it shrinks. */
static void meet_bounds(const Drive *d, int i, Event *first) {
    const double *f = d->f, *df = d->work->df;
    int p = d->problem->parent[i];
    double fp = p < 0 ? 1 : f[p], dfp = p < 0 ? 0 : df[p];
    double low = d->problem->low[i], high = d->problem->high[i];
    if (tac_finite(low) && df[i] - low * dfp < 0)
        nearer(first, (low * fp - f[i]) / (df[i] - low * dfp), i, TAC_ROW_LOW);
    if (tac_finite(high) && df[i] - high * dfp > 0)
        nearer(first, (high * fp - f[i]) / (df[i] - high * dfp), i, TAC_ROW_HIGH);
}

static Event first_event(const Drive *d) {
    Event first = {TAC_INFINITY, -1, TAC_ROW_OFF};
    const double *w = d->w, *dw = d->work->dw;
    if (w[d->row] * dw[d->row] < 0) nearer(&first, -w[d->row] / dw[d->row], d->row, TAC_ROW_FREE);
    meet_bounds(d, d->row, &first);
    for (int i = 0; i < d->row; i++) {
        int c = d->row_class[i];
        if (c == TAC_ROW_FREE) meet_bounds(d, i, &first);
        if (c == TAC_ROW_LOW && dw[i] < 0) nearer(&first, -w[i] / dw[i], i, TAC_ROW_FREE);
        if (c == TAC_ROW_HIGH && dw[i] > 0) nearer(&first, -w[i] / dw[i], i, TAC_ROW_FREE);
    }
    return first;
}

/* Row i changes class, and rows that hang on it with it. */
static void change_class(const Drive *d, int i, int row_class) {
    d->row_class[i] = row_class;
    if (row_class == TAC_ROW_LOW || row_class == TAC_ROW_HIGH) {
        int p = d->problem->parent[i];
        double e = tac_boxed_factor_of(d->problem, d->row_class, i);
        d->f[i] = p < 0 ? e : e * d->f[p];
    }
    for (int k = i + 1; k <= d->row; k++) {
        if (d->problem->parent[k] != i) continue;
        if (row_class != TAC_ROW_FREE)
            d->row_class[k] = TAC_ROW_OFF, d->f[k] = 0;
        else if (k < d->row)
            d->row_class[k] = d->w[k] > 0 ? TAC_ROW_LOW : TAC_ROW_HIGH;
    }
}

/* Takes up one row. */
static int take_up(Drive *d, double tolerance, int *pivots) {
    const tacBoxed *problem = d->problem;
    int i = d->row, p = problem->parent[i];
    double a = problem->A[(size_t)i * (size_t)problem->n + (size_t)i];
    if (p >= 0 && d->row_class[p] != TAC_ROW_FREE) return 1; /* stays off */
    if (p < 0 && problem->low[i] == 0 && d->w[i] >= 0) {
        d->row_class[i] = TAC_ROW_LOW;
        return 1;
    }
    if (tac_abs(d->w[i]) <= tolerance * a) {
        d->row_class[i] = TAC_ROW_FREE;
        return 1;
    }
    d->direction = d->w[i] < 0 ? 1 : -1;
    for (int k = 0; k < CHANGES + CHANGES_PER_ROW * problem->n; k++) {
        if (!directions(d)) return 0;
        ++*pivots;
        Event event = first_event(d);
        if (event.row < 0) return 0;
        for (int j = 0; j < problem->n; j++) {
            d->f[j] += event.length * d->work->df[j];
            d->w[j] += event.length * d->work->dw[j];
        }
        change_class(d, event.row, event.row_class);
        int idle = p >= 0 && d->row_class[p] != TAC_ROW_FREE;
        if (event.row == i || idle) return 1;
    }
    return 0;
}

int tac_boxed_dantzig(const tacBoxed *problem, tacBoxedWork *work, double *f, double *w, int *row_class, int *pivots) {
    Drive d = {problem, work, f, w, row_class, 0, 1};
    for (int i = 0; i < problem->n; i++)
        f[i] = 0, w[i] = problem->b[i], row_class[i] = TAC_ROW_OFF;
    double tolerance = tac_boxed_tolerance(problem, f);
    for (d.row = 0; d.row < problem->n; d.row++)
        if (!take_up(&d, tolerance, pivots)) return 0;
    return tac_boxed_solve_classes(problem, row_class, work, f, w);
}
