/* Input and output of one call of a batch. */
#pragma once

#include "tactus/tactus.h"

typedef enum {
    TAC_BATCH_STEP,
    TAC_BATCH_JAC,
    TAC_BATCH_VJP,
    TAC_BATCH_JVP,
    TAC_BATCH_ROLLOUT,
    TAC_BATCH_ROLLOUT_JVP,
    TAC_BATCH_ROLLOUT_VJP,
    TAC_BATCH_OUTPUTS
} tacBatchPiece;

/* Arguments of the public functions; each uses its own. */
typedef struct tacBatchCall {
    tacBatchPiece piece;
    const double *X, *U, *Ybar;
    double *Y, *controls; /* controls: of rollouts, which a policy writes */
    double *dY;           /* of rollouts along a direction */
    int steps;
    const tacTrajectory *path;
    const tacOutputs *outputs;
    tacJac jac;
    tacGrad grad;
    tacTangent along;
} tacBatchCall;

/* The call for all worlds; its arguments are checked. */
tacStatus tac_batch_run(tacBatch *batch, const tacBatchCall *call, tacStatus *status);
