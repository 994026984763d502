/* Actuators' own numbers: gear, gains, biases, dynamics, ranges. */
#include "dynamics/param_deriv.h"

#include "dynamics/actuator.h"

#include <string.h>

/* One actuator and what its unclamped force, its moment row and its next activation depend on. */
typedef struct Place {
    const tacModel *m;
    tacWork *w;
    const tacSmoothPoint *x;
    int a, column;
    tacSink F; /* changes of joint forces */
} Place;

static void change_force(const Place *p, double change) {
    tac_emit_force(p->m, p->w, p->a, p->x->act, p->x->h, change, p->column, &p->F);
}

/* --- Transmission ------------------------------------------------------------------------------------------------ */

/* Length and moment are linear in the gear: their change is what a unit gear gives. A setpoint on a circle lost full
 * turns, whose size the gear sets. */
static void gear(const Place *p, int k) {
    double unit[6] = {0}, signal, velocity = 0;
    tacTransmitted out = {.row = p->w->vec[3]};
    unit[k] = 1;
    tac_transmit(p->m, p->w, p->a, unit, p->x->q, &out);
    for (int i = out.begin; i < out.end; i++) {
        velocity += out.row[i] * p->x->v[i];
        if (!p->w->saturated[i]) tac_emit(&p->F, i, p->column, p->w->force[p->a] * out.row[i]);
    }
    tacForceJac f = tac_force_jac(p->m, p->w, p->a, p->x->act, p->x->h, &signal);
    double turned =
        -tac_setpoint_turns(p->m, p->w, p->a, p->x->act, p->x->h) * tac_transmission_period_jac(p->m, p->a, k);
    change_force(p, f.length * out.length + f.velocity * velocity + f.signal * turned);
}

/* root^2 = along^2 + r^2 - p.p:  droot = r / root;  L = along - root, and the row's derivative with it. */
static void cranklength(const Place *p, int k) {
    const tacModel *m = p->m;
    double signal, velocity = 0, length = 0, *row = p->w->vec[3];
    (void)k;
    memset(row, 0, (size_t)m->nv * sizeof *row);
    tac_add_crank_row(m, p->w, p->a, &length, row);
    for (int i = 0; i < m->nv; i++) {
        velocity += row[i] * p->x->v[i];
        if (!p->w->saturated[i]) tac_emit(&p->F, i, p->column, p->w->force[p->a] * row[i]);
    }
    tacForceJac f = tac_force_jac(m, p->w, p->a, p->x->act, p->x->h, &signal);
    change_force(p, f.length * length + f.velocity * velocity);
}

/* --- Gain and bias ----------------------------------------------------------------------------------------------- */

/* 1, length, velocity: what the three numbers of an affine function multiply. */
static double affine_factor(const Place *p, int k) {
    const double factor[3] = {1, p->w->actuator_length[p->a], p->w->actuator_velocity[p->a]};
    return k < 3 ? factor[k] : 0;
}

static void gainprm(const Place *p, int k) {
    double signal;
    tac_force_jac(p->m, p->w, p->a, p->x->act, p->x->h, &signal);
    if (k == 0 || p->m->actuator_gaintype[p->a] == TAC_GAIN_AFFINE) change_force(p, signal * affine_factor(p, k));
}

/* A damping that comes from a ratio moves as the tangent says. */
static void biasprm(const Place *p, int k) {
    if (k == 2 && tac_damping_ratio(p->m, p->a) > 0) return;
    if (p->m->actuator_biastype[p->a] == TAC_BIAS_AFFINE) change_force(p, affine_factor(p, k));
}

/* --- Ranges ------------------------------------------------------------------------------------------------------ */

/* Where the force is held at a bound, it is the bound. */
static void forcerange(const Place *p, int k) {
    if (!tac_force_held(p->m, p->w, p->a, k)) return;
    const double *row = p->w->moment + (size_t)p->a * (size_t)p->m->nv;
    for (int i = p->w->moment_begin[p->a]; i < p->w->moment_end[p->a]; i++)
        if (!p->w->saturated[i]) tac_emit(&p->F, i, p->column, row[i]);
}

static int control_held(const Place *p, int k) {
    const double *range = p->m->actuator_ctrlrange + 2 * p->a;
    int clamps = p->m->actuator_ctrllimited[p->a] && !(*p->m->option_disable & TAC_DISABLE_CLAMPCTRL);
    double ctrl = p->x->u.ctrl[p->a];
    return clamps && (k ? ctrl > range[1] : ctrl < range[0]);
}

/* Change of the next activation (its last number) with range bound or time constant k of a row. */
static double next_activation_change(const Place *p, size_t row, int k);

/* A change of the signal, through an activation that acts early or the control itself. */
static void signal_change(const Place *p, size_t row, int k) {
    const tacModel *m = p->m;
    double signal, change;
    tacForceJac f = tac_force_jac(m, p->w, p->a, p->x->act, p->x->h, &signal);
    if (m->actuator_act_num[p->a] == 0)
        change = row == offsetof(tacModel, actuator_ctrlrange) && control_held(p, k) ? 1 : 0;
    else
        change = m->actuator_actearly[p->a] ? next_activation_change(p, row, k) : 0;
    change_force(p, f.signal * change);
}

/* Change of the rate of the last activation: (ctrl - act) / tau, or ctrl. */
static double rate_change(const Place *p, size_t row, int k) {
    const tacModel *m = p->m;
    int a = p->a, dyntype = m->actuator_dyntype[a];
    int filter = dyntype == TAC_DYN_FILTER || dyntype == TAC_DYN_FILTER_EXACT;
    double tau = m->actuator_dynprm[10 * a], rate = p->w->act_dot[m->actuator_act_adr[a] + m->actuator_act_num[a] - 1];
    if (row == offsetof(tacModel, actuator_ctrlrange) && control_held(p, k))
        return dyntype == TAC_DYN_INTEGRATOR ? 1 : filter ? 1 / tau : 0;
    return row == offsetof(tacModel, actuator_dynprm) && k == 0 && filter ? -rate / tau : 0;
}

/* Change of the next activation at a fixed rate: of the range that holds it, and of the span tau (1 - exp(-h / tau))
 * that an exact filter takes the rate for. */
static double span_change(const tacModel *m, int a, double act, double rate, double h, size_t row, int k) {
    double next = tac_next_activation(m, a, act, rate, h), tau = m->actuator_dynprm[10 * a], decay = tac_exp(-h / tau);
    const double *range = m->actuator_actrange + 2 * a;
    int held = m->actuator_actlimited[a] && (next <= range[0] || next >= range[1]);
    if (row == offsetof(tacModel, actuator_actrange)) return held && next == range[k] ? 1 : 0;
    int exact = m->actuator_dyntype[a] == TAC_DYN_FILTER_EXACT;
    if (held || !exact || row != offsetof(tacModel, actuator_dynprm) || k != 0) return 0;
    return (1 - decay - decay * h / tau) * rate;
}

static double next_activation_change(const Place *p, size_t row, int k) {
    const tacModel *m = p->m;
    int a = p->a, j = m->actuator_act_adr[a] + m->actuator_act_num[a] - 1;
    double act = p->x->act[j], rate = p->w->act_dot[j], h = p->x->h;
    return span_change(m, a, act, rate, h, row, k) +
           tac_next_activation_jac(m, a, act, rate, h).rate * rate_change(p, row, k);
}

/* --- By row ------------------------------------------------------------------------------------------------------ */

#define ROW(row, function)                                                                                             \
    { offsetof(tacModel, row), function }
static const struct {
    size_t offset;
    void (*emit)(const Place *p, int k);
} ACTUATOR_ROWS[] = {
    ROW(actuator_gear, gear),       ROW(actuator_cranklength, cranklength), ROW(actuator_gainprm, gainprm),
    ROW(actuator_biasprm, biasprm), ROW(actuator_forcerange, forcerange),
};

void tac_param_actuator_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t,
                            int column, const tacSink *F) {
    const tacField *field = &TAC_FIELDS[t->field];
    if (strcmp(field->kind, "actuator") != 0 || (*m->option_disable & TAC_DISABLE_ACTUATION)) return;
    Place p = {m, w, x, t->index / field->per, column, *F};
    int k = t->index % field->per;
    if (m->actuator_inert[p.a]) return;
    for (size_t i = 0; i < sizeof ACTUATOR_ROWS / sizeof *ACTUATOR_ROWS; i++)
        if (ACTUATOR_ROWS[i].offset == field->offset) ACTUATOR_ROWS[i].emit(&p, k);
    signal_change(&p, field->offset, k);
}

/* 1: the parameter is a number of actuator a, which has an activation. */
static int drives(const tacModel *m, const tacParamTangent *t, int a) {
    const tacField *field = &TAC_FIELDS[t->field];
    return strcmp(field->kind, "actuator") == 0 && t->index / field->per == a && m->actuator_act_num[a] > 0 &&
           !(*m->option_disable & TAC_DISABLE_ACTUATION);
}

double tac_param_next_activation(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t,
                                 int a) {
    if (!drives(m, t, a)) return 0;
    const tacField *field = &TAC_FIELDS[t->field];
    return next_activation_change(&(Place){.m = m, .w = w, .x = x, .a = a}, field->offset, t->index % field->per);
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
    const tacField *field = &TAC_FIELDS[t->field];
    if (strcmp(field->kind, "actuator") != 0 || (*m->option_disable & TAC_DISABLE_ACTUATION)) return;
    Place p = {.m = m, .w = w, .x = x, .a = t->index / field->per, .column = column};
    if (m->actuator_act_num[p.a] == 0) return;
    int j = m->actuator_act_adr[p.a] + m->actuator_act_num[p.a] - 1;
    tac_emit(sink, j, column, next_activation_change(&p, field->offset, t->index % field->per));
}
