/* Outputs and their derivatives (dynamics/output.h has the kinds). */
#pragma once

#include "step/sim.h"

/* Lays out on a dry arena what they take, with what the step takes: outputs of forces solve it on the way. */
void tac_outputs_measure(const tacModel *m, const tacOptions *options, const tacStepper *stepper, tacArena *dry);
