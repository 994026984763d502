/* The derivatives of numbers that are computed when a model is built, with respect to each registered parameter. They
 * do not depend on the state: a simulation makes them once, and again when its parameters are set. */
#pragma once

#include "dynamics/param_deriv.h"

/* -> t[nmember], rows taken from the arena; false when it is too small. The workspace is overwritten. weights: 1: with
 * the derivatives of inverse weights. */
int tac_param_tangents(const tacModel *m, tacWork *w, int weights, tacArena *arena, tacParamTangent *t);
/* Takes from a dry arena what tac_param_tangents takes. */
void tac_param_tangents_measure(const tacModel *m, int weights, tacArena *dry);
