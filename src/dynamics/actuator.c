#include "dynamics/actuator.h"

#include "dynamics/transmission.h"
#include "model/model.h"

static int is_disabled(const tacModel *m, int bit) { return (*m->option_disable & bit) != 0; }

static int clamp_to_range(const double *range, int limited, double *x) {
    if (limited) *x = tac_clamp(*x, range[0], range[1]);
    return limited;
}

/* The same. If wanted, also counts a clamp that just begins to hold. */
static int clamp_and_count(tacWork *w, const double *range, int limited, double *x) {
    if (limited && w->count_ties) w->tied += tac_is_tied(range, *x);
    return clamp_to_range(range, limited, x);
}

static int at_bound(const double *range, double x) { return x <= range[0] || x >= range[1]; }

/* --- Controls and activations ------------------------------------------------------------------------------------- */

static void clamp_controls(const tacModel *m, tacWork *w, const double *ctrl) {
    int clamp = !is_disabled(m, TAC_DISABLE_CLAMPCTRL);
    for (int a = 0; a < m->nu; a++) {
        w->ctrl[a] = ctrl[a];
        clamp_and_count(w, m->actuator_ctrlrange + 2 * a, clamp && m->actuator_ctrllimited[a], &w->ctrl[a]);
    }
}

double tac_time_constant(const tacModel *m, int actuator) {
    return tac_max(TAC_MIN_TIME_CONSTANT, m->actuator_dynprm[10 * actuator]);
}

/* act_dot of the last activation. The other activations of an actuator, if any, stay. */
static double activation_rate(const tacModel *m, int actuator, double ctrl, double act) {
    switch (m->actuator_dyntype[actuator]) {
    case TAC_DYN_INTEGRATOR:
        return ctrl;
    case TAC_DYN_FILTER:
    case TAC_DYN_FILTER_EXACT:
        return (ctrl - act) / tac_time_constant(m, actuator);
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

/* The time that the rate acts: h, or for the exact filter, a(h) = a + act_dot tau (1 - exp(-h / tau)). */
static double activation_span(const tacModel *m, int actuator, double h) {
    if (m->actuator_dyntype[actuator] != TAC_DYN_FILTER_EXACT) return h;
    double tau = tac_time_constant(m, actuator);
    return tau * (1 - tac_exp(-h / tau));
}

static double activation_span_rate(const tacModel *m, int actuator, double h) {
    return m->actuator_dyntype[actuator] == TAC_DYN_FILTER_EXACT ? tac_exp(-h / tac_time_constant(m, actuator)) : 1;
}

double tac_next_activation(const tacModel *m, int actuator, double act, double act_dot, double h) {
    double next = act + act_dot * activation_span(m, actuator, h);
    clamp_to_range(m->actuator_actrange + 2 * actuator, m->actuator_actlimited[actuator], &next);
    return next;
}

/* Counts activations that just reach a bound. */
static void count_activations(const tacModel *m, tacWork *w, const double *act, double h) {
    for (int a = 0; a < m->nu; a++)
        for (int j = m->actuator_act_adr[a];
             m->actuator_actlimited[a] && j < m->actuator_act_adr[a] + m->actuator_act_num[a]; j++)
            w->tied += tac_is_tied(m->actuator_actrange + 2 * a, act[j] + w->act_dot[j] * activation_span(m, a, h));
}

/* --- Setpoints on a circle ---------------------------------------------------------------------------------------- */

/* Full circle of a position servo whose length is an angle; 0 for any other actuator. */
static double servo_period(const tacModel *m, int actuator) {
    return tac_servo_on_circle(m, actuator) ? tac_transmission_period(m, actuator) : 0;
}

/* Full circles between u and the equal setpoint that is nearest to the length. */
static double full_turns(double u, double length, double period) {
    return period > 0 ? __builtin_round((u - length) / period) : 0;
}

static double nearest_setpoint(double u, double length, double period) {
    return period > 0 ? u - period * full_turns(u, length, period) : u;
}

/* --- Forces ------------------------------------------------------------------------------------------------------- */

/* The input of the gain: the control, or the last activation (the next one if it acts early). */
static double given_signal(const tacModel *m, const tacWork *w, int a, const double *act, double h) {
    if (m->actuator_act_num[a] == 0) return w->ctrl[a];
    int j = m->actuator_act_adr[a] + m->actuator_act_num[a] - 1;
    return m->actuator_actearly[a] ? tac_next_activation(m, a, act[j], w->act_dot[j], h) : act[j];
}

static double driving_signal(const tacModel *m, const tacWork *w, int a, const double *act, double h) {
    return nearest_setpoint(given_signal(m, w, a, act, h), w->actuator_length[a], servo_period(m, a));
}

double tac_setpoint_turns(const tacModel *m, const tacWork *w, int a, const double *act, double h) {
    return full_turns(given_signal(m, w, a, act, h), w->actuator_length[a], servo_period(m, a));
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

/* Actuators of a tendon share its force range. All are scaled so that their sum stays inside. */
static void clamp_tendons(const tacModel *m, tacWork *w) {
    for (int t = 0; t < m->ntendon; t++)
        w->tendon_force[t] = 0;
    for (int a = 0; a < m->nu; a++)
        if (m->actuator_trntype[a] == TAC_TRN_TENDON) w->tendon_force[m->actuator_trnid[2 * a]] += w->force[a];
    for (int a = 0; a < m->nu; a++) {
        if (m->actuator_trntype[a] != TAC_TRN_TENDON) continue;
        int t = m->actuator_trnid[2 * a];
        double total = w->tendon_force[t], inside = total;
        if (clamp_and_count(w, m->tendon_actfrcrange + 2 * t, m->tendon_actfrclimited[t], &inside) && inside != total)
            w->force[a] *= inside / total;
    }
}

/* qfrc_actuator = moment^T force + gravity compensation of the joints that take it here, clamped to the joint's
 * range. */
static void joint_forces(const tacModel *m, tacWork *w) {
    for (int i = 0; i < m->nv; i++)
        w->qfrc_actuator[i] = m->joint_actgravcomp[m->dof_joint[i]] ? w->qfrc_gravcomp[i] : 0;
    for (int a = 0; a < m->nu; a++) {
        const double *row = w->moment + (size_t)a * (size_t)m->nv;
        for (int i = w->moment_begin[a]; i < w->moment_end[a]; i++)
            w->qfrc_actuator[i] += row[i] * w->force[a];
    }
    for (int j = 0; j < m->njnt; j++)
        clamp_and_count(w, m->joint_actfrcrange + 2 * j, m->joint_actfrclimited[j],
                        &w->qfrc_actuator[m->joint_dof_adr[j]]);
}

static void clear_forces(const tacModel *m, tacWork *w) {
    for (int a = 0; a < m->nu; a++)
        w->force[a] = 0;
    for (int j = 0; j < m->na; j++)
        w->act_dot[j] = 0;
    for (int i = 0; i < m->nv; i++)
        w->qfrc_actuator[i] = 0;
}

/* To its range; where a side is held, to that bound or not at all. */
static void clamp_force(const tacModel *m, tacWork *w, int a) {
    const double *range = m->actuator_forcerange + 2 * a;
    int limited = m->actuator_forcelimited[a];
    const unsigned char *above = w->force_sign == NULL || !limited ? NULL : w->force_sign + 2 * a;
    if (above == NULL)
        clamp_and_count(w, range, limited, &w->force[a]);
    else if (above[1] || !above[0])
        w->force[a] = range[above[1]];
}

void tac_actuator_forces(const tacModel *m, tacWork *w, const double *ctrl, const double *act, double h) {
    clear_forces(m, w);
    if (m->nu == 0 || is_disabled(m, TAC_DISABLE_ACTUATION)) return;
    clamp_controls(m, w, ctrl);
    activation_rates(m, w, act);
    for (int a = 0; a < m->nu; a++)
        if (!m->actuator_without_force[a]) w->force[a] = actuator_force(m, w, a, driving_signal(m, w, a, act, h));
    clamp_tendons(m, w);
    for (int a = 0; a < m->nu; a++)
        if (!m->actuator_without_force[a]) clamp_force(m, w, a);
    joint_forces(m, w);
    if (!w->count_ties) return;
    count_activations(m, w, act, h);
    if (w->tied > w->ties) w->ties = w->tied;
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

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* 1 where the control passes its clamp unchanged. */
static double control_passes(const tacWork *w, int a, const double *ctrl) { return w->ctrl[a] == ctrl[a] ? 1 : 0; }

/* Change of one number with its activation and its control. */
typedef struct SignalJac {
    double act, ctrl;
} SignalJac;

static SignalJac activation_rate_jac(const tacModel *m, const tacWork *w, int a, const double *ctrl) {
    switch (m->actuator_dyntype[a]) {
    case TAC_DYN_INTEGRATOR:
        return (SignalJac){0, control_passes(w, a, ctrl)};
    case TAC_DYN_FILTER:
    case TAC_DYN_FILTER_EXACT:
        return (SignalJac){-1 / tac_time_constant(m, a), control_passes(w, a, ctrl) / tac_time_constant(m, a)};
    default:
        return (SignalJac){0, 0};
    }
}

static SignalJac next_activation_jac(const tacModel *m, const tacWork *w, int a, const double *ctrl, const double *act,
                                     double h) {
    int j = m->actuator_act_adr[a] + m->actuator_act_num[a] - 1;
    double next = tac_next_activation(m, a, act[j], w->act_dot[j], h), span = activation_span(m, a, h);
    if (m->actuator_actlimited[a] && at_bound(m->actuator_actrange + 2 * a, next)) return (SignalJac){0, 0};
    SignalJac rate = activation_rate_jac(m, w, a, ctrl);
    return (SignalJac){1 + span * rate.act, span * rate.ctrl};
}

/* Change of the driving signal. */
static SignalJac signal_jac(const tacModel *m, const tacWork *w, int a, const double *ctrl, const double *act,
                            double h) {
    if (m->actuator_act_num[a] == 0) return (SignalJac){0, control_passes(w, a, ctrl)};
    if (m->actuator_actearly[a]) return next_activation_jac(m, w, a, ctrl, act, h);
    return (SignalJac){1, 0};
}

static tacForceJac force_jac(const tacModel *m, const tacWork *w, int a, double signal) {
    const double *gainprm = m->actuator_gainprm + 10 * a;
    tacForceJac f = {.value = actuator_force(m, w, a, signal), .signal = gainprm[0]};
    if (m->actuator_gaintype[a] == TAC_GAIN_AFFINE) {
        f.signal += gainprm[1] * w->actuator_length[a] + gainprm[2] * w->actuator_velocity[a];
        f.length += gainprm[1] * signal;
        f.velocity += gainprm[2] * signal;
    }
    if (m->actuator_biastype[a] == TAC_BIAS_AFFINE) {
        f.length += m->actuator_biasprm[10 * a + 1];
        f.velocity += m->actuator_damping_used[a];
    }
    return f;
}

static int force_at_bound(const tacModel *m, const tacWork *w, int a) {
    if (!m->actuator_forcelimited[a]) return 0;
    if (w->force_sign != NULL) return w->force_sign[2 * a + 1] || !w->force_sign[2 * a];
    return at_bound(m->actuator_forcerange + 2 * a, w->force[a]);
}

/* Sum of the unclamped forces of a tendon's actuators. */
static double tendon_total(const tacModel *m, const tacWork *w, int tendon, const double *act, double h) {
    double total = 0;
    for (int a = 0; a < m->nu; a++)
        if (m->actuator_trntype[a] == TAC_TRN_TENDON && m->actuator_trnid[2 * a] == tendon &&
            !m->actuator_without_force[a])
            total += actuator_force(m, w, a, driving_signal(m, w, a, act, h));
    return total;
}

/* Effect of a tendon's force range on its actuators: the total of their forces before it, and inside it. */
typedef struct Shared {
    int tendon; /* -1: no tendon with a range */
    double total, inside;
} Shared;

static Shared shared_by(const tacModel *m, const tacWork *w, int a, const double *act, double h) {
    Shared s = {m->actuator_trntype[a] == TAC_TRN_TENDON ? m->actuator_trnid[2 * a] : -1, 0, 0};
    if (s.tendon < 0 || !m->tendon_actfrclimited[s.tendon]) return (Shared){-1, 0, 0};
    s.total = s.inside = tendon_total(m, w, s.tendon, act, h);
    clamp_to_range(m->tendon_actfrcrange + 2 * s.tendon, 1, &s.inside);
    return s;
}

/* d(force of b)/d(unclamped force of a). If the tendon's range R binds, its actuators share it in proportion, f_b = R
 * raw_b / total, and each moves all. Otherwise the force is its own. */
static double force_share(const tacModel *m, const tacWork *w, const Shared *s, int b, int a, const double *act,
                          double h) {
    if (m->actuator_without_force[b] || force_at_bound(m, w, b)) return 0;
    if (s->inside == s->total) return a == b ? 1 : 0;
    if (m->actuator_trntype[b] != TAC_TRN_TENDON || m->actuator_trnid[2 * b] != s->tendon) return 0;
    double part = actuator_force(m, w, b, driving_signal(m, w, b, act, h)) / s->total;
    return s->inside / s->total * ((a == b ? 1 : 0) - part);
}

double tac_force_share(const tacModel *m, const tacWork *w, int b, int a, const double *act, double h) {
    if (is_disabled(m, TAC_DISABLE_ACTUATION) || m->actuator_without_force[a]) return 0;
    if (a != b && (m->actuator_trntype[a] != TAC_TRN_TENDON || m->actuator_trntype[b] != TAC_TRN_TENDON)) return 0;
    Shared s = shared_by(m, w, a, act, h);
    return force_share(m, w, &s, b, a, act, h);
}

double tac_tendon_bound_share(const tacModel *m, const tacWork *w, int b, int side, const double *act, double h) {
    if (is_disabled(m, TAC_DISABLE_ACTUATION) || m->actuator_without_force[b] || force_at_bound(m, w, b)) return 0;
    Shared s = shared_by(m, w, b, act, h);
    if (s.inside == s.total || s.inside != m->tendon_actfrcrange[2 * s.tendon + side]) return 0;
    return actuator_force(m, w, b, driving_signal(m, w, b, act, h)) / s.total;
}

/* column[i] = d(qfrc_actuator_i)/d(unclamped force of actuator a). */
static void force_column(const tacModel *m, const tacWork *w, int a, const double *act, double h, double *column) {
    const Shared s = shared_by(m, w, a, act, h);
    double own = force_share(m, w, &s, a, a, act, h);
    for (int i = w->moment_begin[a]; i < w->moment_end[a]; i++)
        column[i] = own * w->moment[(size_t)a * (size_t)m->nv + (size_t)i];
    for (int b = 0; s.inside != s.total && b < m->nu; b++) {
        double share = b == a ? 0 : force_share(m, w, &s, b, a, act, h);
        for (int i = w->moment_begin[b]; share != 0 && i < w->moment_end[b]; i++)
            column[i] += share * w->moment[(size_t)b * (size_t)m->nv + (size_t)i];
    }
}

/* d(force)/dq of one actuator into row[first, last): by length and, if the moment turns, by velocity. */
static void force_row(const tacModel *m, const tacWork *w, int a, const double *q, const double *v, tacForceJac f,
                      int first, int last, double *row) {
    for (int j = first; j < last; j++)
        row[j] = 0;
    if (f.length != 0) tac_add_length_row(m, w, a, q, f.length, row);
    if (f.velocity == 0 || tac_moment_is_constant(m, a)) return;
    tacSink velocity = {.lambda = v, .bar = row};
    tac_moment_jac(m, w, a, f.velocity, &velocity);
}

static void emit_actuator(const tacModel *m, tacWork *w, int a, const double *q, const double *v, const double *ctrl,
                          const double *act, double h, const tacForceSink *sink) {
    double *column = w->vec[2], *row = w->vec[3];
    tacForceJac f = force_jac(m, w, a, driving_signal(m, w, a, act, h));
    SignalJac signal = signal_jac(m, w, a, ctrl, act, h);
    int first = w->moment_begin[a], last = w->moment_end[a];
    int wide = !tac_moment_is_constant(m, a), from = wide ? 0 : first, to = wide ? m->nv : last;
    int j_act = m->actuator_act_adr[a] + m->actuator_act_num[a] - 1;
    if (f.length == 0 && (f.velocity == 0 || !wide)) to = from; /* the force does not feel the position */
    force_column(m, w, a, act, h, column);
    force_row(m, w, a, q, v, f, from, to, row);
    for (int i = first; i < last; i++) {
        if (column[i] == 0) continue;
        for (int j = from; j < to; j++)
            tac_emit(&sink->q, i, j, column[i] * row[j]);
        for (int j = first; f.velocity != 0 && j < last; j++)
            tac_emit(&sink->v, i, j, column[i] * f.velocity * w->moment[(size_t)a * (size_t)m->nv + (size_t)j]);
        if (signal.ctrl != 0) tac_emit(&sink->ctrl, i, a, column[i] * f.signal * signal.ctrl);
        if (signal.act != 0) tac_emit(&sink->act, i, j_act, column[i] * f.signal * signal.act);
    }
    tac_moment_jac(m, w, a, w->force[a], &sink->q);
}

void tac_actuator_force_jac(const tacModel *m, tacWork *w, int actuator, const tacSmoothPoint *x, int row,
                            const tacForceSink *sink) {
    double *dq = w->vec[3];
    for (int a = 0; a < m->nu; a++) {
        double share = tac_force_share(m, w, actuator, a, x->act, x->h);
        if (share == 0) continue;
        tacForceJac f = force_jac(m, w, a, driving_signal(m, w, a, x->act, x->h));
        SignalJac signal = signal_jac(m, w, a, x->u.ctrl, x->act, x->h);
        int j_act = m->actuator_act_adr[a] + m->actuator_act_num[a] - 1;
        force_row(m, w, a, x->q, x->v, f, 0, m->nv, dq);
        for (int j = 0; j < m->nv; j++)
            if (dq[j] != 0) tac_emit(&sink->q, row, j, share * dq[j]);
        for (int j = w->moment_begin[a]; f.velocity != 0 && j < w->moment_end[a]; j++)
            tac_emit(&sink->v, row, j, share * f.velocity * w->moment[(size_t)a * (size_t)m->nv + (size_t)j]);
        tac_emit(&sink->ctrl, row, a, share * f.signal * signal.ctrl);
        if (m->actuator_act_num[a] > 0) tac_emit(&sink->act, row, j_act, share * f.signal * signal.act);
    }
}

void tac_mark_saturated(const tacModel *m, tacWork *w) {
    int off = m->nu == 0 || is_disabled(m, TAC_DISABLE_ACTUATION); /* no force, whatever the joints take here */
    for (int i = 0; i < m->nv; i++) {
        int j = m->dof_joint[i], limited = m->joint_actfrclimited[j];
        w->saturated[i] =
            off || (limited && at_bound(m->joint_actfrcrange + 2 * j, w->qfrc_actuator[m->joint_dof_adr[j]]));
    }
}

tacForceJac tac_force_jac(const tacModel *m, const tacWork *w, int a, const double *act, double h, double *s) {
    *s = driving_signal(m, w, a, act, h);
    return force_jac(m, w, a, *s);
}

void tac_emit_force(const tacModel *m, tacWork *w, int a, const double *act, double h, double change, int column,
                    const tacSink *sink) {
    double *rows = w->vec[2];
    if (change == 0) return;
    force_column(m, w, a, act, h, rows);
    for (int i = w->moment_begin[a]; i < w->moment_end[a]; i++)
        if (!w->saturated[i]) tac_emit(sink, i, column, rows[i] * change);
}

int tac_force_held(const tacModel *m, const tacWork *w, int a, int side) {
    const double *range = m->actuator_forcerange + 2 * a;
    if (!m->actuator_forcelimited[a]) return 0;
    if (w->force_sign != NULL) return side ? w->force_sign[2 * a + 1] : !w->force_sign[2 * a];
    return side ? w->force[a] >= range[1] : w->force[a] <= range[0];
}

void tac_actuator_jac(const tacModel *m, tacWork *w, const double *q, const double *v, const double *ctrl,
                      const double *act, double h, const tacForceSink *sink) {
    tac_mark_saturated(m, w);
    if (is_disabled(m, TAC_DISABLE_ACTUATION)) return;
    tacForceSink masked = *sink;
    masked.q.skip = masked.v.skip = masked.act.skip = masked.ctrl.skip = w->saturated;
    for (int a = 0; a < m->nu; a++)
        if (!m->actuator_without_force[a]) emit_actuator(m, w, a, q, v, ctrl, act, h, &masked);
}

void tac_advance_activations_jac(const tacModel *m, const tacWork *w, const double *ctrl, const double *act, double h,
                                 const tacSink *act_sink, const tacSink *ctrl_sink) {
    int disabled = is_disabled(m, TAC_DISABLE_ACTUATION);
    for (int a = 0; a < m->nu; a++) {
        int first = m->actuator_act_adr[a], last = first + m->actuator_act_num[a] - 1;
        for (int j = first; j <= last; j++) {
            int held = m->actuator_actlimited[a] && at_bound(m->actuator_actrange + 2 * a, act[j]);
            SignalJac next = j == last && !disabled ? next_activation_jac(m, w, a, ctrl, act, h)
                                                    : (SignalJac){held && !disabled ? 0 : 1, 0};
            tac_emit(act_sink, j, j, next.act);
            tac_emit(ctrl_sink, j, a, next.ctrl);
        }
    }
}

void tac_activation_rates_jac(const tacModel *m, const tacWork *w, const double *ctrl, const tacSink *act_sink,
                              const tacSink *ctrl_sink) {
    if (is_disabled(m, TAC_DISABLE_ACTUATION)) return;
    for (int a = 0; a < m->nu; a++) {
        if (m->actuator_act_num[a] == 0) continue;
        int j = m->actuator_act_adr[a] + m->actuator_act_num[a] - 1;
        SignalJac rate = activation_rate_jac(m, w, a, ctrl);
        tac_emit(act_sink, j, j, rate.act);
        tac_emit(ctrl_sink, j, a, rate.ctrl);
    }
}

tacVelocityGain tac_velocity_gain(const tacModel *m, const tacWork *w, int a, const double *ctrl, const double *act,
                                  double h) {
    tacVelocityGain k = {0, 0, 0};
    double slope = m->actuator_gaintype[a] == TAC_GAIN_AFFINE ? m->actuator_gainprm[10 * a + 2] : 0;
    if (m->actuator_without_force[a] || is_disabled(m, TAC_DISABLE_ACTUATION) || force_at_bound(m, w, a)) return k;
    if (m->actuator_biastype[a] == TAC_BIAS_AFFINE) k.value = m->actuator_damping_used[a];
    if (slope == 0) return k;
    SignalJac signal = signal_jac(m, w, a, ctrl, act, h);
    k.value += slope * driving_signal(m, w, a, act, h);
    k.act = slope * signal.act;
    k.ctrl = slope * signal.ctrl;
    return k;
}

tacNextActivation tac_next_activation_jac(const tacModel *m, int actuator, double act, double act_dot, double h) {
    if (is_disabled(m, TAC_DISABLE_ACTUATION)) return (tacNextActivation){1, 0, 0};
    double next = tac_next_activation(m, actuator, act, act_dot, h);
    if (m->actuator_actlimited[actuator] && at_bound(m->actuator_actrange + 2 * actuator, next))
        return (tacNextActivation){0, 0, 0};
    return (tacNextActivation){1, activation_span(m, actuator, h), act_dot * activation_span_rate(m, actuator, h)};
}
