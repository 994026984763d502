#include "io/orientation.h"

#include <stddef.h>

/* Lengths below this have no direction (MuJoCo's mjEPS). */
static const double MIN_LENGTH = 1e-14;
static const double PI = 3.14159265358979323846;

double tac_orient_radians(const tacAngles *angles, double angle) { return angles->degree ? angle / 180 * PI : angle; }

/* v / |v|; 0 when too short. */
static int normalize(tacVec3 *v) {
    double length = tac_norm3(*v);
    if (length < MIN_LENGTH) return 0;
    *v = tac_scale3(1 / length, *v);
    return 1;
}

static const char *from_axisangle(const double *value, const tacAngles *angles, tacQuat *quat) {
    tacVec3 axis = tac_load3(value);
    if (!normalize(&axis)) return "axisangle: the axis is zero, expected a direction";
    *quat = tac_quat_axis_angle(axis, tac_orient_radians(angles, value[3]));
    return NULL;
}

/* Columns x, y made orthogonal to x, and z = x cross y. */
static const char *from_xyaxes(const double *value, tacQuat *quat) {
    tacVec3 x = tac_load3(value), y = tac_load3(value + 3);
    if (!normalize(&x)) return "xyaxes: the x axis is zero, expected a direction";
    y = tac_madd3(y, -tac_dot3(x, y), x);
    if (!normalize(&y)) return "xyaxes: the y axis is zero or parallel to the x axis, expected two directions";
    tacVec3 z = tac_cross3(x, y);
    *quat = tac_quat_from_mat((tacMat3){{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}});
    return NULL;
}

static const char *from_zaxis(const double *value, tacQuat *quat) {
    tacVec3 z = tac_load3(value);
    if (!normalize(&z)) return "zaxis: the axis is zero, expected a direction";
    *quat = tac_quat_from_z(z);
    return NULL;
}

/* Product of three rotations; a letter in lower case turns about the axis as rotated so far, in upper case about the
 * fixed one. */
static const char *from_euler(const double *value, const tacAngles *angles, tacQuat *quat) {
    *quat = tac_quat_identity();
    for (int i = 0; i < 3; i++) {
        char letter = angles->eulerseq[i], lower = (char)(letter | 0x20);
        if (lower < 'x' || lower > 'z') return "eulerseq: expected three letters out of x, y, z, X, Y, Z";
        tacVec3 axis = {lower == 'x', lower == 'y', lower == 'z'};
        tacQuat turn = tac_quat_axis_angle(axis, tac_orient_radians(angles, value[i]));
        *quat = letter == lower ? tac_quat_mul(*quat, turn) : tac_quat_mul(turn, *quat);
    }
    *quat = tac_quat_normalize(*quat);
    return NULL;
}

const char *tac_orient_resolve(const tacOrient *orient, const tacAngles *angles, tacQuat *quat) {
    switch (orient->kind) {
    case TAC_ORIENT_AXISANGLE:
        return from_axisangle(orient->value, angles, quat);
    case TAC_ORIENT_XYAXES:
        return from_xyaxes(orient->value, quat);
    case TAC_ORIENT_ZAXIS:
        return from_zaxis(orient->value, quat);
    case TAC_ORIENT_EULER:
        return from_euler(orient->value, angles, quat);
    case TAC_ORIENT_QUAT:
        break;
    }
    if (tac_quat_norm(orient->quat) < MIN_LENGTH) return "quat: the quaternion is zero, expected a rotation";
    *quat = tac_quat_normalize(orient->quat);
    return NULL;
}

tacPose tac_pose_compose(tacPose parent, tacPose child) {
    return (tacPose){tac_add3(parent.pos, tac_quat_rotate(parent.quat, child.pos)),
                     tac_quat_mul(parent.quat, child.quat)};
}

tacPose tac_pose_inverse(tacPose pose) {
    tacQuat quat = tac_quat_conj(pose.quat);
    return (tacPose){tac_neg3(tac_quat_rotate(quat, pose.pos)), quat};
}
