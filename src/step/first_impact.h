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

/* The same for steps: the next impact of q (+) t v over [0, h], without derivatives; mocap may be NULL. Pairs that
 * begin at out->gap or nearer are resting: they meet when their distance falls to the next of the levels gap/2, gap/4,
 * ... well below it, and those that begin below all of them are left alone. */
#define TAC_IMPACT_LEVELS 14
tacStatus tac_next_impact(tacSim *sim, const double *q, const double *v, const double *mocap, double h, double near,
                          tacImpact *out);
