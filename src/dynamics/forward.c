#include "dynamics/forward.h"

#include "dynamics/kinematics.h"

/* Relative size below which an articulated pivot S^T IA S counts as singular. */
#define TAC_ABA_MIN_PIVOT 1e-15

/* Leaves to root over the dofs of one body, each dof as a link of its own [Featherstone2008, table 7.1]:
 *   U = IA S,  D = S . U + armature,  u = tau - S . pA,
 *   IA <- IA - U U^T / D,   pA <- pA + IA c + U u / D   with c = Sdot v (docs/theory/dynamics.md, FD1) */
static int eliminate_dofs(const tacModel *m, tacWork *w, int body, const double *v, const double *tau) {
    tacSym6 *IA = w->articulated + body;
    tacVec6 pA = w->F[body];
    int first = m->body_dof_adr[body], last = first + m->body_dof_num[body];
    for (int i = last - 1; i >= first; i--) {
        tacVec6 U = tac_sym6_mul(IA, w->S[i]);
        double D = tac_dot6(w->S[i], U) + m->dof_armature[i];
        if (!(D > TAC_ABA_MIN_PIVOT)) return i;
        w->Dinv[i] = 1 / D;
        w->U[i] = U;
        w->uu[i] = tau[i] - tac_dot6(w->S[i], pA);
        tac_sym6_downdate(IA, w->Dinv[i], U);
        tacVec6 c = tac_scale6(v[i], w->Sdot[i]);
        pA = tac_madd6(tac_add6(pA, tac_sym6_mul(IA, c)), w->Dinv[i] * w->uu[i], U);
    }
    w->F[body] = pA;
    return -1;
}

/* Root to leaves: A' = A + c, a = (u - U . A') / D, A = A' + S a. */
static void accelerate_dofs(const tacModel *m, tacWork *w, int body, const double *v, double *a) {
    tacVec6 A = w->A[m->body_parent[body]];
    int first = m->body_dof_adr[body], last = first + m->body_dof_num[body];
    for (int i = first; i < last; i++) {
        A = tac_madd6(A, v[i], w->Sdot[i]);
        a[i] = (w->uu[i] - tac_dot6(w->U[i], A)) * w->Dinv[i];
        A = tac_madd6(A, a[i], w->S[i]);
    }
    w->A[body] = A;
}

tacStatus tac_aba(const tacModel *m, tacWork *w, const double *v, const double *tau, double *a) {
    for (int b = 1; b < m->nbody; b++) {
        w->articulated[b] = tac_sym6_inertia(&w->inertia[b]);
        w->F[b] = tac_crossf6(w->V[b], tac_inertia_mul(w->inertia[b], w->V[b]));
    }
    for (int b = m->nbody - 1; b > 0; b--) {
        if (eliminate_dofs(m, w, b, v, tau) >= 0) return TAC_ERR_SINGULAR;
        int parent = m->body_parent[b];
        if (parent == 0) continue;
        tac_sym6_add(&w->articulated[parent], &w->articulated[b]);
        w->F[parent] = tac_add6(w->F[parent], w->F[b]);
    }
    w->A[0] = tac_base_acceleration(m);
    for (int b = 1; b < m->nbody; b++)
        accelerate_dofs(m, w, b, v, a);
    return TAC_OK;
}
