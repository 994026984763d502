/* A task as a problem of planning: what programs ask a task for. */
#include "io/task/build.h"

#include <string.h>

static const tacNode *solver_of(const tacTask *task) { return tac_node_find(task->root, "solver"); }

int tac_task_starts(const tacTask *task) {
    return task != NULL ? tac_task_get_int(solver_of(task), "solver", "starts") : 0;
}

int tac_task_coarse(const tacTask *task) {
    return task != NULL ? tac_task_get_int(solver_of(task), "solver", "coarse") : 0;
}

tacStatus tac_task_plan(const tacTask *task, tacPlan **plan, tacError *err) {
    tacError why;
    if (task == NULL || plan == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "a task and a place for the plan are needed");
    tacPlan *made = NULL;
    *plan = NULL;
    tacStatus status = tac_plan_new(task->model, &task->step, tac_task_horizon(task), &made, &why);
    if (status != TAC_OK) return tac_node_fail(task->root, err, status, "%s", why.text);
    status = tac_plan_set_start(made, task->start, &why);
    if (status != TAC_OK) status = tac_node_fail(task->root, err, status, "start: %s", why.text);
    if (status == TAC_OK) status = tac_task_add_bounds(task, made, err);
    if (status == TAC_OK) status = tac_task_add_terms(task, made, err);
    if (status != TAC_OK) {
        tac_plan_free(made);
        return status;
    }
    *plan = made;
    return TAC_OK;
}

tacStatus tac_task_guess(const tacTask *task, tacPlanGuess *guess) {
    if (task == NULL || guess == NULL) return TAC_ERR_ARGUMENT;
    *guess = task->first_guess;
    return TAC_OK;
}

/* auto, exact, a kappa, or [first, last, factor] */
static tacStatus read_smoothing(const tacTask *task, tacSmoothing *out, tacError *err) {
    const tacNode *node = tac_node_find(solver_of(task), "smoothing");
    double value[3] = {0};
    if (node == NULL || (node->kind == TAC_NODE_SCALAR && strcmp(node->text, "auto") == 0)) return TAC_OK;
    if (node->kind == TAC_NODE_SCALAR && strcmp(node->text, "exact") == 0) {
        out->kind = TAC_SMOOTHING_EXACT;
        return TAC_OK;
    }
    if (node->kind == TAC_NODE_SCALAR && !tac_node_is_number(node))
        return tac_node_fail(node, err, TAC_ERR_SYNTAX,
                             "found \"%.*s\", expected auto, exact, a kappa or [first, last, "
                             "factor]",
                             TAC_TASK_SHOWN, node->text);
    if (task->step.contact != TAC_CONTACT_MODEL_NCP)
        return tac_node_fail(node, err, TAC_ERR_ARGUMENT, "found a kappa, expected auto or exact: contact %s has none",
                             tac_contact_text(task->step.contact));
    int is_list = node->kind == TAC_NODE_LIST;
    TAC_TRY(tac_node_numbers(node, is_list ? 3 : 1, 0, value, err));
    *out = (tacSmoothing){.kind = TAC_SMOOTHING_SCHEDULE, .first = value[0], .last = value[0], .factor = 0.1};
    if (is_list) {
        out->last = value[1];
        out->factor = value[2];
    }
    if (out->last <= out->first && out->factor < 1) return TAC_OK;
    return tac_node_fail(node, err, TAC_ERR_ARGUMENT,
                         "expected [first, last, factor] with last at most first and a factor "
                         "below 1");
}

tacStatus tac_task_solver(const tacTask *task, tacPlanOptions *options, tacError *err) {
    if (task == NULL || options == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "a task and a place are needed");
    const tacNode *solver = solver_of(task), *tolerance = tac_node_find(solver, "tolerance");
    *options = tac_default_plan_options();
    options->method = tac_plan_method_named(tac_task_get_text(solver, "solver", "method"));
    options->iterations = tac_task_get_int(solver, "solver", "iterations");
    options->cost_tolerance = tac_task_get_real(tolerance, "tolerance", "cost");
    options->constraint_tolerance = tac_task_get_real(tolerance, "tolerance", "constraint");
    options->threads = tac_task_get_int(solver, "solver", "threads");
    return read_smoothing(task, &options->smoothing, err);
}
