#include "dynamics/inverse.h"

#include "dynamics/kinematics.h"

/* Recursive Newton-Euler in world axes [Featherstone2008, table 5.1]:
 *   A_b   = A_parent + sum_i (Sdot_i v_i + S_i a_i)
 *   F_b   = I_b A_b + V_b x* (I_b V_b)
 *   tau_i = S_i . (F summed over the subtree) + armature_i a_i (docs/theory/dynamics.md, NE1, NE2) */
void tac_rnea(const tacModel *m, tacWork *w, const double *v, const double *a, double *tau) {
    w->A[0] = tac_base_acceleration(m);
    w->F[0] = tac_zero6();
    for (int b = 1; b < m->nbody; b++) {
        tacVec6 A = w->A[m->body_parent[b]];
        int first = m->body_dof_adr[b], last = first + m->body_dof_num[b];
        int begin = a == NULL && tac_floats(m, b) ? first + 3 : first; /* translations of the world's axes: Sdot = 0 */
        for (int i = begin; i < last; i++) {
            A = tac_madd6(A, v[i], w->Sdot[i]);
            if (a != NULL) A = tac_madd6(A, a[i], w->S[i]);
        }
        tacVec6 momentum = tac_inertia_mul(w->inertia[b], w->V[b]);
        w->A[b] = A;
        w->F[b] = tac_add6(tac_inertia_mul(w->inertia[b], A), tac_crossf6(w->V[b], momentum));
    }
    for (int b = m->nbody - 1; b > 0; b--) {
        int first = m->body_dof_adr[b], last = first + m->body_dof_num[b], parent = m->body_parent[b];
        for (int i = first; i < last; i++)
            tau[i] = tac_dot6(w->S[i], w->F[b]);
        if (parent > 0) w->F[parent] = tac_add6(w->F[parent], w->F[b]);
    }
    for (int i = 0; a != NULL && i < m->nv; i++)
        tau[i] += m->dof_armature[i] * a[i];
}
