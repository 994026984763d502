/* Hulls of meshes as polyhedra, in the model's rows. */
#pragma once

#include "model/layout.h"
#include "model/polyhedron.h"

/* The triangles of a mesh's hull as the model has them -> its polyhedron. */
tacStatus tac_hull_polyhedron(const tacModel *m, int mesh, tacPolyhedron *out);
/* Polyhedron -> the rows of a mesh, which begin where those of the mesh before it end. */
void tac_hull_fill(tacModel *m, int mesh, const tacPolyhedron *p);
/* The rows of all hulls are what tac_hull_polyhedron gives. */
tacStatus tac_hull_check(const tacModel *m, tacError *err);
/* mesh_vert -> hull_pos. */
void tac_hull_derive(tacModel *m, int mesh);
