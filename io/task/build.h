/* A task as a problem of planning: terms, bounds, first guesses. */
#pragma once

#include "io/task/quantity.h"
#include "io/task/task.h"

/* The terms of `cost` and `constraint` -> plan. */
tacStatus tac_task_add_terms(const tacTask *task, tacPlan *plan, tacError *err);
/* The map `bound` -> plan. */
tacStatus tac_task_add_bounds(const tacTask *task, tacPlan *plan, tacError *err);
/* Registers the parameters of the map `unknown` with the model: once, before options and simulations are made. */
tacStatus tac_task_register_unknown(tacTask *task, tacError *err);
/* The bounds that controls have: low[ninput] and high[ninput], infinite where there is none. */
tacStatus tac_task_control_bounds(const tacTask *task, double *low, double *high, tacError *err);
/* A place that a term asks for. */
typedef struct tacTaskTarget {
    const char *name;
    double place[3]; /* world, m */
    int first, last; /* knots */
} tacTaskTarget;
/* The i-th of them, from 0; 0: there are fewer. */
int tac_task_target(const tacTask *task, int i, tacTaskTarget *out);
/* The joints of pose.hold -> task->hold. */
tacStatus tac_task_read_hold(tacTask *task, tacError *err);
/* The map `guess` -> task->first_guess. */
tacStatus tac_task_read_guess(tacTask *task, tacError *err);
/* Controls of every step from a CSV file: rows of nu numbers, to be freed. A header may name columns: those that begin
 * with "ctrl:" are taken where there are more. */
tacStatus tac_task_read_table(const tacTask *task, const tacNode *node, int nu, double **rows, int *n, tacError *err);
