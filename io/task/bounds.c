/* Bounds of a task, and its unknown parameters -> plan. */
#include "io/task/build.h"
#include "io/task/params.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* low[n] and high[n], to be freed as one. */
typedef struct Box {
    double *low, *high;
    int n, given;
} Box;

static tacStatus begin(const tacTask *task, Box *box, int n, tacError *err) {
    *box = (Box){.n = n};
    box->low = malloc((2 * (size_t)n + 1) * sizeof *box->low);
    if (box->low == NULL) return tac_node_fail(task->root, err, TAC_ERR_MEMORY, "no memory");
    box->high = box->low + n;
    for (int i = 0; i < n; i++) {
        box->low[i] = -(double)INFINITY;
        box->high[i] = (double)INFINITY;
    }
    return TAC_OK;
}

static tacStatus set(Box *box, int i, const tacNode *node, tacError *err) {
    double range[2];
    TAC_TRY(tac_node_range(node, range, err));
    box->low[i] = range[0];
    box->high[i] = range[1];
    box->given = 1;
    return TAC_OK;
}

/* --- Controls ----------------------------------------------------------------------------------------------------- */

static void set_ranges_of_model(const tacModel *model, Box *box) {
    for (int a = 0; a < model->nu; a++) {
        if (!model->actuator_ctrllimited[a]) continue;
        box->low[a] = model->actuator_ctrlrange[2 * a];
        box->high[a] = model->actuator_ctrlrange[2 * a + 1];
    }
}

static tacStatus read_all_controls(const tacModel *model, const tacNode *node, Box *box, tacError *err) {
    int is_list = node->first->kind == TAC_NODE_LIST;
    if (is_list && node->n != model->nu)
        return tac_node_fail(node, err, TAC_ERR_SHAPE, "found %d ranges, expected one for each of %d controls", node->n,
                             model->nu);
    const tacNode *item = is_list ? node->first : node;
    for (int a = 0; a < model->nu; a++, item = is_list ? item->next : item)
        TAC_TRY(set(box, a, item, err));
    return TAC_OK;
}

static tacStatus read_controls(const tacTask *task, const tacNode *bound, Box *box, tacError *err) {
    const tacNode *all = tac_node_find(bound, "ctrl"), *named = tac_node_find(bound, "actuator");
    set_ranges_of_model(task->model, box);
    if (all != NULL) TAC_TRY(read_all_controls(task->model, all, box, err));
    for (const tacNode *item = named != NULL ? named->first : NULL; item != NULL; item = item->next) {
        int id;
        TAC_TRY(tac_task_find_element(task->model, TAC_KIND_ACTUATOR, item, item->key, &id, err));
        TAC_TRY(set(box, id, item, err));
    }
    return TAC_OK;
}

/* --- States ------------------------------------------------------------------------------------------------------- */

static tacStatus read_joints(const tacTask *task, const tacNode *map, int velocity, Box *box, tacError *err) {
    const tacModel *model = task->model;
    for (const tacNode *item = map != NULL ? map->first : NULL; item != NULL; item = item->next) {
        int joint;
        TAC_TRY(tac_task_find_element(model, TAC_KIND_JOINT, item, item->key, &joint, err));
        if (model->joint_type[joint] == TAC_JOINT_FREE || model->joint_type[joint] == TAC_JOINT_BALL)
            return tac_node_fail_key(item, err, TAC_ERR_ARGUMENT,
                                     "joint \"%s\" turns freely, expected a hinge or slide", item->key);
        int i = velocity ? model->nq + model->joint_dof_adr[joint] : model->joint_qpos_adr[joint];
        TAC_TRY(set(box, i, item, err));
        double start = task->start[i];
        if (start < box->low[i] || start > box->high[i])
            return tac_node_fail(item, err, TAC_ERR_ARGUMENT, "the start has %g, outside of the range from %g to %g",
                                 start, box->low[i], box->high[i]);
    }
    return TAC_OK;
}

static tacStatus read_states(const tacTask *task, const tacNode *bound, Box *box, tacError *err) {
    TAC_TRY(read_joints(task, tac_node_find(bound, "joint"), 0, box, err));
    return read_joints(task, tac_node_find(bound, "velocity"), 1, box, err);
}

/* --- Both --------------------------------------------------------------------------------------------------------- */

static tacStatus apply(const tacNode *bound, tacPlan *plan, tacBoundOf of, const Box *box, tacError *err) {
    tacError why;
    if (!box->given) return TAC_OK;
    tacStatus status = tac_plan_bound(plan, of, box->low, box->high, &why);
    return status == TAC_OK ? TAC_OK : tac_node_fail(bound, err, status, "%s", why.text);
}

tacStatus tac_task_control_bounds(const tacTask *task, double *low, double *high, tacError *err) {
    Box box;
    TAC_TRY(begin(task, &box, tac_ninput(task->model, &task->step), err));
    tacStatus status = read_controls(task, tac_node_find(task->root, "bound"), &box, err);
    memcpy(low, box.low, (size_t)box.n * sizeof *low);
    memcpy(high, box.high, (size_t)box.n * sizeof *high);
    free(box.low);
    return status;
}

static tacStatus add_box(const tacTask *task, tacPlan *plan, tacBoundOf of, int n,
                         tacStatus (*read)(const tacTask *, const tacNode *, Box *, tacError *), tacError *err) {
    const tacNode *bound = tac_node_find(task->root, "bound");
    Box box;
    TAC_TRY(begin(task, &box, n, err));
    tacStatus status = read(task, bound, &box, err);
    if (status == TAC_OK) status = apply(bound, plan, of, &box, err);
    free(box.low);
    return status;
}

static tacStatus add_unknown(const tacTask *task, tacPlan *plan, tacError *err) {
    const tacNode *map = tac_node_find(task->root, "unknown");
    int k = 0;
    for (const tacNode *item = map != NULL ? map->first : NULL; item != NULL; item = item->next, k++) {
        double range[2];
        tacError why;
        TAC_TRY(tac_node_range(item, range, err));
        tacStatus status = tac_plan_add_unknown(plan, task->unknown[k], range[0], range[1], &why);
        if (status != TAC_OK) return tac_node_fail(item, err, status, "%s", why.text);
    }
    return TAC_OK;
}

tacStatus tac_task_add_bounds(const tacTask *task, tacPlan *plan, tacError *err) {
    int nx = tac_nx(task->model), nu = tac_ninput(task->model, &task->step);
    TAC_TRY(add_unknown(task, plan, err));
    if (tac_node_find(task->root, "bound") == NULL) return TAC_OK;
    TAC_TRY(add_box(task, plan, TAC_BOUND_CTRL, nu, read_controls, err));
    return add_box(task, plan, TAC_BOUND_STATE, nx, read_states, err);
}

/* The number that the model has is where the search begins: it has to be in the range. */
static tacStatus check_inside(const tacTask *task, const tacNode *item, int k, tacError *err) {
    enum { PATH = 256 };
    char path[PATH];
    double range[2], value;
    TAC_TRY(tac_node_range(item, range, err));
    TAC_TRY(tac_param_registered(task->model, k, 0, path, sizeof path));
    TAC_TRY(tac_param_get(task->model, path, &value, err));
    if (value >= range[0] && value <= range[1]) return TAC_OK;
    return tac_node_fail(item, err, TAC_ERR_ARGUMENT, "the model has %g, outside of the range from %g to %g", value,
                         range[0], range[1]);
}

/* The time step of the task is where an unknown one begins. */
static tacStatus take_time_step(tacTask *task, tacError *err) {
    const tacNode *dt = tac_node_find(tac_node_find(task->root, "step"), "dt");
    double value;
    tacError why;
    if (dt == NULL) return TAC_OK;
    TAC_TRY(tac_node_real(dt, &value, err));
    tacStatus status = tac_param_set(task->model, "option.timestep", value, &why);
    return status == TAC_OK ? TAC_OK : tac_node_fail(dt, err, status, "%s", why.text);
}

tacStatus tac_task_register_unknown(tacTask *task, tacError *err) {
    const tacNode *map = tac_node_find(task->root, "unknown");
    if (map == NULL) return TAC_OK;
    TAC_TRY(take_time_step(task, err));
    task->unknown = calloc((size_t)map->n + 1, sizeof *task->unknown);
    if (task->unknown == NULL) return tac_node_fail(map, err, TAC_ERR_MEMORY, "no memory");
    for (const tacNode *item = map->first; item != NULL; item = item->next) {
        int *k = &task->unknown[item->index];
        TAC_TRY(tac_task_register(task->model, item, k, err));
        TAC_TRY(check_inside(task, item, *k, err));
    }
    return TAC_OK;
}
