/* Two convex shapes of any type but plane. */
#pragma once

#include "collide/touch.h"

/* Their nearest touch. Returns 0 where it is not nearer than `reach`. The margin is 0 where no pair of features fits;
 * the touch then is as accurate as the bounds of the search. */
int tac_convex_nearest(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                       tacPairCache *cache, tacTouch *out);
