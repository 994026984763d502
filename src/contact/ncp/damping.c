/* Forces that are implicit in velocity, if the options' integrator is: damping of tendons, and the part of actuator
 * forces that depends on velocity (docs/theory/ncp.md, W37). Along a row m of a tendon or actuator they are, to first
 * order in v+ - v,
 *
 *   tau_i += k m_i s,      s = m . (v+ - v),      k = d(force)/d(velocity) at (q, v): -damping, or the actuator's gain
 *
 * on all of the row's dofs. That is a row with the impulse -coefficient s, coefficient = -h k. It is not a
 * constraint. */
#include "contact/ncp/damping.h"

#include "dynamics/actuator.h"
#include "dynamics/transmission.h"

#include <string.h>

#define IS(t, row) (TAC_FIELDS[(t)->field].offset == offsetof(tacModel, row))

/* --- Sizes -------------------------------------------------------------------------------------------------------- */

static int drives_one_dof(const tacModel *m, int a) {
    int type = m->actuator_trntype[a];
    if (type != TAC_TRN_JOINT && type != TAC_TRN_JOINT_IN_PARENT) return 0;
    int joint = m->joint_type[m->actuator_trnid[2 * a]];
    return joint == TAC_JOINT_HINGE || joint == TAC_JOINT_SLIDE;
}

/* 1: its force may depend on velocity. */
static int may_damp(const tacModel *m, int a) {
    return m->actuator_biastype[a] == TAC_BIAS_AFFINE || m->actuator_gaintype[a] == TAC_GAIN_AFFINE;
}

int tac_ncp_max_damping(const tacModel *m) {
    int n = m->ntendon;
    for (int a = 0; a < m->nu; a++)
        n += may_damp(m, a) && !drives_one_dof(m, a);
    return n;
}

int tac_ncp_max_damping_numbers(const tacModel *m) {
    int n = m->nterm;
    for (int a = 0; a < m->nu; a++)
        n += drives_one_dof(m, a) ? 1 : may_damp(m, a) ? m->nv : 0;
    return n;
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

static void add_tendon(tacNcp *p, int t) {
    const tacModel *m = p->m;
    int first = m->tendon_term_adr[t], n = m->tendon_term_num[t];
    if (m->tendon_type[t] != TAC_TENDON_FIXED || m->tendon_damping[t] == 0 || n == 0) return;
    tacNcpRow *row =
        tac_ncp_begin_row(p, (tacRow){.kind = TAC_ROW_TENDON_FRICTION, .id = t, .axis = 2}, TAC_NCP_DAMPER, n > 1);
    row->coefficient = p->h * m->tendon_damping[t];
    for (int k = first; k < first + n; k++)
        tac_ncp_add_number(&p->rows, row, m->joint_dof_adr[m->term_joint[k]], m->term_coef[k]);
}

static void add_actuator(tacNcp *p, int a) {
    const tacModel *m = p->m;
    const double *moment = p->w->moment + (size_t)a * (size_t)m->nv;
    double gain = tac_velocity_gain(m, p->w, a, p->point.u.ctrl, p->point.act, p->h).value;
    if (gain == 0) return;
    tacRow of = {.kind = TAC_ROW_TENDON_FRICTION, .id = a, .axis = 3};
    tacNcpRow *row = tac_ncp_begin_row(p, of, TAC_NCP_SERVO, !drives_one_dof(m, a));
    row->coefficient = -p->h * gain;
    for (int i = p->w->moment_begin[a]; i < p->w->moment_end[a]; i++)
        if (moment[i] != 0 || drives_one_dof(m, a)) tac_ncp_add_number(&p->rows, row, i, moment[i]);
}

void tac_ncp_add_damping(tacNcp *p) {
    if (!p->implicit) return;
    for (int t = 0; t < p->m->ntendon && !(*p->m->option_disable & TAC_DISABLE_DAMPER); t++)
        add_tendon(p, t);
    for (int a = 0; a < p->m->nu; a++)
        add_actuator(p, a);
}

/* --- Derivatives --------------------------------------------------------------------------------------------------
 * at fixed v+ - v:  dtau_i = dk m_i s + k dm_i s + k m_i (dm . (v+ - v)). The change of v+ - v is emitted with armature
 * (rows_deriv.c). */

/* rows.X = v+ - v */
static const double *gained(const tacNcp *p) {
    for (int i = 0; i < p->m->nv; i++)
        p->rows.X[i] = p->x[i] - p->v[i];
    return p->rows.X;
}

/* Emits value m_i for all i of the row, as a column. */
static void emit_along(const tacNcp *p, const tacNcpRow *row, double value, int column, const tacSink *sink) {
    for (int e = row->of.adr; e < row->of.adr + row->of.num && value != 0; e++)
        tac_emit(sink, p->rows.dof[e], column, value * p->rows.J[e]);
}

/* Emits columns of q of moments that depend on q. */
static void emit_turning(const tacNcp *p, const tacWork *w, const tacNcpRow *row, double k, const tacSink *q) {
    int a = row->of.id;
    double *turned = p->rows.Y; /* dm . gained by each dof */
    memset(turned, 0, (size_t)p->m->nv * sizeof *turned);
    tac_moment_jac(p->m, w, a, k * row->r, q);
    tac_moment_jac(p->m, w, a, 1, &(tacSink){.lambda = gained(p), .bar = turned});
    for (int j = 0; j < p->m->nv; j++)
        emit_along(p, row, k * turned[j], j, q);
}

void tac_ncp_damping_jac(const tacNcp *p, tacWork *w, const tacForceSink *sink) {
    const tacModel *m = p->m;
    for (int i = 0; i < p->rows.n; i++) {
        const tacNcpRow *row = &p->rows.row[i];
        int a = row->of.id;
        if (row->law != TAC_NCP_SERVO) continue;
        tacVelocityGain k = tac_velocity_gain(m, w, a, p->point.u.ctrl, p->point.act, p->h);
        emit_along(p, row, k.act * row->r, m->actuator_act_adr[a] + m->actuator_act_num[a] - 1, &sink->act);
        emit_along(p, row, k.ctrl * row->r, a, &sink->ctrl);
        if (!tac_moment_is_constant(m, a)) emit_turning(p, w, row, k.value, &sink->q);
    }
}

void tac_ncp_damping_move(const tacNcp *p, tacWork *w, const tacMover *mover, int column, const tacSink *sink) {
    for (int i = 0; i < p->rows.n; i++) {
        const tacNcpRow *row = &p->rows.row[i];
        int type = row->law == TAC_NCP_SERVO ? (int)p->m->actuator_trntype[row->of.id] : -1;
        double k = -row->coefficient / p->h, turned = 0;
        if (type != TAC_TRN_SITE && type != TAC_TRN_SLIDERCRANK) continue;
        tac_moment_move(p->m, w, row->of.id, mover, column, k * row->r, sink);
        tac_moment_move(p->m, w, row->of.id, mover, 0, 1, &(tacSink){.lambda = gained(p), .bar = &turned});
        emit_along(p, row, k * turned, column, sink);
    }
}

/* Emits the change of k by dk and of m by dm (nv; NULL: none). */
static void emit_change(const tacNcp *p, const tacNcpRow *row, double dk, const double *dm, int column,
                        const tacSink *sink) {
    double k = -row->coefficient / p->h, along = 0;
    for (int i = 0; dm != NULL && i < p->m->nv; i++) {
        along += dm[i] * (p->x[i] - p->v[i]);
        if (dm[i] != 0) tac_emit(sink, i, column, k * row->r * dm[i]);
    }
    emit_along(p, row, dk * row->r + k * along, column, sink);
}

static void change_tendon(const tacNcp *p, const tacNcpRow *row, const tacParamTangent *t, int column,
                          const tacSink *sink) {
    const tacModel *m = p->m;
    int first = m->tendon_term_adr[row->of.id], term = IS(t, term_coef) ? t->index : -1;
    if (IS(t, tendon_damping) && t->index == row->of.id) emit_change(p, row, -1, NULL, column, sink);
    if (term < first || term >= first + m->tendon_term_num[row->of.id]) return;
    memset(p->rows.Y, 0, (size_t)m->nv * sizeof *p->rows.Y);
    p->rows.Y[m->joint_dof_adr[m->term_joint[term]]] = 1;
    emit_change(p, row, 0, p->rows.Y, column, sink);
}

void tac_ncp_damping_param(const tacNcp *p, tacWork *w, const tacParamTangent *t, int column, const tacSink *sink) {
    for (int i = 0; i < p->rows.n; i++) {
        const tacNcpRow *row = &p->rows.row[i];
        if (row->law == TAC_NCP_DAMPER) change_tendon(p, row, t, column, sink);
        if (row->law != TAC_NCP_SERVO) continue;
        int turns = tac_param_moment(p->m, w, &p->point, t, row->of.id, p->rows.Y);
        double dk = tac_param_velocity_gain(p->m, w, &p->point, t, row->of.id);
        emit_change(p, row, dk, turns ? p->rows.Y : NULL, column, sink);
    }
    tacMover movers[2];
    int n = tac_param_movers(p->m, w, t, &p->point, movers);
    for (int k = 0; k < n; k++)
        tac_ncp_damping_move(p, w, &movers[k], column, sink);
}
