/* Mass, centre of mass and inertia of geoms, meshes and bodies. */
#pragma once

#include "math/eig3.h"
#include "model/layout.h"

/* Mass properties of one body or geom, in the body's frame. icom = R diag R^T with R of quat, about com. */
typedef struct tacMassProperties {
    double mass;
    tacVec3 com;
    tacQuat quat;
    tacVec3 diag;
    tacSym3 icom;
} tacMassProperties;

/* Volume of a geom, or its area if its mass is on the surface. Those of meshes are computed before. */
double tac_geom_volume(const tacModel *m, int geom);
/* Mass properties of a geom in the frame of its body, whether or not it counts. */
tacMassProperties tac_geom_inertia(const tacModel *m, int geom);
/* 1: a geom counts towards its body's mass. It is asked to, not only visual, and heavier than a rounding error. */
int tac_geom_carries_mass(const tacModel *m, int geom);
/* Mass properties of a body as written or from its geoms, bounded and balanced by the options, before scaling to a
 * total mass. */
tacStatus tac_body_inertia(const tacModel *m, int body, tacMassProperties *out, tacError *err);

/* mesh rows file_vert, scale, refpos, refquat -> vert, volume, com, icom. */
tacStatus tac_mesh_derive(tacModel *m, int mesh, tacError *err);

/* R diag(d) R^T with R of q. */
static inline tacSym3 tac_diag_to_sym(tacQuat q, tacVec3 d) {
    return tac_rotatesym3(tac_quat_mat(q), (tacSym3){d.x, d.y, d.z, 0, 0, 0});
}

/* --- Derivatives along one number --------------------------------------------------------------------------------- */

/* The NUMBER that moves: a field of the table and an index into its row. */
typedef struct tacNumber {
    int field, index;
} tacNumber;

/* d(element i of a row)/d(number): 1 for itself, else 0. */
#define TAC_CHANGE(n, row, i) tac_number_change(n, offsetof(tacModel, row), i)
/* The same for the three numbers of a vector, and the rotation vector (own axes) for a quaternion that is normalized
 * when set. */
#define TAC_CHANGE3(n, row, i)           tac_number_change3(n, offsetof(tacModel, row), i)
#define TAC_CHANGE_TURN(n, row, i, quat) tac_number_turn(n, offsetof(tacModel, row), i, quat)

static inline double tac_number_change(tacNumber n, size_t offset, int i) {
    return TAC_FIELDS[n.field].offset == offset && n.index == i ? 1 : 0;
}
static inline tacVec3 tac_number_change3(tacNumber n, size_t offset, int i) {
    return tac_vec3(tac_number_change(n, offset, 3 * i), tac_number_change(n, offset, 3 * i + 1),
                    tac_number_change(n, offset, 3 * i + 2));
}
static inline tacVec3 tac_number_turn(tacNumber n, size_t offset, int i, tacQuat quat) {
    if (TAC_FIELDS[n.field].offset != offset || n.index / 4 != i) return tac_zero3();
    return tac_quat_component_turn(quat, n.index % 4);
}

/* The mesh whose vertices a number moves, or -1. */
int tac_mesh_of_number(const tacModel *m, tacNumber n);
/* Derivative for a geom in its body's frame. The caller leaves out geoms that carry no mass. */
tacInertialTangent tac_geom_inertia_jvp(const tacModel *m, int geom, tacNumber n);
/* Derivative of volume (in .mass), centre and inertia of a mesh. Needs its derived rows. */
tacInertialTangent tac_mesh_inertia_jvp(const tacModel *m, int mesh, tacNumber n);
/* Derivative for a body, bounded and balanced, before scaling to a total mass. */
tacInertialTangent tac_body_inertia_jvp(const tacModel *m, int body, tacNumber n);
