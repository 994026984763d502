/* Batches of one call: a batch is made, used and freed. */
#include "step/batch.h"

#include "base/threads.h"

static int bad_arguments(const tacModel *model, const tacOptions *options, int n, int threads) {
    return model == NULL || options == NULL || n < 0 || threads < 1;
}

/* checkpoints: of rollouts in reverse mode. A thread that is cancelled meanwhile ends its batch first. */
static tacStatus run_once(const tacModel *model, const tacOptions *options, int n, int threads, int checkpoints,
                          const tacBatchCall *call) {
    int before = tac_cancel_hold();
    tacBatchOptions o = tac_default_batch_options();
    tacBatch *batch = NULL;
    o.worlds = n;
    o.threads = threads;
    o.steps = call->path == NULL ? 0 : call->path->n + 1; /* memory for none too */
    o.checkpoints = checkpoints;
    tacStatus status = tac_batch_new(model, options, &o, &batch, NULL);
    if (status == TAC_OK) status = tac_batch_run(batch, call, NULL);
    tac_batch_free(batch);
    tac_cancel_release(before);
    return status;
}

tacStatus tac_batch_step(const tacModel *model, const tacOptions *options, int n, const double *X, const double *U,
                         double *Y, int threads) {
    if (bad_arguments(model, options, n, threads)) return TAC_ERR_ARGUMENT;
    if (n == 0) return TAC_OK;
    if (X == NULL || Y == NULL) return TAC_ERR_ARGUMENT;
    tacBatchCall call = {.piece = TAC_BATCH_STEP, .X = X, .U = U, .Y = Y};
    return run_once(model, options, n, threads, 0, &call);
}

tacStatus tac_batch_step_jac(const tacModel *model, const tacOptions *options, int n, const double *X, const double *U,
                             double *Y, const tacJac *jac, int threads) {
    if (bad_arguments(model, options, n, threads) || jac == NULL) return TAC_ERR_ARGUMENT;
    if (n == 0) return TAC_OK;
    if (X == NULL) return TAC_ERR_ARGUMENT;
    tacBatchCall call = {.piece = TAC_BATCH_JAC, .X = X, .U = U, .Y = Y, .jac = *jac};
    return run_once(model, options, n, threads, 0, &call);
}

tacStatus tac_batch_step_vjp(const tacModel *model, const tacOptions *options, int n, const double *X, const double *U,
                             const double *Ybar, const tacGrad *grad, int threads) {
    if (bad_arguments(model, options, n, threads) || grad == NULL) return TAC_ERR_ARGUMENT;
    if (n == 0) return TAC_OK;
    if (X == NULL || Ybar == NULL) return TAC_ERR_ARGUMENT;
    tacBatchCall call = {.piece = TAC_BATCH_VJP, .X = X, .U = U, .Ybar = Ybar, .grad = *grad};
    return run_once(model, options, n, threads, 0, &call);
}

tacStatus tac_batch_step_jvp(const tacModel *model, const tacOptions *options, int n, const double *X, const double *U,
                             const tacTangent *along, double *dY, int threads) {
    if (bad_arguments(model, options, n, threads) || along == NULL) return TAC_ERR_ARGUMENT;
    if (n == 0) return TAC_OK;
    if (X == NULL || dY == NULL) return TAC_ERR_ARGUMENT;
    tacBatchCall call = {.piece = TAC_BATCH_JVP, .X = X, .U = U, .Y = dY, .along = *along};
    return run_once(model, options, n, threads, 0, &call);
}

tacStatus tac_batch_rollout(const tacModel *model, const tacOptions *options, int n, int steps, double *X,
                            const double *U, int threads) {
    if (bad_arguments(model, options, n, threads) || steps < 0) return TAC_ERR_ARGUMENT;
    if (n == 0 || (steps == 0 && options->batch_info == NULL)) return TAC_OK;
    if (X == NULL) return TAC_ERR_ARGUMENT;
    tacBatchCall call = {.piece = TAC_BATCH_ROLLOUT, .controls = (double *)U, .Y = X, .steps = steps};
    return run_once(model, options, n, threads, 0, &call);
}

tacStatus tac_batch_rollout_jvp(const tacModel *model, const tacOptions *options, int n, int steps, const double *X0,
                                const double *U, const tacTangent *along, double *X, double *dX, int threads) {
    if (bad_arguments(model, options, n, threads) || steps < 0 || along == NULL) return TAC_ERR_ARGUMENT;
    if (n == 0) return TAC_OK;
    if (X0 == NULL || X == NULL || dX == NULL) return TAC_ERR_ARGUMENT;
    tacBatchCall call = {
        .piece = TAC_BATCH_ROLLOUT_JVP, .X = X0, .U = U, .along = *along, .Y = X, .dY = dX, .steps = steps};
    return run_once(model, options, n, threads, 0, &call);
}

tacStatus tac_batch_rollout_vjp(const tacModel *model, const tacOptions *options, int n, const tacTrajectory *path,
                                int checkpoints, const tacGrad *grad, int threads) {
    if (bad_arguments(model, options, n, threads) || path == NULL || grad == NULL) return TAC_ERR_ARGUMENT;
    if (checkpoints < 0 || path->n < 0) return TAC_ERR_ARGUMENT;
    if (n == 0) return TAC_OK;
    if (path->x0 == NULL) return TAC_ERR_ARGUMENT;
    tacBatchCall call = {.piece = TAC_BATCH_ROLLOUT_VJP, .path = path, .grad = *grad};
    return run_once(model, options, n, threads, checkpoints, &call);
}
