#include "cli/derivatives/active_set.h"

#include <math.h>

/* A sum of forces that was scaled onto its bound is on it up to rounding. */
#define ON_BOUND 1e-12

int cli_active_count(const tacModel *m) { return 2 * m->nu + m->na + m->njnt + 2 * m->ntendon; }

int cli_active_work(const tacModel *m) { return m->nu + m->nv + 2 * m->ntendon; }

/* A range that is one number has no inside to leave, and a rest length no kink. */
static signed char side(int limited, const double *range, double value) {
    if (!limited || range[0] == range[1]) return 0;
    double slack = ON_BOUND * (fabs(range[0]) + fabs(range[1]));
    return value <= range[0] + slack ? -1 : value >= range[1] - slack ? 1 : 0;
}

static signed char *control_sides(const tacModel *m, const double *u, const double *force, signed char *set) {
    int clamp = !(*m->option_disable & TAC_DISABLE_CLAMPCTRL);
    for (int a = 0; a < m->nu; a++) {
        *set++ = side(clamp && m->actuator_ctrllimited[a], m->actuator_ctrlrange + 2 * a, u[a]);
        *set++ = side(m->actuator_forcelimited[a], m->actuator_forcerange + 2 * a, force[a]);
    }
    return set;
}

/* By actuator; activations that belong to none are never clamped. */
static signed char *activation_sides(const tacModel *m, const double *act, signed char *set) {
    for (int i = 0; i < m->na; i++)
        set[i] = 0;
    for (int a = 0; a < m->nu; a++)
        for (int i = 0; i < m->actuator_act_num[a]; i++) {
            int j = m->actuator_act_adr[a] + i;
            set[j] = side(m->actuator_actlimited[a], m->actuator_actrange + 2 * a, act[j]);
        }
    return set + m->na;
}

static signed char *joint_sides(const tacModel *m, const double *qfrc, signed char *set) {
    for (int j = 0; j < m->njnt; j++)
        *set++ = side(m->joint_actfrclimited[j], m->joint_actfrcrange + 2 * j, qfrc[m->joint_dof_adr[j]]);
    return set;
}

static void tendon_sides(const tacModel *m, const double *force, const double *length, double *total,
                         signed char *set) {
    for (int t = 0; t < m->ntendon; t++)
        total[t] = 0;
    for (int a = 0; a < m->nu; a++)
        if (m->actuator_trntype[a] == TAC_TRN_TENDON) total[m->actuator_trnid[2 * a]] += force[a];
    for (int t = 0; t < m->ntendon; t++) {
        *set++ = side(m->tendon_actfrclimited[t], m->tendon_actfrcrange + 2 * t, total[t]);
        *set++ = side(m->tendon_stiffness[t] != 0, m->tendon_springlength_used + 2 * t, length[t]);
    }
}

tacStatus cli_active_set(tacSim *sim, const tacModel *m, const double *x, const double *u, const double *y,
                         double *work, signed char *set) {
    double *force = work, *qfrc = force + m->nu, *length = qfrc + m->nv, *total = length + m->ntendon;
    tacActuation out = {.force = force, .qfrc = qfrc};
    tacStatus status = tac_actuation(sim, x, u, &out);
    if (status == TAC_OK) status = tac_tendons(sim, x, x + m->nq, length, NULL);
    if (status != TAC_OK) return status;
    set = control_sides(m, u, force, set);
    set = activation_sides(m, y + m->nq + m->nv, set);
    set = joint_sides(m, qfrc, set);
    tendon_sides(m, force, length, total, set);
    return TAC_OK;
}
