/* Many independent worlds on several threads. Each thread has a simulation of its own, and each world's result is a
 * function of its inputs alone, so the number of threads changes no bit. Memory is taken before the first step only. */
#include "base/error.h"
#include "base/platform.h"
#include "base/threads.h"
#include "step/sim.h"

#include <stdlib.h>
#include <string.h>

/* State of one thread: its simulation, memory for rollouts' reverse mode, and the first of its worlds that failed. */
typedef struct Worker {
    tacSim *sim;
    tacCheckpoints checkpoints;
    int failed; /* world, or -1 */
    tacStatus status;
} Worker;

typedef struct Batch Batch;
struct Batch {
    tacStatus (*run)(const Batch *batch, const Worker *worker, size_t world);
    const tacModel *model;
    const tacOptions *options;
    Worker *workers;
    size_t nx, ndx, ninput, np;
    /* arguments of the public functions; each uses its own */
    const double *X, *U, *Ybar;
    double *Y;
    int steps;
    const tacTrajectory *path;
    int checkpoints; /* -1: no memory for them */
    tacJac jac;
    tacGrad grad;
    tacTangent along;
};

/* --- One world ---------------------------------------------------------------------------------------------------- */

/* Block i of an array of equal blocks; NULL stays NULL. */
static const double *block(const double *array, size_t i, size_t size) {
    return array == NULL ? NULL : array + i * size;
}
static double *own_block(double *array, size_t i, size_t size) { return array == NULL ? NULL : array + i * size; }

static tacStepInfo *info_of(const Batch *b, size_t i) {
    return b->options->batch_info == NULL ? NULL : b->options->batch_info + i;
}

static tacStatus run_step(const Batch *b, const Worker *w, size_t i) {
    return tac_step(w->sim, b->X + i * b->nx, block(b->U, i, b->ninput), b->Y + i * b->nx, info_of(b, i));
}

static tacStatus run_jac(const Batch *b, const Worker *w, size_t i) {
    tacJac jac = {own_block(b->jac.A, i, b->ndx * b->ndx), own_block(b->jac.B, i, b->ndx * b->ninput),
                  own_block(b->jac.P, i, b->ndx * b->np)};
    return tac_step_jac(w->sim, b->X + i * b->nx, block(b->U, i, b->ninput), own_block(b->Y, i, b->nx), &jac,
                        info_of(b, i));
}

static tacStatus run_vjp(const Batch *b, const Worker *w, size_t i) {
    tacGrad grad = {own_block(b->grad.x, i, b->ndx), own_block(b->grad.u, i, b->ninput),
                    own_block(b->grad.theta, i, b->np)};
    return tac_step_vjp(w->sim, b->X + i * b->nx, block(b->U, i, b->ninput), b->Ybar + i * b->ndx, &grad,
                        info_of(b, i));
}

static tacStatus run_jvp(const Batch *b, const Worker *w, size_t i) {
    return tac_step_jvp(w->sim, b->X + i * b->nx, block(b->U, i, b->ninput), block(b->along.x, i, b->ndx),
                        block(b->along.u, i, b->ninput), block(b->along.theta, i, b->np), b->Y + i * b->ndx,
                        info_of(b, i));
}

static tacStatus run_rollout(const Batch *b, const Worker *w, size_t i) {
    size_t steps = (size_t)b->steps;
    double *X = b->Y + i * (steps + 1) * b->nx;
    return tac_rollout(w->sim, X, block(b->U, i, steps * b->ninput), b->steps, X, info_of(b, i));
}

static tacStatus run_rollout_vjp(const Batch *b, const Worker *w, size_t i) {
    size_t n = (size_t)b->path->n;
    tacTrajectory path = {b->path->n,
                          b->path->x0 + i * b->nx,
                          block(b->path->U, i, n * b->ninput),
                          block(b->path->X, i, (n + 1) * b->nx),
                          block(b->path->Xbar, i, (n + 1) * b->ndx),
                          block(b->path->xbar, i, b->ndx)};
    tacGrad grad = {own_block(b->grad.x, i, b->ndx), own_block(b->grad.u, i, n * b->ninput),
                    own_block(b->grad.theta, i, b->np)};
    return tac_rollout_vjp(w->sim, &path, &w->checkpoints, &grad, info_of(b, i));
}

static void run_world(void *context, int item, int worker) {
    const Batch *batch = context;
    Worker *w = &batch->workers[worker];
    tacStatus status = batch->run(batch, w, (size_t)item);
    if (status != TAC_OK && (w->failed < 0 || item < w->failed)) {
        w->failed = item;
        w->status = status;
    }
}

/* --- Workers ------------------------------------------------------------------------------------------------------ */

static void free_workers(Worker *workers, int n) {
    for (int i = 0; workers != NULL && i < n; i++) {
        tac_sim_free(workers[i].sim);
        tac_aligned_free(workers[i].checkpoints.memory);
    }
    free(workers);
}

static tacStatus open_worker(const Batch *batch, Worker *w) {
    w->failed = -1;
    tacStatus status = tac_sim_new(batch->model, batch->options, &w->sim, NULL);
    if (status != TAC_OK || batch->checkpoints < 0) return status;
    size_t bytes = tac_rollout_vjp_bytes(batch->model, batch->path->n, batch->checkpoints);
    w->checkpoints = (tacCheckpoints){batch->checkpoints, tac_aligned_new(TAC_ARENA_ALIGN, bytes), bytes};
    return w->checkpoints.memory != NULL ? TAC_OK : TAC_ERR_MEMORY;
}

static tacStatus make_workers(Batch *batch, int n) {
    tacStatus status = TAC_OK;
    batch->workers = calloc((size_t)n, sizeof *batch->workers);
    if (batch->workers == NULL) return TAC_ERR_MEMORY;
    for (int i = 0; i < n && status == TAC_OK; i++)
        status = open_worker(batch, &batch->workers[i]);
    if (status != TAC_OK) free_workers(batch->workers, n);
    return status;
}

/* Status of the lowest world that failed: the same for any number of threads. */
static tacStatus first_failure(const Worker *workers, int n) {
    int failed = -1;
    tacStatus status = TAC_OK;
    for (int i = 0; i < n; i++) {
        if (workers[i].failed < 0 || (failed >= 0 && workers[i].failed > failed)) continue;
        failed = workers[i].failed;
        status = workers[i].status;
    }
    return status;
}

/* --- The public functions ----------------------------------------------------------------------------------------- */

static tacStatus run_in_pool(Batch batch, int n, tacPool *pool) {
    int workers = tac_pool_size(pool);
    tacStatus status = make_workers(&batch, workers);
    if (status == TAC_OK) {
        batch.nx = (size_t)tac_nx(batch.model);
        batch.ndx = (size_t)tac_ndx(batch.model);
        batch.ninput = (size_t)tac_ninput(batch.model, batch.options);
        batch.np = (size_t)batch.model->nparam;
        tac_pool_run(pool, n, run_world, &batch);
        status = first_failure(batch.workers, workers);
        free_workers(batch.workers, workers);
    }
    return status;
}

/* A thread that is cancelled meanwhile ends its batch first. */
static tacStatus run_batch(Batch batch, int n, int threads) {
    int before = tac_cancel_hold();
    tacPool *pool = NULL;
    tacStatus status = tac_pool_new(threads < n ? threads : n, &pool, NULL);
    if (status == TAC_OK) status = run_in_pool(batch, n, pool);
    tac_pool_free(pool);
    tac_cancel_release(before);
    return status;
}

static int bad_arguments(const tacModel *model, const tacOptions *options, int n, int threads) {
    return model == NULL || options == NULL || n < 0 || threads < 1;
}

tacStatus tac_batch_step(const tacModel *model, const tacOptions *options, int n, const double *X, const double *U,
                         double *Y, int threads) {
    if (bad_arguments(model, options, n, threads)) return TAC_ERR_ARGUMENT;
    if (n == 0) return TAC_OK;
    if (X == NULL || Y == NULL) return TAC_ERR_ARGUMENT;
    Batch batch = {.run = run_step, .model = model, .options = options, .checkpoints = -1, .X = X, .U = U, .Y = Y};
    return run_batch(batch, n, threads);
}

tacStatus tac_batch_step_jac(const tacModel *model, const tacOptions *options, int n, const double *X, const double *U,
                             double *Y, const tacJac *jac, int threads) {
    if (bad_arguments(model, options, n, threads) || jac == NULL) return TAC_ERR_ARGUMENT;
    if (n == 0) return TAC_OK;
    if (X == NULL) return TAC_ERR_ARGUMENT;
    Batch batch = {.run = run_jac, .model = model, .options = options, .checkpoints = -1, .X = X, .U = U, .Y = Y};
    batch.jac = *jac;
    return run_batch(batch, n, threads);
}

tacStatus tac_batch_step_vjp(const tacModel *model, const tacOptions *options, int n, const double *X, const double *U,
                             const double *Ybar, const tacGrad *grad, int threads) {
    if (bad_arguments(model, options, n, threads) || grad == NULL) return TAC_ERR_ARGUMENT;
    if (n == 0) return TAC_OK;
    if (X == NULL || Ybar == NULL) return TAC_ERR_ARGUMENT;
    Batch batch = {.run = run_vjp, .model = model, .options = options, .checkpoints = -1, .X = X, .U = U, .Ybar = Ybar};
    batch.grad = *grad;
    return run_batch(batch, n, threads);
}

tacStatus tac_batch_step_jvp(const tacModel *model, const tacOptions *options, int n, const double *X, const double *U,
                             const tacTangent *along, double *dY, int threads) {
    if (bad_arguments(model, options, n, threads) || along == NULL) return TAC_ERR_ARGUMENT;
    if (n == 0) return TAC_OK;
    if (X == NULL || dY == NULL) return TAC_ERR_ARGUMENT;
    Batch batch = {.run = run_jvp, .model = model, .options = options, .checkpoints = -1, .X = X, .U = U, .Y = dY};
    batch.along = *along;
    return run_batch(batch, n, threads);
}

tacStatus tac_batch_rollout(const tacModel *model, const tacOptions *options, int n, int steps, double *X,
                            const double *U, int threads) {
    if (bad_arguments(model, options, n, threads) || steps < 0) return TAC_ERR_ARGUMENT;
    if (n == 0 || (steps == 0 && options->batch_info == NULL)) return TAC_OK;
    if (X == NULL) return TAC_ERR_ARGUMENT;
    Batch batch = {.run = run_rollout, .model = model, .options = options, .checkpoints = -1, .U = U, .Y = X};
    batch.steps = steps;
    return run_batch(batch, n, threads);
}

tacStatus tac_batch_rollout_vjp(const tacModel *model, const tacOptions *options, int n, const tacTrajectory *path,
                                int checkpoints, const tacGrad *grad, int threads) {
    if (bad_arguments(model, options, n, threads) || path == NULL || grad == NULL) return TAC_ERR_ARGUMENT;
    if (checkpoints < 0 || path->n < 0) return TAC_ERR_ARGUMENT;
    if (n == 0) return TAC_OK;
    if (path->x0 == NULL) return TAC_ERR_ARGUMENT;
    Batch batch = {.run = run_rollout_vjp, .model = model, .options = options, .checkpoints = checkpoints};
    batch.path = path;
    batch.grad = *grad;
    return run_batch(batch, n, threads);
}
