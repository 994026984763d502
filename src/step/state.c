/* Default states and inputs, those of keyframes; the group operations on positions. */
#include "base/error.h"
#include "math/quat.h"
#include "step/sim.h"

#include <stdio.h>
#include <string.h>

int tac_nx(const tacModel *model) { return model == NULL ? 0 : model->nq + model->nv + model->na; }

int tac_ndx(const tacModel *model) { return model == NULL ? 0 : 2 * model->nv + model->na; }

int tac_ninput(const tacModel *model, const tacOptions *options) {
    return model == NULL || !tac_options_are_set(options) ? 0 : tac_input_layout(model, options).n;
}

void tac_default_state(const tacModel *model, double *x) {
    if (model == NULL || x == NULL) return;
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

static void store_pose(double *out, tacVec3 pos, tacQuat quat) {
    tac_store3(out, pos);
    tac_quat_store(out + 3, quat);
}

void tac_default_input(const tacModel *model, const tacOptions *options, double *u) {
    if (model == NULL || u == NULL || !tac_options_are_set(options)) return;
    tacInputLayout layout = tac_input_layout(model, options);
    for (int i = 0; i < layout.n; i++)
        u[i] = 0;
    for (int k = 0; layout.mocap >= 0 && k < model->nmocap; k++) {
        int body = model->mocap_body[k];
        store_pose(u + layout.mocap + TAC_POSE_SIZE * k, model->body_pos[body], model->body_quat[body]);
    }
}

tacForceTorque *tac_input_forces(const tacModel *model, const tacOptions *options, double *u) {
    if (model == NULL || u == NULL || !tac_options_are_set(options)) return NULL;
    int first = tac_input_layout(model, options).xfrc;
    return first >= 0 ? (tacForceTorque *)(u + first) : NULL;
}

tacTwist *tac_free_twist(const tacModel *model, int joint, double *qvel) {
    if (model == NULL || qvel == NULL || joint < 0 || joint >= model->njnt) return NULL;
    return model->joint_type[joint] == TAC_JOINT_FREE ? (tacTwist *)(qvel + model->joint_dof_adr[joint]) : NULL;
}

/* Names of the keyframes, as far as they fit: "'stand', 'sit', #2". */
static void list_keys(const tacModel *m, char *text, size_t size) {
    size_t n = 0;
    text[0] = '\0';
    for (int k = 0; k < m->nkey && n < size; k++) {
        const char *name = tac_model_name(m, TAC_KIND_KEY, k), *comma = k > 0 ? ", " : "";
        int wrote = name[0] != '\0' ? snprintf(text + n, size - n, "%s'%s'", comma, name)
                                    : snprintf(text + n, size - n, "%s#%d", comma, k);
        n += (size_t)wrote;
    }
    if (n >= size) memcpy(text + size - 4, "...", 4);
}

static tacStatus refuse_key(const tacModel *m, int key, tacError *err) {
    char names[TAC_ERROR_TEXT / 2], which[32] = "of that name";
    list_keys(m, names, sizeof names);
    if (key != -1) snprintf(which, sizeof which, "%d", key);
    return tac_fail_at(err, TAC_ERR_NAME, TAC_KIND_KEY, key, "there is no keyframe %s; the model has %d%s%s", which,
                       m->nkey, m->nkey > 0 ? ": " : "", names);
}

tacStatus tac_key_state(const tacModel *model, const tacOptions *options, int key, double *x, double *u,
                        tacError *err) {
    if (model == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "model is NULL");
    if (key < 0 || key >= model->nkey) return refuse_key(model, key, err);
    if (u != NULL && !tac_options_are_set(options))
        return tac_fail(err, TAC_ERR_OPTIONS, "options were not made by tac_default_options");
    size_t k = (size_t)key, nq = (size_t)model->nq, nv = (size_t)model->nv, na = (size_t)model->na;
    size_t nu = (size_t)model->nu, nmocap = (size_t)model->nmocap;
    if (x != NULL) {
        memcpy(x, model->key_qpos + k * nq, nq * sizeof *x);
        memcpy(x + nq, model->key_qvel + k * nv, nv * sizeof *x);
        memcpy(x + nq + nv, model->key_act + k * na, na * sizeof *x);
    }
    if (u == NULL) return TAC_OK;
    tac_default_input(model, options, u);
    memcpy(u, model->key_ctrl + k * nu, nu * sizeof *u);
    tacInputLayout layout = tac_input_layout(model, options);
    for (size_t i = 0; layout.mocap >= 0 && i < nmocap; i++) {
        size_t pose = k * nmocap + i;
        store_pose(u + layout.mocap + TAC_POSE_SIZE * i, model->key_mpos[pose], model->key_mquat[pose]);
    }
    return TAC_OK;
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
    if (model == NULL || q == NULL || d == NULL || out == NULL) return;
    for (int j = 0; j < model->njnt; j++) {
        int iq = model->joint_qpos_adr[j], iv = model->joint_dof_adr[j];
        switch (model->joint_type[j]) {
        case TAC_JOINT_FREE:
            for (int i = 0; i < 3; i++)
                out[iq + i] = q[iq + i] + d[iv + i];
            turn(q + iq + 3, d + iv + 3, out + iq + 3);
            break;
        case TAC_JOINT_BALL:
            turn(q + iq, d + iv, out + iq);
            break;
        default:
            out[iq] = q[iq] + d[iv];
        }
    }
}

void tac_qpos_sub(const tacModel *model, const double *q2, const double *q1, double *d) {
    if (model == NULL || q2 == NULL || q1 == NULL || d == NULL) return;
    for (int j = 0; j < model->njnt; j++) {
        int iq = model->joint_qpos_adr[j], iv = model->joint_dof_adr[j];
        switch (model->joint_type[j]) {
        case TAC_JOINT_FREE:
            for (int i = 0; i < 3; i++)
                d[iv + i] = q2[iq + i] - q1[iq + i];
            turn_between(q2 + iq + 3, q1 + iq + 3, d + iv + 3);
            break;
        case TAC_JOINT_BALL:
            turn_between(q2 + iq, q1 + iq, d + iv);
            break;
        default:
            d[iv] = q2[iq] - q1[iq];
        }
    }
}

/* d = 1/2 L(q)^T g, with L(q) e_i = q e_i: q exp(e/2) = q + 1/2 L(q) e + ... */
static void turn_down(const double *quat, const double *g, double *d) {
    tacQuat t = tac_quat_mul(tac_quat_conj(tac_quat_load(quat)), tac_quat_load(g));
    tac_store3(d, tac_scale3(0.5, (tacVec3){t.x, t.y, t.z}));
}

/* g = 2/|q| L(q/|q|) d: e = 2 L(q/|q|)^T dq / |q| */
static void turn_up(const double *quat, const double *d, double *g) {
    tacQuat q = tac_quat_load(quat), unit = tac_quat_normalize(q);
    double norm = tac_quat_norm(q), scale = norm < TAC_QUAT_MIN_NORM ? 0 : 2 / norm;
    tacQuat t = tac_quat_mul(unit, (tacQuat){0, d[0], d[1], d[2]});
    tac_quat_store(g, (tacQuat){scale * t.w, scale * t.x, scale * t.y, scale * t.z});
}

void tac_covector_down(const tacModel *model, const double *q, const double *g, double *d) {
    if (model == NULL || q == NULL || g == NULL || d == NULL) return;
    for (int j = 0; j < model->njnt; j++) {
        int iq = model->joint_qpos_adr[j], iv = model->joint_dof_adr[j];
        int is_free = model->joint_type[j] == TAC_JOINT_FREE;
        for (int i = 0; i < 3 && is_free; i++)
            d[iv + i] = g[iq + i];
        if (is_free || model->joint_type[j] == TAC_JOINT_BALL)
            turn_down(q + iq + 3 * is_free, g + iq + 3 * is_free, d + iv + 3 * is_free);
        else
            d[iv] = g[iq];
    }
}

void tac_covector_up(const tacModel *model, const double *q, const double *d, double *g) {
    if (model == NULL || q == NULL || d == NULL || g == NULL) return;
    for (int j = 0; j < model->njnt; j++) {
        int iq = model->joint_qpos_adr[j], iv = model->joint_dof_adr[j];
        int is_free = model->joint_type[j] == TAC_JOINT_FREE;
        for (int i = 0; i < 3 && is_free; i++)
            g[iq + i] = d[iv + i];
        if (is_free || model->joint_type[j] == TAC_JOINT_BALL)
            turn_up(q + iq + 3 * is_free, d + iv + 3 * is_free, g + iq + 3 * is_free);
        else
            g[iq] = d[iv];
    }
}
