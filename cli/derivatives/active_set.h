/* Clamps that hold at a state: where this set changes, a step has a kink, and differences across it mean nothing. */
#pragma once

#include "tactus/tactus.h"

/* Number of entries of the set for a model. */
int cli_active_count(const tacModel *model);
/* (x, u, next state y) -> set[cli_active_count]: -1 at or below the lower bound, 1 at or above the upper, 0 between.
 * Controls, actuator forces, activations, joint forces, tendon forces, dead bands of tendon springs. work:
 * cli_active_work doubles. */
tacStatus cli_active_set(tacSim *sim, const tacModel *model, const double *x, const double *u, const double *y,
                         double *work, signed char *set);
int cli_active_work(const tacModel *model);
