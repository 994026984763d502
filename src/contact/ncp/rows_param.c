/* Derivatives of rows at fixed q+ by mocap poses and the numbers of the model   (docs/theory/ncp.md, W33): their values
 * at q+, their directions and bounds at q, and the numbers of their laws. */
#include "contact/ncp/rows_deriv.h"

#include "contact/coordinate.h"
#include "contact/ncp/contact.h"
#include "math/scalar.h"

#define IS(t, row) (TAC_FIELDS[(t)->field].offset == offsetof(tacModel, row))

/* --- Rows on coordinates ------------------------------------------------------------------------------------------ */

static void combination_param(const tacNcpView *v, int k, const tacParamTangent *t, int column,
                              const tacRowSink *sink) {
    const tacNcp *p = v->p;
    const tacNcpRow *row = &p->rows.row[k];
    int input = tac_ncp_value_input(p, k);
    tacCombination here = tac_row_combination(p->m, &row->of, p->q),
                   there = tac_row_combination(p->m, &row->of, p->q_next);
    tacRowWeights by = {row->p, -1, 0 - tac_ncp_row_bound_by_gap(p, row), NULL}, ahead = {.rate = 1};
    if (row->law == TAC_NCP_DRY) {
        by.z = p->x;
        ahead.rate = 0;
    }
    tac_combination_param(p->m, &here, &row->of, input, p->q, &by, t, column, sink);
    tac_combination_param(p->m, &there, &row->of, input, p->q_next, &ahead, t, column, sink);
}

/* R_i has coefficient c_i (c . gained), gained = v+ - v. */
static void armature_param(const tacNcpView *v, const tacNcpRow *row, const tacParamTangent *t, int column,
                           const tacSink *balance) {
    const tacNcp *p = v->p;
    int first = p->m->tendon_term_adr[row->of.id], last = first + p->m->tendon_term_num[row->of.id];
    int own = IS(t, tendon_armature) && t->index == row->of.id, term = IS(t, term_coef) ? t->index : -1;
    for (int e = row->of.adr; own && e < row->of.adr + row->of.num; e++)
        tac_emit(balance, p->rows.dof[e], column, p->rows.J[e] * row->r);
    if (term < first || term >= last) return;
    int dof = p->rows.dof[row->of.adr + term - first];
    double gained = p->x[dof] - p->v[dof];
    tac_emit(balance, dof, column, row->coefficient * row->r);
    for (int e = row->of.adr; e < row->of.adr + row->of.num; e++)
        tac_emit(balance, p->rows.dof[e], column, row->coefficient * p->rows.J[e] * gained);
}

/* gap = (range - |phi|^2/range)/2,  J = -phi/range at q+ */
static void ball_param(const tacNcpView *v, int k, const tacParamTangent *t, int column, const tacRowSink *sink) {
    const tacNcp *p = v->p;
    const tacNcpRow *row = &p->rows.row[k];
    const double *number = tac_param_at(p->m, t->field, t->index), *ends = p->m->joint_range + 2 * row->of.id;
    if (number != ends + (ends[1] >= ends[0])) return;
    double range = tac_ncp_ball_range(p->m, row->of.id);
    tacVec3 phi = tac_ncp_ball_turn_next(p, row->of.id), before = tac_ncp_ball_turn(p->m, row->of.id, p->q);
    double change = 0.5 * (1 + tac_dot3(phi, phi) / (range * range)), follows = tac_ncp_row_bound_by_gap(p, row);
    if (follows != 0) change -= follows * 0.5 * (1 + tac_dot3(before, before) / (range * range));
    tac_emit(&sink->row, tac_ncp_value_input(p, k), column, change);
    for (int i = 0; i < 3; i++)
        tac_emit(&sink->force, p->rows.dof[row->of.adr] + i, column, -row->p * tac_get3(phi, i) / (range * range));
}

/* --- Connects and welds ------------------------------------------------------------------------------------------- */

/* A connect or weld at q or q+. */
static tacEqualityPlace place_at(const tacNcpView *v, int k, int next) {
    const tacNcp *p = v->p;
    tacEqualityPlace a = {.w = next ? &p->next : p->w, .x = *v->x};
    a.e = tac_equality_at(p->m, a.w, p->rows.row[k].of.id);
    a.by = tac_ncp_equality_weights(p, k);
    if (!next) return a;
    a.x.q = p->q_next;
    a.by = (tacEqualityWeights){.k = a.by.k};
    for (int i = 0; i < a.e.n; i++)
        a.by.rate[i] = 1;
    return a;
}

static void pose_param(const tacNcpView *v, int k, const tacParamTangent *tangents, const tacRowSink *mocap,
                       const tacRowSink *theta) {
    for (int next = 0; next < 2; next++) {
        tacEqualityPlace a = place_at(v, k, next);
        tac_equality_inputs_jac(v->p->m, &a, tangents, mocap, theta);
    }
}

/* --- All rows ----------------------------------------------------------------------------------------------------- */

/* d(number of the law): unit of products, h loss, h eps. */
static double number_change(const tacNcp *p, const tacNcpRow *row, const tacParamTangent *t) {
    const double *number = tac_param_at(p->m, t->field, t->index);
    if (row->law == TAC_NCP_PAIR) return t->inertial == NULL ? 0 : tac_ncp_gap_unit_change(p, t->inertial);
    if (row->law == TAC_NCP_HELD) return t->inertial == NULL ? 0 : tac_ncp_row_compliance_change(p, row, t->inertial);
    if (row->of.kind == TAC_ROW_JOINT_FRICTION)
        return p->h * (number == p->m->joint_frictionloss + p->m->dof_joint[row->of.id]);
    return p->h * (number == p->m->tendon_frictionloss + row->of.id);
}

static void row_param(const tacNcpView *v, int k, const tacParamTangent *t, int column, const tacNcpSink *theta) {
    const tacNcpRow *row = &v->p->rows.row[k];
    tacRowSink sink = {theta->balance, theta->inputs};
    if (row->law == TAC_NCP_INERTIA) armature_param(v, row, t, column, &theta->balance);
    if (tac_ncp_row_is_smooth(row) || v->free) return;
    double change = number_change(v->p, row, t);
    if (change != 0) tac_emit(&theta->inputs, tac_ncp_number_input(v->p, k), column, change);
    if (row->soft > 0 && t->inertial != NULL) {
        double lighter = tac_ncp_limit_mass_change(v->p, row, t->inertial);
        tac_emit(&theta->inputs, tac_ncp_value_input(v->p, k), column,
                 -tac_ncp_gap_bound_by_mass(&row->bound, row->p, lighter));
    }
    if (tac_ncp_row_is_ball(v->p, row))
        ball_param(v, k, t, column, &sink);
    else if (row->of.kind != TAC_ROW_JOINT_FRICTION && !tac_ncp_row_is_pose(v->p, row))
        combination_param(v, k, t, column, &sink);
}

void tac_ncp_rows_param_jac(const tacNcpView *v, const tacParamTangent *tangents, const tacNcpSink *mocap,
                            const tacNcpSink *theta) {
    tacRowSink to_mocap = {.force = {0}}, to_theta = {.force = {0}};
    if (mocap != NULL) to_mocap = (tacRowSink){mocap->balance, mocap->inputs};
    if (theta != NULL) to_theta = (tacRowSink){theta->balance, theta->inputs};
    for (int k = 0; k < v->p->rows.n; k++) {
        const tacNcpRow *row = &v->p->rows.row[k];
        for (int i = 0; theta != NULL && i < v->p->m->nmember; i++)
            row_param(v, k, &tangents[i], tangents[i].column, theta);
        if (!v->free && tac_ncp_row_is_pose(v->p, row) && row->of.axis == 0)
            pose_param(v, k, tangents, mocap == NULL ? NULL : &to_mocap, theta == NULL ? NULL : &to_theta);
    }
}
