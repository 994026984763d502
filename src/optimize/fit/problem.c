/* Fits: options, recordings and segments, with all checks   (docs/theory/fit.md) */
#include "optimize/fit/fit.h"

#include "base/error.h"
#include "math/scalar.h"

#include <stdlib.h>
#include <string.h>

#define WORD(name, word) [name] = word,
static const char *const ENDS[] = {TAC_FIT_END_LIST(WORD)};
const char *tac_fit_end_text(tacFitEnd end) { return (unsigned)end < TAC_FIT_ENDS ? ENDS[end] : ""; }

/* --- Options ------------------------------------------------------------------------------------------------------ */

tacFitOptions tac_default_fit_options(void) {
    return (tacFitOptions){.cookie = TAC_FIT_COOKIE,
                           .horizon = 10,
                           .width = 1,
                           .iterations = 100,
                           .tolerance = 1e-8,
                           .rate = 0.01,
                           .decay = {0.9, 0.999},
                           .floor = 1e-8,
                           .batch = 32,
                           .threads = 1};
}

static int all_positive(const double *x, int n) {
    for (int i = 0; x != NULL && i < n; i++)
        if (!(x[i] > 0)) return 0;
    return 1;
}

static int norm_fits(tacNorm norm) {
    return (unsigned)norm < TAC_NORM_KINDS && norm != TAC_NORM_LINEAR && norm != TAC_NORM_ONE_SIDED &&
           norm != TAC_NORM_BARRIER;
}

/* What is wrong with the options, or NULL. */
static const char *wrong_options(const tacFitOptions *o, int ndx, int nz) {
    if (o->horizon < 0 || o->stride < 0) return "horizon, stride: expected 0 or more frames";
    if ((unsigned)o->score > TAC_SCORE_LAST || (unsigned)o->start > TAC_SEGMENT_ESTIMATED ||
        (unsigned)o->method > TAC_FIT_ADAM)
        return "score, start, method: expected a value of their enums";
    if (o->deviation == NULL && nz == 0)
        return "deviation: expected deviations of states or outputs, nothing is measured";
    if (nz > 0 && o->output_deviation == NULL) return "output_deviation: expected one for each number of the outputs";
    if (!all_positive(o->deviation, ndx) || !all_positive(o->start_deviation, ndx) ||
        !all_positive(o->output_deviation, nz))
        return "deviation, start_deviation, output_deviation: expected numbers above 0";
    if (o->start == TAC_SEGMENT_ESTIMATED && o->deviation == NULL && o->start_deviation == NULL)
        return "start_deviation: expected deviations of the states at which segments start";
    if (!norm_fits(o->norm)) return "norm: expected one that is least at 0";
    if (!(o->width > 0) || !tac_finite(o->width)) return "width: expected a number above 0";
    if (o->iterations < 0 || o->iterations > 1000000) return "iterations: expected 0 to 1000000";
    if (!(o->tolerance > 0 && o->tolerance < 1)) return "tolerance: expected above 0 and below 1";
    if (!(o->rate > 0) || !(o->floor > 0) || !(o->decay[0] >= 0 && o->decay[0] < 1) ||
        !(o->decay[1] >= 0 && o->decay[1] < 1))
        return "rate, floor: expected above 0, decay: 0 to below 1";
    if (o->batch < 1) return "batch: expected at least one segment";
    if (o->threads < 1 || o->threads > 4096) return "threads: expected 1 to 4096";
    return NULL;
}

/* --- Creation ----------------------------------------------------------------------------------------------------- */

void tac_fit_free(tacFit *fit) {
    if (fit == NULL) return;
    for (int i = 0; i < fit->nrecording; i++)
        free((void *)(uintptr_t)fit->recording[i].name);
    free(fit->deviation);
    free(fit->start_deviation);
    free(fit->output_deviation);
    free(fit->output);
    free(fit->theta);
    free(fit->input);
    free(fit->var);
    free(fit->block);
    free(fit->recording);
    free(fit->segment);
    free(fit);
}

/* A copy of x[n]; NULL of NULL. *failed becomes 1 where memory is out. */
static void *copy_of(const void *x, int n, size_t size, int *failed) {
    if (x == NULL) return NULL;
    void *copy = malloc((size_t)n * size + 1);
    if (copy == NULL)
        *failed = 1;
    else
        memcpy(copy, x, (size_t)n * size);
    return copy;
}

static int copy_options(tacFit *fit, const tacFitOptions *o) {
    int failed = 0;
    fit->options = *o;
    fit->options.deviation = fit->deviation = copy_of(o->deviation, fit->ndx, sizeof(double), &failed);
    const double *first = o->start_deviation != NULL ? o->start_deviation : o->deviation;
    fit->options.start_deviation = fit->start_deviation = copy_of(first, fit->ndx, sizeof(double), &failed);
    fit->options.output_deviation = fit->output_deviation =
        copy_of(o->output_deviation, fit->nz, sizeof(double), &failed);
    fit->output = copy_of(o->outputs.list, o->outputs.n, sizeof(tacOutput), &failed);
    fit->options.outputs.list = fit->output;
    return !failed;
}

/* Values of the registered parameters, and the default input, from a simulation that also judges the step's options. */
static tacStatus read_model(tacFit *fit, tacError *err) {
    tacSim *sim;
    TAC_TRY(tac_sim_new(fit->model, &fit->step, &sim, err));
    tacStatus status = tac_sim_get_params(sim, fit->theta);
    if (status == TAC_OK && fit->options.kappa != 0) status = tac_sim_set_gradient_kappa(sim, fit->options.kappa);
    if (status != TAC_OK) tac_fail(err, status, "%s", tac_sim_error(sim));
    tac_default_input(fit->model, &fit->step, fit->input);
    tac_sim_free(sim);
    return status;
}

static tacStatus open_fit(tacFit *fit, const tacFitOptions *o, tacError *err) {
    if (!copy_options(fit, o)) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for a fit");
    fit->theta = calloc((size_t)fit->nparam + 1, sizeof(double));
    fit->input = calloc((size_t)fit->ninput + 1, sizeof(double));
    if (fit->theta == NULL || fit->input == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for a fit");
    return read_model(fit, err);
}

tacStatus tac_fit_new(const tacModel *model, const tacOptions *options, const tacFitOptions *o, tacFit **fit,
                      tacError *err) {
    if (model == NULL || options == NULL || o == NULL || fit == NULL || o->cookie != TAC_FIT_COOKIE)
        return tac_fail(err, TAC_ERR_ARGUMENT, "expected a model, options, and options of tac_default_fit_options");
    *fit = NULL;
    int nz = o->outputs.n > 0 ? tac_outputs_size(model, &o->outputs) : 0;
    if (nz < 0) return tac_fail(err, TAC_ERR_ARGUMENT, "outputs: expected elements of the model");
    const char *wrong = wrong_options(o, tac_ndx(model), nz);
    if (wrong != NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "%s", wrong);
    tacFit *made = calloc(1, sizeof *made);
    if (made == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for a fit");
    made->model = model;
    made->step = *options;
    made->nx = tac_nx(model);
    made->ndx = tac_ndx(model);
    made->nparam = model->nparam;
    made->nz = nz;
    made->ninput = tac_ninput(model, options);
    tacStatus status = open_fit(made, o, err);
    if (status != TAC_OK) {
        tac_fit_free(made);
        return status;
    }
    *fit = made;
    return TAC_OK;
}

/* --- Recordings --------------------------------------------------------------------------------------------------- */

tacFitRecording tac_default_fit_recording(void) {
    return (tacFitRecording){.cookie = TAC_FIT_RECORDING_COOKIE, .every = 1};
}

/* First infinite number of x[n], or -1; NaN: not measured. */
static long first_infinite(const double *x, long n) {
    for (long i = 0; x != NULL && i < n; i++)
        if (__builtin_isinf(x[i])) return i;
    return -1;
}

static int horizon_of(const tacFit *fit, int frames) {
    return fit->options.horizon > 0 ? fit->options.horizon : frames - 1;
}

int tac_fit_horizon(const tacFit *fit, int segment) {
    return horizon_of(fit, fit->recording[fit->segment[segment][0]].frames);
}

static tacStatus check_recording(const tacFit *fit, const tacFitRecording *r, tacError *err) {
    const char *name = r->name != NULL ? r->name : "";
    if (r->frames < 2 || r->every < 1)
        return tac_fail(err, TAC_ERR_ARGUMENT,
                        "recording %s: expected two frames or more, and one step or more "
                        "between them",
                        name);
    if (r->x == NULL || (fit->nz > 0 && r->z == NULL))
        return tac_fail(err, TAC_ERR_ARGUMENT, "recording %s: expected states%s", name,
                        fit->nz > 0 ? " and outputs" : "");
    if (r->frames <= fit->options.horizon)
        return tac_fail(err, TAC_ERR_SHAPE, "recording %s has %d frames: a segment needs %d", name, r->frames,
                        fit->options.horizon + 1);
    long at = first_infinite(r->x, (long)r->frames * fit->nx);
    if (at < 0) at = first_infinite(r->z, (long)r->frames * fit->nz);
    if (at >= 0) return tac_fail(err, TAC_ERR_NONFINITE, "recording %s: number %ld is infinite", name, at);
    long nu = (long)(r->frames - 1) * r->every * fit->ninput;
    for (long i = 0; r->u != NULL && i < nu; i++)
        if (!tac_finite(r->u[i]))
            return tac_fail(err, TAC_ERR_NONFINITE, "recording %s: control %ld of step %ld is not finite", name,
                            i % fit->ninput, i / fit->ninput);
    return TAC_OK;
}

/* Numbers of segment (r, first) that count. */
static long count_measured(const tacFit *fit, const tacFitRecording *r, int first, int horizon) {
    long n = 0;
    for (int k = fit->options.score == TAC_SCORE_LAST ? horizon : 1; k <= horizon; k++) {
        const double *x = r->x + (size_t)(first + k) * (size_t)fit->nx;
        int whole = fit->deviation != NULL && tac_first_nonfinite(fit->nx, x) < 0;
        for (int i = 0; whole && i < fit->ndx; i++)
            n += tac_finite(fit->deviation[i]);
        for (int i = 0; i < fit->nz; i++)
            n += tac_finite(fit->output_deviation[i]) &&
                 tac_finite(r->z[(size_t)(first + k) * (size_t)fit->nz + (size_t)i]);
    }
    return n;
}

static tacStatus add_segments(tacFit *fit, const tacFitRecording *r, tacError *err) {
    int horizon = horizon_of(fit, r->frames), stride = fit->options.stride > 0 ? fit->options.stride : horizon;
    int n = (r->frames - 1 - horizon) / stride + 1;
    int(*segment)[2] = realloc(fit->segment, (size_t)(fit->nsegment + n) * sizeof *segment);
    if (segment == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for %d segments", fit->nsegment + n);
    fit->segment = segment;
    for (int i = 0; i < n; i++) {
        int first = i * stride;
        if (tac_first_nonfinite(fit->nx, r->x + (size_t)first * (size_t)fit->nx) >= 0)
            return tac_fail(err, TAC_ERR_NONFINITE,
                            "recording %s, frame %d: a segment starts there, and its state is not known",
                            r->name != NULL ? r->name : "", first);
        segment[fit->nsegment + i][0] = fit->nrecording;
        segment[fit->nsegment + i][1] = first;
    }
    for (int i = 0; i < n; i++)
        fit->nresidual += count_measured(fit, r, i * stride, horizon);
    fit->nsegment += n;
    return TAC_OK;
}

tacStatus tac_fit_add_recording(tacFit *fit, const tacFitRecording *r, int *id, tacError *err) {
    if (fit == NULL || r == NULL || r->cookie != TAC_FIT_RECORDING_COOKIE)
        return tac_fail(err, TAC_ERR_ARGUMENT, "expected a fit, and a recording of tac_default_fit_recording");
    TAC_TRY(check_recording(fit, r, err));
    tacFitRecording *all = realloc(fit->recording, (size_t)(fit->nrecording + 1) * sizeof *all);
    if (all == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for a recording");
    fit->recording = all;
    const char *given = r->name != NULL ? r->name : "";
    char *name = malloc(strlen(given) + 1);
    if (name == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for a recording");
    strcpy(name, given);
    all[fit->nrecording] = *r;
    all[fit->nrecording].name = name;
    tacStatus status = add_segments(fit, r, err);
    if (status != TAC_OK) {
        free(name);
        return status;
    }
    if (id != NULL) *id = fit->nrecording;
    fit->nrecording++;
    return TAC_OK;
}

tacFitSizes tac_fit_sizes(const tacFit *fit) {
    if (fit == NULL) return (tacFitSizes){0};
    return (tacFitSizes){fit->nvar, fit->nparam, fit->nsegment, fit->nrecording, fit->nresidual};
}

tacFitSegment tac_fit_segment(const tacFit *fit, int i) {
    if (fit == NULL || i < 0 || i >= fit->nsegment) return (tacFitSegment){-1, 0, 0};
    return (tacFitSegment){fit->segment[i][0], fit->segment[i][1], tac_fit_horizon(fit, i) + 1};
}
