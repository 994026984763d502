/* A task that asks for one state. */
#include "io/task/build.h"

#include <stdlib.h>
#include <string.h>

tacStatus tac_task_read_hold(tacTask *task, tacError *err) {
    const tacNode *hold = tac_node_find(tac_node_find(task->root, "pose"), "hold");
    const tacModel *model = task->model;
    int joint;
    if (hold == NULL) return TAC_OK;
    task->hold = calloc((size_t)model->nv + 1, 1);
    if (task->hold == NULL) return tac_node_fail(hold, err, TAC_ERR_MEMORY, "no memory");
    int is_list = hold->kind == TAC_NODE_LIST;
    for (const tacNode *item = is_list ? hold->first : hold; item != NULL; item = is_list ? item->next : NULL) {
        TAC_TRY(tac_task_find_element(model, TAC_KIND_JOINT, item, item->text, &joint, err));
        int type = model->joint_type[joint], n = type == TAC_JOINT_FREE ? 6 : type == TAC_JOINT_BALL ? 3 : 1;
        memset(task->hold + model->joint_dof_adr[joint], 1, (size_t)n);
    }
    return TAC_OK;
}

tacStatus tac_task_pose(const tacTask *task, tacPoseOptions *options, tacError *err) {
    if (task == NULL || options == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "a task and a place are needed");
    const tacNode *solver = tac_node_find(task->root, "solver"), *tolerance = tac_node_find(solver, "tolerance");
    *options = tac_default_pose_options();
    if (tac_node_find(solver, "iterations") != NULL)
        options->iterations = tac_task_get_int(solver, "solver", "iterations");
    if (tac_node_find(tolerance, "constraint") != NULL)
        options->tolerance = tac_task_get_real(tolerance, "tolerance", "constraint");
    options->starts = tac_task_starts(task);
    options->seed = (uint64_t)tac_task_get_int(solver, "solver", "seed");
    options->fixed_q = strcmp(tac_task_get_text(tac_node_find(task->root, "pose"), "pose", "fixed"), "true") == 0;
    options->hold = task->hold;
    return TAC_OK;
}
