/* Convex hulls as polyhedra: triangles that lie in one plane are one polygon. */
#pragma once

#include "tactus/types.h"

/* A closed surface of convex polygons in one block of memory. Corners are in ascending order of their vertex ids, and
 * their index in this order names them. Polygons are in ascending order of their loops, which begin with their lowest
 * corner. So nothing depends on the order of the triangles. */
typedef struct tacPolyhedron {
    int ncorner, npolygon, nedge; /* nedge: directed edges, two for each */
    int *corner;                  /* ncorner: vertex ids */
    int *edge_adr, *edge_num;     /* ncorner: first neighbour and number of neighbours */
    int *edge;                    /* nedge: neighbours, counter-clockwise seen from outside, the lowest first */
    int *edge_face;               /* nedge: the polygon to the left of the edge from the corner to the neighbour */
    int *loop_adr, *loop_num;     /* npolygon: first corner and number of corners */
    int *loop;                    /* nedge: corners, counter-clockwise seen from outside */
} tacPolyhedron;

/* Vertices, and the triangles of their convex hull -> the polyhedron, to be freed. Loops turn as triangles do. Vertices
 * at the same point are one. Those inside a polygon or an edge, to rounding, are no corners. turn is 1 if triangles are
 * counter-clockwise seen from outside, -1 if a mirroring scale will make them so. TAC_ERR_MODEL (and all zero): the
 * triangles do not enclose a convex body. */
tacStatus tac_polyhedron_new(const tacVec3 *vert, int nface, const int *face, double turn, tacPolyhedron *out);
void tac_polyhedron_free(tacPolyhedron *p);
