/* --set KEY=VALUE: changes of a task before it is read. */
#include "io/task/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORIGIN = 256, MOST_STEPS = 6 };

typedef struct Change {
    tacTree *tree;
    const char *origin; /* "--set KEY=VALUE", in the tree's memory */
    const char *key;    /* in the tree's memory */
    tacNode *value;
    tacError *err;
} Change;

static tacStatus no_memory(const Change *c) { return tac_fail(c->err, TAC_ERR_MEMORY, "%s: no memory", c->origin); }

/* Puts the value under this key of a map, in the place of what is there. */
static tacStatus put(const Change *c, tacNode *map, const char *key, tacNode *value) {
    tacNode *old = (tacNode *)tac_node_find(map, key);
    if (old != NULL) {
        tac_node_replace(old, value);
        return TAC_OK;
    }
    if (map->n >= TAC_TASK_WIDTH)
        return tac_fail(c->err, TAC_ERR_SYNTAX, "%s: more than %d keys in one map", c->origin, TAC_TASK_WIDTH);
    value->key = tac_tree_text(c->tree, key, strlen(key));
    if (value->key == NULL) return no_memory(c);
    tac_node_append(map, value);
    return TAC_OK;
}

/* The map under a key, made where there is none. */
static tacStatus enter_key(const Change *c, tacNode *map, const char *key, tacNode **out) {
    *out = (tacNode *)tac_node_find(map, key);
    if (*out != NULL) return TAC_OK;
    *out = tac_tree_node(c->tree, TAC_NODE_MAP, c->origin);
    return *out != NULL ? put(c, map, key, *out) : no_memory(c);
}

static tacStatus expect_map(const Change *c, const tacNode *node) {
    enum { FOUND = 128, PATH = 256 };
    char found[FOUND], path[PATH];
    if (node->kind == TAC_NODE_MAP) return TAC_OK;
    tac_node_path(node, path, sizeof path);
    return tac_fail(c->err, TAC_ERR_NAME, "%s: %s is %s, expected a map of keys", c->origin,
                    path[0] != '\0' ? path : "the task", tac_node_describe(node, found, sizeof found));
}

/* "[2]" at the end of a step: the item of a list. */
static tacStatus enter_item(const Change *c, tacNode **node, int index) {
    tacNode *item = (tacNode *)tac_node_item(*node, index);
    if ((*node)->kind != TAC_NODE_LIST || item == NULL)
        return tac_fail(c->err, TAC_ERR_NAME, "%s: no item [%d] there, expected one of a list of %d", c->origin, index,
                        (*node)->kind == TAC_NODE_LIST ? (*node)->n : 0);
    *node = item;
    return TAC_OK;
}

/* One name of a path, with its index or -1: "cost[0]". 1: it is well formed. */
static int split_step(const char *at, size_t n, char *name, int *index) {
    int used = 0;
    snprintf(name, TAC_TASK_KEY + 1, "%.*s", (int)n, at);
    char *bracket = strchr(name, '[');
    *index = -1;
    if (bracket == NULL) return n > 0;
    if (bracket == name || sscanf(bracket, "[%6d]%n", index, &used) != 1 || bracket[used] != '\0') return 0;
    *bracket = '\0';
    return *index >= 0;
}

/* solver.tolerance.cost, cost[0].weight: to where the value goes. */
static tacStatus put_by_key(const Change *c) {
    char name[TAC_TASK_KEY + 1];
    tacNode *node = tac_tree_root(c->tree);
    const char *at = c->key;
    for (int steps = 0;; steps++) {
        size_t n = strcspn(at, ".");
        int index, last = at[n] == '\0';
        if (steps >= MOST_STEPS || !split_step(at, n, name, &index))
            return tac_fail(c->err, TAC_ERR_NAME,
                            "%s: expected a key, as solver.iterations or cost[0].weight, or the path "
                            "of a parameter, as geom/foot.friction[0]",
                            c->origin);
        TAC_TRY(expect_map(c, node));
        if (last && index < 0) return put(c, node, name, c->value);
        TAC_TRY(enter_key(c, node, name, &node));
        if (index >= 0) TAC_TRY(enter_item(c, &node, index));
        if (last) {
            tac_node_replace(node, c->value);
            return TAC_OK;
        }
        at += n + 1;
    }
}

static tacStatus put_parameter(const Change *c) {
    tacNode *set, *root = tac_tree_root(c->tree);
    TAC_TRY(expect_map(c, root));
    TAC_TRY(enter_key(c, root, "set", &set));
    TAC_TRY(expect_map(c, set));
    return put(c, set, c->key, c->value);
}

tacStatus tac_task_change(tacTree *tree, const char *change, tacError *err) {
    char origin[ORIGIN];
    snprintf(origin, sizeof origin, "--set %.*s", ORIGIN - 8, change);
    const char *equals = strchr(change, '=');
    if (equals == NULL || equals == change || equals - change > TAC_TASK_KEY)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s: expected KEY=VALUE", origin);
    Change c = {.tree = tree, .err = err};
    c.origin = tac_tree_text(tree, origin, strlen(origin));
    c.key = tac_tree_text(tree, change, (size_t)(equals - change));
    if (c.origin == NULL || c.key == NULL) return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory", origin);
    TAC_TRY(tac_tree_parse_option(tree, c.origin, equals + 1, &c.value, err));
    int is_parameter = strchr(c.key, '/') != NULL || strncmp(c.key, "option.", 7) == 0;
    return is_parameter ? put_parameter(&c) : put_by_key(&c);
}
