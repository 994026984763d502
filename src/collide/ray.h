/* The first point of a shape on a ray. */
#pragma once

#include "collide/shape.h"

/* A point of the surface on a ray from `from` along the unit vector `along`, both in the shape's frame. */
typedef struct tacRayHit {
    double dist;
    tacVec3 normal; /* unit, outwards */
} tacRayHit;

/* The first point of the surface at a distance of 0 or more: where the ray enters the shape, or leaves it if it begins
 * inside. A mesh is its hull. Returns 0 when there is none. */
int tac_ray_shape(const tacShape *s, tacVec3 from, tacVec3 along, tacRayHit *hit);
