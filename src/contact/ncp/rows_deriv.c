/* How rows respond, and derivatives of their equations at fixed q+ by the state   (docs/theory/ncp.md, W33). */
#include "contact/ncp/rows_deriv.h"

#include "contact/coordinate.h"
#include "math/scalar.h"

#include <string.h>

int tac_ncp_value_input(const tacNcp *p, int k) { return TAC_NCP_INPUTS * p->ncontact + k; }

int tac_ncp_number_input(const tacNcp *p, int k) { return TAC_NCP_INPUTS * p->ncontact + p->rows.n + k; }

double tac_ncp_row_bound_by_gap(const tacNcp *p, const tacNcpRow *row) {
    if (row->law == TAC_NCP_PAIR) return tac_ncp_gap_bound_by_gap(&row->bound, row->p);
    return row->law == TAC_NCP_HELD && tac_abs(row->of.pos) > p->h * TAC_NCP_CLOSING ? 1 : 0;
}

/* --- Responses ---------------------------------------------------------------------------------------------------- */

double tac_ncp_row_offset_rate(const tacNcpRow *row, double kappa) {
    switch (row->law) {
    case TAC_NCP_PAIR:
        return kappa / row->a[0];
    case TAC_NCP_DRY:
        return tac_ncp_row_compliance(row) * row->a[1];
    case TAC_NCP_HELD:
        return -row->p;
    default:
        return 0;
    }
}

/* --- Columns of q and v ------------------------------------------------------------------------------------------- */

/* Adds d(J . v+) as q_j moves at fixed q+, the part of number e: v+ changes by `hold`. */
static void add_hold(const tacNcp *p, int e, double *by) {
    int dof = p->rows.dof[e], joint = p->m->dof_joint[dof], adr = p->m->joint_dof_adr[joint];
    int last = joint + 1 < p->m->njnt ? p->m->joint_dof_adr[joint + 1] : p->m->nv;
    for (int j = adr; j < last; j++) {
        double hold[3];
        int first, n = tac_ncp_hold(p, j, hold, &first);
        if (dof >= first && dof < first + n) by[j] += p->rows.J[e] * hold[dof - first];
    }
}

static const double *rate_by_q(const tacNcp *p, const tacNcpRow *row) {
    memset(p->rows.Y, 0, (size_t)p->m->nv * sizeof *p->rows.Y);
    for (int e = row->of.adr; e < row->of.adr + row->of.num; e++)
        add_hold(p, e, p->rows.Y);
    return p->rows.Y;
}

static void emit_rate(const tacNcp *p, int k, const tacSink *q) {
    const double *by = rate_by_q(p, &p->rows.row[k]);
    for (int j = 0; j < p->m->nv; j++)
        if (by[j] != 0) tac_emit(q, tac_ncp_value_input(p, k), j, by[j]);
}

/* R_i has coefficient J_i J . (v+ - v). */
static void emit_armature(const tacNcp *p, const tacNcpRow *row, const tacSink *q, const tacSink *v) {
    const double *by = rate_by_q(p, row);
    for (int i = row->of.adr; i < row->of.adr + row->of.num; i++) {
        double of = row->coefficient * p->rows.J[i];
        for (int j = 0; j < p->m->nv; j++)
            if (by[j] != 0) tac_emit(q, p->rows.dof[i], j, of * by[j]);
        for (int j = row->of.adr; j < row->of.adr + row->of.num; j++)
            tac_emit(v, p->rows.dof[i], p->rows.dof[j], -of * p->rows.J[j]);
    }
}

/* The bound moves with the gap where the limit is violated at q. */
static void emit_ball(const tacNcp *p, int k, const tacSink *q) {
    const tacNcpRow *row = &p->rows.row[k];
    double range = tac_ncp_ball_range(p->m, row->of.id);
    double follows = tac_ncp_row_bound_by_gap(p, row);
    tacVec3 phi = tac_ncp_ball_turn(p->m, row->of.id, p->q);
    for (int i = 0; i < 3 && follows != 0; i++)
        tac_emit(q, tac_ncp_value_input(p, k), p->rows.dof[row->of.adr] + i, follows * tac_get3(phi, i) / range);
}

tacEqualityWeights tac_ncp_equality_weights(const tacNcp *p, int k) {
    const tacNcpRow *row = &p->rows.row[k];
    tacEqualityWeights by = {.k = tac_ncp_value_input(p, k), .scale = -1};
    int n = p->m->equality_type[row->of.id] == TAC_EQ_WELD ? 6 : 3;
    for (int i = 0; i < n; i++) {
        by.f[i] = row[i].p;
        by.rate[i] = 0 - tac_ncp_row_bound_by_gap(p, &row[i]);
    }
    return by;
}

static void emit_pose(const tacNcp *p, int k, const tacRowSink *sink) {
    tacEquality e = tac_equality_at(p->m, p->w, p->rows.row[k].of.id);
    tacEqualityWeights by = tac_ncp_equality_weights(p, k);
    for (int j = 0; j < p->m->nv; j++) {
        tacMover mover = tac_dof_mover(p->m, p->w, j);
        tac_equality_move(p->m, p->w, &e, &mover, &by, j, sink);
    }
}

static void emit_row(const tacNcp *p, int k, const tacNcpSink *q) {
    const tacNcpRow *row = &p->rows.row[k];
    tacRowSink sink = {q->balance, q->inputs};
    if (row->law == TAC_NCP_DRY) {
        emit_rate(p, k, &q->inputs);
    } else if (tac_ncp_row_is_ball(p, row)) {
        emit_ball(p, k, &q->inputs);
    } else if (!tac_ncp_row_is_pose(p, row)) {
        tacCombination a = tac_row_combination(p->m, &row->of, p->q);
        tacRowWeights by = {row->p, -1, 0 - tac_ncp_row_bound_by_gap(p, row), NULL};
        tac_combination_jac(p->m, &a, tac_ncp_value_input(p, k), &by, &sink);
    } else if (row->of.axis == 0) {
        emit_pose(p, k, &sink);
    }
}

void tac_ncp_rows_state_jac(const tacNcp *p, const tacNcpSink *q, const tacNcpSink *v, int free) {
    for (int k = 0; k < p->rows.n; k++) {
        const tacNcpRow *row = &p->rows.row[k];
        if (tac_ncp_row_is_smooth(row))
            emit_armature(p, row, &q->balance, &v->balance);
        else if (!free)
            emit_row(p, k, q);
    }
}

/* --- Forces on dofs ----------------------------------------------------------------------------------------------- */

void tac_ncp_row_forces(const tacNcp *p, double *qfrc) {
    for (int k = 0; k < p->rows.n; k++) {
        const tacNcpRow *row = &p->rows.row[k];
        if (!tac_ncp_row_is_smooth(row)) tac_ncp_row_axpy(&p->rows, row, row->p / p->h, p->rows.J, qfrc);
    }
}

void tac_ncp_rows_free_weights(const tacNcp *p, const double *qfrcbar, double *vbar) {
    for (int k = 0; k < p->rows.n; k++) {
        const tacNcpRow *row = &p->rows.row[k];
        if (!tac_ncp_row_is_smooth(row)) continue;
        double along = tac_ncp_row_dot(&p->rows, row, p->rows.J, qfrcbar);
        tac_ncp_row_axpy(&p->rows, row, row->coefficient * along / p->h, p->rows.J, vbar);
    }
}
