/* The DERIVED rows that need the dynamics at qpos_0: inverse weights, dampings, spring lengths, relative poses. */
#pragma once

#include "dynamics/work.h"

/* Smallest number divided by, and smallest squared moment counted: MuJoCo's. */
#define TAC_MIN_DIVISOR 1e-15

/* Computes the rest of the DERIVED rows from NUMBER rows and tac_model_derive's rows. It is a pure function of them, so
 * deriving twice gives the same bits. w is scratch laid out for this model. TAC_ERR_SINGULAR: the joint-space inertia
 * is singular at qpos_0; names the joint. TAC_ERR_MODEL: a servo with negative gain has a damping ratio; names the
 * servo. */
tacStatus tac_model_reference(tacModel *m, tacWork *w, tacError *err);
