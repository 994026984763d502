/* 3-vectors and 3 x 3 matrices by value. */
#pragma once

#include "math/scalar.h"
#include "tactus/vec.h"

static inline tacVec3 tac_vec3(double x, double y, double z) { return (tacVec3){x, y, z}; }
static inline tacVec3 tac_zero3(void) { return (tacVec3){0, 0, 0}; }
static inline tacVec3 tac_add3(tacVec3 a, tacVec3 b) { return (tacVec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline tacVec3 tac_sub3(tacVec3 a, tacVec3 b) { return (tacVec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline tacVec3 tac_neg3(tacVec3 a) { return (tacVec3){-a.x, -a.y, -a.z}; }
static inline tacVec3 tac_scale3(double s, tacVec3 a) { return (tacVec3){s * a.x, s * a.y, s * a.z}; }
/* a + s b */
static inline tacVec3 tac_madd3(tacVec3 a, double s, tacVec3 b) {
    return (tacVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline tacVec3 tac_mul3(tacVec3 a, tacVec3 b) { return (tacVec3){a.x * b.x, a.y * b.y, a.z * b.z}; }
static inline double tac_dot3(tacVec3 a, tacVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline tacVec3 tac_cross3(tacVec3 a, tacVec3 b) {
    return (tacVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double tac_norm3(tacVec3 a) { return tac_sqrt(tac_dot3(a, a)); }
static inline tacVec3 tac_load3(const double *p) { return (tacVec3){p[0], p[1], p[2]}; }
static inline void tac_store3(double *p, tacVec3 a) {
    p[0] = a.x;
    p[1] = a.y;
    p[2] = a.z;
}
/* Component i of a, i = 0, 1, 2. */
static inline double tac_get3(tacVec3 a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }

/* A x */
static inline tacVec3 tac_mulmv3(tacMat3 A, tacVec3 x) {
    return (tacVec3){A.m[0] * x.x + A.m[1] * x.y + A.m[2] * x.z, A.m[3] * x.x + A.m[4] * x.y + A.m[5] * x.z,
                     A.m[6] * x.x + A.m[7] * x.y + A.m[8] * x.z};
}
/* A^T x */
static inline tacVec3 tac_mulmtv3(tacMat3 A, tacVec3 x) {
    return (tacVec3){A.m[0] * x.x + A.m[3] * x.y + A.m[6] * x.z, A.m[1] * x.x + A.m[4] * x.y + A.m[7] * x.z,
                     A.m[2] * x.x + A.m[5] * x.y + A.m[8] * x.z};
}
/* A B */
static inline tacMat3 tac_mulmm3(tacMat3 A, tacMat3 B) {
    tacMat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[3 * i + j] = A.m[3 * i] * B.m[j] + A.m[3 * i + 1] * B.m[3 + j] + A.m[3 * i + 2] * B.m[6 + j];
    return C;
}
static inline tacMat3 tac_transpose3(tacMat3 A) {
    return (tacMat3){{A.m[0], A.m[3], A.m[6], A.m[1], A.m[4], A.m[7], A.m[2], A.m[5], A.m[8]}};
}
/* S x for symmetric S */
static inline tacVec3 tac_mulsv3(tacSym3 S, tacVec3 x) {
    return (tacVec3){S.xx * x.x + S.xy * x.y + S.xz * x.z, S.xy * x.x + S.yy * x.y + S.yz * x.z,
                     S.xz * x.x + S.yz * x.y + S.zz * x.z};
}
static inline tacSym3 tac_addsym3(tacSym3 A, tacSym3 B) {
    return (tacSym3){A.xx + B.xx, A.yy + B.yy, A.zz + B.zz, A.xy + B.xy, A.xz + B.xz, A.yz + B.yz};
}
static inline tacSym3 tac_scalesym3(double s, tacSym3 A) {
    return (tacSym3){s * A.xx, s * A.yy, s * A.zz, s * A.xy, s * A.xz, s * A.yz};
}
/* R S R^T, row by row: with b_i = S r_i for the rows r_i of R, the entries are r_i . b_j. */
static inline tacSym3 tac_rotatesym3(tacMat3 R, tacSym3 S) {
    tacVec3 r0 = {R.m[0], R.m[1], R.m[2]}, r1 = {R.m[3], R.m[4], R.m[5]}, r2 = {R.m[6], R.m[7], R.m[8]};
    tacVec3 b0 = tac_mulsv3(S, r0), b1 = tac_mulsv3(S, r1), b2 = tac_mulsv3(S, r2);
    return (tacSym3){tac_dot3(r0, b0), tac_dot3(r1, b1), tac_dot3(r2, b2),
                     tac_dot3(r1, b0), tac_dot3(r2, b0), tac_dot3(r2, b1)};
}
/* m (|r|^2 I - r r^T): what a point mass m at r adds to the inertia about the origin */
static inline tacSym3 tac_pointsym3(double m, tacVec3 r) {
    return (tacSym3){m * (r.y * r.y + r.z * r.z),
                     m * (r.x * r.x + r.z * r.z),
                     m * (r.x * r.x + r.y * r.y),
                     -m * r.x * r.y,
                     -m * r.x * r.z,
                     -m * r.y * r.z};
}
/* Its change as m changes by dm and r by dr. */
static inline tacSym3 tac_pointsym3_jvp(double m, tacVec3 r, double dm, tacVec3 dr) {
    tacSym3 moved = {2 * (r.y * dr.y + r.z * dr.z), 2 * (r.x * dr.x + r.z * dr.z), 2 * (r.x * dr.x + r.y * dr.y),
                     -(r.x * dr.y + r.y * dr.x),    -(r.x * dr.z + r.z * dr.x),    -(r.y * dr.z + r.z * dr.y)};
    return tac_addsym3(tac_pointsym3(dm, r), tac_scalesym3(m, moved));
}
/* [t] S - S [t]: change of R S R^T as R turns by the small rotation t (on the left: exp([t]) R). */
static inline tacSym3 tac_turnsym3(tacVec3 t, tacSym3 S) {
    tacVec3 x = tac_cross3(t, tac_vec3(S.xx, S.xy, S.xz)), y = tac_cross3(t, tac_vec3(S.xy, S.yy, S.yz)),
            z = tac_cross3(t, tac_vec3(S.xz, S.yz, S.zz)); /* columns of [t] S */
    return (tacSym3){2 * x.x, 2 * y.y, 2 * z.z, y.x + x.y, z.x + x.z, z.y + y.z};
}
