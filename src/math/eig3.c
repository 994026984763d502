#include "math/eig3.h"

/* Rows of the 2 x 2 problem whose rotation is about axis k: (1, 2), (0, 2), (0, 1). */
static const int FIRST[3] = {1, 0, 0}, SECOND[3] = {2, 2, 1};

/* Quaternion of a rotation about axis k with the given sine of the half angle. */
static tacQuat half_sine_about(int k, double sine) {
    double cosine = tac_sqrt(1 - sine * sine);
    return tac_quat_normalize((tacQuat){cosine, k == 0 ? sine : 0, k == 1 ? sine : 0, k == 2 ? sine : 0});
}

/* One Jacobi rotation about axis k that zeroes the entry `off` between the diagonal entries a and b   [math.md, J2]:
 *   t = sign(tau) / (|tau| + sqrt(1 + tau^2)), tau = (b - a) / (2 off);   cos = 1 / sqrt(1 + t^2)
 * The half angle is computed without cancellation: sin(phi/2) = sin(phi) / (2 cos(phi/2)). tangent is |t|. */
static tacQuat jacobi_rotation(int k, double a, double b, double off, double *tangent) {
    double tau = (b - a) / (2 * off);
    double t = 1 / (tac_abs(tau) + tac_sqrt(1 + tau * tau));
    double cosine = 1 / tac_sqrt(1 + t * t), sine = t * cosine / tac_sqrt(2 * (1 + cosine));
    bool negative = (tau >= 0) != (k == 1); /* (0, 2) is the odd pair: z x = -(x z) */
    *tangent = t;
    return half_sine_about(k, negative ? -sine : sine);
}

/* Axis of the largest off-diagonal entry; ties go to the smaller axis. */
static int largest_axis(const double off[3]) {
    double x = tac_abs(off[0]), y = tac_abs(off[1]), z = tac_abs(off[2]);
    if (z > y && z > x) return 2;
    return y > x ? 1 : 0;
}

static double size_of(const double value[3]) {
    return tac_max(tac_abs(value[0]), tac_max(tac_abs(value[1]), tac_abs(value[2])));
}

static bool finite_sym3(tacSym3 A) {
    return tac_finite(A.xx + A.yy + A.zz) && tac_finite(A.xy) && tac_finite(A.xz) && tac_finite(A.yz);
}

/* Exchanges neighbours 0-1, 1-2, 0-1 where out of order, by a quarter turn about the third axis. */
static void sort_decreasing(double value[3], tacQuat *frame) {
    static const int lead[3] = {0, 1, 0};
    for (int pass = 0; pass < 3; pass++) {
        int j = lead[pass];
        if (!(value[j] + TAC_EIG3_COARSE * size_of(value) < value[j + 1])) continue;
        double swap = value[j];
        value[j] = value[j + 1];
        value[j + 1] = swap;
        tacQuat turn = half_sine_about((j + 2) % 3, 0.70710678118654752);
        *frame = tac_quat_normalize(tac_quat_mul(*frame, turn));
    }
}

/* D = R^T A R: its diagonal into value; the off-diagonal entries by the axis of the rotation that zeroes them. */
static void rotate_into(tacSym3 A, tacQuat frame, double value[3], double off[3]) {
    tacSym3 D = tac_rotatesym3(tac_transpose3(tac_quat_mat(frame)), A);
    value[0] = D.xx;
    value[1] = D.yy;
    value[2] = D.zz;
    off[0] = D.yz;
    off[1] = D.xz;
    off[2] = D.xy;
}

tacVec3 tac_eig3(tacSym3 A, tacQuat *frame) {
    *frame = tac_quat_identity();
    double value[3] = {A.xx, A.yy, A.zz}, off[3], tangent;
    if (!finite_sym3(A)) return tac_load3(value);
    for (int i = 0; i < TAC_EIG3_MAX_ROTATION; i++) {
        rotate_into(A, *frame, value, off);
        int k = largest_axis(off);
        if (tac_abs(off[k]) <= TAC_EIG3_COARSE * size_of(value)) break;
        tacQuat rotation = jacobi_rotation(k, value[FIRST[k]], value[SECOND[k]], off[k], &tangent);
        *frame = tac_quat_normalize(tac_quat_mul(*frame, rotation));
    }
    sort_decreasing(value, frame);
    return tac_load3(value);
}

tacVec3 tac_eig3_refine(tacSym3 A, tacQuat *frame) {
    double value[3] = {A.xx, A.yy, A.zz}, off[3], tangent;
    if (!finite_sym3(A)) return tac_load3(value);
    for (int i = 0; i < TAC_EIG3_MAX_REFINING; i++) {
        rotate_into(A, *frame, value, off);
        int k = largest_axis(off);
        if (tac_abs(off[k]) <= TAC_EIG3_ROUNDING * size_of(value)) break;
        tacQuat rotation = jacobi_rotation(k, value[FIRST[k]], value[SECOND[k]], off[k], &tangent);
        if (tangent > TAC_EIG3_CLOSE && tac_abs(off[k]) < TAC_EIG3_BLURRED * size_of(value)) break;
        *frame = tac_quat_normalize(tac_quat_mul(*frame, rotation));
    }
    return tac_load3(value);
}

/* D = R^T A R as the frame turns by w (own axes, dR = R [w]) and A by dA:  dD = R^T dA R + D [w] - [w] D. */
static tacSym3 rotated_jvp(tacSym3 A, tacSym3 dA, tacQuat frame, tacVec3 w) {
    tacMat3 inverse = tac_transpose3(tac_quat_mat(frame));
    tacSym3 D = tac_rotatesym3(inverse, A), turned = tac_turnsym3(w, D);
    return tac_addsym3(tac_rotatesym3(inverse, dA), tac_scalesym3(-1, turned));
}

/* Turn of a frame after a Jacobi rotation Q about axis k by psi = -+ atan(2 off / (b - a)) / 2 (+ for k = 1):
 *   w -> Q^T w + e_k dpsi,   dpsi = -+ ((b - a) doff - off (db - da)) / ((b - a)^2 + 4 off^2) */
static tacVec3 turn_through(tacVec3 w, tacQuat Q, int k, const double value[3], const double off[3], tacSym3 dD) {
    const double dvalue[3] = {dD.xx, dD.yy, dD.zz}, doff[3] = {dD.yz, dD.xz, dD.xy};
    double gap = value[SECOND[k]] - value[FIRST[k]], dgap = dvalue[SECOND[k]] - dvalue[FIRST[k]];
    double dpsi = (gap * doff[k] - off[k] * dgap) / (gap * gap + 4 * off[k] * off[k]);
    if (k != 1) dpsi = -dpsi;
    tacVec3 about = {k == 0 ? dpsi : 0, k == 1 ? dpsi : 0, k == 2 ? dpsi : 0};
    return tac_add3(tac_quat_rotate(tac_quat_conj(Q), w), about);
}

tacSym3 tac_eig3_rebuilt_jvp(tacSym3 A, tacSym3 dA) {
    tacQuat frame = tac_quat_identity();
    tacVec3 w = tac_zero3();
    double value[3] = {A.xx, A.yy, A.zz}, off[3], tangent, untouched[3] = {1, 1, 1};
    if (!finite_sym3(A)) return dA;
    for (int i = 0; i < TAC_EIG3_MAX_ROTATION; i++) { /* the same rotations as in tac_eig3 */
        rotate_into(A, frame, value, off);
        int k = largest_axis(off);
        if (tac_abs(off[k]) <= TAC_EIG3_COARSE * size_of(value)) break;
        tacQuat rotation = jacobi_rotation(k, value[FIRST[k]], value[SECOND[k]], off[k], &tangent);
        w = turn_through(w, rotation, k, value, off, rotated_jvp(A, dA, frame, w));
        frame = tac_quat_normalize(tac_quat_mul(frame, rotation));
        untouched[k] = 0;
    }
    tacSym3 dD = rotated_jvp(A, dA, frame, w),
            turned = tac_turnsym3(w, (tacSym3){value[0], value[1], value[2], 0, 0, 0});
    tacSym3 own = {dD.xx + turned.xx,
                   dD.yy + turned.yy,
                   dD.zz + turned.zz,
                   turned.xy + untouched[2] * dD.xy,
                   turned.xz + untouched[1] * dD.xz,
                   turned.yz + untouched[0] * dD.yz};
    return tac_rotatesym3(tac_quat_mat(frame), own);
}
