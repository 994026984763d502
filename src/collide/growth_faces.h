/* Faces of a convex hull about its centroid: what growth distances read of a mesh   (docs/theory/growth.md, E13). */
#pragma once

#include "collide/shape.h"

/* Centre of the volume. */
tacVec3 tac_hull_centroid(const tacHull *h);
/* normal . (x - centre) <= offset, normals of unit length: nface each. */
void tac_growth_faces(const tacHull *h, tacVec3 *normal, double *offset, tacVec3 *centre);
/* Their changes with those of the corners. */
void tac_growth_faces_jvp(const tacHull *h, const tacVec3 *change, tacVec3 *dnormal, double *doffset, tacVec3 *dcentre);
