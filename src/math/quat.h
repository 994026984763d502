/* Unit quaternions, scalar first: q = (w, v) rotates x to q x q*. */
#pragma once

#include "math/vec3.h"

/* A quaternion (or direction) shorter than this has no direction to tell. */
#define TAC_QUAT_MIN_NORM 1e-15
/* A quaternion whose norm is this close to one is left as it is: normalizing twice gives the same bits as once. */
#define TAC_QUAT_UNIT_TOL 1e-15
/* rad. Below it exp, log and the right Jacobian are series, whose first omitted term is below 1e-16 of the result. */
#define TAC_QUAT_SMALL_ANGLE 1e-2

static inline tacQuat tac_quat_identity(void) { return (tacQuat){1, 0, 0, 0}; }
static inline tacQuat tac_quat_conj(tacQuat q) { return (tacQuat){q.w, -q.x, -q.y, -q.z}; }
static inline tacQuat tac_quat_mul(tacQuat a, tacQuat b) {
    return (tacQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline double tac_quat_norm(tacQuat q) { return tac_sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z); }
static inline tacQuat tac_quat_load(const double *p) { return (tacQuat){p[0], p[1], p[2], p[3]}; }
static inline void tac_quat_store(double *p, tacQuat q) {
    p[0] = q.w;
    p[1] = q.x;
    p[2] = q.y;
    p[3] = q.z;
}

/* Rotation matrix of a unit quaternion. */
static inline tacMat3 tac_quat_mat(tacQuat q) {
    double ww = q.w * q.w, xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    return (tacMat3){{ww + xx - yy - zz, 2 * (xy - wz), 2 * (xz + wy), 2 * (xy + wz), ww - xx + yy - zz, 2 * (yz - wx),
                      2 * (xz - wy), 2 * (yz + wx), ww - xx - yy + zz}};
}
/* q x q* = x + 2 w (v x x) + 2 v x (v x x) */
static inline tacVec3 tac_quat_rotate(tacQuat q, tacVec3 x) {
    tacVec3 v = {q.x, q.y, q.z};
    tacVec3 t = tac_scale3(2, tac_cross3(v, x));
    return tac_add3(tac_madd3(x, q.w, t), tac_cross3(v, t));
}

/* q / |q| for q of unit length but for rounding: one Newton step of 1/sqrt, |q|^2 = 1 + e -> 1 - e/2, exact to e^2. */
static inline tacQuat tac_quat_renormalize(tacQuat q) {
    double s = 1.5 - 0.5 * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (tacQuat){s * q.w, s * q.x, s * q.y, s * q.z};
}
/* q / |q|; the identity where |q| is below TAC_QUAT_MIN_NORM or not finite. */
tacQuat tac_quat_normalize(tacQuat q);
/* Rotation by `angle` about the unit vector `axis`. */
tacQuat tac_quat_axis_angle(tacVec3 axis, double angle);
/* exp: rotation vector -> quaternion exp(r/2); series below TAC_QUAT_SMALL_ANGLE. */
tacQuat tac_quat_exp(tacVec3 rotation);
/* log: quaternion -> rotation vector of length at most pi; the inverse of exp. */
tacVec3 tac_quat_log(tacQuat q);
/* Rotation matrix -> quaternion with w >= 0 where it can be told. */
tacQuat tac_quat_from_mat(tacMat3 R);
/* Shortest rotation taking +z to the direction of `z`. */
tacQuat tac_quat_from_z(tacVec3 z);
/* Right Jacobian of exp: exp(r + dr) = exp(r) exp(Jr(r) dr). */
tacMat3 tac_quat_right_jacobian(tacVec3 rotation);
/* Its inverse: log(exp(r) exp(x)) = r + Jr^-1(r) x + O(x^2); for |r| below 2 pi. */
tacMat3 tac_quat_right_jacobian_inverse(tacVec3 rotation);
/* Rotation vector, in its own frame, that goes with component k (w, x, y, z) of a unit quaternion that is normalized
 * where it is read. */
tacVec3 tac_quat_component_turn(tacQuat q, int k);
