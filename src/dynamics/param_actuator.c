/* Numbers that act on actuators: gear, gains, biases, dynamics, ranges, coefficients of their tendons. */
#include "dynamics/param_deriv.h"

#include "dynamics/actuator.h"
#include "dynamics/param_mass.h"

#include <string.h>

#define IS(t, row) (TAC_FIELDS[(t)->field].offset == offsetof(tacModel, row))

/* One actuator, with the inputs of its unclamped force, moment row and next activation. */
typedef struct Place {
    const tacModel *m;
    tacWork *w;
    const tacSmoothPoint *x;
    int a;
} Place;

/* --- Transmission ------------------------------------------------------------------------------------------------ */

/* Length and moment are linear in the gear. Their change is their value for a unit gear. */
static tacTransmitted gear_change(const Place *p, int k) {
    double unit[6] = {0};
    tacTransmitted out = {.row = p->w->vec[3]};
    unit[k] = 1;
    tac_transmit(p->m, p->w, p->a, unit, p->x->q, &out);
    return out;
}

/* root^2 = along^2 + r^2 - p.p:  droot = r / root;  L = along - root, and the row's derivative with it. */
static tacTransmitted crank_change(const Place *p) {
    tacTransmitted out = {.row = p->w->vec[3], .end = p->m->nv};
    memset(out.row, 0, (size_t)p->m->nv * sizeof *out.row);
    tac_add_crank_row(p->m, p->w, p->a, &out.length, out.row);
    return out;
}

/* L = sum coef q */
static tacTransmitted coefficient_change(const Place *p, int term) {
    const tacModel *m = p->m;
    int joint = m->term_joint[term], dof = m->joint_dof_adr[joint];
    double gear = m->actuator_gear[6 * p->a];
    tacTransmitted out = {gear * p->x->q[m->joint_qpos_adr[joint]], p->w->vec[3], dof, dof + 1};
    out.row[dof] = gear;
    return out;
}

/* Change of length and moment row by a number of the actuator or of its tendon; the row is in w->vec[3]. */
static tacTransmitted transmission_change(const Place *p, const tacParamTangent *t) {
    const tacField *field = &TAC_FIELDS[t->field];
    int row = t->index / field->per, tendon = p->m->actuator_trntype[p->a] == TAC_TRN_TENDON;
    if (IS(t, actuator_gear) && row == p->a) return gear_change(p, t->index % field->per);
    if (IS(t, actuator_cranklength) && row == p->a) return crank_change(p);
    if (IS(t, term_coef) && tendon && tac_tendon_of_term(p->m, row) == p->m->actuator_trnid[2 * p->a])
        return coefficient_change(p, row);
    return (tacTransmitted){.row = p->w->vec[3]};
}

/* --- Gain and bias ----------------------------------------------------------------------------------------------- */

/* 1, length, velocity: the factors of the three numbers of an affine function. */
static double affine_factor(const Place *p, int k) {
    const double factor[3] = {1, p->w->actuator_length[p->a], p->w->actuator_velocity[p->a]};
    return k < 3 ? factor[k] : 0;
}

static double gainprm(const Place *p, int k) {
    double signal;
    tac_force_jac(p->m, p->w, p->a, p->x->act, p->x->h, &signal);
    return k == 0 || p->m->actuator_gaintype[p->a] == TAC_GAIN_AFFINE ? signal * affine_factor(p, k) : 0;
}

/* The tangent gives the change of a damping that comes from a ratio. */
static double biasprm(const Place *p, int k) {
    if (k == 2 && tac_damping_ratio(p->m, p->a) > 0) return 0;
    return p->m->actuator_biastype[p->a] == TAC_BIAS_AFFINE ? affine_factor(p, k) : 0;
}

/* A setpoint on a circle lost full turns. The gear sets their size. */
static double gear_turns(const Place *p, int k) {
    double signal, slope = tac_force_jac(p->m, p->w, p->a, p->x->act, p->x->h, &signal).signal;
    double turns = tac_setpoint_turns(p->m, p->w, p->a, p->x->act, p->x->h);
    return -slope * turns * tac_transmission_period_jac(p->m, p->a, k);
}

/* --- Ranges ------------------------------------------------------------------------------------------------------ */

static int control_held(const Place *p, int k) {
    const double *range = p->m->actuator_ctrlrange + 2 * p->a;
    int clamps = p->m->actuator_ctrllimited[p->a] && !(*p->m->option_disable & TAC_DISABLE_CLAMPCTRL);
    double ctrl = p->x->u.ctrl[p->a];
    return clamps && (k ? ctrl > range[1] : ctrl < range[0]);
}

/* Change of the next activation (its last number) with range bound or time constant k of a row. */
static double next_activation_change(const Place *p, size_t row, int k);

/* Change of the signal, through an activation that acts early or the control itself. */
static double signal_change(const Place *p, size_t row, int k) {
    const tacModel *m = p->m;
    if (m->actuator_act_num[p->a] == 0)
        return row == offsetof(tacModel, actuator_ctrlrange) && control_held(p, k) ? 1 : 0;
    return m->actuator_actearly[p->a] ? next_activation_change(p, row, k) : 0;
}

/* The unclamped force, through the signal. */
static double signal_force(const Place *p, size_t row, int k) {
    double signal, change = signal_change(p, row, k);
    return change == 0 ? 0 : tac_force_jac(p->m, p->w, p->a, p->x->act, p->x->h, &signal).signal * change;
}

/* 1: the time constant is not at its lower bound, where it would be constant. */
static int is_free(const tacModel *m, int a) { return m->actuator_dynprm[10 * a] > TAC_MIN_TIME_CONSTANT; }

/* Change of the rate of the last activation: (ctrl - act) / tau, or ctrl. */
static double rate_change(const Place *p, size_t row, int k) {
    const tacModel *m = p->m;
    int a = p->a, dyntype = m->actuator_dyntype[a];
    int filter = dyntype == TAC_DYN_FILTER || dyntype == TAC_DYN_FILTER_EXACT;
    double tau = tac_time_constant(m, a), rate = p->w->act_dot[m->actuator_act_adr[a] + m->actuator_act_num[a] - 1];
    if (row == offsetof(tacModel, actuator_ctrlrange) && control_held(p, k))
        return dyntype == TAC_DYN_INTEGRATOR ? 1 : filter ? 1 / tau : 0;
    return row == offsetof(tacModel, actuator_dynprm) && k == 0 && filter && is_free(m, a) ? -rate / tau : 0;
}

/* Change of the next activation at a fixed rate: with the range that holds it, with the span tau (1 - exp(-h / tau)) of
 * an exact filter, and with h. */
static double span_change(const tacModel *m, int a, double act, double rate, double h, size_t row, int k) {
    double next = tac_next_activation(m, a, act, rate, h), tau = tac_time_constant(m, a), decay = tac_exp(-h / tau);
    const double *range = m->actuator_actrange + 2 * a;
    int held = m->actuator_actlimited[a] && (next <= range[0] || next >= range[1]);
    if (row == offsetof(tacModel, actuator_actrange)) return held && next == range[k] ? 1 : 0;
    if (row == offsetof(tacModel, option_timestep)) return tac_next_activation_jac(m, a, act, rate, h).time;
    int exact = m->actuator_dyntype[a] == TAC_DYN_FILTER_EXACT;
    if (held || !exact || !is_free(m, a) || row != offsetof(tacModel, actuator_dynprm) || k != 0) return 0;
    return (1 - decay - decay * h / tau) * rate;
}

static double next_activation_change(const Place *p, size_t row, int k) {
    const tacModel *m = p->m;
    int a = p->a, j = m->actuator_act_adr[a] + m->actuator_act_num[a] - 1;
    double act = p->x->act[j], rate = p->w->act_dot[j], h = p->x->h;
    return span_change(m, a, act, rate, h, row, k) +
           tac_next_activation_jac(m, a, act, rate, h).rate * rate_change(p, row, k);
}

/* --- Forces ------------------------------------------------------------------------------------------------------ */

static int is_actuator_row(const tacParamTangent *t) { return strcmp(TAC_FIELDS[t->field].kind, "actuator") == 0; }

/* Change of the unclamped force at fixed length and velocity. */
static double gain_change(const Place *p, const tacParamTangent *t) {
    const tacModel *m = p->m;
    const tacField *field = &TAC_FIELDS[t->field];
    int k = t->index % field->per;
    double change = 0;
    if (t->actuator_damping != NULL && m->actuator_biastype[p->a] == TAC_BIAS_AFFINE)
        change += t->actuator_damping[p->a] * p->w->actuator_velocity[p->a];
    if (tac_param_is_time(t)) return change + signal_force(p, field->offset, k);
    if (!is_actuator_row(t) || t->index / field->per != p->a) return change;
    if (IS(t, actuator_gear)) change += gear_turns(p, k);
    if (IS(t, actuator_gainprm)) change += gainprm(p, k);
    if (IS(t, actuator_biasprm)) change += biasprm(p, k);
    return change + signal_force(p, field->offset, k);
}

/* 1: the parameter may change the actuator's transmission or force other than through poses. */
static int feels(const tacModel *m, const tacParamTangent *t, int a) {
    if (tac_param_is_time(t)) return m->actuator_actearly[a];
    if (is_actuator_row(t)) return t->index / TAC_FIELDS[t->field].per == a || t->actuator_damping != NULL;
    return t->actuator_damping != NULL || (IS(t, term_coef) && m->actuator_trntype[a] == TAC_TRN_TENDON);
}

/* Changes of velocity and unclamped force due to changes of length and row. */
static tacDriveChange drive_change(const Place *p, const tacTransmitted *d) {
    tacDriveChange c = {.length = d->length};
    double signal;
    for (int i = d->begin; i < d->end; i++)
        c.velocity += d->row[i] * p->x->v[i];
    if (p->m->actuator_without_force[p->a] || (*p->m->option_disable & TAC_DISABLE_ACTUATION)) return c;
    tacForceJac f = tac_force_jac(p->m, p->w, p->a, p->x->act, p->x->h, &signal);
    c.force = f.length * c.length + f.velocity * c.velocity;
    return c;
}

tacDriveChange tac_param_drive(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t,
                               int a) {
    Place p = {.m = m, .w = w, .x = x, .a = a};
    if (!feels(m, t, a)) return (tacDriveChange){0, 0, 0};
    tacTransmitted d = transmission_change(&p, t);
    tacDriveChange c = drive_change(&p, &d);
    if (!m->actuator_without_force[a] && !(*m->option_disable & TAC_DISABLE_ACTUATION)) c.force += gain_change(&p, t);
    return c;
}

tacDriveChange tac_move_drive(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacMover *mover, int a) {
    int type = m->actuator_trntype[a];
    if (type != TAC_TRN_SITE && type != TAC_TRN_SLIDERCRANK) return (tacDriveChange){0, 0, 0};
    tacDriveChange c = {.length = tac_length_move(m, w, a, mover)};
    double signal;
    tac_moment_move(m, w, a, mover, 0, 1, &(tacSink){.lambda = x->v, .bar = &c.velocity});
    if (m->actuator_without_force[a] || (*m->option_disable & TAC_DISABLE_ACTUATION)) return c;
    tacForceJac f = tac_force_jac(m, w, a, x->act, x->h, &signal);
    c.force = f.length * c.length + f.velocity * c.velocity;
    return c;
}

double tac_param_bound(const tacModel *m, const tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t, int a) {
    if (m->actuator_without_force[a] || (*m->option_disable & TAC_DISABLE_ACTUATION)) return 0;
    if (IS(t, actuator_forcerange)) return t->index / 2 == a && tac_force_held(m, w, a, t->index % 2) ? 1 : 0;
    int pulls = m->actuator_trntype[a] == TAC_TRN_TENDON && m->actuator_trnid[2 * a] == t->index / 2;
    return IS(t, tendon_actfrcrange) && pulls ? tac_tendon_bound_share(m, w, a, t->index % 2, x->act, x->h) : 0;
}

/* force along the moment row, and the row's own change */
static void emit_drive(const Place *p, const tacParamTangent *t, int column, const tacSink *F) {
    const tacModel *m = p->m;
    const double *row = p->w->moment + (size_t)p->a * (size_t)m->nv;
    double bound = tac_param_bound(m, p->w, p->x, t, p->a);
    for (int i = p->w->moment_begin[p->a]; bound != 0 && i < p->w->moment_end[p->a]; i++)
        if (!p->w->saturated[i]) tac_emit(F, i, column, bound * row[i]);
    if (!feels(m, t, p->a)) return;
    tacTransmitted d = transmission_change(p, t);
    for (int i = d.begin; i < d.end; i++)
        if (!p->w->saturated[i]) tac_emit(F, i, column, p->w->force[p->a] * d.row[i]);
    double change = drive_change(p, &d).force + gain_change(p, t);
    tac_emit_force(m, p->w, p->a, p->x->act, p->x->h, change, column, F);
}

void tac_param_actuator_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t,
                            int column, const tacSink *F) {
    int own = is_actuator_row(t) && t->actuator_damping == NULL, row = t->index / TAC_FIELDS[t->field].per;
    int others = IS(t, term_coef) || IS(t, tendon_actfrcrange) || tac_param_is_time(t);
    if ((*m->option_disable & TAC_DISABLE_ACTUATION) || !(own || others || t->actuator_damping != NULL)) return;
    for (int a = own ? row : 0; a < (own ? row + 1 : m->nu); a++)
        if (!m->actuator_without_force[a]) emit_drive(&(Place){m, w, x, a}, t, column, F);
}

/* 1: the parameter is a number of actuator a, which has an activation, or the time step of all activations. */
static int drives(const tacModel *m, const tacParamTangent *t, int a) {
    int own = is_actuator_row(t) && t->index / TAC_FIELDS[t->field].per == a;
    return (own || tac_param_is_time(t)) && m->actuator_act_num[a] > 0 && !(*m->option_disable & TAC_DISABLE_ACTUATION);
}

double tac_param_next_activation(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t,
                                 int a) {
    if (!drives(m, t, a)) return 0;
    const tacField *field = &TAC_FIELDS[t->field];
    return next_activation_change(&(Place){.m = m, .w = w, .x = x, .a = a}, field->offset, t->index % field->per);
}

double tac_param_signal(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t, int a) {
    const tacField *field = &TAC_FIELDS[t->field];
    int own = is_actuator_row(t) && t->index / field->per == a;
    if (!(own || tac_param_is_time(t)) || (*m->option_disable & TAC_DISABLE_ACTUATION)) return 0;
    return signal_change(&(Place){.m = m, .w = w, .x = x, .a = a}, field->offset, t->index % field->per);
}

double tac_param_rate(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t, int a) {
    if (!drives(m, t, a)) return 0;
    const tacField *field = &TAC_FIELDS[t->field];
    return rate_change(&(Place){.m = m, .w = w, .x = x, .a = a}, field->offset, t->index % field->per);
}

double tac_param_span(const tacModel *m, const tacParamTangent *t, int a, double act, double rate, double h) {
    if (!drives(m, t, a)) return 0;
    const tacField *field = &TAC_FIELDS[t->field];
    return span_change(m, a, act, rate, h, field->offset, t->index % field->per);
}

void tac_param_activation_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t,
                              int column, const tacSink *sink) {
    int row = t->index / TAC_FIELDS[t->field].per, own = is_actuator_row(t);
    if (!own && !tac_param_is_time(t)) return;
    for (int a = own ? row : 0; a < (own ? row + 1 : m->nu); a++) {
        int j = m->actuator_act_adr[a] + m->actuator_act_num[a] - 1;
        if (m->actuator_act_num[a] > 0) tac_emit(sink, j, column, tac_param_next_activation(m, w, x, t, a));
    }
}
