/* Geoms with pads and sums as meshes, for drawing: the shape's points that are furthest along directions of a grid. */
#pragma once

#include "tactus/tactus.h"

enum { TAC_GROWN_AROUND = 48, TAC_GROWN_RINGS = 25 };
enum { TAC_GROWN_VERTS = TAC_GROWN_AROUND * TAC_GROWN_RINGS };
enum { TAC_GROWN_FACES = 2 * TAC_GROWN_AROUND * (TAC_GROWN_RINGS - 1) + 2 * (TAC_GROWN_AROUND - 2) };

/* 1: the geom is drawn so. */
int tac_is_grown(const tacModel *m, int geom);
/* Vertices in the geom's frame, triangles counter-clockwise from outside. */
void tac_grown_mesh(const tacModel *m, int geom, tacVec3 *vert, int *face);
