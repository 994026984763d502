/* Change of G = dF/dv, which the implicit integrators take (velocity.h), with the model's numbers. */
#include "dynamics/param_deriv.h"

#include "dynamics/actuator.h"
#include "dynamics/param_mass.h"
#include "dynamics/transmission.h"
#include "dynamics/velocity.h"

#include <string.h>

/* One column under construction: changes of h G a. */
typedef struct Column {
    const tacModel *m;
    tacWork *w;
    const tacSmoothPoint *x;
    const double *a;
    const tacParamTangent *t;
    int id;
    const tacSink *sink;
} Column;

static int is_row(const Column *c, size_t offset) { return TAC_FIELDS[c->t->field].offset == offset; }
static int row_of(const Column *c) { return c->t->index / TAC_FIELDS[c->t->field].per; }
static int number_of(const Column *c) { return c->t->index % TAC_FIELDS[c->t->field].per; }

/* --- Tendons ------------------------------------------------------------------------------------------------------ */

/* -b J^T J: b changes by `change`, or the coefficient of one term by one. */
static void change_tendon(const Column *c, int tendon, double change, int term) {
    const tacModel *m = c->m;
    double h = c->x->h, *row = c->w->vec[2], *drow = c->w->vec[3];
    if (m->tendon_type[tendon] != TAC_TENDON_FIXED || (*m->option_disable & TAC_DISABLE_DAMPER)) return;
    memset(row, 0, (size_t)m->nv * sizeof *row);
    memset(drow, 0, (size_t)m->nv * sizeof *drow);
    tac_add_tendon_row(m, tendon, 1, row);
    if (term >= 0) drow[m->joint_dof_adr[m->term_joint[term]]] = 1;
    tac_emit_row_change(m, c->w, c->a, row, -h * m->tendon_damping[tendon], term >= 0 ? drow : NULL, -h * change, c->id,
                        c->sink);
}

/* h: -b J^T J of every tendon. */
static void change_time(const Column *c) {
    const tacModel *m = c->m;
    double *row = c->w->vec[2];
    for (int t = 0; t < m->ntendon && !(*m->option_disable & TAC_DISABLE_DAMPER); t++) {
        if (m->tendon_type[t] != TAC_TENDON_FIXED || m->tendon_damping[t] == 0) continue;
        memset(row, 0, (size_t)m->nv * sizeof *row);
        tac_add_tendon_row(m, t, 1, row);
        tac_emit_row_change(m, c->w, c->a, row, 0, NULL, -m->tendon_damping[t], c->id, c->sink);
    }
}

/* --- Actuators ---------------------------------------------------------------------------------------------------- */

/* drow[nv] = change of the moment row; 0 when it does not change. */
static int moment_change(const Column *c, int actuator, double *drow) {
    const tacModel *m = c->m;
    double length = 0;
    memset(drow, 0, (size_t)m->nv * sizeof *drow);
    if (is_row(c, offsetof(tacModel, actuator_gear)) && row_of(c) == actuator) {
        double unit[6] = {0};
        unit[number_of(c)] = 1;
        tac_transmit(m, c->w, actuator, unit, c->x->q, &(tacTransmitted){.row = drow});
        return 1;
    }
    if (is_row(c, offsetof(tacModel, actuator_cranklength)) && row_of(c) == actuator) {
        tac_add_crank_row(m, c->w, actuator, &length, drow);
        return 1;
    }
    if (!is_row(c, offsetof(tacModel, term_coef)) || m->actuator_trntype[actuator] != TAC_TRN_TENDON) return 0;
    if (m->actuator_trnid[2 * actuator] != tac_tendon_of_term(m, c->t->index)) return 0;
    drow[m->joint_dof_adr[m->term_joint[c->t->index]]] = m->actuator_gear[6 * actuator];
    return 1;
}

/* Change of the velocity gain k = bias + slope signal. */
static double gain_change(const Column *c, int actuator) {
    const tacModel *m = c->m;
    int own = row_of(c) == actuator, affine = m->actuator_gaintype[actuator] == TAC_GAIN_AFFINE;
    double change = 0, slope = affine ? m->actuator_gainprm[10 * actuator + 2] : 0, signal;
    if (m->actuator_biastype[actuator] == TAC_BIAS_AFFINE) {
        if (is_row(c, offsetof(tacModel, actuator_biasprm)) && own && number_of(c) == 2)
            change += tac_damping_ratio(m, actuator) > 0 ? 0 : 1;
        if (c->t->actuator_damping != NULL) change += c->t->actuator_damping[actuator];
    }
    if (affine && is_row(c, offsetof(tacModel, actuator_gainprm)) && own && number_of(c) == 2) {
        tac_force_jac(m, c->w, actuator, c->x->act, c->x->h, &signal);
        change += signal;
    }
    return slope != 0 ? change + slope * tac_param_signal(m, c->w, c->x, c->t, actuator) : change;
}

static void change_actuator(const Column *c, int actuator) {
    const tacModel *m = c->m;
    double *row = c->w->vec[2], *drow = c->w->vec[3];
    const double *stored = c->w->moment + (size_t)actuator * (size_t)m->nv;
    if (m->actuator_without_force[actuator] || tac_force_held(m, c->w, actuator, 0) ||
        tac_force_held(m, c->w, actuator, 1))
        return;
    double k = tac_velocity_gain(m, c->w, actuator, c->x->u.ctrl, c->x->act, c->x->h).value;
    double dk = gain_change(c, actuator), change = c->x->h * dk + (tac_param_is_time(c->t) ? k : 0);
    int turns = moment_change(c, actuator, drow);
    if (change == 0 && !(turns && k != 0)) return;
    for (int i = 0; i < m->nv; i++)
        row[i] = i < c->w->moment_begin[actuator] || i >= c->w->moment_end[actuator] ? 0 : stored[i];
    tac_emit_row_change(m, c->w, c->a, row, c->x->h * k, turns ? drow : NULL, change, c->id, c->sink);
}

/* --- The column --------------------------------------------------------------------------------------------------- */

void tac_param_velocity_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a,
                            const tacParamTangent *t, int column, const tacSink *sink) {
    Column c = {m, w, x, a, t, column, sink};
    if (is_row(&c, offsetof(tacModel, tendon_damping))) change_tendon(&c, row_of(&c), 1, -1);
    if (is_row(&c, offsetof(tacModel, term_coef))) change_tendon(&c, tac_tendon_of_term(m, t->index), 0, t->index);
    if (tac_param_is_time(t)) change_time(&c);
    for (int k = 0; k < m->nu && !(*m->option_disable & TAC_DISABLE_ACTUATION); k++)
        change_actuator(&c, k);
    tacMover movers[2];
    int n = tac_param_movers(m, w, t, x, movers);
    for (int k = 0; k < n; k++)
        tac_velocity_move(m, w, x, a, &movers[k], column, sink);
}

int tac_param_moment(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t, int actuator,
                     double *drow) {
    return moment_change(&(Column){.m = m, .w = w, .x = x, .t = t}, actuator, drow);
}

double tac_param_velocity_gain(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t,
                               int actuator) {
    int idle =
        m->actuator_without_force[actuator] || tac_force_held(m, w, actuator, 0) || tac_force_held(m, w, actuator, 1);
    if (idle || (*m->option_disable & TAC_DISABLE_ACTUATION)) return 0;
    return gain_change(&(Column){.m = m, .w = w, .x = x, .t = t}, actuator);
}
