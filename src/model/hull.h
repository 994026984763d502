/* Hulls of meshes as polyhedra, in the model's rows. */
#pragma once

#include "model/layout.h"
#include "model/polyhedron.h"

/* The triangles of a mesh's hull in the model -> its polyhedron. */
tacStatus tac_hull_polyhedron(const tacModel *m, int mesh, tacPolyhedron *out);
/* Polyhedron -> the rows of a mesh. They begin at the end of the previous mesh's rows. */
void tac_hull_fill(tacModel *m, int mesh, const tacPolyhedron *p);
/* Checks that the rows of all hulls are those of tac_hull_polyhedron. */
tacStatus tac_hull_check(const tacModel *m, tacError *err);
/* Vertices nearer than this to the plane of a face, in units of the largest coordinate, are in it. */
#define TAC_HULL_CLEAR 1e-12
/* NULL, or why the hull of a mesh gets other faces where this row of mesh_file_vert moves by itself. */
const char *tac_hull_fixes_vertex(const tacModel *m, int mesh, int vertex);
/* mesh_vert -> hull_pos. */
void tac_hull_derive(tacModel *m, int mesh);
