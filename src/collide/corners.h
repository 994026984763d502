/* Corners, edges and faces of a core near a supporting plane. */
#pragma once

#include "collide/shape.h"

/* Maximum number of corners. Of a flat face with more, a part is used. */
#define TAC_MOST_CORNERS 48

/* Indices of corners, ascending. */
typedef struct tacCorners {
    int n, id[TAC_MOST_CORNERS];
} tacCorners;

/* Number of corners of a polyhedral core, and the position of one in the shape's frame. The centre of a sphere is its
 * corner 0. The ends of a capsule are its corners 0 and 1. */
static inline int tac_core_ncorner(const tacShape *s) {
    if (s->type == TAC_GEOM_SPHERE) return 1;
    return s->type == TAC_GEOM_CAPSULE ? 2 : tac_shape_nvert(s);
}
static inline tacVec3 tac_core_corner(const tacShape *s, int id) {
    if (s->type == TAC_GEOM_SPHERE) return tac_zero3();
    if (s->type == TAC_GEOM_CAPSULE) return tac_vec3(0, 0, id == 1 ? s->size.y : -s->size.y);
    return tac_shape_vertex(s, id);
}

int tac_corners_have(const tacCorners *c, int id);
void tac_corners_add(tacCorners *c, int id);
/* Adds the corners whose height along n (unit, shape's frame) is within `depth` of the support point's. Not for curved
 * cores. */
void tac_corners_near_support(const tacShape *s, tacVec3 n, double depth, tacCorners *c);
/* Whether two corners are the ends of an edge. */
int tac_corners_are_edge(const tacShape *s, int i, int j);
/* The face of a box or mesh that has the n given corners, n >= 2; the lowest such. -1: none. */
int tac_corners_face(const tacShape *s, int n, const int *id);
/* Faces that have at least three consecutive corners of the set, ascending, at most `most` -> their number. */
int tac_corners_faces(const tacShape *s, const tacCorners *c, int most, int *face);
