/* Meshes made by rule: MJCF's <mesh builtin="..." params="..."/>. */
#pragma once

#include "io/mesh.h"

/* Kind and parameters, as MuJoCo 3.x documents them -> mesh in unit size. A kind without faces of its own takes those
 * of its hull. *shell: 1 for a plate, which has no volume and whose mass lies on its surface. Errors name the kind, the
 * parameter and what was expected. */
tacStatus tac_mesh_make(const char *kind, int nparam, const double *param, tacMeshData *mesh, int *shell,
                        tacError *err);
