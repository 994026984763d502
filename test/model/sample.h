/* Models for the tests of this folder. */
#pragma once

#include "model/model.h"

/* A cube of half-size 1 with outward triangles; hull: the same triangles. */
enum { CUBE_NVERT = 8, CUBE_NFACE = 12 };
extern const tacVec3 CUBE_VERT[CUBE_NVERT];
extern const int CUBE_FACE[3 * CUBE_NFACE];
extern const int CUBE_HULL[CUBE_NVERT];

/* The cube as a mesh named "cube", by this rule. */
tacMeshDef cube_mesh(tacMeshInertia mode);

/* A builder with one of everything, elements deliberately not added body by body. Bodies: world, torso (free), arm
 * (ball, slide), tip (hinge, explicit inertia), target (mocap), pan (no joint, full inertia). */
tacBuilder *sample_builder(void);
/* The same, assembled; fails the test when it cannot be. */
tacModel *sample_model(void);
/* Assembles and frees the builder; fails the test when it cannot be. */
tacModel *assemble(tacBuilder *b);
/* Assembles, expects failure, frees the builder; the error. */
tacError assemble_error(tacBuilder *b);
