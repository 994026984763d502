/* Dantzig's method for boxed problems, with bounds that move.
 *
 * Rows are added in order. The force of the current row is driven from zero until its condition holds. Meanwhile free
 * rows respond so that their w stays zero, and bounded rows move with their parents. A row that reaches the end of its
 * condition changes class. With f_n the parent's force, a free row meets its bounds after
 *   s = (high f_n - f) / (df - high df_n)      s = (low f_n - f) / (df - low df_n)          [Yang2023, IV-B]
 * This accounts for the moving bound. Without df_n the row passes its bound unseen or stops before it. */
#include "solve/boxed_tableau.h"

#include "math/scalar.h"

/* Limit on changes of class: a constant, and a number per row. More count as a cycle. */
#define CHANGES_PER_ROW 3
#define CHANGES         20

typedef struct Drive {
    tacTableau tableau;
    int row; /* the current row; those after it are off */
    int direction;
    int corrected;
} Drive;

/* The event that ends a stretch of the drive. */
typedef struct Event {
    double length;
    int row, row_class;
} Event;

static void nearer(Event *first, double length, int row, int row_class) {
    if (length < first->length) *first = (Event){tac_max(length, 0), row, row_class};
}

static double force(const Drive *d, int i) { return tac_tableau_force(&d->tableau, i).at0; }
static double velocity(const Drive *d, int i) { return tac_tableau_velocity(&d->tableau, i).at0; }
static double force_rate(const Drive *d, int i) { return d->direction * tac_tableau_force_by(&d->tableau, i, d->row); }
static double velocity_rate(const Drive *d, int i) {
    return d->direction * tac_tableau_velocity_by(&d->tableau, i, d->row);
}

static void meet_bounds(const Drive *d, int i, Event *first) {
    const tacBoxed *problem = d->tableau.problem;
    int p = problem->parent[i];
    double f = force(d, i), df = force_rate(d, i), fp = p < 0 ? 1 : force(d, p);
    double dfp = p < 0 || !d->corrected ? 0 : force_rate(d, p), low = problem->low[i], high = problem->high[i];
    if (tac_finite(low) && df - low * dfp < 0) nearer(first, (low * fp - f) / (df - low * dfp), i, TAC_ROW_LOW);
    if (tac_finite(high) && df - high * dfp > 0) nearer(first, (high * fp - f) / (df - high * dfp), i, TAC_ROW_HIGH);
}

static Event first_event(const Drive *d) {
    Event first = {TAC_INFINITY, -1, TAC_ROW_OFF};
    double w = velocity(d, d->row), dw = velocity_rate(d, d->row);
    if (w * dw < 0) nearer(&first, -w / dw, d->row, TAC_ROW_FREE);
    meet_bounds(d, d->row, &first);
    for (int i = 0; i < d->row; i++) {
        int c = d->tableau.row_class[i];
        if (c == TAC_ROW_FREE) meet_bounds(d, i, &first);
        if (c != TAC_ROW_LOW && c != TAC_ROW_HIGH) continue;
        dw = velocity_rate(d, i);
        if (c == TAC_ROW_LOW ? dw < 0 : dw > 0) nearer(&first, -velocity(d, i) / dw, i, TAC_ROW_FREE);
    }
    return first;
}

/* 1: the current row has no condition, or meets it already. */
static int is_at_rest(Drive *d) {
    const tacBoxed *problem = d->tableau.problem;
    int i = d->row, p = problem->parent[i];
    if (p >= 0 && d->tableau.row_class[p] != TAC_ROW_FREE) return 1;
    if (p >= 0 || problem->low[i] != 0 || velocity(d, i) < 0) return 0;
    return tac_tableau_move(&d->tableau, i, TAC_ROW_LOW, 0);
}

static int take_up(Drive *d, int *left, int *pivots) {
    int i = d->row, p = d->tableau.problem->parent[i];
    d->tableau.bound = i;
    if (is_at_rest(d)) return 1;
    d->direction = velocity(d, i) < 0 ? 1 : -1;
    if (velocity(d, i) == 0) return tac_tableau_move(&d->tableau, i, TAC_ROW_FREE, 0);
    while (--*left >= 0) {
        Event event = first_event(d);
        if (event.row < 0) return 0;
        ++*pivots;
        tac_tableau_drive(&d->tableau, i, d->direction * event.length);
        if (!tac_tableau_move(&d->tableau, event.row, event.row_class, 0)) return 0;
        int idle = p >= 0 && d->tableau.row_class[p] != TAC_ROW_FREE;
        if (event.row == i || idle) return 1;
    }
    return 0;
}

int tac_boxed_dantzig(const tacBoxed *problem, tacBoxedWork *work, int corrected, double *f, double *w, int *row_class,
                      int *pivots) {
    Drive d = {.corrected = corrected, .direction = 1};
    int left = CHANGES + CHANGES_PER_ROW * problem->n;
    tac_tableau_begin(&d.tableau, problem, work, NULL, row_class);
    for (d.row = 0; d.row < problem->n; d.row++)
        if (!take_up(&d, &left, pivots)) return 0;
    return tac_boxed_solve_classes(problem, row_class, work, f, w);
}
