/* Vertices and polygons as a mesh file lists them -> triangles. */
#pragma once

#include "io/mesh.h"

typedef struct tacPolygons {
    const char *file; /* name used in messages */
    int line;         /* that is being read, for messages; 0: a binary file */
    float *vert;      /* 3 nvert */
    int nvert, vert_capacity;
    int *corner; /* vertex ids of all polygons */
    int ncorner, corner_capacity;
    int *polygon; /* corners of each */
    int npolygon, polygon_capacity;
} tacPolygons;

/* A vertex; a coordinate beyond 2^30 is an error. */
tacStatus tac_polygons_add_vertex(tacPolygons *p, const double xyz[3], tacError *err);
/* A corner of the polygon that is open; the vertex may come later. */
tacStatus tac_polygons_add_corner(tacPolygons *p, int vertex, tacError *err);
/* Closes the polygon of the corners from `first` on (an ncorner); one of less than three bounds no volume and is
 * dropped. */
tacStatus tac_polygons_close(tacPolygons *p, int first, tacError *err);
/* Triangles by cutting ears; every corner must name a vertex. */
tacStatus tac_polygons_make(tacPolygons *p, tacMeshData *mesh, tacError *err);
void tac_polygons_free(tacPolygons *p);
