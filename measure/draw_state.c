#include "measure/draw_state.h"

#include <math.h>
#include <string.h>

#define TURN 6.283185307179586
/* Share of the controls that are drawn outside their range, and how far outside they may be, as a share of it. */
#define OUTSIDE_SHARE 0.1
#define OUTSIDE_REACH 0.3
/* Metres that an unlimited slide or a free body may be from where the file draws it. */
#define REACH 1.0

/* Numbers drawn one after another from one stream. */
typedef struct Draw {
    uint64_t seed, sample, next;
} Draw;

static double uniform(Draw *d, double low, double high) {
    return low + (high - low) * tac_random_uniform(d->seed, d->sample, d->next++);
}

static double normal(Draw *d) { return tac_random_normal(d->seed, d->sample, d->next++); }

/* A rotation by at most `most` about any axis; every orientation alike where nothing limits it. */
static void draw_quat(Draw *d, double most, double *quat) {
    double q[4], norm = 0, vector;
    for (int i = 0; i < 4; i++) {
        q[i] = normal(d);
        norm += q[i] * q[i];
    }
    norm = sqrt(norm);
    for (int i = 0; i < 4; i++)
        quat[i] = q[i] / norm;
    vector = sqrt(quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3]);
    if (most >= TURN / 2 || !(vector > 0)) return;
    double angle = uniform(d, 0, most), sine = sin(angle / 2) / vector;
    quat[0] = cos(angle / 2);
    for (int i = 1; i < 4; i++)
        quat[i] *= sine;
}

static void draw_joint(const tacModel *m, Draw *d, int joint, double *x) {
    double *q = x + m->joint_qpos_adr[joint];
    const double *range = m->joint_range + 2 * joint, *start = m->qpos_0 + m->joint_qpos_adr[joint];
    int limited = m->joint_limited[joint] && range[0] < range[1];
    switch (m->joint_type[joint]) {
    case TAC_JOINT_FREE:
        for (int i = 0; i < 3; i++)
            q[i] = start[i] + uniform(d, -REACH, REACH);
        draw_quat(d, TURN, q + 3);
        break;
    case TAC_JOINT_BALL:
        draw_quat(d, limited ? range[1] : TURN, q);
        break;
    default: {
        double reach = m->joint_type[joint] == TAC_JOINT_HINGE ? TURN / 2 : REACH;
        *q = limited ? uniform(d, range[0], range[1]) : *start + uniform(d, -reach, reach);
    }
    }
}

/* Inside a range; in [-1, 1] where there is none. */
static double draw_inside(Draw *d, int limited, const double *range) {
    return limited && range[0] < range[1] ? uniform(d, range[0], range[1]) : uniform(d, -1, 1);
}

static void draw_activations(const tacModel *m, Draw *d, double *act) {
    for (int i = 0; i < m->na; i++)
        act[i] = uniform(d, -1, 1);
    for (int a = 0; a < m->nu; a++)
        for (int i = 0; i < m->actuator_act_num[a]; i++)
            act[m->actuator_act_adr[a] + i] = draw_inside(d, m->actuator_actlimited[a], m->actuator_actrange + 2 * a);
}

static double draw_control(const tacModel *m, Draw *d, int a) {
    const double *range = m->actuator_ctrlrange + 2 * a;
    int limited = m->actuator_ctrllimited[a];
    double inside = draw_inside(d, limited, range), chance = uniform(d, 0, 1), reach = uniform(d, 0, OUTSIDE_REACH);
    if (!limited || chance >= OUTSIDE_SHARE) return inside;
    double beyond = reach * (range[1] - range[0]);
    return chance < OUTSIDE_SHARE / 2 ? range[0] - beyond : range[1] + beyond;
}

static void draw_input(const tacModel *m, const tacOptions *options, Draw *d, double *u) {
    int n = tac_ninput(m, options), mocap = n - (options->inputs & TAC_INPUT_MOCAP ? TAC_POSE_SIZE * m->nmocap : 0);
    tac_default_input(m, options, u);
    for (int a = 0; a < m->nu; a++)
        u[a] = draw_control(m, d, a);
    for (int i = m->nu; i < mocap; i++)
        u[i] = normal(d);
    for (int i = mocap; i < n; i += TAC_POSE_SIZE) {
        for (int k = 0; k < 3; k++)
            u[i + k] += uniform(d, -REACH, REACH);
        draw_quat(d, TURN, u + i + 3);
    }
}

void measure_draw_state(const tacModel *m, const tacOptions *options, uint64_t seed, uint64_t sample, double *x,
                        double *u) {
    Draw d = {seed, sample, 0};
    tac_default_state(m, x);
    for (int j = 0; j < m->njnt; j++)
        draw_joint(m, &d, j, x);
    for (int i = 0; i < m->nv; i++)
        x[m->nq + i] = normal(&d);
    draw_activations(m, &d, x + m->nq + m->nv);
    draw_input(m, options, &d, u);
}
