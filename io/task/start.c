/* The start state of a task. */
#include "io/task/quantity.h"
#include "io/task/task.h"

#include "io/task/nearest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

tacStatus tac_node_numbers(const tacNode *node, int n, int spread, double *out, tacError *err) {
    if (node->kind == TAC_NODE_SCALAR) {
        double value;
        TAC_TRY(tac_node_real(node, &value, err));
        if (n != 1 && !spread) return tac_node_fail(node, err, TAC_ERR_SHAPE, "found 1 number, expected %d", n);
        for (int i = 0; i < n; i++)
            out[i] = value;
        return TAC_OK;
    }
    if (node->n != n)
        return tac_node_fail(node, err, TAC_ERR_SHAPE, "found %d number%s, expected %d", node->n,
                             node->n == 1 ? "" : "s", n);
    int i = 0;
    for (const tacNode *item = node->first; item != NULL; item = item->next)
        TAC_TRY(tac_node_real(item, &out[i++], err));
    return TAC_OK;
}

tacStatus tac_task_find_key_frame(const tacModel *model, const tacNode *node, int *key, tacError *err) {
    if (tac_model_count(model, TAC_KIND_KEY) == 0)
        return tac_node_fail(node, err, TAC_ERR_NAME, "found \"%.*s\", but the model has no keyframes", TAC_TASK_SHOWN,
                             node->text);
    return tac_task_find_element(model, TAC_KIND_KEY, node, node->text, key, err);
}

/* Numbers of joints by name: their positions, or their velocities. */
static tacStatus read_joints(const tacModel *model, const tacNode *map, int velocity, double *x, tacError *err) {
    for (const tacNode *item = map != NULL ? map->first : NULL; item != NULL; item = item->next) {
        int joint;
        TAC_TRY(tac_task_find_element(model, TAC_KIND_JOINT, item, item->key, &joint, err));
        int type = model->joint_type[joint];
        int nq = type == TAC_JOINT_FREE ? 7 : type == TAC_JOINT_BALL ? 4 : 1;
        int nv = type == TAC_JOINT_FREE ? 6 : type == TAC_JOINT_BALL ? 3 : 1;
        double *at = velocity ? x + model->nq + model->joint_dof_adr[joint] : x + model->joint_qpos_adr[joint];
        TAC_TRY(tac_node_numbers(item, velocity ? nv : nq, 0, at, err));
    }
    return TAC_OK;
}

static tacStatus read_block(const tacNode *start, const char *name, int n, double *x, tacError *err) {
    const tacNode *node = tac_node_find(start, name);
    return node != NULL ? tac_node_numbers(node, n, 0, x, err) : TAC_OK;
}

/* Quaternions of free and ball joints, as they were written, become unit ones. */
static tacStatus normalize(const tacModel *model, const tacNode *start, double *x, tacError *err) {
    char label[64];
    for (int j = 0; j < model->njnt; j++) {
        if (model->joint_type[j] != TAC_JOINT_FREE && model->joint_type[j] != TAC_JOINT_BALL) continue;
        double *q = x + model->joint_qpos_adr[j] + (model->joint_type[j] == TAC_JOINT_FREE ? 3 : 0);
        double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        if (!(square > 1e-20) || !isfinite(square))
            return tac_node_fail(start, err, TAC_ERR_ARGUMENT, "the quaternion of joint %s has no length",
                                 tac_model_label(model, TAC_KIND_JOINT, j, label, sizeof label));
        double length = sqrt(square);
        for (int k = 0; k < 4 && length != 1; k++)
            q[k] /= length;
    }
    return TAC_OK;
}

tacStatus tac_task_read_start(const tacModel *model, const tacNode *start, double *x, tacError *err) {
    int key;
    tacError why;
    tac_default_state(model, x);
    if (start == NULL) return TAC_OK;
    const tacNode *name = tac_node_find(start, "key");
    if (name != NULL) {
        TAC_TRY(tac_task_find_key_frame(model, name, &key, err));
        tacStatus status = tac_key_state(model, NULL, key, x, NULL, &why);
        if (status != TAC_OK) return tac_node_fail(name, err, status, "%s", why.text);
    }
    TAC_TRY(read_block(start, "qpos", model->nq, x, err));
    TAC_TRY(read_block(start, "qvel", model->nv, x + model->nq, err));
    TAC_TRY(read_block(start, "act", model->na, x + model->nq + model->nv, err));
    TAC_TRY(read_joints(model, tac_node_find(start, "joint"), 0, x, err));
    TAC_TRY(read_joints(model, tac_node_find(start, "velocity"), 1, x, err));
    return normalize(model, start, x, err);
}
