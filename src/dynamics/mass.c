#include "dynamics/mass.h"

#include "dynamics/kinematics.h"

/* Inertia of each body together with all its descendants, about the tree's reference point. */
static void composite_inertias(const tacModel *m, tacWork *w) {
    for (int b = 1; b < m->nbody; b++)
        w->composite[b] = w->inertia[b];
    for (int b = m->nbody - 1; b > 0; b--) {
        int parent = m->body_parent[b];
        if (parent > 0) w->composite[parent] = tac_inertia_add(w->composite[parent], w->composite[b]);
    }
}

/* Tendons with inertia add armature J^T J. The tree stores only couplings between a dof and its ancestors. Those across
 * branches are omitted, as in MuJoCo. */
static void add_tendon_inertia(const tacModel *m, tacWork *w) {
    for (int t = 0; t < m->ntendon; t++) {
        if (m->tendon_armature[t] == 0) continue;
        int first = m->tendon_term_adr[t], last = first + m->tendon_term_num[t];
        for (int k = first; k < last; k++)
            for (int l = first; l < last; l++) {
                int i = m->joint_dof_adr[m->term_joint[k]], j = m->joint_dof_adr[m->term_joint[l]], above = i;
                while (above > j)
                    above = m->dof_parent[above];
                if (above == j)
                    w->M[m->dof_M_adr[i] + m->dof_depth[i] - m->dof_depth[j]] +=
                        m->tendon_armature[t] * m->term_coef[k] * m->term_coef[l];
            }
    }
}

/* The row of dof i: products of U = Ic_i S_i with its own axis and with those of its ancestors behind dof `last`. */
static inline tacVec6 fill_row(const tacModel *m, const tacWork *w, int i, int last, double *row) {
    tacVec6 U = tac_inertia_mul(w->composite[m->dof_body[i]], w->S[i]);
    *row++ = tac_dot6(w->S[i], U) + m->dof_armature[i];
    for (int j = m->dof_parent[i]; j != last; j = m->dof_parent[j])
        *row++ = tac_dot6(w->S[j], U);
    return U;
}

/* The row of a dof of a floating tree. Its first three dofs are translations along (0, e_k): their momentum is the mass
 * times e_k, and no other axis before it has a part. U of any other dof along these axes is its linear part. */
static void fill_floating_row(const tacModel *m, const tacWork *w, int i, int first, double *row) {
    int n = m->dof_depth[i] - 3;
    if (n > 0) {
        tacVec6 U = fill_row(m, w, i, first + 2, row);
        row[n] = U.lin.z;
        row[n + 1] = U.lin.y;
        row[n + 2] = U.lin.x;
        return;
    }
    row[0] = w->composite[m->dof_body[i]].m + m->dof_armature[i];
    for (int k = 1; k < m->dof_depth[i]; k++)
        row[k] = 0;
}

/* Composite rigid bodies [Featherstone2008, table 6.2]: M_ij = S_j . (Ic_i S_i) for j an ancestor of i or i itself
 * (docs/theory/dynamics.md, M1). */
void tac_crba(const tacModel *m, tacWork *w) {
    composite_inertias(m, w);
    for (int i = 0, root = 0, floats = 0; i < m->nv; i++) {
        double *row = w->M + m->dof_M_adr[i];
        if (root != m->body_root[m->dof_body[i]]) {
            root = m->body_root[m->dof_body[i]];
            floats = tac_floats(m, root);
        }
        if (floats)
            fill_floating_row(m, w, i, m->body_dof_adr[root], row);
        else
            fill_row(m, w, i, -1, row);
    }
    add_tendon_inertia(m, w);
}

tacTree tac_dof_tree(const tacModel *m) { return (tacTree){m->nv, m->dof_parent, m->dof_M_adr, m->dof_depth}; }

tacStatus tac_factor(const tacModel *m, tacWork *w, const double *extra) {
    tacTree tree = tac_dof_tree(m);
    return tac_tree_factor(&tree, w->M, extra, w->L) < 0 ? TAC_OK : TAC_ERR_SINGULAR;
}

void tac_solve(const tacModel *m, const tacWork *w, double *x) {
    tacTree tree = tac_dof_tree(m);
    tac_tree_solve(&tree, w->L, x);
}

void tac_mass_mul(const tacModel *m, const tacWork *w, const double *x, double *y) {
    tacTree tree = tac_dof_tree(m);
    tac_tree_mul(&tree, w->M, x, y);
}

/* moves[i]: x is nonzero somewhere in the tree of dof i. */
static void find_moving_trees(const tacModel *m, const double *x, unsigned char *moves) {
    for (int i = 0; i < m->nv; i++)
        moves[i] = x[i] != 0;
    for (int i = m->nv - 1; i >= 0; i--)
        if (m->dof_parent[i] >= 0) moves[m->dof_parent[i]] |= moves[i];
    for (int i = 0; i < m->nv; i++)
        if (m->dof_parent[i] >= 0) moves[i] = moves[m->dof_parent[i]];
}

/* Response of bodies at rest without gravity to joint accelerations x: A, F = I A summed over subtrees, and
 * psi = A_before x S of each dof in w->U. */
static void accelerate_bodies(const tacModel *m, tacWork *w, const double *x) {
    w->A[0] = tac_zero6();
    for (int b = 1; b < m->nbody; b++) {
        tacVec6 A = w->A[m->body_parent[b]], before = A;
        for (int i = m->body_dof_adr[b]; i < m->body_dof_adr[b] + m->body_dof_num[b]; i++) {
            if (tac_dof_group(m, i) == i) before = A;
            w->U[i] = tac_crossm6(before, w->S[i]);
            A = tac_madd6(A, x[i], w->S[i]);
        }
        w->A[b] = A;
        w->F[b] = tac_inertia_mul(w->inertia[b], A);
    }
    for (int b = m->nbody - 1; b > 0; b--)
        if (m->body_parent[b] > 0) w->F[m->body_parent[b]] = tac_add6(w->F[m->body_parent[b]], w->F[b]);
}

/* (ID5) and (ID6) of docs/theory/dynamics.md at v = 0, for dof i and those inboard of it or beside it. */
static void add_mass_rate(const tacModel *m, const tacWork *w, int i, size_t ld, double *dq) {
    const tacInertia *I = &w->composite[m->dof_body[i]];
    int start = tac_dof_group(m, i);
    tacVec6 U = tac_inertia_mul(*I, w->S[i]), P = tac_inertia_mul(*I, w->U[i]);
    for (int j = i; j >= 0; j = m->dof_parent[j])
        dq[(size_t)i * ld + (size_t)j] += tac_dot6(U, w->U[j]);
    for (int j = start; j < i; j++)
        dq[(size_t)j * ld + (size_t)i] += tac_dot6(w->S[j], P);
    P = tac_add6(P, tac_crossf6(w->S[i], w->F[m->dof_body[i]]));
    for (int j = m->dof_parent[start]; j >= 0; j = m->dof_parent[j])
        dq[(size_t)j * ld + (size_t)i] += tac_dot6(w->S[j], P);
}

void tac_mass_mul_jac(const tacModel *m, tacWork *w, const double *x, int ld, double *dq) {
    find_moving_trees(m, x, w->skip);
    composite_inertias(m, w);
    accelerate_bodies(m, w, x);
    for (int i = 0; i < m->nv; i++)
        if (w->skip[i]) add_mass_rate(m, w, i, (size_t)ld, dq);
}

void tac_mass_dense(const tacModel *m, const tacWork *w, double *dense) {
    tacTree tree = tac_dof_tree(m);
    tac_tree_dense(&tree, w->M, dense);
}
