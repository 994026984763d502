/* Outputs and their derivatives (dynamics/output.h has the kinds). */
#pragma once

#include "step/sim.h"

/* What they take from the arena at once, at most; bytes. */
size_t tac_outputs_scratch(const tacModel *model, const tacOptions *options);
