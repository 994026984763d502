/* Task files: what a robot is to do, in YAML or JSON (library tactus_io). docs/guide/task_file.md has every key.
 *
 *   tac_task_load("hopper.yaml", NULL, &task, &err);
 *   ... tac_task_model(task), tac_task_start(task), ...
 *   tac_task_free(task);
 */
#pragma once

#include "tactus/io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A task that was read, with the model it names; opaque. */
typedef struct tacTask tacTask;

/* How a task is read. Plain struct from tac_default_task_options. */
typedef struct tacTaskOptions {
    const char *const *set; /* nset changes "KEY=VALUE". A key is as solver.iterations or cost[0].weight, or the path
                               of a parameter, as geom/foot.friction[0] */
    int nset;
    const tacLoadOptions *load; /* of the model; NULL: tac_default_load_options */
} tacTaskOptions;

/* No changes. */
TAC_API tacTaskOptions tac_default_task_options(void);
/* File -> task: reads it, loads its model, sets parameters and options. options may be NULL. Errors name file, line,
 * column and key, what was found and what was expected, and the nearest known name. */
TAC_API tacStatus tac_task_load(const char *path, const tacTaskOptions *options, tacTask **task, tacError *err);
/* Frees a task and its model; may be NULL. */
TAC_API void tac_task_free(tacTask *task);

/* The model, with the numbers that the task sets. It belongs to the task. */
TAC_API const tacModel *tac_task_model(const tacTask *task);
/* What was ignored in the model's file. */
TAC_API const tacReport *tac_task_report(const tacTask *task);
/* Options of its steps. */
TAC_API const tacOptions *tac_task_step(const tacTask *task);
/* The start state, nx numbers. */
TAC_API const double *tac_task_start(const tacTask *task);
/* Steps of the plan; 0: the task asks for one state. */
TAC_API int tac_task_horizon(const tacTask *task);
/* The file of the model. */
TAC_API const char *tac_task_model_path(const tacTask *task);
/* The task as it was read, with its changes, the model's file as a full path: YAML that reads back to the same task. */
TAC_API const char *tac_task_text(const tacTask *task);
/* Hash of that text and of the model. */
TAC_API uint64_t tac_task_hash(const tacTask *task);

#ifdef __cplusplus
}
#endif
