/* Quantities of task files: `ctrl`, `{body_pos: foot}`, `{distance: [foot, floor]}`. */
#pragma once

#include "io/task/node.h"
#include "io/task/quantity_table.h"

#include "tactus/optimize.h"

typedef enum {
#define X(FORM, text) TAC_FORM_##FORM,
    TAC_TASK_FORMS(X)
#undef X
        TAC_FORM_COUNT
} tacTaskForm;

/* A row of TAC_TASK_QUANTITIES or TAC_TASK_OUTPUTS. */
typedef struct tacQuantityRow {
    const char *name;
    tacTaskForm form;
    tacKind element;
    int is_output;
    int kind; /* tacOutputKind or tacQuantityKind */
} tacQuantityRow;

/* A quantity, and where its target lies. */
typedef struct tacTaskQuantity {
    const tacQuantityRow *row;
    tacQuantity of;
    int part;                      /* of a state: its target is only part of one */
    int target_first, target_size; /* of a state: numbers of x that the target has; target_size 0: all */
} tacTaskQuantity;

/* Row i, from 0; NULL after the last. */
const tacQuantityRow *tac_quantity_row(int i);
/* Shape and names of the quantity, without a model. */
tacStatus tac_task_check_quantity(const tacNode *node, tacError *err);
/* The same with a model: finds elements. */
tacStatus tac_task_find_quantity(const tacModel *model, const tacNode *node, tacTaskQuantity *out, tacError *err);
/* (kind, name as a node) -> id, or a message with the nearest name. */
tacStatus tac_task_find_element(const tacModel *model, tacKind kind, const tacNode *node, const char *name, int *id,
                                tacError *err);
