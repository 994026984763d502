#include "contact/coordinate.h"

#define IS(t, row) (TAC_FIELDS[(t)->field].offset == offsetof(tacModel, row))

/* --- Coordinates -------------------------------------------------------------------------------------------------- */

int tac_coordinate_size(const tacModel *m, tacCoordinate c) {
    return c.kind == TAC_KIND_JOINT ? 1 : m->tendon_term_num[c.id];
}

tacCoordinateTerm tac_coordinate_term(const tacModel *m, tacCoordinate c, int k) {
    int at = c.kind == TAC_KIND_JOINT ? -1 : m->tendon_term_adr[c.id] + k;
    int joint = at < 0 ? c.id : m->term_joint[at];
    return (tacCoordinateTerm){joint, m->joint_dof_adr[joint], at < 0 ? 1 : m->term_coef[at]};
}

double tac_coordinate_value(const tacModel *m, tacCoordinate c, const double *q) {
    double sum = 0;
    for (int k = 0; k < tac_coordinate_size(m, c); k++) {
        tacCoordinateTerm term = tac_coordinate_term(m, c, k);
        sum += term.coef * q[m->joint_qpos_adr[term.joint]];
    }
    return sum;
}

double tac_coordinate_rate(const tacModel *m, tacCoordinate c, const double *z) {
    double sum = 0;
    for (int k = 0; k < tac_coordinate_size(m, c); k++) {
        tacCoordinateTerm term = tac_coordinate_term(m, c, k);
        sum += term.coef * z[term.dof];
    }
    return sum;
}

/* --- Combinations ------------------------------------------------------------------------------------------------- */

/* Lower: c - range[0]; upper: range[1] - c. */
static tacCombination limit(const tacModel *m, tacCoordinate c, int side, const double *range, const double *q) {
    double sign = side == 0 ? 1 : -1;
    return (tacCombination){
        .n = 1, .c = {c}, .scale = {sign}, .pos = sign * (tac_coordinate_value(m, c, q) - range[side])};
}

/* c_0 - ref_0 = P(x) with x = c_1 - ref_1 and P(x) = sum of data[k] x^k. pos is the left side less the right side. */
static tacCombination polynomial(const tacModel *m, int eq, const double *q) {
    const double *p = m->equality_data_used + 11 * eq;
    const int *obj = m->equality_obj + 2 * eq;
    tacKind kind = (tacKind)m->equality_objkind[eq];
    tacCombination a = {.n = obj[1] < 0 ? 1 : 2, .c = {{kind, obj[0]}, {kind, obj[1]}}, .scale = {1}};
    a.pos = tac_coordinate_value(m, a.c[0], q) - tac_coordinate_value(m, a.c[0], m->qpos_0) - p[0];
    if (a.n == 1) return a;
    double x = tac_coordinate_value(m, a.c[1], q) - tac_coordinate_value(m, a.c[1], m->qpos_0);
    a.x = x;
    a.pos -= x * (p[1] + x * (p[2] + x * (p[3] + x * p[4])));
    a.scale[1] = -(p[1] + x * (2 * p[2] + x * (3 * p[3] + x * 4 * p[4])));
    a.scale_rate = -(2 * p[2] + x * (6 * p[3] + x * 12 * p[4]));
    return a;
}

tacCombination tac_row_combination(const tacModel *m, const tacRow *row, const double *q) {
    tacCoordinate joint = {TAC_KIND_JOINT, row->id}, tendon = {TAC_KIND_TENDON, row->id};
    switch (row->kind) {
    case TAC_ROW_JOINT_LIMIT:
        if (m->joint_type[row->id] == TAC_JOINT_BALL) break;
        return limit(m, joint, row->axis, m->joint_range + 2 * row->id, q);
    case TAC_ROW_TENDON_LIMIT:
        return limit(m, tendon, row->axis, m->tendon_range + 2 * row->id, q);
    case TAC_ROW_TENDON_FRICTION:
        return (tacCombination){.n = 1, .c = {tendon}, .scale = {1}};
    case TAC_ROW_EQUALITY:
        if (m->equality_type[row->id] == TAC_EQ_JOINT || m->equality_type[row->id] == TAC_EQ_TENDON)
            return polynomial(m, row->id, q);
        break;
    default:
        break;
    }
    return (tacCombination){.n = 0};
}

void tac_add_combination(const tacModel *m, const tacCombination *a, tacRows *rows, tacRow *row) {
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < tac_coordinate_size(m, a->c[i]); k++)
            tac_rows_add_path(m, rows, row, tac_coordinate_term(m, a->c[i], k).dof);
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < tac_coordinate_size(m, a->c[i]); k++) {
            tacCoordinateTerm term = tac_coordinate_term(m, a->c[i], k);
            tac_rows_add_value(rows, row, term.dof, a->scale[i] * term.coef);
        }
}

static void add_gradient(const tacModel *m, tacCoordinate c, double scale, double *out) {
    for (int k = 0; k < tac_coordinate_size(m, c); k++) {
        tacCoordinateTerm term = tac_coordinate_term(m, c, k);
        out[term.dof] += scale * term.coef;
    }
}

void tac_combination_gradient(const tacModel *m, const tacCombination *a, double *out) {
    for (int i = 0; i < a->n; i++)
        add_gradient(m, a->c[i], a->scale[i], out);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* scale[1] changes by ds. J z then changes by ds (dc_1 z), and J^T f by ds f dc_1. */
static double emit_scale(const tacModel *m, const tacCombination *a, double ds, const tacRowWeights *by, int column,
                         const tacSink *force) {
    if (ds == 0) return 0;
    for (int k = 0; by->f != 0 && k < tac_coordinate_size(m, a->c[1]); k++) {
        tacCoordinateTerm term = tac_coordinate_term(m, a->c[1], k);
        tac_emit(force, term.dof, column, by->scale * by->f * ds * term.coef);
    }
    return by->z == NULL ? 0 : ds * tac_coordinate_rate(m, a->c[1], by->z);
}

void tac_combination_jac(const tacModel *m, const tacCombination *a, int k, const tacRowWeights *by,
                         const tacRowSink *sink) {
    for (int i = 0; i < a->n; i++)
        for (int e = 0; e < tac_coordinate_size(m, a->c[i]); e++) {
            tacCoordinateTerm term = tac_coordinate_term(m, a->c[i], e);
            double change = by->rate * a->scale[i] * term.coef;
            if (i == 1) change += emit_scale(m, a, a->scale_rate * term.coef, by, term.dof, &sink->force);
            if (change != 0) tac_emit(&sink->row, k, term.dof, change);
        }
}

static double power(double x, int k) {
    double y = 1;
    while (k-- > 0)
        y *= x;
    return y;
}

/* Change of one coordinate by a parameter: of a coefficient, of c, and of c at qpos_0. */
typedef struct Change {
    int dof;
    double coef, value, reference;
} Change;

static Change coordinate_change(const tacModel *m, tacCoordinate c, const tacParamTangent *t, const double *q) {
    Change d = {.dof = -1};
    for (int k = 0; k < tac_coordinate_size(m, c); k++) {
        tacCoordinateTerm term = tac_coordinate_term(m, c, k);
        int adr = m->joint_qpos_adr[term.joint];
        if (IS(t, joint_ref) && t->index == term.joint) d.reference += term.coef;
        if (c.kind != TAC_KIND_TENDON || !IS(t, term_coef) || t->index != m->tendon_term_adr[c.id] + k) continue;
        d.dof = term.dof;
        d.coef = 1;
        d.value += q[adr];
        d.reference += m->qpos_0[adr];
    }
    return d;
}

/* Returns the change of pos with the end of the row: range of a limit, coefficients of a polynomial. *ds: change of
 * scale[1]. */
static double own_change(const tacModel *m, const tacCombination *a, const tacRow *row, const tacParamTangent *t,
                         double *ds) {
    const double *number = tac_param_at(m, t->field, t->index);
    int at = 2 * row->id + row->axis, k = t->index - 11 * row->id;
    if (row->kind == TAC_ROW_JOINT_LIMIT) return number == m->joint_range + at ? -a->scale[0] : 0;
    if (row->kind == TAC_ROW_TENDON_LIMIT) return number == m->tendon_range + at ? -a->scale[0] : 0;
    if (row->kind != TAC_ROW_EQUALITY || !IS(t, equality_data) || k < 0 || k > 4) return 0;
    if (k > 0 && a->n == 1) return 0;
    if (k > 0) *ds -= k * power(a->x, k - 1);
    return -power(a->x, k);
}

void tac_combination_param(const tacModel *m, const tacCombination *a, const tacRow *row, int k, const double *q,
                           const tacRowWeights *by, const tacParamTangent *t, int column, const tacRowSink *sink) {
    double ds = 0, dpos = own_change(m, a, row, t, &ds), change = 0;
    for (int i = 0; i < a->n; i++) {
        Change d = coordinate_change(m, a->c[i], t, q);
        if (row->kind != TAC_ROW_EQUALITY) d.reference = 0;
        dpos += a->scale[i] * (d.value - d.reference);
        if (i == 1) ds += a->scale_rate * (d.value - d.reference);
        if (d.dof < 0) continue;
        tac_emit(&sink->force, d.dof, column, by->scale * by->f * a->scale[i] * d.coef);
        if (by->z != NULL) change += a->scale[i] * d.coef * by->z[d.dof];
    }
    change += emit_scale(m, a, ds, by, column, &sink->force) + by->rate * dpos;
    if (change != 0) tac_emit(&sink->row, k, column, change);
}
