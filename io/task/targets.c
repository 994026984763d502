/* Places that a task's terms ask for, for drawing. */
#include "io/task/build.h"

#include <stdlib.h>
#include <string.h>

/* Is the quantity a place in the world, with all of its three numbers? */
static int is_place(const tacTaskQuantity *q) {
    static const int places[] = {TAC_OUT_BODY_POS, TAC_OUT_BODY_COM,  TAC_OUT_GEOM_POS,
                                 TAC_OUT_SITE_POS, TAC_OUT_JOINT_POS, TAC_OUT_SUBTREE_COM};
    if (q->of.first != 0 || (q->of.count != 0 && q->of.count != 3)) return 0;
    if (q->of.kind == TAC_OF_POSITION) return q->of.in.kind == TAC_KIND_NONE;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (q->of.kind == TAC_OF_OUTPUT && (int)q->of.output.kind == places[i]) return q->of.output.id != TAC_OUT_ALL;
    return 0;
}

/* The free joint whose position a target of a state has, with its first number in x; -1: none. */
static int free_joint_of(const tacModel *model, const tacTaskQuantity *q) {
    if (q->of.kind != TAC_OF_STATE) return -1;
    for (int j = 0; j < model->njnt; j++) {
        int adr = model->joint_qpos_adr[j], end = q->target_first + q->target_size;
        if (model->joint_type[j] != TAC_JOINT_FREE) continue;
        if (!q->part || (adr >= q->target_first && adr + 3 <= end)) return adr;
    }
    return -1;
}

/* Numbers of the target that are a place; 0: there are none. */
static int read_place(const tacTask *task, const tacTaskQuantity *q, const tacNode *target, double place[3]) {
    const tacModel *model = task->model;
    int adr = free_joint_of(model, q), key, found = 0;
    if (is_place(q)) return tac_node_numbers(target, 3, 1, place, NULL) == TAC_OK;
    if (adr < 0) return 0;
    double *x = calloc((size_t)tac_nx(model) + 1, sizeof *x);
    if (x == NULL) return 0;
    int n = q->part ? q->target_size : tac_nx(model), is_word = target->kind == TAC_NODE_SCALAR;
    if (is_word && tac_task_find_key_frame(model, target, &key, NULL) == TAC_OK)
        found = tac_key_state(model, NULL, key, x, NULL, NULL) == TAC_OK;
    else if (!is_word)
        found = tac_node_numbers(target, n, 0, x + q->target_first, NULL) == TAC_OK;
    if (found) memcpy(place, x + adr, 3 * sizeof *place);
    free(x);
    return found;
}

static int knot_of(const tacTask *task, const tacNode *node, int otherwise) {
    int knot;
    if (node == NULL) return otherwise;
    return tac_node_int(node, &knot, NULL) == TAC_OK ? knot : tac_task_horizon(task);
}

/* One target of a term of this section; a row for each knot is drawn by its last. */
static int read_target(const tacTask *task, const tacNode *map, const char *key, tacTaskTarget *out) {
    tacTaskQuantity q;
    const tacNode *target = tac_node_find(map, key), *steps = tac_node_find(map, "steps"),
                  *name = tac_node_find(map, "name");
    if (target == NULL || tac_task_find_quantity(task->model, tac_node_find(map, "of"), &q, NULL) != TAC_OK) return 0;
    if (target->kind == TAC_NODE_LIST && target->first->kind == TAC_NODE_LIST) target = target->last;
    if (!read_place(task, &q, target, out->place)) return 0;
    int is_range = steps != NULL && steps->kind == TAC_NODE_LIST;
    out->name = name != NULL ? name->text : q.row->name;
    out->first = knot_of(task, is_range ? steps->first : steps, 0);
    out->last = knot_of(task, is_range ? steps->last : steps, tac_task_horizon(task));
    return 1;
}

int tac_task_target(const tacTask *task, int i, tacTaskTarget *out) {
    static const char *const keys[][2] = {{"cost", "target"}, {"constraint", "equals"}};
    for (int s = 0; s < 2; s++) {
        const tacNode *list = tac_node_find(task->root, keys[s][0]);
        for (const tacNode *map = list != NULL ? list->first : NULL; map != NULL; map = map->next)
            if (read_target(task, map, keys[s][1], out) && i-- == 0) return 1;
    }
    return 0;
}
