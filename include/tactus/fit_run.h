/* Fits of task files: the section `fit` of a task, run to estimates and files (library tactus_io).
 *
 *   tac_task_load("cube.yaml", NULL, &task, &err);
 *   tac_fit_run(task, &options, &run, &err);
 *   tac_fit_run_text(run, &text, &err);                        what `tactus fit` prints
 *   tac_fit_run_free(run);
 *
 * docs/guide/task_file.md has the keys. */
#pragma once

#include "tactus/fit.h"
#include "tactus/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a task is fitted. Plain struct from tac_default_fit_run_options. */
typedef struct tacFitRunOptions {
    const char *folder;          /* where results go: fit.json, model.tac, task.yaml; NULL: nowhere */
    const char *const *validate; /* nvalidate files or patterns, in place of those of the task; NULL: those */
    int nvalidate;
    const char *command;      /* what started it, kept with the results; NULL: nothing */
    const volatile int *stop; /* not 0 there: it ends with the best so far; NULL: nothing stops it */
    void (*report)(void *context, int start, const tacFitIteration *now); /* after each iteration; NULL: none */
    void *context;                                                        /* its argument */
} tacFitRunOptions;
/* Nothing is written or reported. */
TAC_API tacFitRunOptions tac_default_fit_run_options(void);

/* A fit that was made; opaque. */
typedef struct tacFitRun tacFitRun;
/* Task -> fit: reads recordings, tries starts, judges the best one, writes results. The status tells whether it could
 * run; tac_fit_run_solved whether the fit is solved. The task has to outlive the run. */
TAC_API tacStatus tac_fit_run(const tacTask *task, const tacFitRunOptions *options, tacFitRun **run, tacError *err);
TAC_API void tac_fit_run_free(tacFitRun *run); /* NULL is fine */
/* 1: no parameter moves any more, and all segments were predicted. Without iterations: all segments were predicted. */
TAC_API int tac_fit_run_solved(const tacFitRun *run);
/* Estimates and what the data say about them, as text to be freed: for a person; what fit.json holds. */
TAC_API tacStatus tac_fit_run_text(const tacFitRun *run, char **text, tacError *err);
TAC_API tacStatus tac_fit_run_json(const tacFitRun *run, char **text, tacError *err);

#ifdef __cplusplus
}
#endif
