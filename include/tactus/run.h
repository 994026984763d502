/* Runs: long computations that keep their place in a folder, so that one that was ended goes on (library tactus_io).
 *
 *   tac_run_open("out", "plan", hash, 1, &run, &err);          one process at a time
 *   tac_run_restore(run, &bytes, &size, &refused, &err);       the last whole checkpoint, or NULL
 *   ... tac_run_checkpoint(run, bytes, size, &err);            after each iteration
 *   tac_run_write(run, "plan.json", text, n, &err);            files appear whole or not at all
 *   tac_run_close(run);
 *
 * tac_plan_run does all of that for planning. */
#pragma once

#include "tactus/optimize.h"
#include "tactus/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Folders of runs ---------------------------------------------------------------------------------------------- */

/* A folder that a run has for itself; opaque. */
typedef struct tacRunFolder tacRunFolder;

/* Makes the folder, if it is not there, and locks it until it is closed or the process ends. kind ("plan", at most 7
 * letters) and hash tell whose checkpoints are taken. resume 0: checkpoints and results of an earlier run of this kind
 * are removed. TAC_ERR_FILE: another run has the folder, or it cannot be made. */
TAC_API tacStatus tac_run_open(const char *folder, const char *kind, uint64_t hash, int resume, tacRunFolder **run,
                               tacError *err);
/* Gives the folder free; NULL is fine. */
TAC_API void tac_run_close(tacRunFolder *run);
/* Keeps a place: written beside, synced, renamed; the two last ones stay. */
TAC_API tacStatus tac_run_checkpoint(tacRunFolder *run, const void *bytes, size_t size, tacError *err);
/* The last place that was kept whole -> *bytes, to be freed; NULL: there is none. refused (may be NULL) names the last
 * checkpoint that is damaged, cut, of another version or of another task, and why; its text is "" where there is
 * none. */
TAC_API tacStatus tac_run_restore(tacRunFolder *run, void **bytes, size_t *size, tacError *refused, tacError *err);
/* A file of the folder, which appears under its name whole or not at all. */
TAC_API tacStatus tac_run_write(tacRunFolder *run, const char *name, const void *bytes, size_t size, tacError *err);
/* The path of a file of the folder, cut to size. Returns out. */
TAC_API const char *tac_run_path(const tacRunFolder *run, const char *name, char *out, size_t size);

/* --- Planning ----------------------------------------------------------------------------------------------------- */

/* One iteration of one start. */
typedef struct tacPlanNews {
    int start, starts; /* number of the start, from 0; how many there are */
    int coarse;        /* 1: with the coarse time step */
    const tacPlanIteration *now;
} tacPlanNews;

/* How a task is planned. Plain struct from tac_default_plan_run_options. */
typedef struct tacPlanRunOptions {
    const char *folder;       /* where it keeps its place and leaves its results; NULL: nowhere */
    int resume;               /* 1: goes on from the folder's last checkpoint */
    const char *command;      /* what started it, kept with the results; NULL: nothing */
    const volatile int *stop; /* not 0 there: it ends with the best so far; NULL: nothing stops it */
    void (*report)(void *context, const tacPlanNews *news); /* after each iteration, one call at a time; NULL: none */
    void *context;                                          /* its argument */
    double (*clock)(void);                                  /* s, for times in reports; NULL: times are 0 */
} tacPlanRunOptions;
/* Nothing is written or reported. */
TAC_API tacPlanRunOptions tac_default_plan_run_options(void);

/* The outcome of one start. */
typedef struct tacPlanOutcome {
    tacPlanEnd end;
    double cost, violation;
    int iterations;
} tacPlanOutcome;

/* A plan that was made; opaque. */
typedef struct tacPlanRun tacPlanRun;
/* Task -> plan: tries its starts, keeps its place, writes plan.json, controls.csv, task.yaml, model.tac, start.json and
 * report.html. The status tells whether it could run; tac_plan_run_result whether the plan is solved. The task has to
 * outlive the run. */
TAC_API tacStatus tac_plan_run(const tacTask *task, const tacPlanRunOptions *options, tacPlanRun **run, tacError *err);
TAC_API void tac_plan_run_free(tacPlanRun *run); /* NULL is fine */
/* The best start, as of tac_planner_result. */
TAC_API tacStatus tac_plan_run_result(const tacPlanRun *run, tacPlanResult *result);
/* The problem that was solved. */
TAC_API const tacPlan *tac_plan_run_plan(const tacPlanRun *run);
/* Number of starts; outcome i; which of them is the best. */
TAC_API int tac_plan_run_starts(const tacPlanRun *run);
TAC_API tacPlanOutcome tac_plan_run_outcome(const tacPlanRun *run, int i);
TAC_API int tac_plan_run_best(const tacPlanRun *run);
/* What was refused when it went on from a checkpoint; "": nothing. */
TAC_API const char *tac_plan_run_refused(const tacPlanRun *run);
/* The plan as JSON text, to be freed: what plan.json holds. */
TAC_API tacStatus tac_plan_run_json(const tacPlanRun *run, char **text, tacError *err);

#ifdef __cplusplus
}
#endif
