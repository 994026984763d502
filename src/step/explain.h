/* Explains a step in words (tac_explain_step). */
#pragma once

#include "smooth/context.h"

/* Lays out on a dry arena what it takes, with what the step takes. */
void tac_explain_measure(const tacModel *m, const tacOptions *options, const tacStepper *stepper, tacArena *dry);
