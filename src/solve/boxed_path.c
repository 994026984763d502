/* The path from a distant problem with a known solution to the given problem, along  w = A f + b + t cover.
 *
 * cover > 0 on rows bounded below, so for large t all of them are at their bounds. From there t goes down. The solution
 * moves on a line as long as the classes hold. A row that reaches the end of its condition changes class. The next line
 * keeps the new condition, even if t grows again. At t = 0 the problem is solved.
 *
 * The path gets there. It has finitely many lines and never meets itself. So it ends at t = 0, or goes to infinity with
 * forces and t in proportion, f = t g. Then g solves w = A g + cover, and since g_i w_i <= 0 in every row
 *   g . A g <= -cover . g <= 0      where  sum over children of |bound| |cover_child| < cover_parent
 * So g = 0 for A positive definite, which is where the path began. (Lemke's method for frictional contact
 * [Stewart1996], on classes instead of pairs of variables.) Ties would break the argument. The cover is irregular, so
 * that symmetric problems have none. If rounding spoils a path, another cover is tried. */
#include "solve/boxed_tableau.h"

#include "math/scalar.h"

#include <string.h>

/* Limit on the lines of the path: a constant, and a number per row. Beyond it, rounding has spoilt the path. */
#define LINES         50
#define LINES_PER_ROW 4
/* Spread of the cover, and the share of its parent's cover that a child may have (five of them, halved by the
 * spread). */
#define SPREAD      1.0
#define CHILD_SHARE 0.3
/* Golden ratio and silver ratio, less their whole parts: multiples of them fill the unit interval evenly. */
static const double RATIOS[TAC_BOXED_WAYS] = {0.6180339887498949, 0.4142135623730951, 0.7320508075688772};

/* Numbers in [0, 1) without pattern. */
static double irregular(int way, int i) {
    double x = (i + 1) * RATIOS[way];
    return x - (int)x;
}

static int has_width(const tacBoxed *problem, int i) { return problem->low[i] < problem->high[i]; }

/* Scale of a row's w: the square root of the energy that a unit of force costs. */
static double scale_of(const tacBoxed *problem, int i) { return tac_sqrt(tac_boxed_diagonal(problem, i)); }

double tac_boxed_cover(const tacBoxed *problem, int way, int i) {
    int p = problem->parent[i];
    double u = irregular(way, i), size = scale_of(problem, i) * (1 + SPREAD * u);
    if (p < 0) return tac_finite(problem->low[i]) ? size : tac_finite(problem->high[i]) ? -size : 0;
    double bound = tac_max(tac_abs(problem->low[i]), tac_abs(problem->high[i])), most = scale_of(problem, p);
    if (bound > 1) most /= bound;
    return CHILD_SHARE * (2 * u - 1) * tac_min(scale_of(problem, i), most);
}

/* Initial classes of the path. Rows without bounds are free. The others are at the bound that the cover pushes them
 * to. */
static int begin(tacTableau *tableau) {
    const tacBoxed *problem = tableau->problem;
    for (int i = 0; i < problem->n; i++) {
        if (problem->parent[i] >= 0) continue;
        int row_class = tac_finite(problem->low[i])    ? TAC_ROW_LOW
                        : tac_finite(problem->high[i]) ? TAC_ROW_HIGH
                                                       : TAC_ROW_FREE;
        if (!tac_tableau_move(tableau, i, row_class, 0)) return 0;
    }
    return 1;
}

/* The end of a condition: margin >= 0, and the class beyond. */
typedef struct End {
    tacLine margin;
    int row, row_class;
} End;

/* f_i above its lower bound, or below its upper one. */
static tacLine distance_to(const tacTableau *tableau, int i, int side) {
    const tacBoxed *problem = tableau->problem;
    tacLine f = tac_tableau_force(tableau, i), parent = {1, 0};
    double bound = side == TAC_ROW_LOW ? problem->low[i] : problem->high[i], sign = side == TAC_ROW_LOW ? 1 : -1;
    if (problem->parent[i] >= 0) parent = tac_tableau_force(tableau, problem->parent[i]);
    return (tacLine){sign * (f.at0 - bound * parent.at0), sign * (f.slope - bound * parent.slope)};
}

/* -> number of ends of row i */
static int ends_of(const tacTableau *tableau, int i, End end[2]) {
    const tacBoxed *problem = tableau->problem;
    int n = 0, row_class = tableau->row_class[i];
    if (row_class == TAC_ROW_FREE) {
        if (tac_finite(problem->low[i])) end[n++] = (End){distance_to(tableau, i, TAC_ROW_LOW), i, TAC_ROW_LOW};
        if (tac_finite(problem->high[i])) end[n++] = (End){distance_to(tableau, i, TAC_ROW_HIGH), i, TAC_ROW_HIGH};
        return n;
    }
    if (row_class == TAC_ROW_OFF || !has_width(problem, i)) return 0;
    tacLine w = tac_tableau_velocity(tableau, i);
    if (row_class == TAC_ROW_HIGH) w = (tacLine){-w.at0, -w.slope};
    end[0] = (End){w, i, TAC_ROW_FREE};
    return 1;
}

/* The first end of a condition from t on in `direction`, so far. */
typedef struct Search {
    double t, direction;
    double margin, falls; /* its way as a fraction; falls 0: there is none */
    int row, row_class;
} Search;

static inline void meet(Search *s, double at0, double slope, int row, int row_class) {
    double falls = -slope * s->direction, margin = tac_max(at0 + slope * s->t, 0);
    if (!(falls > 0) || !(margin * s->falls < s->margin * falls)) return;
    s->margin = margin;
    s->falls = falls;
    s->row = row;
    s->row_class = row_class;
}

/* Ends of row i, as in ends_of. */
static inline void search_row(Search *s, const tacTableau *tableau, int i) {
    const tacBoxed *problem = tableau->problem;
    int p = problem->parent[i], c = tableau->row_class[i];
    if (c == TAC_ROW_OFF) return;
    if (c != TAC_ROW_FREE) {
        tacLine w = tac_tableau_velocity(tableau, i);
        double sign = c == TAC_ROW_LOW ? 1 : -1;
        if (has_width(problem, i)) meet(s, sign * w.at0, sign * w.slope, i, TAC_ROW_FREE);
        return;
    }
    tacLine f = tac_tableau_force(tableau, i), parent = {1, 0};
    if (p >= 0) parent = tac_tableau_force(tableau, p);
    double low = problem->low[i], high = problem->high[i];
    if (tac_finite(low)) meet(s, f.at0 - low * parent.at0, f.slope - low * parent.slope, i, TAC_ROW_LOW);
    if (tac_finite(high)) meet(s, high * parent.at0 - f.at0, high * parent.slope - f.slope, i, TAC_ROW_HIGH);
}

static Search first_end(const tacTableau *tableau, double t, int direction) {
    Search s = {t, direction, 1, 0, -1, 0};
    for (int i = 0; i < tableau->problem->n; i++)
        search_row(&s, tableau, i);
    return s;
}

/* A little beyond the largest t at which a condition of the first line ends. */
static double far_away(const tacTableau *tableau) {
    double t = 0;
    for (int i = 0; i < tableau->problem->n; i++) {
        End end[2];
        for (int k = ends_of(tableau, i, end) - 1; k >= 0; k--)
            if (end[k].margin.slope != 0) t = tac_max(t, tac_abs(end[k].margin.at0 / end[k].margin.slope));
    }
    return 2 * t;
}

/* Row i has just left `before`. Its new condition holds on this side only. */
static int direction_after(const tacTableau *tableau, int i, int before) {
    End end[2];
    int n = ends_of(tableau, i, end);
    for (int k = 0; k < n; k++)
        if (n == 1 || end[k].row_class == before) return end[k].margin.slope > 0 ? 1 : -1;
    return -1;
}

/* Follows the path from t down to zero, in at most `lines` lines. */
static int follow(tacTableau *tableau, double t, int lines, int *pivots) {
    int direction = -1;
    for (int line = 0; line < lines; line++) {
        Search end = first_end(tableau, t, direction);
        double travel = end.row < 0 ? TAC_INFINITY : end.margin / end.falls;
        if (direction < 0 && t - travel <= 0) return 1;
        if (end.row < 0) return 0;
        t += direction * travel;
        int before = tableau->row_class[end.row];
        if (!tac_tableau_move(tableau, end.row, end.row_class, t)) return 0;
        direction = direction_after(tableau, end.row, before);
        ++*pivots;
    }
    return 0;
}

/* Rows with equal bounds: their force is known, and w decides their side. */
static void sort_narrow(const tacTableau *tableau) {
    for (int i = 0; i < tableau->problem->n; i++) {
        if (has_width(tableau->problem, i) || tableau->row_class[i] == TAC_ROW_OFF) continue;
        tableau->row_class[i] = tac_tableau_velocity(tableau, i).at0 > 0 ? TAC_ROW_LOW : TAC_ROW_HIGH;
    }
}

int tac_boxed_path(const tacBoxed *problem, tacBoxedWork *work, int way, double *f, double *w, int *row_class,
                   int *pivots) {
    tacTableau tableau;
    for (int i = 0; i < problem->n; i++)
        work->cover[i] = tac_boxed_cover(problem, way, i);
    tac_tableau_begin(&tableau, problem, work, work->cover, row_class);
    if (!begin(&tableau) || !follow(&tableau, far_away(&tableau), LINES + LINES_PER_ROW * problem->n, pivots)) return 0;
    sort_narrow(&tableau);
    return tac_boxed_solve_classes(problem, row_class, work, f, w);
}
