/* Contact points beside the nearest one. */
#pragma once

#include "collide/touch.h"

/* The nearest touch of a pair (its normal and features, from any search) -> all touches of the two surfaces along that
 * normal nearer than `reach`, at most TAC_MAX_TOUCH, the nearest touch first. Returns their number, at least 1. out may
 * not hold `nearest`. Shapes: box, mesh, cylinder, cone, capsule; for others the nearest touch is all there is. */
int tac_manifold(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                 const tacTouch *nearest, tacTouch *out);
