/* Mass, centre of mass and inertia of geoms, meshes and bodies. */
#pragma once

#include "math/eig3.h"
#include "model/layout.h"

/* Of one body or geom. Frames: the body's. icom = R diag R^T with R of quat, about com. */
typedef struct tacMassProperties {
    double mass;
    tacVec3 com;
    tacQuat quat;
    tacVec3 diag;
    tacSym3 icom;
} tacMassProperties;

/* Volume of a geom, or its area where its mass sits on the surface. Meshes: tac_mesh_inertia goes before. */
double tac_geom_volume(const tacModel *m, int geom);
/* Mass properties of a geom in the frame of its body, whether or not it counts. */
tacMassProperties tac_geom_inertia(const tacModel *m, int geom);
/* Whether a geom counts towards its body's mass: asked to, not only for looks, and heavier than a rounding error. */
int tac_geom_carries_mass(const tacModel *m, int geom);
/* Mass properties of a body as written or from its geoms, bounded and balanced as the options say, before the
 * scaling to a total mass. */
tacStatus tac_body_inertia(const tacModel *m, int body, tacMassProperties *out, tacError *err);

/* mesh rows file_vert, scale, refpos, refquat -> vert, volume, com, icom. */
tacStatus tac_mesh_derive(tacModel *m, int mesh, tacError *err);

/* R diag(d) R^T with R of q. */
static inline tacSym3 tac_diag_to_sym(tacQuat q, tacVec3 d) {
    return tac_rotatesym3(tac_quat_mat(q), (tacSym3){d.x, d.y, d.z, 0, 0, 0});
}
