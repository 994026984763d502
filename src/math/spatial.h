/* Spatial vectors [Featherstone2008, ch. 2]: motion m = (w, v), force f = (n, f), angular part first, both expressed in
 * world axes about one fixed point. */
#pragma once

#include "math/vec3.h"

/* Spatial rigid-body inertia about the reference point O, world axes: mass, first moment h = m c, inertia about O. */
typedef struct tacInertia {
    double m;
    tacVec3 h;
    tacSym3 I;
} tacInertia;

static inline tacVec6 tac_zero6(void) { return (tacVec6){{0, 0, 0}, {0, 0, 0}}; }
static inline tacVec6 tac_add6(tacVec6 a, tacVec6 b) {
    return (tacVec6){tac_add3(a.ang, b.ang), tac_add3(a.lin, b.lin)};
}
static inline tacVec6 tac_sub6(tacVec6 a, tacVec6 b) {
    return (tacVec6){tac_sub3(a.ang, b.ang), tac_sub3(a.lin, b.lin)};
}
static inline tacVec6 tac_scale6(double s, tacVec6 a) { return (tacVec6){tac_scale3(s, a.ang), tac_scale3(s, a.lin)}; }
/* a + s b */
static inline tacVec6 tac_madd6(tacVec6 a, double s, tacVec6 b) {
    return (tacVec6){tac_madd3(a.ang, s, b.ang), tac_madd3(a.lin, s, b.lin)};
}
/* Power of force f on motion m (or the plain dot product). */
static inline double tac_dot6(tacVec6 a, tacVec6 b) { return tac_dot3(a.ang, b.ang) + tac_dot3(a.lin, b.lin); }
/* Motion cross product a x b = (wa x wb, wa x vb + va x wb)   [Featherstone2008, eq. 2.31] (docs/theory/math.md, V1) */
static inline tacVec6 tac_crossm6(tacVec6 a, tacVec6 b) {
    return (tacVec6){tac_cross3(a.ang, b.ang), tac_add3(tac_cross3(a.ang, b.lin), tac_cross3(a.lin, b.ang))};
}
/* Force cross product a x* f = (w x n + v x f, w x f)   [Featherstone2008, eq. 2.32] (V2) */
static inline tacVec6 tac_crossf6(tacVec6 a, tacVec6 f) {
    return (tacVec6){tac_add3(tac_cross3(a.ang, f.ang), tac_cross3(a.lin, f.lin)), tac_cross3(a.ang, f.lin)};
}
static inline tacInertia tac_inertia_add(tacInertia A, tacInertia B) {
    return (tacInertia){A.m + B.m, tac_add3(A.h, B.h), tac_addsym3(A.I, B.I)};
}
/* I m = (I w + h x v, m v - h x w)   [Featherstone2008, eq. 2.63] (V3) */
static inline tacVec6 tac_inertia_mul(tacInertia I, tacVec6 m) {
    return (tacVec6){tac_add3(tac_mulsv3(I.I, m.ang), tac_cross3(I.h, m.lin)),
                     tac_sub3(tac_scale3(I.m, m.lin), tac_cross3(I.h, m.ang))};
}

/* Symmetric 6 x 6 matrix [A B; B^T C]: articulated inertias. */
typedef struct tacSym6 {
    tacSym3 A;
    tacMat3 B;
    tacSym3 C;
} tacSym6;

/* H x = (A w + B v, B^T w + C v) */
static inline tacVec6 tac_sym6_mul(const tacSym6 *H, tacVec6 x) {
    return (tacVec6){tac_add3(tac_mulsv3(H->A, x.ang), tac_mulmv3(H->B, x.lin)),
                     tac_add3(tac_mulmtv3(H->B, x.ang), tac_mulsv3(H->C, x.lin))};
}
static inline void tac_sym6_add(tacSym6 *H, const tacSym6 *G) {
    H->A = tac_addsym3(H->A, G->A);
    for (int i = 0; i < 9; i++)
        H->B.m[i] += G->B.m[i];
    H->C = tac_addsym3(H->C, G->C);
}
/* A rigid inertia as a symmetric 6 x 6: [I [h]x; -[h]x m 1]. */
static inline tacSym6 tac_sym6_inertia(const tacInertia *I) {
    tacVec3 h = I->h;
    return (tacSym6){I->I, {{0, -h.z, h.y, h.z, 0, -h.x, -h.y, h.x, 0}}, {I->m, I->m, I->m, 0, 0, 0}};
}
/* H - s u u^T */
static inline void tac_sym6_downdate(tacSym6 *H, double s, tacVec6 u) {
    tacVec3 a = tac_scale3(s, u.ang), c = tac_scale3(s, u.lin), b = u.ang, d = u.lin;
    H->A.xx -= a.x * b.x;
    H->A.yy -= a.y * b.y;
    H->A.zz -= a.z * b.z;
    H->A.xy -= a.x * b.y;
    H->A.xz -= a.x * b.z;
    H->A.yz -= a.y * b.z;
    H->B.m[0] -= a.x * d.x;
    H->B.m[1] -= a.x * d.y;
    H->B.m[2] -= a.x * d.z;
    H->B.m[3] -= a.y * d.x;
    H->B.m[4] -= a.y * d.y;
    H->B.m[5] -= a.y * d.z;
    H->B.m[6] -= a.z * d.x;
    H->B.m[7] -= a.z * d.y;
    H->B.m[8] -= a.z * d.z;
    H->C.xx -= c.x * d.x;
    H->C.yy -= c.y * d.y;
    H->C.zz -= c.z * d.z;
    H->C.xy -= c.x * d.y;
    H->C.xz -= c.x * d.z;
    H->C.yz -= c.y * d.z;
}
