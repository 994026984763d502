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
static inline tacVec6 tac_scale6(double s, tacVec6 a) {
    return (tacVec6){tac_scale3(s, a.ang), tac_scale3(s, a.lin)};
}
/* a + s b */
static inline tacVec6 tac_madd6(tacVec6 a, double s, tacVec6 b) {
    return (tacVec6){tac_madd3(a.ang, s, b.ang), tac_madd3(a.lin, s, b.lin)};
}
/* Power of force f on motion m (or the plain dot product). */
static inline double tac_dot6(tacVec6 a, tacVec6 b) { return tac_dot3(a.ang, b.ang) + tac_dot3(a.lin, b.lin); }
/* Motion cross product a x b = (wa x wb, wa x vb + va x wb)   [Featherstone2008, eq. 2.31] */
static inline tacVec6 tac_crossm6(tacVec6 a, tacVec6 b) {
    return (tacVec6){tac_cross3(a.ang, b.ang), tac_add3(tac_cross3(a.ang, b.lin), tac_cross3(a.lin, b.ang))};
}
/* Force cross product a x* f = (w x n + v x f, w x f)   [Featherstone2008, eq. 2.32] */
static inline tacVec6 tac_crossf6(tacVec6 a, tacVec6 f) {
    return (tacVec6){tac_add3(tac_cross3(a.ang, f.ang), tac_cross3(a.lin, f.lin)), tac_cross3(a.ang, f.lin)};
}
static inline tacInertia tac_inertia_add(tacInertia A, tacInertia B) {
    return (tacInertia){A.m + B.m, tac_add3(A.h, B.h), tac_addsym3(A.I, B.I)};
}
/* I m = (I w + h x v, m v - h x w)   [Featherstone2008, eq. 2.63] */
static inline tacVec6 tac_inertia_mul(tacInertia I, tacVec6 m) {
    return (tacVec6){tac_add3(tac_mulsv3(I.I, m.ang), tac_cross3(I.h, m.lin)),
                     tac_sub3(tac_scale3(I.m, m.lin), tac_cross3(I.h, m.ang))};
}
