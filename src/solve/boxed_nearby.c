/* Homotopy from a nearby problem, or from a distant one, to the given problem.
 *
 * If pivoting leaves a few rows in wrong classes, these classes solve another problem. Forces f~ and velocities w~,
 * clipped to the classes' conditions, solve it for b~ = w~ - A f~. From there b moves to its target,
 *
 *   w = A f + b + t (b~ - b),      t from 1 to 0
 *
 * The solution moves on a line as long as the classes hold. A row that reaches the end of its condition changes class,
 * and the next line keeps the new condition. Every line is one linear system. The path from a nearby problem has few
 * lines, but need not end. The path from a distant problem is that of boxed_path.c, which ends if A is positive
 * definite. Here its lines are systems too, for problems whose matrix has too many rows to be stored. */
#include "solve/boxed.h"

#include "math/scalar.h"

#include <string.h>

/* Rows per line of the path, besides TAC_BOXED_NEARBY_LINES. */
#define ROWS_PER_LINE 4
/* Limit on lines: in a large problem every line is a large system. */
#define MOST_LINES 100
/* Rows outside their bounds are moved inside by up to this share. Each row has a different share, so that no two reach
 * an end at once. */
#define INSIDE 0.01
#define RATIO  0.6180339887498949 /* golden ratio, less its whole part: multiples fill the unit interval evenly */
/* Relative rounding of a line; the end is exact. f and w are recomputed after so many lines. */
#define LINE_ROUNDING 1e-8
enum { LINES_BETWEEN_EVALUATIONS = 16 };
/* Limit on lines from afar: a constant and one per row, of which a third take part. Beyond it, rounding has spoilt the
 * path. */
enum { AFAR_LINES = 50 };

typedef struct Way {
    const tacBoxed *problem;
    const tacBoxedForm *form;
    const double *cover;     /* b~ - b */
    double *f, *w;           /* at t */
    double *slope, *w_slope; /* their change with t */
    double *b;               /* of the problem at t */
    int *row_class;
    double t;
    int direction;
} Way;

/* --- The problem nearby ------------------------------------------------------------------------------------------- */

static double inside_of(int i) {
    double x = (i + 1) * RATIO;
    return INSIDE * (1 + x - (int)x);
}

/* f_i of a free row, moved inside its bounds. */
static double cut_force(const tacBoxed *problem, const double *f, int i, double scale) {
    double lo, hi;
    tac_boxed_bounds(problem, f, i, &lo, &hi);
    double width = tac_finite(hi - lo) ? hi - lo : tac_max(tac_abs(f[i]), scale), by = inside_of(i) * width;
    double cut = f[i];
    if (tac_finite(lo)) cut = tac_max(cut, lo + by);
    return tac_finite(hi) ? tac_min(cut, hi - by) : cut;
}

/* w_i of a bounded row, moved off zero to its side. */
static double cut_velocity(const tacBoxed *problem, const double *w, int i, int row_class, double scale) {
    double by = inside_of(i) * scale * tac_boxed_diagonal(problem, i);
    if (row_class == TAC_ROW_LOW) return tac_max(w[i], by);
    return row_class == TAC_ROW_HIGH ? tac_min(w[i], -by) : w[i];
}

int tac_boxed_cut(const tacBoxedRun *run, double *cover) {
    const tacBoxed *problem = run->problem;
    const tacBoxedForm *form = &run->form;
    const int *row_class = run->row_class;
    double *f = run->f, *w = run->w;
    if (!form->factor(form->matrix, row_class) ||
        !form->answer(form->matrix, row_class, problem->b, 1, TAC_BOXED_ROUNDING, f, w))
        return 0;
    double scale = tac_boxed_largest(problem, f);
    for (int i = 0; i < problem->n; i++) {
        int c = row_class[i], p = problem->parent[i];
        double e = tac_boxed_factor_of(problem, row_class, i);
        f[i] = c == TAC_ROW_FREE ? cut_force(problem, f, i, scale) : p < 0 ? e : e * f[p];
        w[i] = c == TAC_ROW_FREE ? 0 : cut_velocity(problem, w, i, c, scale);
    }
    form->multiply(form->matrix, f, problem->b, cover);
    for (int i = 0; i < problem->n; i++)
        cover[i] = w[i] - cover[i];
    return 1;
}

/* --- Lines -------------------------------------------------------------------------------------------------------- */

/* The end of a condition: margin >= 0 at t, its change with t, and the class beyond. */
typedef struct End {
    double margin, slope;
    int row, row_class;
} End;

/* f_i above its lower bound, or below its upper one. */
static End end_of_force(const Way *way, int i, int side) {
    int p = way->problem->parent[i];
    double bound = side == TAC_ROW_LOW ? way->problem->low[i] : way->problem->high[i];
    double at = p < 0 ? bound : bound * way->f[p], slope = p < 0 ? 0 : bound * way->slope[p];
    double sign = side == TAC_ROW_LOW ? 1 : -1;
    return (End){sign * (way->f[i] - at), sign * (way->slope[i] - slope), i, side};
}

/* -> number of ends of row i */
static int ends_of(const Way *way, int i, End end[2]) {
    const tacBoxed *problem = way->problem;
    int n = 0, c = way->row_class[i];
    if (c == TAC_ROW_FREE) {
        if (tac_finite(problem->low[i])) end[n++] = end_of_force(way, i, TAC_ROW_LOW);
        if (tac_finite(problem->high[i])) end[n++] = end_of_force(way, i, TAC_ROW_HIGH);
        return n;
    }
    if (c == TAC_ROW_OFF || problem->low[i] == problem->high[i]) return 0;
    double sign = c == TAC_ROW_LOW ? 1 : -1;
    end[0] = (End){sign * way->w[i], sign * way->w_slope[i], i, TAC_ROW_FREE};
    return 1;
}

/* First end met from t on. travel is infinite if there is none. */
static double first_end(const Way *way, End *first) {
    double travel = TAC_INFINITY;
    for (int i = 0; i < way->problem->n; i++) {
        End end[2];
        for (int k = ends_of(way, i, end) - 1; k >= 0; k--) {
            double falls = -end[k].slope * way->direction;
            if (!(falls > 0)) continue;
            double length = tac_max(end[k].margin, 0) / falls;
            if (!(length < travel)) continue;
            travel = length;
            *first = end[k];
        }
    }
    return travel;
}

static void move(Way *way, double travel) {
    double change = way->direction * travel;
    for (int i = 0; i < way->problem->n; i++) {
        way->f[i] += change * way->slope[i];
        way->w[i] += change * way->w_slope[i];
    }
    way->t += change;
}

/* Moves a row beyond the end of its condition, with its children. They are off if it has no force. If it takes force
 * again, they go to the bound that w pushes them to. */
static void change_class(Way *way, const End *end) {
    const tacBoxed *problem = way->problem;
    int wakes = end->row_class == TAC_ROW_FREE;
    way->row_class[end->row] = end->row_class;
    if (problem->parent[end->row] >= 0) return;
    for (int k = end->row + 1; k < problem->n && problem->parent[k] == end->row; k++)
        way->row_class[k] = !wakes ? TAC_ROW_OFF : way->w[k] > 0 ? TAC_ROW_LOW : TAC_ROW_HIGH;
}

/* Row i has just left `before`. Its new condition holds on this side only. */
static int direction_after(const Way *way, int i, int before) {
    End end[2];
    int n = ends_of(way, i, end);
    for (int k = 0; k < n; k++)
        if (n == 1 || end[k].row_class == before) return end[k].slope > 0 ? 1 : -1;
    return -1;
}

static int find_line(const Way *way) {
    return way->form->factor(way->form->matrix, way->row_class) &&
           way->form->answer(way->form->matrix, way->row_class, way->cover, 0, LINE_ROUNDING, way->slope, way->w_slope);
}

/* Recomputes f and w at t: every line has added rounding to them. */
static int evaluate(const Way *way) {
    for (int i = 0; i < way->problem->n; i++)
        way->b[i] = way->problem->b[i] + way->t * way->cover[i];
    return way->form->answer(way->form->matrix, way->row_class, way->b, 1, LINE_ROUNDING, way->f, way->w);
}

/* Returns 1 when it has the classes at t = 0. */
static int follow(Way *way, int lines, int *pivots) {
    for (int line = 1; line <= lines; line++) {
        End end = {0, 0, -1, 0};
        if (line % LINES_BETWEEN_EVALUATIONS == 0 && !evaluate(way)) return 0;
        double travel = first_end(way, &end);
        if (way->direction < 0 && way->t - travel <= 0) return 1;
        if (end.row < 0) return 0;
        move(way, travel);
        int before = way->row_class[end.row];
        change_class(way, &end);
        if (!find_line(way)) return 0;
        way->direction = direction_after(way, end.row, before);
        ++*pivots;
    }
    return 0;
}

static Way way_of(const tacBoxedRun *run, double t) {
    const tacBoxedTrack *track = run->track;
    return (Way){run->problem,   &run->form, track->cover,   run->f, run->w, track->slope,
                 track->w_slope, track->z,   run->row_class, t,      -1};
}

int tac_boxed_nearby(const tacBoxedRun *run) {
    Way way = way_of(run, 1);
    int lines = TAC_BOXED_NEARBY_LINES + run->problem->n / ROWS_PER_LINE;
    return tac_boxed_cut(run, run->track->cover) && find_line(&way) &&
           follow(&way, lines < MOST_LINES ? lines : MOST_LINES, run->pivots) &&
           tac_boxed_pivot(run, 1, TAC_BOXED_PATIENCE);
}

/* --- From afar ---------------------------------------------------------------------------------------------------- */

/* Initial classes of the path. Each row is at the bound that the cover pushes it to. Rows without bounds are free. */
static void set_start(const tacBoxed *problem, int *row_class) {
    for (int i = 0; i < problem->n; i++) {
        int p = problem->parent[i];
        row_class[i] = tac_finite(problem->low[i])    ? TAC_ROW_LOW
                       : tac_finite(problem->high[i]) ? TAC_ROW_HIGH
                                                      : TAC_ROW_FREE;
        if (p >= 0 && row_class[p] != TAC_ROW_FREE) row_class[i] = TAC_ROW_OFF;
    }
}

/* A little beyond the largest t at which a condition of the line through t = 0 ends. */
static double far_away(const Way *way) {
    double t = 0;
    for (int i = 0; i < way->problem->n; i++) {
        End end[2];
        for (int k = ends_of(way, i, end) - 1; k >= 0; k--)
            if (end[k].slope != 0) t = tac_max(t, tac_abs(end[k].margin / end[k].slope));
    }
    return 2 * t;
}

int tac_boxed_distant(const tacBoxedRun *run, int cover) {
    Way way = way_of(run, 0);
    int n = run->problem->n;
    for (int i = 0; i < n; i++)
        run->track->cover[i] = tac_boxed_cover(run->problem, cover, i);
    set_start(run->problem, run->row_class);
    if (!find_line(&way) || !evaluate(&way)) return 0;
    way.t = far_away(&way);
    if (!evaluate(&way)) return 0;
    return follow(&way, AFAR_LINES + n, run->pivots) && tac_boxed_pivot(run, 1, TAC_BOXED_PATIENCE);
}
