#include "dynamics/momenta.h"

/* The arrays of `before` that are its own. The others are those of the simulation. */
static int layout_before(const tacModel *m, tacArena *arena, tacWork *w) {
    w->xpos = TAC_TAKE(arena, m->nbody, tacVec3);
    w->xquat = TAC_TAKE(arena, m->nbody, tacQuat);
    w->xmat = TAC_TAKE(arena, m->nbody, tacMat3);
    w->xipos = TAC_TAKE(arena, m->nbody, tacVec3);
    w->joint_pos = TAC_TAKE(arena, m->njnt, tacVec3);
    w->joint_axis = TAC_TAKE(arena, m->njnt, tacVec3);
    w->origin = TAC_TAKE(arena, m->nbody, tacVec3);
    w->S = TAC_TAKE(arena, m->nv, tacVec6);
    w->inertia = TAC_TAKE(arena, m->nbody, tacInertia);
    w->V = TAC_TAKE(arena, m->nbody, tacVec6);
    w->Sdot = TAC_TAKE(arena, m->nv, tacVec6);
    return w->xpos && w->xquat && w->xmat && w->xipos && w->joint_pos && w->joint_axis && w->origin && w->S &&
           w->inertia && w->V && w->Sdot;
}

int tac_momenta_layout(const tacModel *m, tacArena *arena, tacMomenta *p) {
    p->ahead = TAC_TAKE(arena, m->nv, double);
    p->I = TAC_TAKE(arena, m->nbody, tacSym3);
    p->arm = TAC_TAKE(arena, m->nbody, tacVec3);
    p->slide = TAC_TAKE(arena, m->nbody, tacVec3);
    p->turn = TAC_TAKE(arena, m->nbody, tacVec3);
    p->V = TAC_TAKE(arena, m->nbody, tacVec6);
    p->W = TAC_TAKE(arena, m->nbody, tacVec6);
    p->change = TAC_TAKE(arena, m->nbody, tacVec6);
    p->moved = TAC_TAKE(arena, m->nbody, unsigned char);
    return layout_before(m, arena, &p->before) && p->ahead && p->I && p->arm && p->slide && p->turn && p->V && p->W &&
           p->change && p->moved;
}

/* Velocity of a point `arm` away from the origin. */
static tacVec3 velocity_at(tacVec6 V, tacVec3 arm) { return tac_add3(V.lin, tac_cross3(V.ang, arm)); }

void tac_momenta_open(const tacModel *m, const tacWork *w, const double *v, const double *q_before, const double *mocap,
                      double h, tacMomenta *p) {
    tacWork *before = &p->before;
    p->h = h;
    p->v = v;
    p->q_before = q_before;
    tac_kinematics_poses(m, before, q_before, mocap);
    tac_kinematics_v(m, before, v);
    for (int b = 1; b < m->nbody; b++) {
        tacVec3 arm_before = tac_sub3(before->xipos[b], before->origin[b]);
        p->I[b] = tac_rotatesym3(w->xmat[b], m->body_icom[b]);
        p->arm[b] = tac_sub3(w->xipos[b], w->origin[b]);
        p->slide[b] = velocity_at(before->V[b], arm_before);
        p->turn[b] = tac_mulmv3(w->xmat[b], tac_mulmtv3(before->xmat[b], before->V[b].ang));
    }
}

/* Adds each body's sum to its parent's, from the leaves. */
static void add_to_parents(const tacModel *m, tacVec6 *sum) {
    for (int b = m->nbody - 1; b > 0; b--)
        if (m->body_parent[b] > 0) sum[m->body_parent[b]] = tac_add6(sum[m->body_parent[b]], sum[b]);
}

/* N_ij = (S_i.ang x S_j.ang) . L, L = the angular momenta I w~ of all bodies that both dofs move. */
void tac_momenta_matrix(const tacModel *m, const tacWork *w, tacMomenta *p, const unsigned char *rows, double *lower,
                        double *upper) {
    for (int b = 1; b < m->nbody; b++)
        p->change[b] = (tacVec6){tac_mulsv3(p->I[b], p->turn[b]), {0, 0, 0}};
    add_to_parents(m, p->change);
    for (int i = 0; i < m->nv; i++) {
        if (!rows[i]) continue;
        tacVec3 around = tac_cross3(p->change[m->dof_body[i]].ang, w->S[i].ang);
        int at = m->dof_M_adr[i] + 1;
        for (int j = m->dof_parent[i]; j >= 0; j = m->dof_parent[j], at++) {
            double product = p->h * tac_dot3(around, w->S[j].ang);
            lower[at] += product;
            upper[at] -= product;
        }
    }
}

/* A wrench at the mass centre, about the origin. */
static tacVec6 about_origin(tacVec3 torque, tacVec3 force, tacVec3 arm) {
    return (tacVec6){tac_add3(torque, tac_cross3(arm, force)), force};
}

/* The force of body b that moves with V. */
static tacVec6 body_force(const tacModel *m, const tacMomenta *p, int b, tacVec6 V) {
    tacVec3 force = tac_scale3(m->body_mass[b] / p->h, tac_sub3(velocity_at(V, p->arm[b]), p->slide[b]));
    tacVec3 torque = tac_scale3(1 / p->h, tac_mulsv3(p->I[b], tac_sub3(V.ang, p->turn[b])));
    torque = tac_add3(torque, tac_cross3(V.ang, tac_mulsv3(p->I[b], p->turn[b])));
    return about_origin(torque, force, p->arm[b]);
}

/* I_b A_b + V_b x* I_b V_b with A_b = the sum of Sdot_i v_i inboard. */
static tacVec6 inertial_force(const tacModel *m, const tacWork *w, const double *v, int b, tacVec6 *A) {
    A[b] = A[m->body_parent[b]];
    for (int i = m->body_dof_adr[b]; i < m->body_dof_adr[b] + m->body_dof_num[b]; i++)
        A[b] = tac_madd6(A[b], v[i], w->Sdot[i]);
    tacVec6 momentum = tac_inertia_mul(w->inertia[b], w->V[b]);
    return tac_add6(tac_inertia_mul(w->inertia[b], A[b]), tac_crossf6(w->V[b], momentum));
}

void tac_momenta_force(const tacModel *m, const tacWork *w, tacMomenta *p, double *force) {
    p->V[0] = tac_zero6(); /* here: accelerations */
    for (int b = 1; b < m->nbody; b++)
        p->W[b] = tac_sub6(body_force(m, p, b, w->V[b]), inertial_force(m, w, p->v, b, p->V));
    add_to_parents(m, p->W);
    for (int i = 0; i < m->nv; i++)
        force[i] = tac_dot6(w->S[i], p->W[m->dof_body[i]]);
}

void tac_momenta_at(const tacModel *m, const tacWork *w, const double *a, tacMomenta *p) {
    p->a = a;
    p->V[0] = tac_zero6();
    for (int i = 0; i < m->nv; i++)
        p->ahead[i] = p->v[i] + p->h * a[i];
    for (int b = 1; b < m->nbody; b++) {
        p->V[b] = p->V[m->body_parent[b]];
        for (int i = m->body_dof_adr[b]; i < m->body_dof_adr[b] + m->body_dof_num[b]; i++)
            p->V[b] = tac_madd6(p->V[b], p->ahead[i], w->S[i]);
        p->W[b] = body_force(m, p, b, p->V[b]);
    }
    add_to_parents(m, p->W);
}
