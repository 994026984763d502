/* Scratch of the public derivatives of inverse and forward dynamics. */
#pragma once

#include "step/call.h"

/* Lays it out on a dry arena. */
void tac_dynamics_jac_measure(const tacModel *m, tacArena *dry);
