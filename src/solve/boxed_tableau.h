/* The family of a boxed problem's solutions around the present classes, updated while classes change.
 *
 * Every row has one parameter, which is zero as long as its class holds, and one dependent number:
 *
 *   free       parameter w_i            follows f_i
 *   at bound   parameter f_i - base_i   follows w_i       base = low f_p or high f_p (low, high without a parent)
 *   off        parameter f_i            follows w_i
 *
 * table (n x (n + 2)) has the dependent numbers as functions of all parameters, of one and of t:  w = A f + b + t
 * cover.  When row i changes class, its new parameter is a known function of the old ones. This is solved for the
 * replaced parameter and substituted everywhere: one rank-one change, n^2 products.   [Cottle1992, 2.3, principal
 * pivots] */
#pragma once

#include "solve/boxed.h"

typedef struct tacTableau {
    const tacBoxed *problem;
    double *table, *change; /* n x (n + 2), n + 2 */
    double *base;           /* n: constant part of a bounded row's force; the driven one's among them */
    int *row_class;
    int bound; /* rows before it have conditions: their parents' changes concern them */
} tacTableau;

/* Sets all rows off, f = 0, without conditions. cover: NULL is zero. */
void tac_tableau_begin(tacTableau *tableau, const tacBoxed *problem, tacBoxedWork *work, const double *cover,
                       int *row_class);
/* Row i becomes free, or goes to a bound, with its children. They are off if it has no force. If it takes force again,
 * they go to the bound that w at t pushes them to. 0: there is no such family (a pivot is zero). */
int tac_tableau_move(tacTableau *tableau, int i, int row_class, double t);
/* The force of row i, without condition, grows by `length`. */
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
