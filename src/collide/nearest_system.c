/* Two patches with a common normal. Unknown are local coordinates s0, s1, the unit normal n and the distance d:
 *
 *   x1(s1) - x0(s0) = d n,   n . dx0/ds0 = 0,   n . dx1/ds1 = 0                                          (D4)
 *
 * With dn = e0 a + e1 b across n and the tangents' parts T = (e . t) across n, their differential is symmetric:
 *
 *   [ n.c0   0     T0' ] [ds0]   [ -n . dt0        ]
 *   [ 0     -n.c1 -T1' ] [ds1] = [  n . dt1        ]        dd = n . (dx1 - dx0)                          (D10)
 *   [ T0    -T1    d I ] [a b]   [ e . (dx1 - dx0) ]                                                                   */
#include "collide/touch.h"

#include "math/dense.h"

/* n . c_ij of a patch; c holds 00, 01, 11. */
static double curvature(const tacPatch *p, tacVec3 n, int i, int j) { return tac_dot3(n, p->c[i + j]); }

/* A tangent of no length: the apex of a cone, an edge between two corners that coincide. */
static int is_singular(const tacPatch *p) {
    for (int i = 0; i < p->dim; i++)
        if (!(tac_dot3(p->t[i], p->t[i]) > 0)) return 1;
    return 0;
}

int tac_nearest_factor(const tacPatch patch[2], tacVec3 normal, tacNearest *k) {
    k->normal = normal;
    k->dim[0] = patch[0].dim, k->dim[1] = patch[1].dim;
    k->d = tac_dot3(normal, tac_sub3(patch[1].x, patch[0].x));
    tac_contact_frame(normal, &k->e[0], &k->e[1]);
    int n = k->n = k->dim[0] + k->dim[1] + 2;
    for (int i = 0; i < n * n; i++)
        k->lu[i] = 0;
    for (int side = 0, first = 0; side < 2; first += k->dim[side], side++) {
        double sign = side ? -1 : 1;
        for (int i = 0; i < k->dim[side]; i++) {
            for (int j = 0; j < k->dim[side]; j++)
                k->lu[(first + i) * n + first + j] = sign * curvature(&patch[side], normal, i, j);
            for (int j = 0; j < 2; j++)
                k->lu[(first + i) * n + n - 2 + j] = k->lu[(n - 2 + j) * n + first + i] =
                    sign * tac_dot3(k->e[j], patch[side].t[i]);
        }
    }
    for (int j = n - 2; j < n; j++)
        k->lu[j * n + j] = k->d;
    double work[6];
    int singular = tac_lu_factor(n, k->lu, k->pivot, work) >= 0;
    return singular || is_singular(&patch[0]) || is_singular(&patch[1]);
}

tacNearestTangent tac_nearest_solve(const tacNearest *k, tacVec3 gap, const double slope[2][2]) {
    tacNearestTangent d = {.n = tac_zero3()};
    double x[6];
    int n = k->n, m = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < k->dim[side]; i++)
            x[m++] = side ? slope[1][i] : -slope[0][i];
    for (int j = 0; j < 2; j++)
        x[m++] = tac_dot3(k->e[j], gap);
    tac_lu_solve(n, k->lu, k->pivot, x);
    for (int side = 0, i = 0; side < 2; side++)
        for (int j = 0; j < k->dim[side]; j++)
            d.s[side][j] = x[i++];
    d.n = tac_add3(tac_scale3(x[n - 2], k->e[0]), tac_scale3(x[n - 1], k->e[1]));
    return d;
}
