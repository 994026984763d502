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
/* mesh_vert -> hull_pos. */
void tac_hull_derive(tacModel *m, int mesh);
