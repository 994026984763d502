/* A task that is fitted: starts, validation, files. */
#include "io/fit/fit_run.h"

#include "base/error.h"

#include "tactus/tactus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Spread of first guesses: of a logarithm, or in units of a scale. */
#define SPREAD 0.5

tacFitRunOptions tac_default_fit_run_options(void) { return (tacFitRunOptions){0}; }

void tac_fit_run_free(tacFitRun *run) {
    if (run == NULL) return;
    tac_fit_judgement_free(&run->judgement);
    tac_fitter_free(run->fitter);
    tac_fitter_free(run->checker);
    tac_fit_free(run->fit);
    tac_fit_free(run->check);
    for (int i = 0; run->start != NULL && i < run->nstart; i++)
        free(run->start[i].theta);
    free(run->start);
    tac_fit_files_free(&run->train);
    tac_fit_files_free(&run->validate);
    tac_fit_task_free(&run->setup);
    tac_run_close(run->folder);
    free(run);
}

int tac_fit_run_solved(const tacFitRun *run) {
    if (run == NULL || run->result.failed > 0 || run->judged.failed > 0) return 0;
    return run->result.end == TAC_FIT_SOLVED || run->setup.options.iterations == 0;
}

/* --- Recordings --------------------------------------------------------------------------------------------------- */

/* No recording may stand in both sets: the error on unused data would say nothing. */
static tacStatus check_sets(const tacFitRun *run, tacError *err) {
    for (int i = 0; i < run->validate.n; i++)
        for (int k = 0; k < run->train.n; k++)
            if (tac_recording_hash(run->validate.recording[i]) == tac_recording_hash(run->train.recording[k]))
                return tac_fail(err, TAC_ERR_ARGUMENT, "%s: the numbers are those of %s, which is fitted",
                                tac_recording_frames(run->validate.recording[i]).name,
                                tac_recording_frames(run->train.recording[k]).name);
    return TAC_OK;
}

static tacStatus read_recordings(tacFitRun *run, tacError *err) {
    const tacFitRunOptions *o = &run->options;
    TAC_TRY(tac_fit_task_load(&run->setup, "train", &run->train, err));
    if (o->nvalidate > 0)
        TAC_TRY(tac_fit_task_load_paths(&run->setup, o->validate, o->nvalidate, &run->validate, err));
    else
        TAC_TRY(tac_fit_task_load(&run->setup, "validate", &run->validate, err));
    /* without iterations any parameters are judged on any recordings */
    return run->setup.options.iterations > 0 ? check_sets(run, err) : TAC_OK;
}

static tacStatus check_size(const tacFitRun *run, tacError *err) {
    tacFitSizes sizes = tac_fit_sizes(run->fit);
    if (sizes.nresidual >= sizes.nvar) return TAC_OK;
    return tac_node_fail(run->setup.node, err, TAC_ERR_SHAPE, "%d unknown numbers, and %ld that are measured",
                         sizes.nvar, sizes.nresidual);
}

static tacStatus build(tacFitRun *run, tacError *err) {
    TAC_TRY(tac_fit_task_build(&run->setup, &run->train, &run->fit, err));
    TAC_TRY(check_size(run, err));
    TAC_TRY(tac_fitter_new(run->fit, &run->fitter, err));
    if (run->validate.n == 0) return TAC_OK;
    TAC_TRY(tac_fit_task_build(&run->setup, &run->validate, &run->check, err));
    return tac_fitter_new(run->check, &run->checker, err);
}

/* --- Starts ------------------------------------------------------------------------------------------------------- */

/* The first guess of start i: the task's, or one that is drawn around it and stays inside of bounds. */
static double draw(const tacFitUnknown *u, uint64_t seed, int start, int k) {
    const tacFitParam *p = &u->param;
    double normal = tac_random_normal(seed, (uint64_t)start, (uint64_t)k);
    double scale = p->scale > 0 ? p->scale : u->start != 0 ? fabs(u->start) : 1, value;
    if (p->move == TAC_MOVE_BETWEEN)
        value = p->low + (p->high - p->low) * tac_random_uniform(seed, (uint64_t)start, (uint64_t)k);
    else if (p->move == TAC_MOVE_LOG)
        value = u->start * exp(SPREAD * normal);
    else
        value = u->start + SPREAD * scale * normal;
    return fmin(fmax(value, p->low), p->high);
}

static void first_guess(const tacFitRun *run, int start, double *theta) {
    const tacFitTask *setup = &run->setup;
    for (int k = 0; k < setup->n; k++) {
        const tacFitUnknown *u = &setup->unknown[k];
        theta[u->param.param] = start == 0 ? u->start : draw(u, setup->options.seed, start, k);
    }
}

static int is_stopped(const tacFitRun *run) { return run->options.stop != NULL && *run->options.stop != 0; }

static tacFitEnd iterate(tacFitRun *run, int start) {
    tacFitResult now;
    tacFitEnd end;
    do {
        end = tac_fitter_iterate(run->fitter);
        if (tac_fitter_result(run->fitter, &now) == TAC_OK && run->options.report != NULL)
            run->options.report(run->options.context, start, &now.history[now.iterations]);
    } while (end == TAC_FIT_RUNNING);
    return end;
}

static tacStatus keep(tacFitRun *run, int start, tacFitEnd end) {
    tacFitStart *s = &run->start[start];
    TAC_TRY(tac_fitter_result(run->fitter, &run->result));
    s->end = end; /* of one that was stopped the fitter says that it could go on */
    s->loss = run->result.loss;
    s->iterations = run->result.iterations;
    memcpy(s->theta, run->result.theta, (size_t)run->setup.model->nparam * sizeof *s->theta);
    return TAC_OK;
}

/* A start that ended on its own is better than one that did not, then less loss. */
static int beats(const tacFitStart *a, const tacFitStart *b) {
    int fine = a->end == TAC_FIT_SOLVED, other = b->end == TAC_FIT_SOLVED;
    if (a->end == TAC_FIT_FAILED || b->end == TAC_FIT_FAILED) return b->end == TAC_FIT_FAILED;
    return a->loss < b->loss * (1 - 1e-9) || (fine > other && a->loss <= b->loss * (1 + 1e-9));
}

static tacStatus try_start(tacFitRun *run, int start, double *theta, tacError *err) {
    first_guess(run, start, theta);
    TAC_TRY(tac_fitter_begin(run->fitter, theta, err));
    return keep(run, start, iterate(run, start));
}

/* All starts, and the place of the best one. */
static tacStatus try_starts(tacFitRun *run, double *theta, tacError *err) {
    size_t size = tac_fitter_save_bytes(run->fitter);
    void *place = malloc(size + 1);
    tacStatus status = place != NULL ? TAC_OK : tac_fail(err, TAC_ERR_MEMORY, "no memory for a fit");
    int n = run->nstart;
    run->nstart = 0;
    for (int i = 0; status == TAC_OK && i < n && (i == 0 || !is_stopped(run)); i++) {
        status = try_start(run, i, theta, err);
        run->nstart = i + 1;
        if (status != TAC_OK || (i > 0 && !beats(&run->start[i], &run->start[run->best]))) continue;
        run->best = i;
        status = tac_fitter_save(run->fitter, place, size, err);
    }
    if (status == TAC_OK) status = tac_fitter_restore(run->fitter, place, size, err);
    free(place);
    return status;
}

static tacStatus solve(tacFitRun *run, tacError *err) {
    size_t nparam = (size_t)run->setup.model->nparam;
    int n = tac_task_get_int(run->setup.node, "fit", "starts");
    run->start = calloc((size_t)n, sizeof *run->start);
    double *theta = calloc(nparam + 1, sizeof *theta);
    tacStatus status = run->start != NULL && theta != NULL ? TAC_OK : TAC_ERR_MEMORY;
    run->nstart = run->start != NULL ? n : 0;
    for (int i = 0; i < run->nstart; i++) {
        run->start[i].theta = calloc(nparam + 1, sizeof(double));
        if (run->start[i].theta == NULL) status = TAC_ERR_MEMORY;
    }
    if (status != TAC_OK) tac_fail(err, status, "no memory for %d starts", n);
    if (status == TAC_OK) status = try_starts(run, theta, err);
    free(theta);
    TAC_TRY(status);
    TAC_TRY(tac_fitter_result(run->fitter, &run->result));
    run->result.end = run->start[run->best].end;
    return TAC_OK;
}

/* --- What came of it ---------------------------------------------------------------------------------------------- */

static tacStatus judge(tacFitRun *run, tacError *err) {
    if (run->result.end == TAC_FIT_FAILED)
        return tac_fail(err, TAC_ERR_UNSOLVED, "no segment of the recordings can be predicted at the start");
    TAC_TRY(tac_fitter_judge(run->fitter, &run->judgement, err));
    if (run->checker == NULL) return TAC_OK;
    TAC_TRY(tac_fitter_begin(run->checker, run->result.theta, err));
    return tac_fitter_result(run->checker, &run->judged);
}

/* The task's model with the estimates. */
static tacStatus fitted_model(const tacFitRun *run, tacModel **model, tacError *err) {
    TAC_TRY(tac_model_copy(run->setup.model, model, err));
    for (int k = 0; k < run->setup.n; k++) {
        char path[TAC_FIT_PATH];
        int param = run->setup.unknown[k].param.param;
        TAC_TRY(tac_param_registered(*model, param, 0, path, sizeof path));
        TAC_TRY(tac_param_set(*model, path, run->result.theta[param], err));
    }
    return TAC_OK;
}

static tacStatus write_model(const tacFitRun *run, tacError *err) {
    tacModel *model = NULL;
    tacStatus status = fitted_model(run, &model, err);
    size_t size = status == TAC_OK ? tac_model_pack_bytes(model) : 0;
    unsigned char *bytes = status == TAC_OK ? malloc(size + 1) : NULL;
    if (status == TAC_OK && bytes == NULL) status = tac_fail(err, TAC_ERR_MEMORY, "no memory for model.tac");
    if (status == TAC_OK) status = tac_model_pack(model, bytes, size, err);
    if (status == TAC_OK) status = tac_run_write(run->folder, "model.tac", bytes, size, err);
    free(bytes);
    tac_model_free(model);
    return status;
}

static tacStatus write_files(tacFitRun *run, tacError *err) {
    char *json = NULL;
    const char *text = tac_task_text(run->task);
    if (run->folder == NULL) return TAC_OK;
    TAC_TRY(tac_run_write(run->folder, "task.yaml", text, strlen(text), err));
    TAC_TRY(write_model(run, err));
    TAC_TRY(tac_fit_run_json(run, &json, err));
    tacStatus status = tac_run_write(run->folder, "fit.json", json, strlen(json), err);
    free(json);
    return status;
}

/* --- All of it ---------------------------------------------------------------------------------------------------- */

static tacStatus make_fit(tacFitRun *run, tacError *err) {
    TAC_TRY(tac_fit_task_read(&run->setup, run->task, err));
    run->setup.options.stop = run->options.stop;
    TAC_TRY(read_recordings(run, err));
    TAC_TRY(build(run, err));
    if (run->options.folder != NULL)
        TAC_TRY(tac_run_open(run->options.folder, "fit", tac_task_hash(run->task), 0, &run->folder, err));
    TAC_TRY(solve(run, err));
    TAC_TRY(judge(run, err));
    return write_files(run, err);
}

tacStatus tac_fit_run(const tacTask *task, const tacFitRunOptions *options, tacFitRun **run, tacError *err) {
    if (task == NULL || run == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "a task and a place for the run are needed");
    *run = NULL;
    tacFitRun *made = calloc(1, sizeof *made);
    if (made == NULL) return tac_fail(err, TAC_ERR_MEMORY, "no memory for a run");
    made->task = task;
    made->options = options != NULL ? *options : tac_default_fit_run_options();
    tacStatus status = make_fit(made, err);
    if (status != TAC_OK) {
        tac_fit_run_free(made);
        return status;
    }
    *run = made;
    return TAC_OK;
}
