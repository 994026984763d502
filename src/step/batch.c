/* Many independent worlds on several threads. Each thread has a simulation of its own, and each world's result is a
 * function of its inputs and theta alone, so the number of threads changes no bit. Memory is taken at creation only. */
#include "step/batch.h"

#include "base/error.h"
#include "base/platform.h"
#include "base/threads.h"
#include "step/sim.h"

#include <stdlib.h>
#include <string.h>

/* The cookie of options made by tac_default_batch_options. */
#define BATCH_COOKIE 0x7acba7c1u
/* Chunks of an even share: worlds cost different times, and a chunk costs an atomic addition. */
enum { CHUNKS_A_THREAD = 8 };

/* State of one thread: its simulation, memory for rollouts' reverse mode, and whose theta the simulation has. */
typedef struct Worker {
    tacSim *sim;
    tacCheckpoints checkpoints;
    long theta; /* number of the world and of the setting it is from; 0: the model's */
} Worker;

struct tacBatch {
    const tacModel *model;
    tacOptions options;
    tacBatchOptions own;
    tacPool *pool;
    int nworker;
    Worker *worker;
    size_t nx, ndx, ninput, np;
    tacStatus *status;   /* worlds */
    unsigned char *idle; /* worlds: 1: not active */
    double *theta;       /* worlds or 1, by np */
    long settings;       /* calls of tac_batch_set_params so far */
    tacPolicy policy;
    void *policy_context;
    const tacBatchCall *call; /* in hand */
};

/* --- One world ---------------------------------------------------------------------------------------------------- */

/* Block i of an array of equal blocks; NULL stays NULL. */
static const double *block(const double *array, size_t i, size_t size) {
    return array == NULL ? NULL : array + i * size;
}
static double *own_block(double *array, size_t i, size_t size) { return array == NULL ? NULL : array + i * size; }

static tacStepInfo *info_of(const tacBatch *b, size_t i) {
    return b->options.batch_info == NULL ? NULL : b->options.batch_info + i;
}

static tacStatus run_step(const tacBatch *b, const Worker *w, size_t i) {
    const tacBatchCall *c = b->call;
    return tac_step(w->sim, c->X + i * b->nx, block(c->U, i, b->ninput), c->Y + i * b->nx, info_of(b, i));
}

static tacStatus run_jac(const tacBatch *b, const Worker *w, size_t i) {
    const tacBatchCall *c = b->call;
    tacJac jac = {own_block(c->jac.A, i, b->ndx * b->ndx), own_block(c->jac.B, i, b->ndx * b->ninput),
                  own_block(c->jac.P, i, b->ndx * b->np)};
    return tac_step_jac(w->sim, c->X + i * b->nx, block(c->U, i, b->ninput), own_block(c->Y, i, b->nx), &jac,
                        info_of(b, i));
}

static tacStatus run_vjp(const tacBatch *b, const Worker *w, size_t i) {
    const tacBatchCall *c = b->call;
    tacGrad grad = {own_block(c->grad.x, i, b->ndx), own_block(c->grad.u, i, b->ninput),
                    own_block(c->grad.theta, i, b->np)};
    return tac_step_vjp(w->sim, c->X + i * b->nx, block(c->U, i, b->ninput), c->Ybar + i * b->ndx, &grad,
                        info_of(b, i));
}

static tacStatus run_jvp(const tacBatch *b, const Worker *w, size_t i) {
    const tacBatchCall *c = b->call;
    return tac_step_jvp(w->sim, c->X + i * b->nx, block(c->U, i, b->ninput), block(c->along.x, i, b->ndx),
                        block(c->along.u, i, b->ninput), block(c->along.theta, i, b->np), c->Y + i * b->ndx,
                        info_of(b, i));
}

static tacStatus run_rollout(const tacBatch *b, const Worker *w, size_t i) {
    const tacBatchCall *c = b->call;
    size_t steps = (size_t)c->steps;
    double *X = c->Y + i * (steps + 1) * b->nx, *U = own_block(c->controls, i, steps * b->ninput);
    tacDrive drive = {b->policy, b->policy_context, (int)i, U, b->own.stop};
    return tac_rollout_driven(w->sim, &drive, X, c->steps, X, info_of(b, i));
}

static tacStatus run_rollout_jvp(const tacBatch *b, const Worker *w, size_t i) {
    const tacBatchCall *c = b->call;
    size_t n = (size_t)c->steps;
    tacTangent along = {block(c->along.x, i, b->ndx), block(c->along.u, i, n * b->ninput),
                        block(c->along.theta, i, b->np)};
    return tac_rollout_jvp(w->sim, c->X + i * b->nx, block(c->U, i, n * b->ninput), c->steps, &along,
                           c->Y + i * (n + 1) * b->nx, c->dY + i * (n + 1) * b->ndx, info_of(b, i));
}

static tacStatus run_rollout_vjp(const tacBatch *b, const Worker *w, size_t i) {
    const tacTrajectory *all = b->call->path;
    const tacGrad *g = &b->call->grad;
    size_t n = (size_t)all->n;
    tacTrajectory path = {all->n,
                          all->x0 + i * b->nx,
                          block(all->U, i, n * b->ninput),
                          block(all->X, i, (n + 1) * b->nx),
                          block(all->Xbar, i, (n + 1) * b->ndx),
                          block(all->xbar, i, b->ndx)};
    tacGrad grad = {own_block(g->x, i, b->ndx), own_block(g->u, i, n * b->ninput), own_block(g->theta, i, b->np)};
    return tac_rollout_vjp(w->sim, &path, &w->checkpoints, &grad, info_of(b, i));
}

static tacStatus run_outputs(const tacBatch *b, const Worker *w, size_t i) {
    const tacBatchCall *c = b->call;
    size_t size = (size_t)tac_outputs_size(b->model, c->outputs);
    return tac_outputs(w->sim, c->X + i * b->nx, block(c->U, i, b->ninput), c->outputs, c->Y + i * size);
}

static tacStatus (*const RUN[])(const tacBatch *b, const Worker *w, size_t i) = {
    [TAC_BATCH_STEP] = run_step,
    [TAC_BATCH_JAC] = run_jac,
    [TAC_BATCH_JVP] = run_jvp,
    [TAC_BATCH_VJP] = run_vjp,
    [TAC_BATCH_ROLLOUT] = run_rollout,
    [TAC_BATCH_ROLLOUT_JVP] = run_rollout_jvp,
    [TAC_BATCH_ROLLOUT_VJP] = run_rollout_vjp,
    [TAC_BATCH_OUTPUTS] = run_outputs,
};

/* The simulation gets the theta of world i, if it has another. */
static tacStatus take_theta(const tacBatch *b, Worker *w, size_t i) {
    long theta = !b->own.own_params ? b->settings : b->settings * b->own.worlds + (long)i;
    if (b->settings == 0 || b->np == 0 || w->theta == theta) return TAC_OK;
    w->theta = 0; /* of nobody, where it is refused */
    TAC_TRY(tac_sim_set_params(w->sim, b->theta + (b->own.own_params ? i * b->np : 0)));
    w->theta = theta;
    return TAC_OK;
}

static void run_world(void *context, int item, int worker) {
    tacBatch *b = context;
    Worker *w = &b->worker[worker];
    size_t i = (size_t)item;
    b->status[i] = TAC_OK;
    if (b->idle[i]) return;
    b->status[i] = tac_flag_read(b->own.stop) != 0 ? TAC_ERR_STOPPED : take_theta(b, w, i);
    if (b->status[i] == TAC_OK) b->status[i] = RUN[b->call->piece](b, w, i);
}

/* --- Making and freeing ------------------------------------------------------------------------------------------- */

tacBatchOptions tac_default_batch_options(void) {
    return (tacBatchOptions){.cookie = BATCH_COOKIE, .worlds = 1, .threads = 1};
}

static tacStatus check_options(const tacBatchOptions *o, tacError *err) {
    const struct {
        const char *name;
        int value, least;
    } of[] = {{"worlds", o->worlds, 1},
              {"threads", o->threads, 1},
              {"chunk", o->chunk, 0},
              {"steps", o->steps, 0},
              {"checkpoints", o->checkpoints, 0}};
    if (o->cookie != BATCH_COOKIE)
        return tac_fail(err, TAC_ERR_OPTIONS, "batch options were not made by tac_default_batch_options");
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        if (of[k].value < of[k].least)
            return tac_fail(err, TAC_ERR_ARGUMENT, "batch option %s is %d: expected %d or more", of[k].name,
                            of[k].value, of[k].least);
    return TAC_OK;
}

static tacStatus open_worker(const tacBatch *b, Worker *w, tacError *err) {
    TAC_TRY(tac_sim_new(b->model, &b->options, &w->sim, err));
    if (b->own.steps == 0) return TAC_OK;
    size_t bytes = tac_rollout_vjp_bytes(b->model, b->own.steps, b->own.checkpoints);
    w->checkpoints = (tacCheckpoints){b->own.checkpoints, tac_aligned_new(TAC_ARENA_ALIGN, bytes), bytes};
    return w->checkpoints.memory != NULL ? TAC_OK : tac_fail(err, TAC_ERR_MEMORY, "no memory for checkpoints");
}

static tacStatus open_arrays(tacBatch *b, tacError *err) {
    size_t worlds = (size_t)b->own.worlds, thetas = b->own.own_params ? worlds : 1;
    b->nworker = tac_pool_size(b->pool);
    b->worker = calloc((size_t)b->nworker, sizeof *b->worker);
    b->status = calloc(worlds, sizeof *b->status);
    b->idle = calloc(worlds, sizeof *b->idle);
    b->theta = calloc(thetas * b->np + 1, sizeof *b->theta);
    int ok = b->worker && b->status && b->idle && b->theta;
    return ok ? TAC_OK : tac_fail(err, TAC_ERR_MEMORY, "no memory for a batch of %d worlds", b->own.worlds);
}

static tacStatus open_batch(tacBatch *b, tacError *err) {
    const tacModel *m = b->model;
    int threads = b->own.threads < b->own.worlds ? b->own.threads : b->own.worlds;
    b->nx = (size_t)tac_nx(m);
    b->ndx = (size_t)tac_ndx(m);
    b->ninput = (size_t)tac_ninput(m, &b->options);
    b->np = (size_t)m->nparam;
    TAC_TRY(tac_pool_new(threads, &b->pool, err));
    TAC_TRY(open_arrays(b, err));
    for (int i = 0; i < b->nworker; i++)
        TAC_TRY(open_worker(b, &b->worker[i], err));
    return TAC_OK;
}

tacStatus tac_batch_new(const tacModel *model, const tacOptions *options, const tacBatchOptions *batch_options,
                        tacBatch **batch, tacError *err) {
    if (model == NULL || options == NULL || batch_options == NULL || batch == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "tac_batch_new: an argument is NULL");
    TAC_TRY(check_options(batch_options, err));
    tacBatch *b = calloc(1, sizeof *b);
    if (b == NULL) return tac_fail(err, TAC_ERR_MEMORY, "no memory for a batch");
    b->model = model;
    b->options = *options;
    b->own = *batch_options;
    tacStatus status = open_batch(b, err);
    if (status == TAC_OK)
        *batch = b;
    else
        tac_batch_free(b);
    return status;
}

void tac_batch_free(tacBatch *batch) {
    if (batch == NULL) return;
    tac_pool_free(batch->pool);
    for (int i = 0; batch->worker != NULL && i < batch->nworker; i++) {
        tac_sim_free(batch->worker[i].sim);
        tac_aligned_free(batch->worker[i].checkpoints.memory);
    }
    free(batch->worker);
    free(batch->status);
    free(batch->idle);
    free(batch->theta);
    free(batch);
}

int tac_batch_threads(const tacBatch *batch) { return batch == NULL ? 0 : batch->nworker; }

/* --- What stays from call to call --------------------------------------------------------------------------------- */

tacStatus tac_batch_set_params(tacBatch *batch, const double *Theta) {
    if (batch == NULL || (Theta == NULL && batch->np > 0)) return TAC_ERR_ARGUMENT;
    if (batch->np == 0) return TAC_OK;
    size_t thetas = batch->own.own_params ? (size_t)batch->own.worlds : 1;
    if (!batch->own.own_params) {
        batch->worker[0].theta = 0;
        TAC_TRY(tac_sim_set_params(batch->worker[0].sim, Theta));
    }
    memcpy(batch->theta, Theta, thetas * batch->np * sizeof *Theta);
    batch->settings++;
    return TAC_OK;
}

tacStatus tac_batch_active(tacBatch *batch, const unsigned char *mask) {
    if (batch == NULL) return TAC_ERR_ARGUMENT;
    for (int i = 0; i < batch->own.worlds; i++)
        batch->idle[i] = mask != NULL && mask[i] == 0;
    return TAC_OK;
}

tacStatus tac_batch_set_policy(tacBatch *batch, tacPolicy policy, void *context) {
    if (batch == NULL) return TAC_ERR_ARGUMENT;
    batch->policy = policy;
    batch->policy_context = context;
    return TAC_OK;
}

/* --- Calls -------------------------------------------------------------------------------------------------------- */

/* TAC_ERR_STOPPED where a world was stopped, or the status of the lowest world that failed: the same for any number of
 * threads. */
static tacStatus status_of_all(const tacBatch *b) {
    tacStatus first = TAC_OK;
    for (int i = 0; i < b->own.worlds; i++) {
        if (b->status[i] == TAC_ERR_STOPPED) return TAC_ERR_STOPPED;
        if (first == TAC_OK) first = b->status[i];
    }
    return first;
}

static int chunk_of(const tacBatch *b) {
    int share = b->own.worlds / (CHUNKS_A_THREAD * b->nworker);
    if (b->own.chunk > 0) return b->own.chunk;
    return share > 0 ? share : 1;
}

tacStatus tac_batch_run(tacBatch *b, const tacBatchCall *call, tacStatus *status) {
    int before = tac_cancel_hold(); /* a thread that is cancelled meanwhile ends its call first */
    b->call = call;
    tac_pool_run(b->pool, b->own.worlds, chunk_of(b), run_world, b);
    if (status != NULL) memcpy(status, b->status, (size_t)b->own.worlds * sizeof *status);
    tac_cancel_release(before);
    return status_of_all(b);
}

tacStatus tac_batch_run_step(tacBatch *batch, const double *X, const double *U, double *Y, tacStatus *status) {
    if (batch == NULL || X == NULL || Y == NULL) return TAC_ERR_ARGUMENT;
    return tac_batch_run(batch, &(tacBatchCall){.piece = TAC_BATCH_STEP, .X = X, .U = U, .Y = Y}, status);
}

tacStatus tac_batch_run_jac(tacBatch *batch, const double *X, const double *U, double *Y, const tacJac *jac,
                            tacStatus *status) {
    if (batch == NULL || X == NULL || jac == NULL) return TAC_ERR_ARGUMENT;
    return tac_batch_run(batch, &(tacBatchCall){.piece = TAC_BATCH_JAC, .X = X, .U = U, .Y = Y, .jac = *jac}, status);
}

tacStatus tac_batch_run_vjp(tacBatch *batch, const double *X, const double *U, const double *Ybar, const tacGrad *grad,
                            tacStatus *status) {
    if (batch == NULL || X == NULL || Ybar == NULL || grad == NULL) return TAC_ERR_ARGUMENT;
    tacBatchCall call = {.piece = TAC_BATCH_VJP, .X = X, .U = U, .Ybar = Ybar, .grad = *grad};
    return tac_batch_run(batch, &call, status);
}

tacStatus tac_batch_run_jvp(tacBatch *batch, const double *X, const double *U, const tacTangent *along, double *dY,
                            tacStatus *status) {
    if (batch == NULL || X == NULL || along == NULL || dY == NULL) return TAC_ERR_ARGUMENT;
    tacBatchCall call = {.piece = TAC_BATCH_JVP, .X = X, .U = U, .Y = dY, .along = *along};
    return tac_batch_run(batch, &call, status);
}

tacStatus tac_batch_run_rollout(tacBatch *batch, int steps, double *X, double *U, tacStatus *status) {
    if (batch == NULL || X == NULL || steps < 0) return TAC_ERR_ARGUMENT;
    tacBatchCall call = {.piece = TAC_BATCH_ROLLOUT, .controls = U, .Y = X, .steps = steps};
    return tac_batch_run(batch, &call, status);
}

tacStatus tac_batch_run_rollout_jvp(tacBatch *batch, int steps, const double *X0, const double *U,
                                    const tacTangent *along, double *X, double *dX, tacStatus *status) {
    if (batch == NULL || X0 == NULL || along == NULL || X == NULL || dX == NULL || steps < 0) return TAC_ERR_ARGUMENT;
    tacBatchCall call = {
        .piece = TAC_BATCH_ROLLOUT_JVP, .X = X0, .U = U, .along = *along, .Y = X, .dY = dX, .steps = steps};
    return tac_batch_run(batch, &call, status);
}

tacStatus tac_batch_run_rollout_vjp(tacBatch *batch, const tacTrajectory *path, const tacGrad *grad,
                                    tacStatus *status) {
    if (batch == NULL || path == NULL || grad == NULL) return TAC_ERR_ARGUMENT;
    if (path->x0 == NULL || path->n < 0 || path->n > batch->own.steps) return TAC_ERR_ARGUMENT;
    return tac_batch_run(batch, &(tacBatchCall){.piece = TAC_BATCH_ROLLOUT_VJP, .path = path, .grad = *grad}, status);
}

tacStatus tac_batch_run_outputs(tacBatch *batch, const double *X, const double *U, const tacOutputs *outputs, double *Z,
                                tacStatus *status) {
    if (batch == NULL || X == NULL || outputs == NULL || Z == NULL) return TAC_ERR_ARGUMENT;
    tacBatchCall call = {.piece = TAC_BATCH_OUTPUTS, .X = X, .U = U, .outputs = outputs, .Y = Z};
    return tac_batch_run(batch, &call, status);
}
