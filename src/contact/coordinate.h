/* Scalar coordinates of rows: the coordinate of a hinge or slide, the length of a fixed tendon. Both are linear in q.
 * The row of a limit, of a tendon's friction, or of an equality between two coordinates has
 *
 *   J = scale_0 dc_0/dq + scale_1 dc_1/dq        (docs/theory/contact.md, R6) */
#pragma once

#include "contact/rows.h"

typedef struct tacCoordinate {
    tacKind kind; /* TAC_KIND_JOINT or TAC_KIND_TENDON */
    int id;
} tacCoordinate;

/* c = sum over terms of coef q */
typedef struct tacCoordinateTerm {
    int joint, dof;
    double coef;
} tacCoordinateTerm;
int tac_coordinate_size(const tacModel *m, tacCoordinate c);
tacCoordinateTerm tac_coordinate_term(const tacModel *m, tacCoordinate c, int k);
/* q -> c and, from the velocities z of dofs, its rate. */
double tac_coordinate_value(const tacModel *m, tacCoordinate c, const double *q);
double tac_coordinate_rate(const tacModel *m, tacCoordinate c, const double *z);

/* The combination of coordinates in a row, at q. */
typedef struct tacCombination {
    int n; /* 0: the row is no function of coordinates */
    tacCoordinate c[2];
    double scale[2];
    double scale_rate; /* d(scale[1])/d(c[1]) */
    double x;          /* equality: c[1] less its value at qpos_0 */
    double pos;
} tacCombination;
tacCombination tac_row_combination(const tacModel *m, const tacRow *row, const double *q);
/* The row's dofs and J. */
void tac_add_combination(const tacModel *m, const tacCombination *a, tacRows *rows, tacRow *row);
/* out[nv] += J */
void tac_combination_gradient(const tacModel *m, const tacCombination *a, double *out);

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* Emits the change of the row by each dof. */
void tac_combination_jac(const tacModel *m, const tacCombination *a, int k, const tacRowWeights *by,
                         const tacRowSink *sink);
/* Emits its change by a parameter as a column. */
void tac_combination_param(const tacModel *m, const tacCombination *a, const tacRow *row, int k, const double *q,
                           const tacRowWeights *by, const tacParamTangent *t, int column, const tacRowSink *sink);
