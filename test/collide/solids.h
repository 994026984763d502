/* Convex meshes made by rule. */
#pragma once

#include "collide/shape.h"
#include "model/polyhedron.h"
#include "support/draw.h"

enum { SOLID_MAX_SIDES = 64 };

/* A mesh with its own memory: vertices, triangles of the hull, and what tac_polyhedron_new makes of them. */
typedef struct Solid {
    int nvert, nface;
    tacVec3 vert[2 * SOLID_MAX_SIDES];
    int face[3 * 4 * SOLID_MAX_SIDES];
    tacVec3 corner[2 * SOLID_MAX_SIDES];
    tacPolyhedron hull;
    tacShape shape; /* points into the above */
} Solid;

/* A prism along z on a regular polygon: radius at the bottom and at the top, half-height. To be freed. */
void make_prism(Solid *s, int sides, double bottom, double top, double height);
/* The same moved by x -> scale o x + shift (scale > 0); corners follow. */
void place_solid(Solid *s, tacVec3 scale, tacVec3 shift);
void free_solid(Solid *s);
