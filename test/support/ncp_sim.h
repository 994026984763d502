/* Simulations with contact ncp, as its tests make them. */
#pragma once

#include "support/check.h"
#include "tactus/tactus.h"

static inline tacOptions options_of(const tacModel *m, double dt) {
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NCP, options.dt = dt;
    return options;
}

static inline tacSim *simulate(const tacModel *m, const tacOptions *options) {
    tacSim *sim;
    tacError err;
    if (tac_sim_new(m, options, &sim, &err) != TAC_OK) fail_msg("%s", err.text);
    return sim;
}
