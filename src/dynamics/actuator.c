#include "dynamics/actuator.h"

#include "dynamics/transmission.h"

/* Least time constant of a filter, s: MuJoCo's. */
#define TAC_MIN_TIME_CONSTANT 1e-15

static int is_disabled(const tacModel *m, int bit) { return (*m->option_disable & bit) != 0; }

static int clamp_to_range(const double *range, int limited, double *x) {
    if (limited) *x = tac_clamp(*x, range[0], range[1]);
    return limited;
}

/* --- Controls and activations -------------------------------------------------------------------------------------- */

static void clamp_controls(const tacModel *m, tacWork *w, const double *ctrl) {
    int clamp = !is_disabled(m, TAC_DISABLE_CLAMPCTRL);
    for (int a = 0; a < m->nu; a++) {
        w->ctrl[a] = ctrl[a];
        clamp_to_range(m->actuator_ctrlrange + 2 * a, clamp && m->actuator_ctrllimited[a], &w->ctrl[a]);
    }
}

static double time_constant(const tacModel *m, int actuator) {
    return tac_max(TAC_MIN_TIME_CONSTANT, m->actuator_dynprm[10 * actuator]);
}

/* act_dot of the last activation; the others of an actuator, if any, stay. */
static double activation_rate(const tacModel *m, int actuator, double ctrl, double act) {
    switch (m->actuator_dyntype[actuator]) {
    case TAC_DYN_INTEGRATOR:
        return ctrl;
    case TAC_DYN_FILTER:
    case TAC_DYN_FILTER_EXACT:
        return (ctrl - act) / time_constant(m, actuator);
    default:
        return 0; /* none; muscle and user dynamics, kept in place, do not move */
    }
}

static void activation_rates(const tacModel *m, tacWork *w, const double *act) {
    for (int j = 0; j < m->na; j++)
        w->act_dot[j] = 0;
    for (int a = 0; a < m->nu; a++) {
        if (m->actuator_act_num[a] == 0) continue;
        int j = m->actuator_act_adr[a] + m->actuator_act_num[a] - 1;
        w->act_dot[j] = activation_rate(m, a, w->ctrl[a], act[j]);
    }
}

double tac_next_activation(const tacModel *m, int actuator, double act, double act_dot, double h) {
    double span = h; /* exact filter: a(h) = a + act_dot tau (1 - exp(-h / tau)) */
    if (m->actuator_dyntype[actuator] == TAC_DYN_FILTER_EXACT) {
        double tau = time_constant(m, actuator);
        span = tau * (1 - tac_exp(-h / tau));
    }
    double next = act + act_dot * span;
    clamp_to_range(m->actuator_actrange + 2 * actuator, m->actuator_actlimited[actuator], &next);
    return next;
}

/* --- Setpoints on a circle ------------------------------------------------------------------------------------------ */

/* Full circle of a position servo whose length is an angle; 0 for any other actuator. */
static double servo_period(const tacModel *m, int actuator) {
    int dyntype = m->actuator_dyntype[actuator];
    int servo = m->actuator_gaintype[actuator] == TAC_GAIN_FIXED && m->actuator_biastype[actuator] == TAC_BIAS_AFFINE &&
                m->actuator_gainprm[10 * actuator] == -m->actuator_biasprm[10 * actuator + 1] &&
                (dyntype == TAC_DYN_NONE || dyntype == TAC_DYN_INTEGRATOR);
    return servo ? tac_transmission_period(m, actuator) : 0;
}

/* The setpoint equal to u on the circle that is nearest to the length. */
static double nearest_setpoint(double u, double length, double period) {
    return period > 0 ? u - period * __builtin_round((u - length) / period) : u;
}

/* --- Forces -------------------------------------------------------------------------------------------------------- */

/* What drives the gain: the control, or the last activation (the next one where it acts early). */
static double driving_signal(const tacModel *m, const tacWork *w, int a, const double *act, double h) {
    double signal = w->ctrl[a];
    if (m->actuator_act_num[a] > 0) {
        int j = m->actuator_act_adr[a] + m->actuator_act_num[a] - 1;
        signal = m->actuator_actearly[a] ? tac_next_activation(m, a, act[j], w->act_dot[j], h) : act[j];
    }
    return nearest_setpoint(signal, w->actuator_length[a], servo_period(m, a));
}

/* force = gain(length, velocity) signal + bias(length, velocity), each affine or constant. */
static double actuator_force(const tacModel *m, const tacWork *w, int a, double signal) {
    const double *gainprm = m->actuator_gainprm + 10 * a, *biasprm = m->actuator_biasprm + 10 * a;
    double length = w->actuator_length[a], velocity = w->actuator_velocity[a];
    double gain = gainprm[0], bias = 0;
    if (m->actuator_gaintype[a] == TAC_GAIN_AFFINE) gain += gainprm[1] * length + gainprm[2] * velocity;
    if (m->actuator_biastype[a] == TAC_BIAS_AFFINE)
        bias = biasprm[0] + biasprm[1] * length + m->actuator_damping_used[a] * velocity;
    return gain * signal + bias;
}

/* Actuators of a tendon with a force range share it: all are scaled so that their sum stays inside. */
static void clamp_tendons(const tacModel *m, tacWork *w) {
    for (int t = 0; t < m->ntendon; t++)
        w->tendon_force[t] = 0;
    for (int a = 0; a < m->nu; a++)
        if (m->actuator_trntype[a] == TAC_TRN_TENDON) w->tendon_force[m->actuator_trnid[2 * a]] += w->force[a];
    for (int a = 0; a < m->nu; a++) {
        if (m->actuator_trntype[a] != TAC_TRN_TENDON) continue;
        int t = m->actuator_trnid[2 * a];
        double total = w->tendon_force[t], inside = total;
        if (clamp_to_range(m->tendon_actfrcrange + 2 * t, m->tendon_actfrclimited[t], &inside) && inside != total)
            w->force[a] *= inside / total;
    }
}

/* qfrc_actuator = moment^T force + gravity compensation of the joints that take it here, inside the joint's range. */
static void joint_forces(const tacModel *m, tacWork *w) {
    for (int i = 0; i < m->nv; i++)
        w->qfrc_actuator[i] = m->joint_actgravcomp[m->dof_joint[i]] ? w->qfrc_gravcomp[i] : 0;
    for (int a = 0; a < m->nu; a++) {
        const double *row = w->moment + (size_t)a * (size_t)m->nv;
        for (int i = w->moment_begin[a]; i < w->moment_end[a]; i++)
            w->qfrc_actuator[i] += row[i] * w->force[a];
    }
    for (int j = 0; j < m->njnt; j++)
        clamp_to_range(m->joint_actfrcrange + 2 * j, m->joint_actfrclimited[j], &w->qfrc_actuator[m->joint_dof_adr[j]]);
}

static void clear_forces(const tacModel *m, tacWork *w) {
    for (int a = 0; a < m->nu; a++)
        w->force[a] = 0;
    for (int j = 0; j < m->na; j++)
        w->act_dot[j] = 0;
    for (int i = 0; i < m->nv; i++)
        w->qfrc_actuator[i] = 0;
}

void tac_actuator_forces(const tacModel *m, tacWork *w, const double *ctrl, const double *act, double h) {
    clear_forces(m, w);
    if (m->nu == 0 || is_disabled(m, TAC_DISABLE_ACTUATION)) return;
    clamp_controls(m, w, ctrl);
    activation_rates(m, w, act);
    for (int a = 0; a < m->nu; a++)
        if (!m->actuator_inert[a]) w->force[a] = actuator_force(m, w, a, driving_signal(m, w, a, act, h));
    clamp_tendons(m, w);
    for (int a = 0; a < m->nu; a++)
        if (!m->actuator_inert[a])
            clamp_to_range(m->actuator_forcerange + 2 * a, m->actuator_forcelimited[a], &w->force[a]);
    joint_forces(m, w);
}

void tac_advance_activations(const tacModel *m, const tacWork *w, const double *act, double h, double *next) {
    for (int j = 0; j < m->na; j++)
        next[j] = act[j];
    if (is_disabled(m, TAC_DISABLE_ACTUATION)) return;
    for (int a = 0; a < m->nu; a++) {
        int first = m->actuator_act_adr[a], last = first + m->actuator_act_num[a];
        for (int j = first; j < last; j++)
            next[j] = tac_next_activation(m, a, act[j], w->act_dot[j], h);
        /* an integrated setpoint on a circle stays within half a turn of the length */
        if (last > first && m->actuator_dyntype[a] == TAC_DYN_INTEGRATOR)
            next[last - 1] = nearest_setpoint(next[last - 1], w->actuator_length[a], servo_period(m, a));
    }
}
