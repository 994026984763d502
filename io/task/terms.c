/* Costs and constraints of a task -> terms of a plan. */
#include "io/task/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the largest weight: a pivot of this size is zero but for rounding. */
#define WEIGHT_ROUNDING 1e-12

/* What one term is made from. Arrays are freed when it was added. */
typedef struct Term {
    const tacTask *task;
    const tacNode *map;  /* of the term */
    const char *section; /* "cost" */
    tacTaskQuantity found;
    int size, target_size; /* entries, and numbers of the target in the file */
    double *target, *weight;
    tacPlanTerm term;
} Term;

static void free_term(Term *t) {
    free(t->target);
    free(t->weight);
}

static tacStatus no_memory(const Term *t, tacError *err) {
    return tac_node_fail(t->map, err, TAC_ERR_MEMORY, "no memory");
}

/* --- Where -------------------------------------------------------------------------------------------------------- */

static tacStatus read_knot(const tacTask *task, const tacNode *node, int *knot, tacError *err) {
    int horizon = tac_task_horizon(task);
    *knot = TAC_PLAN_END;
    if (strcmp(node->text, "end") == 0) return TAC_OK;
    TAC_TRY(tac_node_int(node, knot, err));
    if (*knot <= horizon) return TAC_OK;
    return tac_node_fail(node, err, TAC_ERR_ARGUMENT, "found step %d, expected at most the horizon, %d", *knot,
                         horizon);
}

static tacStatus read_steps(Term *t, tacError *err) {
    const tacNode *steps = tac_node_find(t->map, "steps");
    if (steps == NULL) return TAC_OK;
    int is_range = steps->kind == TAC_NODE_LIST;
    TAC_TRY(read_knot(t->task, is_range ? steps->first : steps, &t->term.first, err));
    TAC_TRY(read_knot(t->task, is_range ? steps->last : steps, &t->term.last, err));
    int first = t->term.first, last = t->term.last;
    if (last < 0 || (first >= 0 && first <= last)) return TAC_OK;
    return tac_node_fail(steps, err, TAC_ERR_ARGUMENT, "found a range that ends before it begins");
}

/* Knots of the term's range. */
static int count_knots(const Term *t) {
    int horizon = tac_task_horizon(t->task);
    int first = t->term.first < 0 ? horizon : t->term.first, last = t->term.last < 0 ? horizon : t->term.last;
    return last - first + 1;
}

/* --- Targets ------------------------------------------------------------------------------------------------------ */

static int is_state(const Term *t) { return t->found.of.kind == TAC_OF_STATE; }

/* One number stands for all entries of what has no shape of its own. */
static int may_spread(const Term *t) {
    if (t->found.of.kind == TAC_OF_ORIENTATION) return 0;
    return !is_state(t) || strcmp(t->found.row->name, "qvel") == 0 || strcmp(t->found.row->name, "act") == 0;
}

/* Numbers of one row of the file -> one row of the target. */
static tacStatus read_target_row(const Term *t, const tacNode *node, double *row, tacError *err) {
    const tacModel *model = t->task->model;
    if (!is_state(t)) return tac_node_numbers(node, t->target_size, may_spread(t), row, err);
    tac_default_state(model, row);
    return tac_node_numbers(node, t->target_size, may_spread(t), row + t->found.target_first, err);
}

static tacStatus read_key_frame(Term *t, const tacNode *node, tacError *err) {
    int key;
    tacError why;
    if (!is_state(t))
        return tac_node_fail(node, err, TAC_ERR_ARGUMENT, "found \"%.*s\", expected numbers: keyframes are for states",
                             TAC_TASK_SHOWN, node->text);
    TAC_TRY(tac_task_find_key_frame(t->task->model, node, &key, err));
    tacStatus status = tac_key_state(t->task->model, NULL, key, t->target, NULL, &why);
    return status == TAC_OK ? TAC_OK : tac_node_fail(node, err, status, "%s", why.text);
}

/* A number, a list, a row for each knot, or a keyframe. */
static tacStatus read_target(Term *t, const tacNode *node, tacError *err) {
    int is_rows = node->kind == TAC_NODE_LIST && node->first->kind == TAC_NODE_LIST, rows = is_rows ? node->n : 1;
    size_t stride = (size_t)(is_state(t) ? tac_nx(t->task->model) : t->target_size);
    if (is_rows && rows != count_knots(t))
        return tac_node_fail(node, err, TAC_ERR_SHAPE, "found %d rows, expected one for each of %d steps", rows,
                             count_knots(t));
    free(t->target);
    t->target = calloc((size_t)rows * stride + 1, sizeof *t->target);
    if (t->target == NULL) return no_memory(t, err);
    t->term.target = t->target;
    t->term.targets = rows;
    if (node->kind == TAC_NODE_SCALAR && !tac_node_is_number(node)) return read_key_frame(t, node, err);
    if (!is_rows) return read_target_row(t, node, t->target, err);
    double *row = t->target;
    for (const tacNode *item = node->first; item != NULL; item = item->next, row += stride)
        TAC_TRY(read_target_row(t, item, row, err));
    return TAC_OK;
}

/* --- Weights ------------------------------------------------------------------------------------------------------ */

static tacStatus check_symmetric(const Term *t, const tacNode *node, tacError *err) {
    for (int i = 0; i < t->size; i++)
        for (int j = 0; j < i; j++)
            if (t->weight[i * t->size + j] != t->weight[j * t->size + i])
                return tac_node_fail(node, err, TAC_ERR_ARGUMENT,
                                     "entries [%d][%d] and [%d][%d] differ, expected a "
                                     "symmetric matrix",
                                     i, j, j, i);
    return TAC_OK;
}

/* Elimination with the pivot on the diagonal: a pivot below zero, or a row left over beside a pivot of zero, is that
 * of a negative eigenvalue. */
static tacStatus check_not_negative(const Term *t, const tacNode *node, tacError *err) {
    int n = t->size, fine = 1;
    double *a = malloc((size_t)n * (size_t)n * sizeof *a), most = 0;
    if (a == NULL) return no_memory(t, err);
    memcpy(a, t->weight, (size_t)n * (size_t)n * sizeof *a);
    for (int i = 0; i < n; i++)
        most = a[i * n + i] > most ? a[i * n + i] : most;
    for (int k = 0; k < n && fine; k++) {
        double pivot = a[k * n + k], zero = WEIGHT_ROUNDING * most;
        fine = pivot >= -zero;
        for (int i = k + 1; i < n && fine; i++) {
            double ratio = pivot > zero ? a[i * n + k] / pivot : 0;
            fine = pivot > zero || fabs(a[i * n + k]) <= zero;
            for (int j = k + 1; j < n; j++)
                a[i * n + j] -= ratio * a[k * n + j];
        }
    }
    free(a);
    return fine ? TAC_OK
                : tac_node_fail(node, err, TAC_ERR_ARGUMENT, "the matrix has a negative eigenvalue, expected none");
}

static tacStatus read_weight(Term *t, tacError *err) {
    const tacNode *node = tac_node_find(t->map, "weight");
    int is_matrix = node != NULL && node->kind == TAC_NODE_LIST && node->first->kind == TAC_NODE_LIST;
    size_t n = (size_t)t->size;
    if (node == NULL) return TAC_OK;
    t->weight = calloc((is_matrix ? n * n : n) + 1, sizeof *t->weight);
    if (t->weight == NULL) return no_memory(t, err);
    if (!is_matrix) {
        t->term.weight = t->weight;
        TAC_TRY(tac_node_numbers(node, t->size, 1, t->weight, err));
        for (int i = 0; i < t->size; i++)
            if (t->weight[i] < 0)
                return tac_node_fail(node, err, TAC_ERR_ARGUMENT, "found %g, expected at least 0", t->weight[i]);
        return TAC_OK;
    }
    t->term.matrix = t->weight;
    if (node->n != t->size)
        return tac_node_fail(node, err, TAC_ERR_SHAPE, "found %d rows, expected %d of %d numbers", node->n, t->size,
                             t->size);
    double *row = t->weight;
    for (const tacNode *item = node->first; item != NULL; item = item->next, row += n)
        TAC_TRY(tac_node_numbers(item, t->size, 0, row, err));
    TAC_TRY(check_symmetric(t, node, err));
    return check_not_negative(t, node, err);
}

static tacStatus read_norm(Term *t) {
    const char *word = tac_task_get_text(t->map, "cost", "norm");
    for (int i = 0; i < TAC_NORM_KINDS; i++)
        if (strcmp(tac_norm_text((tacNorm)i), word) == 0) t->term.norm = (tacNorm)i;
    t->term.width = tac_task_get_real(t->map, "cost", "width");
    t->term.dt_power = tac_task_get_int(t->map, "cost", "dt_power");
    return TAC_OK;
}

/* --- Terms -------------------------------------------------------------------------------------------------------- */

/* Sizes follow from the quantity. */
static tacStatus begin_term(Term *t, const tacPlan *plan, tacError *err) {
    const tacNode *of = tac_node_find(t->map, "of"), *name = tac_node_find(t->map, "name");
    TAC_TRY(tac_task_find_quantity(t->task->model, of, &t->found, err));
    t->term = tac_default_plan_term();
    t->term.of = t->found.of;
    t->term.name = name != NULL ? name->text : t->found.row->name;
    t->size = tac_plan_size(plan, &t->term.of);
    t->target_size = t->found.part ? t->found.target_size : tac_plan_target_size(plan, &t->term.of);
    if (t->size > 0 && t->target_size >= 0) return read_steps(t, err);
    return tac_node_fail(of, err, TAC_ERR_SHAPE, "the quantity has no entries%s",
                         t->found.of.kind == TAC_OF_PARAM ? ": the task has no `unknown`" : "");
}

static tacStatus add(const Term *t, tacPlan *plan, tacError *err) {
    tacError why;
    tacStatus status = tac_plan_add(plan, &t->term, NULL, &why);
    return status == TAC_OK ? TAC_OK : tac_node_fail(t->map, err, status, "%s", why.text);
}

static tacStatus add_cost(Term *t, tacPlan *plan, tacError *err) {
    const tacNode *target = tac_node_find(t->map, "target");
    if (target != NULL) TAC_TRY(read_target(t, target, err));
    TAC_TRY(read_weight(t, err));
    TAC_TRY(read_norm(t));
    return add(t, plan, err);
}

static tacStatus add_constraint(Term *t, tacPlan *plan, tacError *err) {
    static const struct {
        const char *key;
        tacRole role;
    } kinds[] = {{"equals", TAC_ROLE_EQUAL}, {"least", TAC_ROLE_AT_LEAST}, {"most", TAC_ROLE_AT_MOST}};
    int found = 0;
    const tacNode *equals = tac_node_find(t->map, "equals");
    for (int i = 0; i < 3; i++) {
        const tacNode *value = tac_node_find(t->map, kinds[i].key);
        if (value == NULL) continue;
        if (i > 0 && equals != NULL)
            return tac_node_fail_key(value, err, TAC_ERR_ARGUMENT,
                                     "found \"%s\" beside \"equals\", expected one of them", kinds[i].key);
        t->term.role = kinds[i].role;
        TAC_TRY(read_target(t, value, err));
        TAC_TRY(add(t, plan, err));
        found++;
    }
    if (found > 0) return TAC_OK;
    return tac_node_fail(t->map, err, TAC_ERR_SYNTAX, "a constraint needs one of equals, least, most");
}

/* least and most together leave room. */
static tacStatus check_room(const tacNode *map, tacError *err) {
    const tacNode *least = tac_node_find(map, "least"), *most = tac_node_find(map, "most");
    if (least == NULL || most == NULL) return TAC_OK;
    for (int i = 0;; i++) {
        const tacNode *a = least->kind == TAC_NODE_LIST ? tac_node_item(least, i) : least;
        const tacNode *b = most->kind == TAC_NODE_LIST ? tac_node_item(most, i) : most;
        double low, high;
        if (a == NULL || b == NULL) return TAC_OK;
        TAC_TRY(tac_node_real(a, &low, err));
        TAC_TRY(tac_node_real(b, &high, err));
        if (low > high)
            return tac_node_fail(b, err, TAC_ERR_ARGUMENT, "found %g, below the least value of %g: nothing meets both",
                                 high, low);
        if (least->kind != TAC_NODE_LIST && most->kind != TAC_NODE_LIST) return TAC_OK;
    }
}

static tacStatus add_list(const tacTask *task, const char *section, tacPlan *plan,
                          tacStatus (*add_term)(Term *, tacPlan *, tacError *), tacError *err) {
    const tacNode *list = tac_node_find(task->root, section);
    for (const tacNode *map = list != NULL ? list->first : NULL; map != NULL; map = map->next) {
        Term term = {.task = task, .map = map, .section = section};
        tacStatus status = check_room(map, err);
        if (status == TAC_OK) status = begin_term(&term, plan, err);
        if (status == TAC_OK) status = add_term(&term, plan, err);
        free_term(&term);
        TAC_TRY(status);
    }
    return TAC_OK;
}

tacStatus tac_task_add_terms(const tacTask *task, tacPlan *plan, tacError *err) {
    TAC_TRY(add_list(task, "cost", plan, add_cost, err));
    return add_list(task, "constraint", plan, add_constraint, err);
}
