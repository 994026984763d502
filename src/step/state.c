/* Default states and inputs; the group operations on positions. */
#include "math/quat.h"
#include "tactus/tactus.h"

#include <string.h>

void tac_default_state(const tacModel *model, double *x) {
    memcpy(x, model->qpos_0, (size_t)model->nq * sizeof *x);
    memset(x + model->nq, 0, (size_t)(model->nv + model->na) * sizeof *x);
    double *act = x + model->nq + model->nv;
    for (int a = 0; a < model->nu; a++) {
        const double *range = model->actuator_actrange + 2 * a;
        int first = model->actuator_act_adr[a], last = first + model->actuator_act_num[a];
        for (int j = first; model->actuator_actlimited[a] && j < last; j++)
            act[j] = tac_clamp(0, range[0], range[1]);
    }
}

void tac_default_input(const tacModel *model, const tacOptions *options, double *u) {
    int n = tac_ninput(model, options);
    for (int i = 0; i < n; i++)
        u[i] = 0;
    if (!(options->inputs & TAC_INPUT_MOCAP)) return;
    double *mocap = u + n - 7 * model->nmocap; /* the last block */
    for (int k = 0; k < model->nmocap; k++) {
        tac_store3(mocap + 7 * k, model->body_pos[model->mocap_body[k]]);
        tac_quat_store(mocap + 7 * k + 3, model->body_quat[model->mocap_body[k]]);
    }
}

/* quat exp(d), normalized; d in the child's axes */
static void turn(const double *quat, const double *d, double *out) {
    tacQuat q = tac_quat_normalize(tac_quat_load(quat));
    tac_quat_store(out, tac_quat_normalize(tac_quat_mul(q, tac_quat_exp(tac_load3(d)))));
}

/* log(quat1^-1 quat2) */
static void turn_between(const double *quat2, const double *quat1, double *d) {
    tacQuat q1 = tac_quat_normalize(tac_quat_load(quat1)), q2 = tac_quat_normalize(tac_quat_load(quat2));
    tac_store3(d, tac_quat_log(tac_quat_mul(tac_quat_conj(q1), q2)));
}

void tac_qpos_add(const tacModel *model, const double *q, const double *d, double *out) {
    for (int j = 0; j < model->njnt; j++) {
        int iq = model->joint_qpos_adr[j], iv = model->joint_dof_adr[j];
        switch (model->joint_type[j]) {
        case TAC_FREE:
            for (int i = 0; i < 3; i++)
                out[iq + i] = q[iq + i] + d[iv + i];
            turn(q + iq + 3, d + iv + 3, out + iq + 3);
            break;
        case TAC_BALL:
            turn(q + iq, d + iv, out + iq);
            break;
        default:
            out[iq] = q[iq] + d[iv];
        }
    }
}

void tac_qpos_sub(const tacModel *model, const double *q2, const double *q1, double *d) {
    for (int j = 0; j < model->njnt; j++) {
        int iq = model->joint_qpos_adr[j], iv = model->joint_dof_adr[j];
        switch (model->joint_type[j]) {
        case TAC_FREE:
            for (int i = 0; i < 3; i++)
                d[iv + i] = q2[iq + i] - q1[iq + i];
            turn_between(q2 + iq + 3, q1 + iq + 3, d + iv + 3);
            break;
        case TAC_BALL:
            turn_between(q2 + iq, q1 + iq, d + iv);
            break;
        default:
            d[iv] = q2[iq] - q1[iq];
        }
    }
}
