/* Rotations of LANES bodies at a time (turns.h, math/lane.h). A body whose angle is too large for series gets the
 * general form; its neighbours do not notice. Included by turns_narrow.c and turns_wide.c. */
#pragma once

#include "contact/ncp/turns.h"
#include "math/lane.h"

typedef struct Lane3 {
    Lane x, y, z;
} Lane3;

typedef struct LaneSym3 {
    Lane xx, yy, zz, xy, xz, yz;
} LaneSym3;

/* Numbers of bodies i to i + 3, `size` apart; the last of n again where there are fewer. */
LANE_INLINE Lane gather(const double *x, int size, int i, int n) {
    int last = n - 1, b = i + 1 < last ? i + 1 : last, c = i + 2 < last ? i + 2 : last, d = i + 3 < last ? i + 3 : last;
    return (Lane){x[size * i], x[size * b], x[size * c], x[size * d]};
}

LANE_INLINE void scatter(Lane from, double *x, int size, int i, int n) {
    int last = n - 1, b = i + 1 < last ? i + 1 : last, c = i + 2 < last ? i + 2 : last, d = i + 3 < last ? i + 3 : last;
    x[size * d] = from[3];
    x[size * c] = from[2];
    x[size * b] = from[1];
    x[size * i] = from[0];
}

LANE_INLINE Lane3 gather3(const tacVec3 *x, int i, int n) {
    return (Lane3){gather(&x->x, 3, i, n), gather(&x->y, 3, i, n), gather(&x->z, 3, i, n)};
}

LANE_INLINE LaneSym3 gather_sym(const tacSym3 *J, int i, int n) {
    return (LaneSym3){gather(&J->xx, 6, i, n), gather(&J->yy, 6, i, n), gather(&J->zz, 6, i, n),
                      gather(&J->xy, 6, i, n), gather(&J->xz, 6, i, n), gather(&J->yz, 6, i, n)};
}

LANE_INLINE Lane dot(Lane3 a, Lane3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

LANE_INLINE Lane3 cross(Lane3 a, Lane3 b) {
    return (Lane3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

LANE_INLINE Lane3 times_sym(LaneSym3 S, Lane3 x) {
    return (Lane3){S.xx * x.x + S.xy * x.y + S.xz * x.z, S.xy * x.x + S.yy * x.y + S.yz * x.z,
                   S.xz * x.x + S.yz * x.y + S.zz * x.z};
}

/* --- Rotation vectors --------------------------------------------------------------------------------------------- */

/* 2 atan(tan)/tan of tan^2 = tt, by series. */
LANE_INLINE Lane atan_ratio(Lane tt) { return 2 - tt * (2.0 / 3 - tt * (2.0 / 5 - tt * (2.0 / 7 - tt * (2.0 / 9)))); }

LANE_TARGET static inline void turns(int n, const tacQuat *from, const tacQuat *to, double s, tacVec3 *spin) {
    const double small = 0.25 * TAC_NCP_SMALL_TURN * TAC_NCP_SMALL_TURN;
    for (int i = 0; i < n; i += LANES) {
        Lane aw = gather(&to->w, 4, i, n), bw = gather(&from->w, 4, i, n);
        Lane3 a = {gather(&to->x, 4, i, n), gather(&to->y, 4, i, n), gather(&to->z, 4, i, n)};
        Lane3 b = {gather(&from->x, 4, i, n), gather(&from->y, 4, i, n), gather(&from->z, 4, i, n)}, c = cross(a, b);
        Lane w = aw * bw + dot(a, b);
        Lane3 v = {bw * a.x - aw * b.x - c.x, bw * a.y - aw * b.y - c.y, bw * a.z - aw * b.z - c.z};
        Lane tt = dot(v, v) / (w * w), ratio = s * atan_ratio(tt) / w; /* the sign of w does not matter */
        scatter(ratio * v.x, &spin->x, 3, i, n);
        scatter(ratio * v.y, &spin->y, 3, i, n);
        scatter(ratio * v.z, &spin->z, 3, i, n);
        for (int k = 0; k < LANES && i + k < n; k++)
            if (!(tt[k] < small)) spin[i + k] = tac_scale3(s, tac_quat_log((tacQuat){w[k], v.x[k], v.y[k], v.z[k]}));
    }
}

/* --- Momenta ------------------------------------------------------------------------------------------------------ */

/* E and F of tac_ncp_inverse_jacobian_terms. */
LANE_INLINE void jacobian_terms(Lane tt, Lane *E, Lane *F) {
    *E = 1.0 / 12 + tt * (1.0 / 720 + tt * (1.0 / 30240 + tt * (1.0 / 1209600)));
    *F = 1.0 / 360 + tt * (1.0 / 7560 + tt * (1.0 / 201600 + tt * (1.0 / 5987520)));
    for (int k = 0; k < LANES; k++) {
        double of[2];
        if (tt[k] < TAC_NCP_SMALL_TURN * TAC_NCP_SMALL_TURN) continue;
        tac_ncp_inverse_jacobian_terms(tt[k], &of[0], &of[1]);
        (*E)[k] = of[0];
        (*F)[k] = of[1];
    }
}

LANE_INLINE Lane3 turn_of(const tacVec3 *spin, double h, int i, int n) {
    Lane3 w = gather3(spin, i, n);
    return (Lane3){h * w.x, h * w.y, h * w.z};
}

LANE_TARGET static inline void momenta(int n, const tacSym3 *J, const tacVec3 *spin, double h, tacVec3 *L) {
    double over_h = 1 / h;
    for (int i = 0; i < n; i += LANES) {
        Lane3 phi = turn_of(spin, h, i, n), y = times_sym(gather_sym(J, i, n), phi), u = cross(phi, y),
              t = cross(phi, u);
        Lane E, F;
        jacobian_terms(dot(phi, phi), &E, &F);
        scatter(over_h * (y.x + 0.5 * u.x + E * t.x), &L->x, 3, i, n);
        scatter(over_h * (y.y + 0.5 * u.y + E * t.y), &L->y, 3, i, n);
        scatter(over_h * (y.z + 0.5 * u.z + E * t.z), &L->z, 3, i, n);
    }
}

/* Jr^-1 by rows, as tac_angular_momentum_jac has it. */
LANE_INLINE void inverse_jacobian(Lane3 phi, Lane tt, Lane E, Lane3 row[3]) {
    Lane d = 1 - E * tt;
    Lane3 e = {E * phi.x, E * phi.y, E * phi.z}, half = {0.5 * phi.x, 0.5 * phi.y, 0.5 * phi.z};
    row[0] = (Lane3){d + e.x * phi.x, e.x * phi.y - half.z, e.x * phi.z + half.y};
    row[1] = (Lane3){e.x * phi.y + half.z, d + e.y * phi.y, e.y * phi.z - half.x};
    row[2] = (Lane3){e.x * phi.z - half.y, e.y * phi.z + half.x, d + e.z * phi.z};
}

/* The formula above tac_angular_momentum_jac. */
LANE_TARGET static inline void momenta_jac(int n, const tacSym3 *J, const tacVec3 *spin, double h, tacMat3 *T) {
    double over_h = 1 / h;
    for (int i = 0; i < n; i += LANES) {
        LaneSym3 I = gather_sym(J, i, n);
        Lane3 phi = turn_of(spin, h, i, n), y = times_sym(I, phi), u = cross(phi, y), t = cross(phi, u), inverse[3];
        Lane E, F, tt = dot(phi, phi);
        jacobian_terms(tt, &E, &F);
        inverse_jacobian(phi, tt, E, inverse);
        Lane3 s = {0.5 * y.x + E * u.x, 0.5 * y.y + E * u.y, 0.5 * y.z + E * u.z};
        Lane3 k = {F * t.x - E * y.x, F * t.y - E * y.y, F * t.z - E * y.z};
        Lane along = E * dot(phi, y);
        const Lane3 rest[3] = {{along + k.x * phi.x, s.z + k.x * phi.y, k.x * phi.z - s.y},
                               {k.y * phi.x - s.z, along + k.y * phi.y, s.x + k.y * phi.z},
                               {s.y + k.z * phi.x, k.z * phi.y - s.x, along + k.z * phi.z}};
        for (int r = 0; r < 3; r++) {
            Lane3 row = times_sym(I, inverse[r]); /* of Jr^-1 J */
            row = (Lane3){over_h * (row.x + rest[r].x), over_h * (row.y + rest[r].y), over_h * (row.z + rest[r].z)};
            for (int c = 0; c < 3; c++)
                scatter(dot(row, inverse[c]), &T->m[3 * r + c], 9, i, n);
        }
    }
}
