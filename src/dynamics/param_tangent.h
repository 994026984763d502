/* Derivatives of numbers computed when a model is built, with respect to each registered parameter. They do not depend
 * on the state. A simulation computes them once, and again when its parameters are set. */
#pragma once

#include "dynamics/param_deriv.h"

/* Sets t[nmember], with rows from the arena. false: the arena is too small. Overwrites the workspace. weights 1:
 * includes the derivatives of inverse weights. */
int tac_param_tangents(const tacModel *m, tacWork *w, int weights, tacArena *arena, tacParamTangent *t);
/* Takes from a dry arena the memory of tac_param_tangents. */
void tac_param_tangents_measure(const tacModel *m, int weights, tacArena *dry);
