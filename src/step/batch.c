/* Many independent worlds on several threads. Each thread has a simulation of its own, and each world's result is a
 * function of its inputs alone, so the number of threads changes no bit. Memory is taken before the first step only. */
#include "base/error.h"
#include "base/threads.h"
#include "step/sim.h"

#include <stdlib.h>
#include <string.h>

/* What one thread keeps: its simulation, and the first of its worlds that failed. */
typedef struct Worker {
    tacSim *sim;
    int failed; /* world, or -1 */
    tacStatus status;
} Worker;

typedef struct Batch {
    Worker *workers;
    size_t nx, ninput;
    int steps; /* 0: one step from X to Y */
    const double *U;
    const double *X;
    double *Y;
} Batch;

static void free_workers(Worker *workers, int n) {
    for (int i = 0; workers != NULL && i < n; i++)
        tac_sim_free(workers[i].sim);
    free(workers);
}

static tacStatus make_workers(const tacModel *model, const tacOptions *options, int n, Worker **workers) {
    Worker *w = calloc((size_t)n, sizeof *w);
    if (w == NULL) return TAC_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        w[i].failed = -1;
        tacStatus status = tac_sim_new(model, options, &w[i].sim, NULL);
        if (status != TAC_OK) {
            free_workers(w, n);
            return status;
        }
    }
    *workers = w;
    return TAC_OK;
}

/* One world: a step, or a rollout in place. */
static void run_world(void *context, int item, int worker) {
    const Batch *batch = context;
    Worker *w = &batch->workers[worker];
    size_t i = (size_t)item, steps = (size_t)batch->steps;
    tacStatus status;
    if (steps == 0) {
        const double *u = batch->U == NULL ? NULL : batch->U + i * batch->ninput;
        status = tac_step(w->sim, batch->X + i * batch->nx, u, batch->Y + i * batch->nx, NULL);
    } else {
        double *X = batch->Y + i * (steps + 1) * batch->nx;
        const double *U = batch->U == NULL ? NULL : batch->U + i * steps * batch->ninput;
        status = tac_rollout(w->sim, X, U, batch->steps, X, NULL);
    }
    if (status != TAC_OK && (w->failed < 0 || item < w->failed)) {
        w->failed = item;
        w->status = status;
    }
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

static tacStatus run_batch(const tacModel *model, const tacOptions *options, int n, int threads, Batch *batch) {
    tacPool *pool = NULL;
    tacStatus status = tac_pool_new(threads < n ? threads : n, &pool, NULL);
    if (status != TAC_OK) return status;
    int workers = tac_pool_size(pool);
    status = make_workers(model, options, workers, &batch->workers);
    if (status == TAC_OK) {
        batch->nx = (size_t)tac_nx(model);
        batch->ninput = (size_t)tac_ninput(model, options);
        tac_pool_run(pool, n, run_world, batch);
        status = first_failure(batch->workers, workers);
        free_workers(batch->workers, workers);
    }
    tac_pool_free(pool);
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
    return run_batch(model, options, n, threads, &(Batch){.X = X, .U = U, .Y = Y});
}

tacStatus tac_batch_rollout(const tacModel *model, const tacOptions *options, int n, int steps, double *X,
                            const double *U, int threads) {
    if (bad_arguments(model, options, n, threads) || steps < 0) return TAC_ERR_ARGUMENT;
    if (n == 0 || steps == 0) return TAC_OK;
    if (X == NULL) return TAC_ERR_ARGUMENT;
    return run_batch(model, options, n, threads, &(Batch){.U = U, .Y = X, .steps = steps});
}
