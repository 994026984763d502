/* First impact of a model's motion, for steps that stop at it. */
#pragma once

#include "step/sim.h"

/* Relative to h: impacts nearer to each other in time happen at once. */
#define TAC_IMPACT_SAME 1e-9
/* Relative to sizes and distances: how much nearer than they began two resting geoms may come before that counts as an
 * impact of theirs. */
#define TAC_IMPACT_REST 1e-9

/* Bytes that tac_first_impact takes from the arena. */
size_t tac_first_impact_scratch(const tacModel *m);
