/* A task that is planned: attempts, results, files. */
#include "io/run/plan_run.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

tacPlanRunOptions tac_default_plan_run_options(void) { return (tacPlanRunOptions){0}; }

void tac_plan_run_free(tacPlanRun *run) {
    if (run == NULL) return;
    tac_planner_free(run->planner);
    for (int i = 0; i < run->n && run->attempt != NULL; i++) {
        free(run->attempt[i].bytes);
        tac_trail_free(&run->attempt[i].trail);
    }
    free(run->attempt);
    free(run->low);
    tac_plan_free(run->coarse);
    tac_plan_free(run->plan);
    tac_run_close(run->folder);
    pthread_mutex_destroy(&run->mutex);
    free(run);
}

/* --- Beginning ---------------------------------------------------------------------------------------------------- */

static tacStatus read_task(tacPlanRun *run, tacError *err) {
    if (tac_task_horizon(run->task) < 1)
        return tac_fail(err, TAC_ERR_ARGUMENT, "the task has no horizon: it asks for one state (tactus pose)");
    TAC_TRY(tac_task_plan(run->task, &run->plan, err));
    TAC_TRY(tac_task_solver(run->task, &run->solver, err));
    TAC_TRY(tac_task_guess(run->task, &run->guess));
    size_t ninput = (size_t)tac_plan_sizes(run->plan).nu;
    run->low = malloc((2 * ninput + 1) * sizeof *run->low);
    if (run->low == NULL) return tac_fail(err, TAC_ERR_MEMORY, "no memory for bounds");
    run->high = run->low + ninput;
    TAC_TRY(tac_task_control_bounds(run->task, run->low, run->high, err));
    run->solver.stop = run->options.stop;
    run->solver.clock = run->options.clock;
    run->n = tac_task_starts(run->task);
    run->factor = tac_task_coarse(run->task);
    if (run->factor > 1) TAC_TRY(tac_plan_coarse(run->plan, run->factor, &run->coarse, err));
    run->attempt = calloc((size_t)run->n, sizeof *run->attempt);
    return run->attempt != NULL ? TAC_OK : tac_fail(err, TAC_ERR_MEMORY, "no memory for %d starts", run->n);
}

/* The last place, if the folder has one that is ours and whole. */
static tacStatus take_place(tacPlanRun *run, tacError *err) {
    void *bytes;
    size_t size;
    tacError refused;
    TAC_TRY(tac_run_restore(run->folder, &bytes, &size, &refused, err));
    strcpy(run->refused, refused.text);
    if (bytes == NULL && refused.text[0] != '\0') return tac_fail(err, refused.status, "%s", refused.text);
    if (bytes == NULL) return TAC_OK;
    tacStatus status = tac_plan_run_unpack(run, bytes, size, err);
    free(bytes);
    return status;
}

static tacStatus open_folder(tacPlanRun *run, tacError *err) {
    const tacPlanRunOptions *o = &run->options;
    if (o->folder == NULL) return TAC_OK;
    uint64_t hash = tac_task_hash(run->task), plan = tac_plan_hash(run->plan);
    TAC_TRY(tac_run_open(o->folder, "plan", tac_hash(&plan, sizeof plan, hash), o->resume, &run->folder, err));
    TAC_TRY(tac_run_write(run->folder, "task.yaml", tac_task_text(run->task), strlen(tac_task_text(run->task)), err));
    return o->resume ? take_place(run, err) : TAC_OK;
}

static tacStatus make_plan(tacPlanRun *run, tacError *err) {
    TAC_TRY(read_task(run, err));
    TAC_TRY(open_folder(run, err));
    TAC_TRY(tac_plan_run_attempts(run, err));
    return run->folder != NULL ? tac_plan_run_write(run, err) : TAC_OK;
}

tacStatus tac_plan_run(const tacTask *task, const tacPlanRunOptions *options, tacPlanRun **run, tacError *err) {
    if (task == NULL || run == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "a task and a place for the run are needed");
    *run = NULL;
    tacPlanRun *made = calloc(1, sizeof *made);
    if (made == NULL) return tac_fail(err, TAC_ERR_MEMORY, "no memory for a run");
    made->task = task;
    made->options = options != NULL ? *options : tac_default_plan_run_options();
    pthread_mutex_init(&made->mutex, NULL);
    tacStatus status = make_plan(made, err);
    if (status != TAC_OK) {
        tac_plan_run_free(made);
        return status;
    }
    *run = made;
    return TAC_OK;
}

/* --- Results ------------------------------------------------------------------------------------------------------ */

tacStatus tac_plan_run_result(const tacPlanRun *run, tacPlanResult *result) {
    if (run == NULL || result == NULL) return TAC_ERR_ARGUMENT;
    TAC_TRY(tac_planner_result(run->planner, result));
    result->end = run->attempt[run->best].outcome.end;
    return TAC_OK;
}

const tacPlan *tac_plan_run_plan(const tacPlanRun *run) { return run != NULL ? run->plan : NULL; }
int tac_plan_run_starts(const tacPlanRun *run) { return run != NULL ? run->n : 0; }
int tac_plan_run_best(const tacPlanRun *run) { return run != NULL ? run->best : -1; }
const char *tac_plan_run_refused(const tacPlanRun *run) { return run != NULL ? run->refused : ""; }

tacPlanOutcome tac_plan_run_outcome(const tacPlanRun *run, int i) {
    if (run == NULL || i < 0 || i >= run->n) return (tacPlanOutcome){0};
    return run->attempt[i].outcome;
}

/* With the integrator that the contact model takes. */
static tacStatus find_options_that_run(const tacModel *model, tacOptions *options, tacError *err) {
    tacSim *sim;
    TAC_TRY(tac_sim_new(model, options, &sim, err));
    tacStatus status = tac_sim_options(sim, options);
    tac_sim_free(sim);
    return status;
}

tacStatus tac_plan_run_model(const tacPlanRun *run, tacModel **model, tacOptions *options, tacError *err) {
    enum { PATH = 256 };
    char path[PATH];
    tacPlanResult r;
    TAC_TRY(tac_planner_result(run->planner, &r));
    *options = *tac_task_step(run->task);
    TAC_TRY(tac_model_copy(tac_task_model(run->task), model, err));
    for (int k = 0; k < r.nunknown; k++) {
        TAC_TRY(tac_param_registered(*model, run->task->unknown[k], 0, path, sizeof path));
        TAC_TRY(tac_param_set(*model, path, r.theta[k], err));
        if (strcmp(path, "option.timestep") == 0) options->dt = r.theta[k];
    }
    return find_options_that_run(*model, options, err);
}
