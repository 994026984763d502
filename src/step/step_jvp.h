/* One step along a direction, for tac_step_jvp and rollouts. */
#pragma once

#include "step/sim.h"

#include "smooth/linearize.h"

/* [x | u | theta] of a direction, c.nx + c.nu + c.np numbers. */
void tac_fill_direction(tacColumns c, const tacTangent *along, double *out);
/* Its arrays that are not NULL are finite; along itself may be NULL, which is an error. */
tacStatus tac_check_direction(tacSim *sim, const char *call, const tacTangent *along);
/* Lays out on a dry arena what it takes. */
void tac_step_jvp_measure(const tacModel *m, const tacOptions *options, const tacStepper *stepper, tacArena *dry);
