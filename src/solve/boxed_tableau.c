#include "solve/boxed_tableau.h"

#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

/* A pivot this small, relative to the rest of its line, is zero. */
#define LEAST_PIVOT 1e-13

static double *line_of(const tacTableau *tableau, int i) {
    return tableau->table + (size_t)i * (size_t)(tableau->problem->n + 2);
}

static int is_free(const tacTableau *tableau, int i) { return tableau->row_class[i] == TAC_ROW_FREE; }

void tac_tableau_begin(tacTableau *tableau, const tacBoxed *problem, tacBoxedWork *work, const double *cover,
                       int *row_class) {
    int n = problem->n;
    *tableau = (tacTableau){problem, work->table, work->change, work->base, row_class, n};
    for (int i = 0; i < n; i++) {
        double *line = line_of(tableau, i);
        memcpy(line, problem->A + (size_t)i * (size_t)n, (size_t)n * sizeof *line);
        line[i] = tac_boxed_diagonal(problem, i);
        line[n] = problem->b[i];
        line[n + 1] = cover == NULL ? 0 : cover[i];
        row_class[i] = TAC_ROW_OFF;
        tableau->base[i] = 0;
    }
}

/* --- One change of parameter -------------------------------------------------------------------------------------- */

/* line += scale f_p, the force of row p (free, or its parameter with a constant) */
static void add_force(const tacTableau *tableau, double scale, int p, double *line) {
    int n = tableau->problem->n;
    if (scale == 0) return;
    if (is_free(tableau, p)) {
        tac_dense_axpy(n + 2, scale, line_of(tableau, p), line);
    } else {
        line[p] += scale;
        line[n] += scale * tableau->base[p];
    }
}

/* Share of the parent's force, and constant, that a row's force has besides its parameter. */
typedef struct Base {
    double share, constant;
} Base;

static Base base_at(const tacTableau *tableau, int i, int row_class) {
    const tacBoxed *problem = tableau->problem;
    double bound = row_class == TAC_ROW_LOW ? problem->low[i] : row_class == TAC_ROW_HIGH ? problem->high[i] : 0;
    return problem->parent[i] < 0 ? (Base){0, bound} : (Base){bound, 0};
}

static Base base_of(const tacTableau *tableau, int i) {
    Base base = base_at(tableau, i, tableau->row_class[i]);
    base.constant = tableau->base[i];
    return base;
}

/* line += scale (share f_p + constant) */
static void add_base(const tacTableau *tableau, double scale, int i, Base base, double *line) {
    add_force(tableau, scale * base.share, tableau->problem->parent[i], line);
    line[tableau->problem->n] += scale * base.constant;
}

/* `change` has row i's new parameter as a function of the old ones. Inverts it: the old parameter as a function of the
 * new ones. */
static int solve_for(tacTableau *tableau, int i) {
    int n = tableau->problem->n;
    double *line = tableau->change, pivot = line[i], largest = 0;
    for (int k = 0; k < n; k++)
        largest = tac_max(largest, tac_abs(line[k]));
    if (!(tac_abs(pivot) > LEAST_PIVOT * largest)) return 0;
    line[i] = -1;
    double scale = -1 / pivot;
    for (int k = 0; k < n + 2; k++)
        line[k] *= scale;
    return 1;
}

/* Substitutes it in all lines except `except`, two at a time. */
static void put_in(tacTableau *tableau, int i, int except) {
    int n = tableau->problem->n, held = 0;
    double scale[2], *line[2] = {NULL, NULL};
    for (int k = 0; k < n; k++) {
        double *at = line_of(tableau, k);
        if (k == except || at[i] == 0) continue;
        scale[held] = at[i];
        line[held] = at;
        at[i] = 0;
        held = !held;
        if (!held) tac_dense_axpy_two(n + 2, scale, tableau->change, line[0], line[1]);
    }
    if (held) tac_dense_axpy(n + 2, scale[0], tableau->change, line[0]);
}

/* parameter w_i: the dependent number is f_i = old parameter + base */
static int set_free(tacTableau *tableau, int i) {
    int n = tableau->problem->n;
    Base base = base_of(tableau, i);
    memcpy(tableau->change, line_of(tableau, i), (size_t)(n + 2) * sizeof(double));
    if (!solve_for(tableau, i)) return 0;
    put_in(tableau, i, i);
    memcpy(line_of(tableau, i), tableau->change, (size_t)(n + 2) * sizeof(double));
    add_base(tableau, 1, i, base, line_of(tableau, i));
    tableau->row_class[i] = TAC_ROW_FREE;
    tableau->base[i] = 0;
    return 1;
}

/* Changes the base of a row that is not free, nor is its parent. The old parameter differs from the new one by the
 * parent's and a constant. */
static void shift_base(tacTableau *tableau, int i, Base before, Base after) {
    int n = tableau->problem->n, p = tableau->problem->parent[i];
    double share = after.share - before.share, constant = after.constant - before.constant;
    if (share != 0) constant += share * tableau->base[p];
    for (int k = 0; k < n; k++) {
        double *line = line_of(tableau, k);
        if (share != 0) line[p] += share * line[i];
        if (constant != 0) line[n] += constant * line[i];
    }
}

/* `change` <- the row's force less `base`, as a function of the old parameters */
static void express_force(tacTableau *tableau, int i, Base before, Base base) {
    int n = tableau->problem->n;
    double *change = tableau->change;
    if (is_free(tableau, i)) {
        memcpy(change, line_of(tableau, i), (size_t)(n + 2) * sizeof *change);
    } else {
        memset(change, 0, (size_t)(n + 2) * sizeof *change);
        change[i] = 1;
        add_base(tableau, 1, i, before, change);
    }
    add_base(tableau, -1, i, base, change);
}

/* parameter f_i - base: the dependent number is w_i, the old parameter (from free), or as before */
static int set_bound(tacTableau *tableau, int i, int row_class) {
    int n = tableau->problem->n, p = tableau->problem->parent[i], was_free = is_free(tableau, i);
    Base base = base_at(tableau, i, row_class), before = base_of(tableau, i);
    int same = before.share == base.share && before.constant == base.constant;
    if (!was_free && !same && (p < 0 || !is_free(tableau, p))) {
        shift_base(tableau, i, before, base);
    } else if (was_free || !same) {
        express_force(tableau, i, before, base);
        if (!solve_for(tableau, i)) return 0;
        put_in(tableau, i, was_free ? i : -1);
        if (was_free) memcpy(line_of(tableau, i), tableau->change, (size_t)(n + 2) * sizeof(double));
    }
    tableau->row_class[i] = row_class;
    tableau->base[i] = base.constant;
    return 1;
}

/* --- Rows and their children -------------------------------------------------------------------------------------- */

static double at(tacLine line, double t) { return line.at0 + line.slope * t; }

/* Children go to their bounds before the parent becomes free. */
static int reactivate_children(tacTableau *tableau, int i, double t) {
    for (int k = i + 1; k < tableau->bound && tableau->problem->parent[k] == i; k++) {
        int row_class = at(tac_tableau_velocity(tableau, k), t) > 0 ? TAC_ROW_LOW : TAC_ROW_HIGH;
        if (!set_bound(tableau, k, row_class)) return 0;
    }
    return 1;
}

/* The parent's force goes to zero. Free children go to a bound first, which is zero too. */
static int bound_children(tacTableau *tableau, int i, double t) {
    for (int k = i + 1; k < tableau->problem->n && tableau->problem->parent[k] == i; k++) {
        if (!is_free(tableau, k)) continue;
        int row_class = at(tac_tableau_force(tableau, k), t) < 0 ? TAC_ROW_LOW : TAC_ROW_HIGH;
        if (!set_bound(tableau, k, row_class)) return 0;
    }
    return 1;
}

static int put_children_off(tacTableau *tableau, int i) {
    for (int k = i + 1; k < tableau->problem->n && tableau->problem->parent[k] == i; k++)
        if (!set_bound(tableau, k, TAC_ROW_OFF)) return 0;
    return 1;
}

int tac_tableau_move(tacTableau *tableau, int i, int row_class, double t) {
    if (row_class == TAC_ROW_FREE) return reactivate_children(tableau, i, t) && set_free(tableau, i);
    return bound_children(tableau, i, t) && set_bound(tableau, i, row_class) && put_children_off(tableau, i);
}

void tac_tableau_drive(tacTableau *tableau, int i, double length) {
    int n = tableau->problem->n;
    for (int k = 0; k < n; k++) {
        double *line = line_of(tableau, k);
        line[n] += length * line[i];
    }
    tableau->base[i] += length;
}

/* --- Numbers ------------------------------------------------------------------------------------------------------ */

tacLine tac_tableau_force(const tacTableau *tableau, int i) {
    int n = tableau->problem->n;
    const double *line = line_of(tableau, i);
    if (is_free(tableau, i)) return (tacLine){line[n], line[n + 1]};
    Base base = base_of(tableau, i);
    if (base.share == 0) return (tacLine){base.constant, 0};
    tacLine parent = tac_tableau_force(tableau, tableau->problem->parent[i]);
    return (tacLine){base.share * parent.at0 + base.constant, base.share * parent.slope};
}

double tac_tableau_force_by(const tacTableau *tableau, int i, int k) {
    if (is_free(tableau, i)) return line_of(tableau, i)[k];
    double share = base_of(tableau, i).share, own = i == k;
    return share == 0 ? own : own + share * tac_tableau_force_by(tableau, tableau->problem->parent[i], k);
}

double tac_tableau_velocity_by(const tacTableau *tableau, int i, int k) {
    return is_free(tableau, i) ? i == k : line_of(tableau, i)[k];
}
