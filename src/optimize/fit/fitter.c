/* A solver at work: its memory, its place, its iterations   (docs/theory/fit.md) */
#include "optimize/fit/fit.h"

#include "base/error.h"
#include "math/dense.h"
#include "math/scalar.h"

#include <stdlib.h>
#include <string.h>

/* First words of saved bytes. */
#define SAVE_COOKIE 0x7acf1750u
enum { SAVE_VERSION = 1 };

/* --- Memory ------------------------------------------------------------------------------------------------------- */

static size_t starts_size(const tacFit *fit) {
    return fit->options.start == TAC_SEGMENT_ESTIMATED ? (size_t)fit->nsegment * (size_t)fit->nx : 0;
}

static size_t place_size(const tacFit *fit) {
    size_t n = (size_t)fit->nvar;
    return 2 * n + n * n + 2 * n + starts_size(fit) + (size_t)fit->nsegment + TAC_FIT_NUMBERS;
}

/* The arrays of a place in one block, and those of candidates in another. */
static int open_place(tacFitter *f) {
    const tacFit *fit = f->fit;
    size_t n = (size_t)fit->nvar, ns = starts_size(fit), nseg = (size_t)fit->nsegment, np = (size_t)fit->nparam;
    f->nplace = place_size(fit);
    f->place = calloc(f->nplace + 1, sizeof(double));
    f->scratch = calloc(2 * n * n + 4 * n + nseg + 2 + (2 * n + n * n) + ns + nseg + 2 * np + n, sizeof(double));
    f->history = calloc((size_t)fit->options.iterations + 1, sizeof *f->history);
    if (f->place == NULL || f->scratch == NULL || f->history == NULL) return 0;
    f->z = f->place;
    f->g = f->z + n;
    f->H = f->g + n;
    f->adam = f->H + n * n;
    f->number = f->adam + 2 * n;
    f->worst = f->number + TAC_FIT_NUMBERS;
    f->starts = ns > 0 ? f->worst + nseg : NULL;
    f->z_new = f->scratch + 2 * n * n + 4 * n + nseg + 2;
    f->g_new = f->z_new + n;
    f->H_new = f->g_new + n;
    f->worst_new = f->H_new + n * n;
    f->starts_new = ns > 0 ? f->worst_new + nseg : NULL;
    f->theta = f->worst_new + nseg + ns;
    f->theta_new = f->theta + np;
    f->group = f->theta_new + np;
    return 1;
}

static int open_slots(tacFitter *f) {
    size_t n = (size_t)f->fit->nvar, each = n + n * n;
    f->slots = calloc(each * TAC_FIT_CHUNK + 1, sizeof(double));
    for (size_t i = 0; f->slots != NULL && i < TAC_FIT_CHUNK; i++) {
        f->slot[i].g = f->slots + i * each;
        f->slot[i].H = f->slot[i].g + n;
    }
    return f->slots != NULL;
}

static tacStatus open_work(tacFitter *f, tacFitWork *work, size_t bytes, tacError *err) {
    const tacFit *fit = f->fit;
    TAC_TRY(tac_sim_new(fit->model, &fit->step, &work->sim, err));
    if (fit->options.kappa != 0) TAC_TRY(tac_sim_set_gradient_kappa(work->sim, fit->options.kappa));
    work->memory = aligned_alloc(TAC_ARENA_ALIGN, bytes);
    if (work->memory == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for a fitter");
    tac_arena_init(&work->arena, work->memory, bytes);
    return TAC_OK;
}

static tacStatus open_fitter(tacFitter *f, tacError *err) {
    const tacFit *fit = f->fit;
    tacArena dry = tac_arena_dry();
    tac_fit_measure(fit, &dry);
    size_t bytes = tac_arena_round(dry.peak + (size_t)fit->nx * sizeof(double) + 4 * TAC_ARENA_ALIGN);
    if (!open_place(f) || !open_slots(f)) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for a fitter");
    TAC_TRY(tac_pool_new(fit->options.threads, &f->pool, err));
    int workers = tac_pool_size(f->pool);
    f->work = calloc((size_t)workers, sizeof *f->work);
    if (f->work == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for a fitter");
    for (; f->nwork < workers; f->nwork++) {
        tacStatus status = open_work(f, &f->work[f->nwork], bytes, err);
        if (status == TAC_OK) continue;
        f->nwork++;
        return status;
    }
    return TAC_OK;
}

void tac_fitter_free(tacFitter *f) {
    if (f == NULL) return;
    tac_pool_free(f->pool);
    for (int i = 0; i < f->nwork; i++) {
        tac_sim_free(f->work[i].sim);
        if (f->work[i].memory != NULL) tac_memory_open(f->work[i].memory, f->work[i].arena.size);
        free(f->work[i].memory);
    }
    free(f->work);
    free(f->place);
    free(f->scratch);
    free(f->history);
    free(f->slots);
    free(f);
}

tacStatus tac_fitter_new(const tacFit *fit, tacFitter **fitter, tacError *err) {
    if (fit == NULL || fitter == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "expected a fit");
    *fitter = NULL;
    if (fit->nsegment == 0) return tac_fail(err, TAC_ERR_SHAPE, "the fit has no recording");
    tacFitter *f = calloc(1, sizeof *f);
    if (f == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for a fitter");
    f->fit = fit;
    tacStatus status = open_fitter(f, err);
    if (status == TAC_OK) status = tac_fitter_begin(f, NULL, err);
    if (status != TAC_OK) {
        tac_fitter_free(f);
        return status;
    }
    *fitter = f;
    return TAC_OK;
}

/* --- Iterating ---------------------------------------------------------------------------------------------------- */

static tacFitEnd end_of(const tacFitter *f) { return (tacFitEnd)f->number[TAC_FIT_ENDED]; }

/* Sums at the first guess. */
static void evaluate_start(tacFitter *f) {
    const tacFit *fit = f->fit;
    tacFitSums sums = {.g = f->g, .H = f->H};
    tacFitAt at = {f->z, f->theta, f->starts, f->starts, f->worst, 0, fit->nsegment, NULL};
    tacStatus status = tac_fit_sum(f, &at, &sums);
    f->number[TAC_FIT_LOSS] = sums.loss;
    f->number[TAC_FIT_RESIDUALS] = (double)sums.residuals;
    f->number[TAC_FIT_FAILURES] = sums.failed;
    f->number[TAC_FIT_DAMPING] = 1e-3;
    f->number[TAC_FIT_GROWTH] = 2;
    if (status != TAC_OK)
        f->number[TAC_FIT_ENDED] = TAC_FIT_STOPPED;
    else if (sums.failed == fit->nsegment)
        f->number[TAC_FIT_ENDED] = TAC_FIT_FAILED;
    f->history[0] = (tacFitIteration){.loss = sums.loss, .damping = f->number[TAC_FIT_DAMPING], .failed = sums.failed};
}

tacStatus tac_fitter_begin(tacFitter *f, const double *theta, tacError *err) {
    if (f == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "expected a fitter");
    const tacFit *fit = f->fit;
    if (theta != NULL) TAC_TRY(tac_fit_inverse(fit, theta, f->z_new, err));
    memset(f->place, 0, f->nplace * sizeof *f->place);
    for (int i = 0; i < fit->nvar; i++)
        f->z[i] = theta != NULL ? f->z_new[i] : fit->var[i].z_start;
    for (int i = 0; f->starts != NULL && i < fit->nsegment; i++) {
        const tacFitRecording *r = &fit->recording[fit->segment[i][0]];
        memcpy(f->starts + (size_t)i * (size_t)fit->nx, r->x + (size_t)fit->segment[i][1] * (size_t)fit->nx,
               (size_t)fit->nx * sizeof *f->starts);
    }
    tac_fit_theta(fit, f->z, f->theta);
    evaluate_start(f);
    return TAC_OK;
}

tacFitEnd tac_fitter_iterate(tacFitter *f) {
    if (f == NULL) return TAC_FIT_FAILED;
    if (end_of(f) != TAC_FIT_RUNNING) return end_of(f);
    int before = (int)f->number[TAC_FIT_ITERATION];
    if (before >= f->fit->options.iterations) {
        f->number[TAC_FIT_ENDED] = TAC_FIT_ITERATIONS;
        return TAC_FIT_ITERATIONS;
    }
    tacFitIteration *now = &f->history[before + 1];
    *now = (tacFitIteration){.iteration = before + 1};
    int adam = f->fit->options.method == TAC_FIT_ADAM;
    tacFitEnd end = adam ? tac_fit_adam(f, now) : tac_fit_levenberg(f, now);
    if (end != TAC_FIT_STOPPED) f->number[TAC_FIT_ITERATION] = before + 1;
    now->loss = f->number[TAC_FIT_LOSS];
    f->number[TAC_FIT_ENDED] = end == TAC_FIT_STOPPED ? TAC_FIT_RUNNING : end; /* a stopped fitter may go on */
    tac_fit_theta(f->fit, f->z, f->theta);
    return end;
}

tacStatus tac_fitter_result(const tacFitter *f, tacFitResult *result) {
    if (f == NULL || result == NULL) return TAC_ERR_ARGUMENT;
    double residuals = f->number[TAC_FIT_RESIDUALS];
    *result = (tacFitResult){.end = end_of(f),
                             .loss = f->number[TAC_FIT_LOSS],
                             .theta = f->theta,
                             .iterations = (int)f->number[TAC_FIT_ITERATION],
                             .failed = (int)f->number[TAC_FIT_FAILURES],
                             .residuals = (long)residuals,
                             .starts = f->starts,
                             .history = f->history};
    result->rms = residuals > 0 ? tac_sqrt(result->loss / residuals) : 0;
    return TAC_OK;
}

tacStatus tac_fitter_run(tacFitter *f, tacFitResult *result, tacError *err) {
    if (f == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "expected a fitter");
    tacFitEnd end;
    do {
        end = tac_fitter_iterate(f);
    } while (end == TAC_FIT_RUNNING);
    if (result == NULL) return TAC_OK;
    tac_fitter_result(f, result);
    result->end = end;
    return TAC_OK;
}

/* --- Saving ------------------------------------------------------------------------------------------------------- */

typedef struct Head {
    uint32_t cookie, version;
    uint64_t size, model, sum;
    int32_t nvar, nsegment, iterations, unused;
} Head;

/* FNV-1a over the bytes behind the head. */
static uint64_t checksum(const unsigned char *bytes, size_t size) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ bytes[i]) * 0x100000001b3u;
    return h;
}

static size_t history_bytes(const tacFitter *f) {
    return ((size_t)f->fit->options.iterations + 1) * sizeof *f->history;
}

size_t tac_fitter_save_bytes(const tacFitter *f) {
    return f == NULL ? 0 : sizeof(Head) + f->nplace * sizeof(double) + history_bytes(f);
}

static Head make_head(const tacFitter *f, const unsigned char *body) {
    size_t size = tac_fitter_save_bytes(f);
    return (Head){.cookie = SAVE_COOKIE,
                  .version = SAVE_VERSION,
                  .size = size,
                  .model = tac_model_hash(f->fit->model),
                  .sum = checksum(body, size - sizeof(Head)),
                  .nvar = f->fit->nvar,
                  .nsegment = f->fit->nsegment,
                  .iterations = f->fit->options.iterations};
}

tacStatus tac_fitter_save(const tacFitter *f, void *bytes, size_t size, tacError *err) {
    if (f == NULL || bytes == NULL || size < tac_fitter_save_bytes(f))
        return tac_fail(err, TAC_ERR_ARGUMENT, "expected a fitter, and tac_fitter_save_bytes of memory");
    unsigned char *body = (unsigned char *)bytes + sizeof(Head);
    memcpy(body, f->place, f->nplace * sizeof(double));
    memcpy(body + f->nplace * sizeof(double), f->history, history_bytes(f));
    Head head = make_head(f, body);
    memcpy(bytes, &head, sizeof head);
    return TAC_OK;
}

tacStatus tac_fitter_restore(tacFitter *f, const void *bytes, size_t size, tacError *err) {
    Head head, mine;
    if (f == NULL || bytes == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "expected a fitter and bytes");
    if (size < sizeof head) return tac_fail(err, TAC_ERR_SYNTAX, "%zu bytes are not a saved fitter", size);
    memcpy(&head, bytes, sizeof head);
    if (head.cookie != SAVE_COOKIE) return tac_fail(err, TAC_ERR_SYNTAX, "these bytes are not a saved fitter");
    if (head.version != SAVE_VERSION)
        return tac_fail(err, TAC_ERR_VERSION, "saved by version %u, expected %d", head.version, SAVE_VERSION);
    const unsigned char *body = (const unsigned char *)bytes + sizeof head;
    if (head.size != tac_fitter_save_bytes(f) || head.nvar != f->fit->nvar || head.nsegment != f->fit->nsegment ||
        head.iterations != f->fit->options.iterations || head.model != tac_model_hash(f->fit->model))
        return tac_fail(err, TAC_ERR_MODEL, "saved by a fit of another model or other data");
    if (size < head.size) return tac_fail(err, TAC_ERR_SYNTAX, "%zu bytes of %zu", size, (size_t)head.size);
    mine = make_head(f, body);
    if (mine.sum != head.sum) return tac_fail(err, TAC_ERR_CHECKSUM, "the saved fitter is damaged");
    memcpy(f->place, body, f->nplace * sizeof(double));
    memcpy(f->history, body + f->nplace * sizeof(double), history_bytes(f));
    tac_fit_theta(f->fit, f->z, f->theta);
    return TAC_OK;
}

/* --- Predictions -------------------------------------------------------------------------------------------------- */

int tac_fit_segment_rows(const tacFit *fit, int segment) {
    if (fit == NULL || segment < 0 || segment >= fit->nsegment) return 0;
    int frames = fit->options.score == TAC_SCORE_LAST ? 1 : tac_fit_horizon(fit, segment);
    int starts = fit->options.start == TAC_SEGMENT_ESTIMATED ? fit->ndx : 0;
    return starts + frames * ((fit->deviation != NULL ? fit->ndx : 0) + fit->nz);
}

static const double *start_of(const tacFitter *f, int segment) {
    const tacFit *fit = f->fit;
    if (f->starts != NULL) return f->starts + (size_t)segment * (size_t)fit->nx;
    return fit->recording[fit->segment[segment][0]].x + (size_t)fit->segment[segment][1] * (size_t)fit->nx;
}

tacStatus tac_fitter_residuals(tacFitter *f, int segment, double *r, double *J) {
    if (f == NULL || r == NULL || segment < 0 || segment >= f->fit->nsegment) return TAC_ERR_ARGUMENT;
    return tac_fit_segment_residuals(f->fit, &f->work[0], f->z, f->theta, segment, start_of(f, segment), r, J);
}

tacStatus tac_fitter_predict(tacFitter *f, int segment, double *x, double *z) {
    if (f == NULL || segment < 0 || segment >= f->fit->nsegment) return TAC_ERR_ARGUMENT;
    tacFitWork *work = &f->work[0];
    const tacFit *fit = f->fit;
    const tacFitRecording *rec = &fit->recording[fit->segment[segment][0]];
    size_t nx = (size_t)fit->nx, ninput = (size_t)fit->ninput, every = (size_t)rec->every;
    size_t first = (size_t)fit->segment[segment][1], last = (size_t)(rec->frames - 1) * every;
    TAC_TRY(tac_sim_set_params(work->sim, f->theta));
    TAC_SCOPE(&work->arena);
    double *now = TAC_TAKE(&work->arena, nx, double), *next = TAC_TAKE(&work->arena, nx, double);
    if (next == NULL) return TAC_ERR_ARENA_FULL;
    memcpy(now, start_of(f, segment), nx * sizeof *now);
    for (size_t step = first * every, frame = 0;; step++) {
        const double *u = rec->u != NULL && step < last ? rec->u + step * ninput : fit->input;
        if ((step - first * every) % every == 0) {
            if (x != NULL) memcpy(x + frame * nx, now, nx * sizeof *now);
            if (z != NULL && fit->nz > 0)
                TAC_TRY(tac_outputs(work->sim, now, u, &fit->options.outputs, z + frame * (size_t)fit->nz));
            if (frame++ == (size_t)tac_fit_horizon(fit, segment)) return TAC_OK;
        }
        TAC_TRY(tac_step(work->sim, now, u, next, NULL));
        memcpy(now, next, nx * sizeof *now);
    }
}
