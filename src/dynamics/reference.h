/* The DERIVED rows that need the dynamics at qpos_0: inverse weights, dampings, spring lengths, relative poses. */
#pragma once

#include "dynamics/work.h"

/* Smallest number divided by, and smallest squared moment counted: MuJoCo's. */
#define TAC_MIN_DIVISOR 1e-15

/* NUMBER rows and tac_model_derive's rows -> the rest of the DERIVED rows; a pure function of them, so deriving twice
 * gives the same bits. w is scratch laid out for this model. A joint-space inertia that is singular at qpos_0 is
 * TAC_ERR_SINGULAR and names the joint; a damping ratio of a servo with negative gain is TAC_ERR_MODEL and names it. */
tacStatus tac_model_reference(tacModel *m, tacWork *w, tacError *err);
