/* Terms of limits, friction, compliance and bounds in dR and dr (docs/theory/contact.md, L4). */
#include "contact/lcp/problem.h"

#include "contact/ball_limit.h"
#include "contact/coordinate.h"

double tac_lcp_shift_rate(const tacLcp *lcp, int k) {
    double rate;
    tac_lcp_shift(lcp, &lcp->rows.row[k], &rate);
    return lcp->bounce[k] > 0 ? 0 : rate;
}

static void emit_row_force(const tacLcp *lcp, int k, double df, int column, const tacSink *sink) {
    const tacRow *row = &lcp->rows.row[k];
    for (int e = row->adr; e < row->adr + row->num; e++)
        tac_emit(sink, lcp->rows.dof[e], column, -lcp->rows.J[e] * df / lcp->h);
}

/* The same on bodies. */
static void emit_row_wrench(const tacLcpPoint *p, int k, double df, int column, const tacSink *sink) {
    tacRowWrench unit;
    if (tac_sink_is_empty(sink) || !tac_lcp_row_wrench(p->m, p->w, p->lcp, k, &unit)) return;
    for (int side = 0; side < 2; side++)
        tac_emit_wrench(sink, unit.body[side], column, tac_scale6(df, unit.wrench[side]));
}

/* d(number)/d(parameter): 1 for the number itself. */
static int is_number(const tacModel *m, const tacParamTangent *t, const double *number) {
    return tac_param_at(m, t->field, t->index) == number;
}

static double bound_sign(const tacLcp *lcp, int k) {
    return lcp->row_class[k] == TAC_ROW_LOW ? -1 : lcp->row_class[k] == TAC_ROW_HIGH ? 1 : 0;
}

/* d(eps) f */
static void emit_compliance(const tacLcpPoint *p, int k, const tacParamTangent *t, int column, const tacLcpSink *sink) {
    double change = p->lcp->firmness * tac_lcp_compliance_param(p->m, &p->lcp->rows, k, p->lcp->heaviest, t);
    if (change != 0) tac_emit(&sink->row, k, column, change * p->lcp->f[k]);
}

/* A row held at a bound: its force moves with the bound. */
static void emit_bound(const tacLcpPoint *p, int k, const tacParamTangent *t, int column, const tacLcpSink *sink) {
    const tacModel *m = p->m;
    const tacLcp *lcp = p->lcp;
    const tacRow *row = &lcp->rows.row[k];
    double sign = bound_sign(lcp, k), change = 0;
    if (sign == 0) return;
    if (row->kind == TAC_ROW_CONTACT && row->axis > 0)
        change = tac_contact_friction_param(m, t, &lcp->rows.contact[row->id], row->axis) * lcp->f[lcp->parent[k]];
    if (row->kind == TAC_ROW_JOINT_FRICTION && !lcp->impact)
        change = is_number(m, t, m->joint_frictionloss + m->dof_joint[row->id]) * lcp->h;
    if (row->kind == TAC_ROW_TENDON_FRICTION && !lcp->impact)
        change = is_number(m, t, m->tendon_frictionloss + row->id) * lcp->h;
    if (change == 0) return;
    tac_emit(&sink->part, k, column, sign * change);
    emit_row_force(lcp, k, sign * change, column, &sink->force);
    emit_row_wrench(p, k, sign * change, column, &sink->wrench);
}

/* Rows on coordinates, which are limits and friction of tendons, and limits of balls. */
static void emit_row(const tacLcpPoint *p, int k, const tacLcpSink *q, const tacLcpSink *theta,
                     const tacParamTangent *tangents) {
    const tacLcp *lcp = p->lcp;
    const tacRow *row = &lcp->rows.row[k];
    double rate = row->kind == TAC_ROW_TENDON_FRICTION ? 0 : tac_lcp_shift_rate(lcp, k);
    tacRowWeights by = {lcp->f[k], -1 / lcp->h, rate, p->v_next};
    tacCombination a = tac_row_combination(p->m, row, p->x->q);
    int ball = row->kind == TAC_ROW_JOINT_LIMIT && a.n == 0;
    tacRowSink sink = tac_lcp_rows(q), numbers = theta == NULL ? sink : tac_lcp_rows(theta);
    if (a.n > 0) tac_combination_jac(p->m, &a, k, &by, &sink);
    if (ball) tac_ball_limit_jac(p->m, row, k, p->x->q, &by, &sink);
    for (int i = 0; theta != NULL && i < p->m->nmember; i++) {
        int column = tangents[i].column;
        if (a.n > 0) tac_combination_param(p->m, &a, row, k, p->x->q, &by, &tangents[i], column, &numbers);
        if (ball) tac_ball_limit_param(p->m, row, k, &by, &tangents[i], column, &numbers);
    }
}

void tac_lcp_other_jac(const tacLcpPoint *p, const tacLcpSink *q, const tacLcpSink *theta,
                       const tacParamTangent *tangents) {
    const tacLcp *lcp = p->lcp;
    for (int k = 0; k < lcp->rows.n; k++) {
        const tacRow *row = &lcp->rows.row[k];
        int idle = lcp->row_class[k] == TAC_ROW_LOW && lcp->low[k] == 0;
        if (row->kind != TAC_ROW_CONTACT && row->kind != TAC_ROW_EQUALITY && !idle) emit_row(p, k, q, theta, tangents);
        for (int i = 0; theta != NULL && i < p->m->nmember; i++) {
            int column = tangents[i].column;
            double ds = tac_lcp_bounce_param(p, k, &tangents[i]);
            if (ds != 0) tac_emit(&theta->row, k, column, ds);
            emit_compliance(p, k, &tangents[i], column, theta);
            emit_bound(p, k, &tangents[i], column, theta);
        }
    }
    int time = theta == NULL ? -1 : tac_param_of_time(p->m);
    if (time >= 0) tac_lcp_time_jac(p, time, theta);
}
