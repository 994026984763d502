/* Mesh files -> triangles, and the convex hull. */
#pragma once

#include "io/files.h"

/* Vertices are single precision numbers, as mesh files and MuJoCo have them, kept as doubles. */
typedef struct tacMeshData {
    tacVec3 *vert; /* nvert */
    int nvert;
    int *face; /* 3 nface: triangles */
    int nface;
    int *hullvert; /* nhullvert: ids of vert */
    int nhullvert;
    int *hullface; /* 3 nhullface: ids of vert, counter-clockwise from outside */
    int nhullface;
    int dropped; /* faces left out: those after the first group of an OBJ file, as MuJoCo does */
} tacMeshData;

/* Reads STL (binary by file size, or ASCII), OBJ, MSH, PLY, OFF by extension; DAE and glTF by the program tactus-mesh,
 * where it is found. STL, DAE and glTF corners with the same bits are one vertex; the others keep their vertices. A
 * file without faces takes its hull's; otherwise no hull yet. Errors name file and what was wrong. */
tacStatus tac_mesh_read(const tacFiles *files, const char *path, tacMeshData *mesh, tacError *err);
/* From arrays (MJCF inline vertices): face may be NULL, then the hull's faces are the faces. */
tacStatus tac_mesh_from_arrays(int nvert, const tacVec3 *vert, int nface, const int *face, tacMeshData *mesh,
                               tacError *err);
/* Convex hull by qhull into hullvert, hullface; fewer than four points or no volume is an error. */
tacStatus tac_mesh_hull(tacMeshData *mesh, tacError *err);
void tac_mesh_free(tacMeshData *mesh);
