/* Any two convex shapes but planes. */
#pragma once

#include "collide/touch.h"

/* Their nearest touch alone; 0: it is not nearer than `reach`. margin is 0 where the touch was not found from features:
 * then it is as good as the search's own bounds. */
int tac_convex_nearest(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                       tacPairCache *cache, tacTouch *out);
