#include "dynamics/regressor.h"

#include "dynamics/kinematics.h"

#include <string.h>

/* Inertia with parameter k of the ten equal to 1, at the body's origin in its own axes. */
static tacInertia unit_inertia(int k) {
    tacInertia I = {.m = k == 0, .h = {k == 1, k == 2, k == 3}};
    I.I = (tacSym3){k == 4, k == 5, k == 6, k == 7, k == 8, k == 9};
    return I;
}

/* The same inertia in world axes about a point that the body's origin is at r from:
 *   h' = R h + m r,   I' = R I R^T + m (r.r 1 - r r^T) + 2 (r.g) 1 - r g^T - g r^T,   g = R h */
static tacInertia placed_inertia(tacInertia I, tacMat3 R, tacVec3 r) {
    tacVec3 g = tac_mulmv3(R, I.h);
    double cross = 2 * tac_dot3(r, g);
    tacSym3 both = {cross - 2 * r.x * g.x,    cross - 2 * r.y * g.y,    cross - 2 * r.z * g.z,
                    -(r.x * g.y + g.x * r.y), -(r.x * g.z + g.x * r.z), -(r.y * g.z + g.y * r.z)};
    I.I = tac_addsym3(tac_rotatesym3(R, I.I), tac_addsym3(tac_pointsym3(I.m, r), both));
    I.h = tac_madd3(g, I.m, r);
    return I;
}

/* Column 10 b + k is S_i . (I_k A_b + V_b x* I_k V_b) for the dofs i that move body b. */
int tac_regressor(const tacModel *m, const tacWork *w, double *Y) {
    size_t columns = (size_t)TAC_INERTIAL_SIZE * (size_t)m->nbody;
    double sum = 0;
    if (Y != NULL) memset(Y, 0, (size_t)m->nv * columns * sizeof *Y);
    for (int b = 1; b < m->nbody; b++) {
        tacVec3 r = tac_sub3(w->xpos[b], w->origin[b]);
        for (int k = 0; k < TAC_INERTIAL_SIZE; k++) {
            tacInertia I = placed_inertia(unit_inertia(k), w->xmat[b], r);
            tacVec6 F = tac_add6(tac_inertia_mul(I, w->A[b]), tac_crossf6(w->V[b], tac_inertia_mul(I, w->V[b])));
            size_t column = (size_t)(TAC_INERTIAL_SIZE * b + k);
            for (int i = m->body_last_dof[b]; i >= 0; i = m->dof_parent[i]) {
                double entry = tac_dot6(w->S[i], F);
                sum += 0 * entry; /* NaN where it is not finite */
                if (Y != NULL) Y[(size_t)i * columns + column] = entry;
            }
        }
    }
    return sum == 0;
}

void tac_inertial_parameters(const tacModel *m, double *pi) {
    for (int b = 0; b < m->nbody; b++) {
        tacVec3 c = m->body_ipos[b];
        double mass = m->body_mass[b], *p = pi + (size_t)TAC_INERTIAL_SIZE * (size_t)b;
        tacSym3 I = tac_addsym3(m->body_icom[b], tac_pointsym3(mass, c));
        p[0] = mass;
        tac_store3(p + 1, tac_scale3(mass, c));
        p[4] = I.xx;
        p[5] = I.yy;
        p[6] = I.zz;
        p[7] = I.xy;
        p[8] = I.xz;
        p[9] = I.yz;
    }
}

/* Column i is the momentum of all that dof i moves, I^c S_i about the tree's origin O, carried to the mass centre c:
 *   n_c = n_O - (c - O) x f   [Orin2013] */
int tac_momentum_columns(const tacModel *m, tacWork *w, double *A) {
    size_t nv = (size_t)m->nv;
    tacVec3 com = tac_zero3();
    double mass = 0, sum = 0;
    for (int b = 1; b < m->nbody; b++) {
        w->composite[b] = w->inertia[b];
        com = tac_madd3(com, m->body_mass[b], w->xipos[b]);
        mass += m->body_mass[b];
    }
    if (mass > 0) com = tac_vec3(com.x / mass, com.y / mass, com.z / mass);
    for (int b = m->nbody - 1; b > 0; b--)
        if (m->body_parent[b] > 0)
            w->composite[m->body_parent[b]] = tac_inertia_add(w->composite[m->body_parent[b]], w->composite[b]);
    for (size_t i = 0; i < nv; i++) {
        int b = m->dof_body[i];
        tacVec6 h = tac_inertia_mul(w->composite[b], w->S[i]);
        tacVec3 n = tac_sub3(h.ang, tac_cross3(tac_sub3(com, w->origin[b]), h.lin));
        sum += 0 * tac_dot3(n, n) + 0 * tac_dot3(h.lin, h.lin);
        if (A == NULL) continue;
        A[i] = n.x;
        A[nv + i] = n.y;
        A[2 * nv + i] = n.z;
        A[3 * nv + i] = h.lin.x;
        A[4 * nv + i] = h.lin.y;
        A[5 * nv + i] = h.lin.z;
    }
    return sum == 0;
}
