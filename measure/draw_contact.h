/* Random states in contact: where a motion under random controls leads. */
#pragma once

#include "tactus/tactus.h"

/* From the model's first keyframe (or its default state), with speeds of order one, a motion of the simulation's own
 * step under controls that change now and then, until something touches and the step from there is solved; a function
 * of (seed, sample) alone. At best effort: where nothing touches within a while, or the step fails, the last good state
 * is returned. x: nx, u: ninput. 0: there was no memory to step in, and x is where the motion would start. */
int measure_draw_contact_state(tacSim *sim, const tacModel *model, const tacOptions *options, uint64_t seed,
                               uint64_t sample, double *x, double *u);
