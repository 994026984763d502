/* A simulation that only measures: contact none, at the model's first pose. */
#pragma once

#include "support/check.h"
#include "tactus/tactus.h"

#include <stdlib.h>
#include <string.h>

/* Room for n numbers, all zero. */
static inline double *zeros(int n) { return calloc((size_t)n + 1, sizeof(double)); }

/* Opens a simulation with these input blocks. *q: a copy of qpos_0, to be freed. */
static inline tacSim *open_sim(const tacModel *m, unsigned inputs, tacOptions *options, double **q) {
    tacSim *sim;
    tacError err;
    *options = tac_default_options(m);
    options->contact = TAC_CONTACT_MODEL_NONE;
    options->inputs = inputs;
    if (tac_sim_new(m, options, &sim, &err) != TAC_OK) fail_msg("%s", err.text);
    *q = zeros(m->nq);
    memcpy(*q, m->qpos_0, (size_t)m->nq * sizeof **q);
    return sim;
}
