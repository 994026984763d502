/* The derivatives of numbers that are computed when a model is built, with respect to each registered parameter. They
 * do not depend on the state: a simulation makes them once, and again when its parameters are set. */
#pragma once

#include "dynamics/param_deriv.h"

/* Bytes that tac_param_tangents takes from an arena. weights: 1: with those of inverse weights. */
size_t tac_param_tangents_bytes(const tacModel *m, int weights);
/* -> t[nmember], rows taken from the arena; false when it is too small. The workspace is overwritten. */
int tac_param_tangents(const tacModel *m, tacWork *w, int weights, tacArena *arena, tacParamTangent *t);
