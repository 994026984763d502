/* Keys of task files: their table, and values that are checked against it. */
#pragma once

#include "io/task/key_table.h"
#include "io/task/node.h"

typedef enum {
#define X(TYPE, words) TAC_TASK_##TYPE,
    TAC_TASK_TYPES(X)
#undef X
        TAC_TASK_TYPE_COUNT
} tacTaskType;

/* A row of TAC_TASK_KEYS. */
typedef struct tacTaskKey {
    const char *section, *name;
    tacTaskType type;
    const char *more;
    double least, most;
    const char *unit, *fallback, *text;
} tacTaskKey;

/* Row i, from 0; NULL after the last. */
const tacTaskKey *tac_task_key(int i);
/* (section, name) -> row, or NULL. */
const tacTaskKey *tac_task_find_key(const char *section, const char *name);
/* Does any row have this section? */
int tac_task_has_section(const char *section);
/* Does a list of words, "ilqr|ipopt|", have this one? */
int tac_task_has_word(const char *words, const char *word);

/* Sections whose keys may stand in one map; NULL after the last. */
typedef const char *const tacTaskSections[3];

/* The tree's root is a map of the keys of these sections, each with a value of its type, in range; all that are
 * required are there. What refers to the model is checked when the task is built. */
tacStatus tac_task_check(const tacNode *root, tacTaskSections sections, tacError *err);
/* One value against its row. */
tacStatus tac_task_check_value(const tacTaskKey *key, const tacNode *node, tacError *err);

/* A scalar -> number, or a message that says what was found. */
tacStatus tac_node_real(const tacNode *node, double *value, tacError *err);
tacStatus tac_node_int(const tacNode *node, int *value, tacError *err);
/* A plain scalar that is a number. */
int tac_node_is_number(const tacNode *node);
/* A list of two numbers, in this order. */
tacStatus tac_node_range(const tacNode *node, double range[2], tacError *err);

/* Values of a map that tac_task_check passed, or the default of their row. A map that is NULL has none. */
double tac_task_get_real(const tacNode *map, const char *section, const char *name);
int tac_task_get_int(const tacNode *map, const char *section, const char *name);
const char *tac_task_get_text(const tacNode *map, const char *section, const char *name);
