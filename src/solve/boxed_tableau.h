/* The whole family of a boxed problem's solutions around the present classes, kept up to date while classes change.
 *
 * Every row has one parameter that is zero as long as its class holds, and one number that follows:
 *
 *   free       parameter w_i            follows f_i
 *   at bound   parameter f_i - base_i   follows w_i       base = low f_p or high f_p (low, high without a parent)
 *   off        parameter f_i            follows w_i
 *
 * table (n x (n + 2)) has what follows as a function of all parameters, of one and of t:  w = A f + b + t cover.  When
 * row i changes class its new parameter is a known function of the old ones, which is solved for the one it replaces
 * and put in everywhere: one rank-one change, n^2 products.   [Cottle1992, 2.3, principal pivots] */
#pragma once

#include "solve/boxed.h"

typedef struct tacTableau {
    const tacBoxed *problem;
    double *table, *change; /* n x (n + 2), n + 2 */
    double *base;           /* n: constant part of a bounded row's force; the driven one's among them */
    int *row_class;
    int bound; /* rows before it have conditions: their parents' changes concern them */
} tacTableau;

/* All rows off, f = 0, conditions on none. cover: NULL is zero. */
void tac_tableau_begin(tacTableau *tableau, const tacBoxed *problem, tacBoxedWork *work, const double *cover,
                       int *row_class);
/* Row i becomes free, or goes to a bound, and its children with it: off when it has no force, at the bound to which w
 * at t pushes them when it takes force up again. 0: there is no such family (a pivot is zero). */
int tac_tableau_move(tacTableau *tableau, int i, int row_class, double t);
/* Row i's force, no condition on it, grows by `length`. */
void tac_tableau_drive(tacTableau *tableau, int i, double length);

/* f_i as a function of t, at0 + slope t, and with it w_i. */
typedef struct tacLine {
    double at0, slope;
} tacLine;
tacLine tac_tableau_force(const tacTableau *tableau, int i);
static inline tacLine tac_tableau_velocity(const tacTableau *tableau, int i) {
    int n = tableau->problem->n;
    const double *line = tableau->table + (size_t)i * (size_t)(n + 2);
    return tableau->row_class[i] == TAC_ROW_FREE ? (tacLine){0, 0} : (tacLine){line[n], line[n + 1]};
}
/* df_i and dw_i per unit of the parameter of row k */
double tac_tableau_force_by(const tacTableau *tableau, int i, int k);
double tac_tableau_velocity_by(const tacTableau *tableau, int i, int k);
