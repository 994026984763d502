/* Many independent worlds of one model, with threads and memory that stay from call to call.
 *
 *   tacBatchOptions bo = tac_default_batch_options();
 *   bo.worlds = 256, bo.threads = 4;
 *   tac_batch_new(model, &options, &bo, &batch, &err);
 *   tac_batch_run_step(batch, X, U, Y, status);
 *
 * Nothing is allocated and no thread is started after tac_batch_new. Each world's results are a function of its own
 * inputs and theta: the same bits for any number of threads, and those of a simulation of its own. */
#pragma once

#include "tactus/options.h"
#include "tactus/status.h"
#include "tactus/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacBatch tacBatch;

/* Controls of a rollout: (state of the world at this step) -> u. u holds the step's row of U, and what is written there
 * stays in U. Called on the threads of the batch: for several worlds at once, for one world in the order of its
 * steps. It may not call the batch. */
typedef void (*tacPolicy)(void *context, int world, int step, const double *x, double *u);

typedef struct tacBatchOptions {
    uint32_t cookie;          /* set by tac_default_batch_options */
    int worlds;               /* default 1 */
    int threads;              /* the calling thread among them; default 1 */
    int chunk;                /* worlds that a free thread takes at a time; default 0: an eighth of its even share */
    int own_params;           /* 1: each world has its own theta; default 0: one for all */
    int steps;                /* of the longest rollout in reverse mode; default 0: none */
    int checkpoints;          /* states kept there, of each thread; default 0: every state is recomputed */
    const volatile int *stop; /* not 0 there: no further step of a rollout and no further world begins; default NULL */
} tacBatchOptions;

/* The defaults of each field, and the cookie. */
TAC_API tacBatchOptions tac_default_batch_options(void);

/* Keeps the model, which must outlive the batch, and copies both options. options->batch_info, if given, has one info
 * for each world, which every call writes. The child of a fork starts threads of its own in its first call; a fork
 * during a call, from another thread, leaves it a batch that it can only free. */
TAC_API tacStatus tac_batch_new(const tacModel *model, const tacOptions *options, const tacBatchOptions *batch_options,
                                tacBatch **batch, tacError *err);
/* NULL is fine. */
TAC_API void tac_batch_free(tacBatch *batch);
/* Threads that the system gave, at most as many as were asked for. */
TAC_API int tac_batch_threads(const tacBatch *batch);

/* Theta: worlds by nparam with own_params, otherwise nparam. Before the first call: the model's. A theta that
 * tac_sim_set_params refuses is the status of its world in the calls that follow; without own_params it is refused
 * here, and nothing changes. */
TAC_API tacStatus tac_batch_set_params(tacBatch *batch, const double *Theta);
/* mask[worlds], copied: worlds with 0 do nothing, keep their results and infos, and have status TAC_OK. NULL: all
 * worlds are active. */
TAC_API tacStatus tac_batch_active(tacBatch *batch, const unsigned char *mask);
/* Drives rollouts from now on; NULL: U does. */
TAC_API tacStatus tac_batch_set_policy(tacBatch *batch, tacPolicy policy, void *context);

/* In each call all arrays have one block per world, in order. status[worlds], if given, is that of each world. The
 * result is the status of the first world that failed, or TAC_ERR_STOPPED where the flag stopped any. A world that
 * fails or is stopped leaves its results as tac_step, tac_rollout or the derivative would, and changes no other. One
 * thread at a time may call a batch; a thread that is cancelled completes its call first. */

/* Y[i] = f(X[i], U[i]) */
TAC_API tacStatus tac_batch_run_step(tacBatch *batch, const double *X, const double *U, double *Y, tacStatus *status);
/* tac_step_jac; Y may be NULL. */
TAC_API tacStatus tac_batch_run_jac(tacBatch *batch, const double *X, const double *U, double *Y, const tacJac *jac,
                                    tacStatus *status);
/* tac_step_vjp; grad.theta is worlds by nparam. */
TAC_API tacStatus tac_batch_run_vjp(tacBatch *batch, const double *X, const double *U, const double *Ybar,
                                    const tacGrad *grad, tacStatus *status);
/* tac_step_jvp: dY is worlds by ndx; arrays of `along` have one row per world. */
TAC_API tacStatus tac_batch_run_jvp(tacBatch *batch, const double *X, const double *U, const tacTangent *along,
                                    double *dY, tacStatus *status);
/* tac_rollout: X is worlds by (steps+1) by nx with X[i][0] given, U is worlds by steps by ninput. A policy writes U. */
TAC_API tacStatus tac_batch_run_rollout(tacBatch *batch, int steps, double *X, double *U, tacStatus *status);
/* tac_rollout_jvp from X0 (worlds by nx), with the controls of U as given: along->u is worlds by steps by ninput, X
 * worlds by (steps+1) by nx, dX worlds by (steps+1) by ndx. */
TAC_API tacStatus tac_batch_run_rollout_jvp(tacBatch *batch, int steps, const double *X0, const double *U,
                                            const tacTangent *along, double *X, double *dX, tacStatus *status);
/* tac_rollout_vjp, with the controls of path->U as given. path->n is at most the `steps` of the options. */
TAC_API tacStatus tac_batch_run_rollout_vjp(tacBatch *batch, const tacTrajectory *path, const tacGrad *grad,
                                            tacStatus *status);
/* tac_outputs: Z is worlds by tac_outputs_size. */
TAC_API tacStatus tac_batch_run_outputs(tacBatch *batch, const double *X, const double *U, const tacOutputs *outputs,
                                        double *Z, tacStatus *status);

#ifdef __cplusplus
}
#endif
