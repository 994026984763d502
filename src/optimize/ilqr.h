/* Iterative linear-quadratic regulator with gaps, boxes, multipliers and
 * unknown parameters. */
#pragma once

#include "tactus/optimize.h"

/* Its row of the table of solvers. */
extern const tacPlanMethod TAC_METHOD_ILQR;
