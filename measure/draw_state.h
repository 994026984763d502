/* Random states and inputs of a model, the same on every machine: a function of (seed, sample) alone. */
#pragma once

#include "tactus/tactus.h"

/* Joint positions inside their limits (all orientations and a metre around the origin where there are none), velocities
 * of order one, activations and controls inside their ranges, one control in ten a little outside; forces of order one,
 * mocap poses near the model's. x: nx, u: ninput of the options. */
void measure_draw_state(const tacModel *model, const tacOptions *options, uint64_t seed, uint64_t sample, double *x,
                        double *u);
