/* The part of a gradient check that is about parameters: a parameter is set once and serves many samples. */
#pragma once

#include "cli/derivatives/gradient_check.h"

/* Errors of one sample. */
typedef struct tacSampleErrors {
    tacStatus status;
    int same_map;  /* the step with derivatives gave the same bits as the step without */
    int switching; /* an entry disagrees where the active set changes inside a stencil of 1e-6 */
    int flagged;   /* the step's margins say that such a stencil may reach another active set */
    int ties;      /* of the step's info */
    /* columns that disagree; of these, those that are the derivative of one side; those that are of none, though the
     * active set does not change */
    int kinked, one_sided, odd;
    double blur;         /* of columns that agree as far as differences tell: what those are known to; else 0 */
    double conditioning; /* of the step's info */
    double block[CLI_ROW_BLOCKS][CLI_COLUMN_BLOCKS], reverse;
    tacWorstEntry worst;
} tacSampleErrors;

/* A group of samples: where they are, and what came out. */
typedef struct tacParamSamples {
    int capacity, count;
    double *x, *u, *y0; /* nx, ninput, nx each */
    double *P;          /* ndx x np each */
    size_t p_stride;    /* ndx np */
    double *param;      /* np each: errors */
    tacSampleErrors *errors;
} tacParamSamples;
/* p_stride is set by the caller. 1, or 0 when memory is short. */
int cli_param_samples_new(const tacModel *model, const tacOptions *options, int capacity, tacParamSamples *group);
void cli_param_samples_free(tacParamSamples *group);

/* Moves parameters that can go only one way (an armature of 0) far enough inside to be differenced; those that cannot
 * move are left out, by name on standard error. */
int cli_move_params_inside(const char *verb, tacGradientCheck *check);
/* P of a group of samples, which begins with sample `first`, against differences. 1, or 0 when memory is short. */
int cli_check_params(tacGradientCheck *check, tacSim *sim, long first, tacParamSamples *group);
