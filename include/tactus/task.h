/* Task files: what a robot is to do, in YAML or JSON (library tactus_io). docs/guide/task_file.md has every key.
 *
 *   tac_task_load("hopper.yaml", NULL, &task, &err);
 *   ... tac_task_model(task), tac_task_start(task), ...
 *   tac_task_free(task);
 */
#pragma once

#include "tactus/io.h"
#include "tactus/optimize.h"

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
    const char *section;        /* whose keys the task has beside those of every task; NULL: "plan" */
    const tacLoadOptions *load; /* of the model; NULL: tac_default_load_options */
} tacTaskOptions;

/* No changes. */
TAC_API tacTaskOptions tac_default_task_options(void);
/* File -> task: reads it, loads its model, sets parameters and options, and for "plan" builds the problem once, so that
 * all that is wrong is found. options may be NULL. Errors name file, line,
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
/* Hash of that text, but for the number of threads and the model's path, and of the model. */
TAC_API uint64_t tac_task_hash(const tacTask *task);

/* The problem that the task describes, of its own: terms may be added, and it is freed by tac_plan_free, before the
 * task. Without horizon: a plan of 0 steps, for tac_pose_solve. */
TAC_API tacStatus tac_task_plan(const tacTask *task, tacPlan **plan, tacError *err);
/* Where the search begins; its arrays belong to the task. */
TAC_API tacStatus tac_task_guess(const tacTask *task, tacPlanGuess *guess);
/* The section `solver` as options of a planner. */
TAC_API tacStatus tac_task_solver(const tacTask *task, tacPlanOptions *options, tacError *err);
/* The section `pose`, with iterations, tolerance, starts and seed of `solver`; its arrays belong to the task. */
TAC_API tacStatus tac_task_pose(const tacTask *task, tacPoseOptions *options, tacError *err);
/* First guesses that are tried, and how many times as long the first time steps are; 1 and 1 unless the task says
 * otherwise. */
TAC_API int tac_task_starts(const tacTask *task);
TAC_API int tac_task_coarse(const tacTask *task);

#ifdef __cplusplus
}
#endif
