#include "dynamics/inverse.h"

#include "dynamics/kinematics.h"

/* Derivatives of inverse dynamics, in world axes about the tree's fixed reference point (docs/theory/dynamics.md, after
 * [Singh2022] and [Carpentier2018]). A displacement dq_j moves everything outboard of dof j by the twist S_j dq_j. So
 * each quantity outboard changes by the rigid part S_j x (.), which cancels in S_i . F, and by a residual:
 *
 *   dV_k = psi1_j,   dA_k = psi2_j + psi1_j x V_k,   dF_k = I_k psi2_j + B_k psi1_j                              (ID1)
 *   psi1_j = V_before x S_j,   psi2_j = A_before x S_j + V_before x psi1_j                                        (ID2)
 *   B_k x = x x* (I_k V_k) + V_k x* (I_k x) - I_k (V_k x x)                                                       (ID3)
 *
 * with V_before, A_before the motion just inboard of j. Written out, B acts on the angular part of x alone:
 *
 *   B x = (B11 w, 2 w x p),  B11 = -2 [w_k] E - 2 (v_k h^T - (h . v_k) 1),  E = tr(I)/2 1 - I,
 *   p = m v_k - h x w_k                                                                                          (ID4)
 *
 * Summed over subtrees (C), with U_i = I^C_i S_i and W_i = B^C_i^T S_i:
 *   j inboard of i or beside it   dtau_i/dq_j = U_i . psi2_j + W_i . psi1_j
 *                                 dtau_i/dv_j = U_i . (psi1_j + Sd_j) + W_i . S_j,   Sd_j = V_after x S_j        (ID5)
 *   i strictly inboard of j       dtau_i/dq_j = S_i . (I^C_j psi2_j + B^C_j psi1_j + S_j x* F^C_j)
 *                                 dtau_i/dv_j = S_i . (I^C_j (psi1_j + Sd_j) + B^C_j S_j)                   (ID6) */

enum { OF_Q, OF_V }; /* lanes of a pair: residual of a displacement, residual of a velocity */

/* (x . psi2, x . (psi1 + Sd)) and (y . psi1, y . S) of dof i, y an angular vector */
static inline tacPair rate_dot6(const tacRate *r, tacVec6 x) {
    return (x.ang.x * r->u[0] + x.ang.y * r->u[1] + x.ang.z * r->u[2]) +
           (x.lin.x * r->u[3] + x.lin.y * r->u[4] + x.lin.z * r->u[5]);
}
static inline tacPair rate_dot3(const tacRate *r, tacVec3 y) { return y.x * r->w[0] + y.y * r->w[1] + y.z * r->w[2]; }

static inline void set_rate(tacRate *r, tacVec6 psi2, tacVec6 later, tacVec3 psi1, tacVec6 S) {
    *r = (tacRate){{{psi2.ang.x, later.ang.x},
                    {psi2.ang.y, later.ang.y},
                    {psi2.ang.z, later.ang.z},
                    {psi2.lin.x, later.lin.x},
                    {psi2.lin.y, later.lin.y},
                    {psi2.lin.z, later.lin.z}},
                   {{psi1.x, S.ang.x}, {psi1.y, S.ang.y}, {psi1.z, S.ang.z}},
                   {{S.ang.x, S.ang.x},
                    {S.ang.y, S.ang.y},
                    {S.ang.z, S.ang.z},
                    {S.lin.x, S.lin.x},
                    {S.lin.y, S.lin.y},
                    {S.lin.z, S.lin.z}}};
}

/* (ID2) for one group of dofs, and the motion after it. */
static inline __attribute__((always_inline)) void enter_group(tacWork *w, int first, int count, const double *v,
                                                              const double *a, tacVec6 *V, tacVec6 *A) {
    tacVec6 V0 = *V, A0 = *A;
    for (int i = first; i < first + count; i++) {
        tacVec6 S = w->S[i], psi1 = tac_crossm6(V0, S);
        w->Sdot[i] = psi1;
        *V = tac_madd6(*V, v[i], S);
        *A = tac_madd6(tac_madd6(*A, v[i], psi1), a[i], S);
    }
    for (int i = first; i < first + count; i++) {
        tacVec6 S = w->S[i], psi1 = w->Sdot[i];
        tacVec6 psi2 = tac_add6(tac_crossm6(A0, S), tac_crossm6(V0, psi1));
        tacVec6 Sd = count == 1 ? psi1 : tac_crossm6(*V, S);
        set_rate(&w->rate[i], psi2, tac_add6(psi1, Sd), psi1.ang, S);
    }
}

/* (ID4) */
static inline __attribute__((always_inline)) tacCoriolis body_coriolis(const tacInertia *I, tacVec6 V) {
    tacVec3 o = V.ang, v = V.lin, h = I->h;
    double half = 0.5 * (I->I.xx + I->I.yy + I->I.zz), hv = tac_dot3(h, v);
    tacVec3 ex = {half - I->I.xx, -I->I.xy, -I->I.xz}, ey = {-I->I.xy, half - I->I.yy, -I->I.yz},
            ez = {-I->I.xz, -I->I.yz, half - I->I.zz};
    tacVec3 cx = tac_cross3(o, ex), cy = tac_cross3(o, ey), cz = tac_cross3(o, ez); /* columns of [w] E */
    tacCoriolis B;
    B.B11 = (tacMat3){{-2 * (cx.x + v.x * h.x - hv), -2 * (cy.x + v.x * h.y), -2 * (cz.x + v.x * h.z),
                       -2 * (cx.y + v.y * h.x), -2 * (cy.y + v.y * h.y - hv), -2 * (cz.y + v.y * h.z),
                       -2 * (cx.z + v.z * h.x), -2 * (cy.z + v.z * h.y), -2 * (cz.z + v.z * h.z - hv)}};
    B.p = tac_sub3(tac_scale3(I->m, v), tac_cross3(h, o));
    return B;
}

static inline tacVec6 coriolis_mul(const tacCoriolis *B, tacVec3 w) {
    return (tacVec6){tac_mulmv3(B->B11, w), tac_scale3(2, tac_cross3(w, B->p))};
}

/* I u + B w in both lanes: (I^C psi2 + B^C psi1, I^C (psi1 + Sd) + B^C S) of one dof. */
static inline __attribute__((always_inline)) void push_rate(const tacInertia *I, const tacCoriolis *B, const tacRate *r,
                                                            tacPair out[6]) {
    const tacPair *u = r->u, *w = r->w;
    const double *b = B->B11.m;
    tacVec3 h = I->h, p = B->p;
    double m = I->m;
    out[0] = ((I->I.xx * u[0] + I->I.xy * u[1] + I->I.xz * u[2]) + (h.y * u[5] - h.z * u[4])) +
             (b[0] * w[0] + b[1] * w[1] + b[2] * w[2]);
    out[1] = ((I->I.xy * u[0] + I->I.yy * u[1] + I->I.yz * u[2]) + (h.z * u[3] - h.x * u[5])) +
             (b[3] * w[0] + b[4] * w[1] + b[5] * w[2]);
    out[2] = ((I->I.xz * u[0] + I->I.yz * u[1] + I->I.zz * u[2]) + (h.x * u[4] - h.y * u[3])) +
             (b[6] * w[0] + b[7] * w[1] + b[8] * w[2]);
    out[3] = (m * u[3] - (h.y * u[2] - h.z * u[1])) + 2 * (w[1] * p.z - w[2] * p.y);
    out[4] = (m * u[4] - (h.z * u[0] - h.x * u[2])) + 2 * (w[2] * p.x - w[0] * p.z);
    out[5] = (m * u[5] - (h.x * u[1] - h.y * u[0])) + 2 * (w[0] * p.y - w[1] * p.x);
}

/* Angular part of B^T x; the linear part is zero. */
static inline tacVec3 coriolis_mul_transposed(const tacCoriolis *B, tacVec6 x) {
    return tac_madd3(tac_mulmtv3(B->B11, x.ang), 2, tac_cross3(B->p, x.lin));
}

/* Root to leaves: motion, its derivatives per dof, and each body's force, inertia and B. */
static void forward_pass(const tacModel *m, tacWork *w, const double *v, const double *a) {
    w->V[0] = tac_zero6();
    w->A[0] = tac_base_acceleration(m);
    for (int b = 1; b < m->nbody; b++) {
        tacVec6 V = w->V[m->body_parent[b]], A = w->A[m->body_parent[b]];
        int first = m->body_joint_adr[b], last = first + m->body_joint_num[b];
        for (int j = first; j < last; j++) {
            int type = m->joint_type[j], dof = m->joint_dof_adr[j];
            if (type == TAC_JOINT_HINGE || type == TAC_JOINT_SLIDE) {
                enter_group(w, dof, 1, v, a, &V, &A);
                continue;
            }
            enter_group(w, dof, 3, v, a, &V, &A);
            if (type == TAC_JOINT_FREE) enter_group(w, dof + 3, 3, v, a, &V, &A);
        }
        w->V[b] = V;
        w->A[b] = A;
        w->F[b] = tac_add6(tac_inertia_mul(w->inertia[b], A), tac_crossf6(V, tac_inertia_mul(w->inertia[b], V)));
        w->composite[b] = w->inertia[b];
        w->coriolis[b] = body_coriolis(&w->inertia[b], V);
    }
}

/* Leaves to root: sums over subtrees. */
static void add_to_parents(const tacModel *m, tacWork *w) {
    for (int b = m->nbody - 1; b > 0; b--) {
        int parent = m->body_parent[b];
        if (parent == 0) continue;
        w->F[parent] = tac_add6(w->F[parent], w->F[b]);
        w->composite[parent] = tac_inertia_add(w->composite[parent], w->composite[b]);
        for (int i = 0; i < 9; i++)
            w->coriolis[parent].B11.m[i] += w->coriolis[b].B11.m[i];
        w->coriolis[parent].p = tac_add3(w->coriolis[parent].p, w->coriolis[b].p);
    }
}

/* (P, Q) of (ID6): the forces of dof i on the dofs inboard of it. */
static inline void inboard_forces(const tacWork *w, int i, int body, tacPair PQ[6]) {
    tacVec6 turned = tac_crossf6(w->S[i], w->F[body]);
    push_rate(&w->composite[body], &w->coriolis[body], &w->rate[i], PQ);
    PQ[0][OF_Q] += turned.ang.x;
    PQ[1][OF_Q] += turned.ang.y;
    PQ[2][OF_Q] += turned.ang.z;
    PQ[3][OF_Q] += turned.lin.x;
    PQ[4][OF_Q] += turned.lin.y;
    PQ[5][OF_Q] += turned.lin.z;
}

/* Row and column i of both derivatives: (ID5) and (ID6) for dof i and the dofs inboard of it. */
static void fill_dof(const tacModel *m, tacWork *w, int i, int ld, double *dq, double *dv) {
    int b = m->dof_body[i], start = tac_dof_group(m, i);
    size_t n = (size_t)ld;
    const tacCoriolis *B = &w->coriolis[b];
    tacVec6 U = tac_inertia_mul(w->composite[b], w->S[i]);
    tacVec3 W = coriolis_mul_transposed(B, w->S[i]);
    tacPair PQ[6];
    inboard_forces(w, i, b, PQ);
    double *dq_row = dq + (size_t)i * n, *dv_row = dv + (size_t)i * n;
    double *dq_column = dq + i, *dv_column = dv + i;
    for (int j = i; j >= 0; j = m->dof_parent[j]) {
        const tacRate *r = &w->rate[j];
        tacPair inboard = (r->S[0] * PQ[0] + r->S[1] * PQ[1] + r->S[2] * PQ[2]) +
                          (r->S[3] * PQ[3] + r->S[4] * PQ[4] + r->S[5] * PQ[5]); /* Sj . (P, Q) */
        tacPair outboard = rate_dot6(r, U) + rate_dot3(r, W);
        dq_column[(size_t)j * n] = inboard[OF_Q];
        dv_column[(size_t)j * n] = inboard[OF_V];
        dq_row[j] = outboard[OF_Q];
        dv_row[j] = outboard[OF_V];
    }
    /* dofs of the same group, the other way round: j beside i, so (ID5) with the roles exchanged */
    for (int j = start; j < i; j++) {
        tacVec6 Uj = tac_inertia_mul(w->composite[b], w->S[j]);
        tacVec3 Wj = coriolis_mul_transposed(B, w->S[j]);
        dq_column[(size_t)j * n] = (rate_dot6(&w->rate[i], Uj) + rate_dot3(&w->rate[i], Wj))[OF_Q];
    }
}

void tac_rnea_jac(const tacModel *m, tacWork *w, const double *v, const double *a, int ld, double *dtau_dq,
                  double *dtau_dv) {
    forward_pass(m, w, v, a);
    add_to_parents(m, w);
    for (int i = 0; i < m->nv; i++)
        fill_dof(m, w, i, ld, dtau_dq, dtau_dv);
}

/* The parts of (ID5) and (ID6) that dtau/dv needs. They do not contain the acceleration. */
void tac_bias_velocity_jac(const tacModel *m, tacWork *w, const double *v, double scale, const unsigned char *rows,
                           double *lower, double *upper) {
    double *still = w->vec[3];
    for (int i = 0; i < m->nv; i++)
        still[i] = 0;
    forward_pass(m, w, v, still);
    add_to_parents(m, w);
    for (int i = 0; i < m->nv; i++) {
        if (!rows[i]) continue;
        int b = m->dof_body[i], at = m->dof_M_adr[i];
        tacVec6 U = tac_inertia_mul(w->composite[b], w->S[i]);
        tacVec3 W = coriolis_mul_transposed(&w->coriolis[b], w->S[i]);
        tacPair PQ[6];
        push_rate(&w->composite[b], &w->coriolis[b], &w->rate[i], PQ);
        tacVec6 Q = {{PQ[0][OF_V], PQ[1][OF_V], PQ[2][OF_V]}, {PQ[3][OF_V], PQ[4][OF_V], PQ[5][OF_V]}};
        for (int j = i; j >= 0; j = m->dof_parent[j], at++) {
            lower[at] += scale * (rate_dot6(&w->rate[j], U) + rate_dot3(&w->rate[j], W))[OF_V];
            upper[at] += scale * tac_dot6(w->S[j], Q);
        }
    }
}

/* --- Product with a direction ------------------------------------------------------------------------------------- */

/* Dofs of the group that begins at dof i. */
static inline int group_size(const tacModel *m, int i) {
    int type = m->joint_type[m->dof_joint[i]];
    return type == TAC_JOINT_HINGE || type == TAC_JOINT_SLIDE ? 1 : 3;
}

/* Sums of (ID1) on the way to a body, with s = sum S_j dq_j and t = sum S_j dv_j of a group:
 *   u += A_before x s + V_before x (V_before x s) + (V_before + V_after) x t,   w += V_before x s + t         (ID9) */
typedef struct Along {
    tacVec6 V, A, u, w;
} Along;

static Along pass_direction(tacWork *w, Along x, int first, int count, const double *v, const double *a,
                            const double *dq, const double *dv) {
    tacVec6 s = tac_zero6(), t = tac_zero6(), V0 = x.V, A0 = x.A;
    for (int i = first; i < first + count; i++) {
        tacVec6 S = w->S[i];
        w->Sdot[i] = tac_crossm6(V0, S);
        s = tac_madd6(s, dq[i], S);
        t = tac_madd6(t, dv[i], S);
        x.V = tac_madd6(x.V, v[i], S);
        x.A = tac_madd6(tac_madd6(x.A, v[i], w->Sdot[i]), a[i], S);
    }
    tacVec6 psi1 = tac_crossm6(V0, s);
    tacVec6 psi2 = tac_add6(tac_crossm6(A0, s), tac_crossm6(V0, psi1));
    x.u = tac_add6(x.u, tac_add6(psi2, tac_crossm6(tac_add6(V0, x.V), t)));
    x.w = tac_add6(x.w, tac_add6(psi1, t));
    return x;
}

/* Root to leaves: the results of forward_pass without the rates of dofs; X = dF of each body. Lambda and Y have u and
 * the angular part of w. */
static void forward_direction_pass(const tacModel *m, tacWork *w, const double *v, const double *a, const double *dq,
                                   const double *dv) {
    w->V[0] = w->Lambda[0] = tac_zero6();
    w->Y[0] = tac_zero3();
    for (int b = 1; b < m->nbody; b++) {
        int parent = m->body_parent[b], first = m->body_dof_adr[b], last = first + m->body_dof_num[b];
        Along x = {w->V[parent], w->A[parent], w->Lambda[parent], {w->Y[parent], tac_zero3()}};
        for (int i = first, count; i < last; i += count) {
            count = group_size(m, i);
            x = pass_direction(w, x, i, count, v, a, dq, dv);
        }
        w->V[b] = x.V;
        w->A[b] = x.A;
        w->Lambda[b] = x.u;
        w->Y[b] = x.w.ang; /* all that B reads (ID4) */
        w->F[b] = tac_add6(tac_inertia_mul(w->inertia[b], x.A), tac_crossf6(x.V, tac_inertia_mul(w->inertia[b], x.V)));
        w->composite[b] = w->inertia[b];
        w->coriolis[b] = body_coriolis(&w->inertia[b], x.V);
        w->X[b] = tac_add6(tac_inertia_mul(w->inertia[b], x.u), coriolis_mul(&w->coriolis[b], x.w.ang));
    }
}

/* dtau of the dofs of one body: S_i . (dF^C + turned), turned the sum of S_j x* F^C_j dq_j of the groups strictly
 * outboard. Returns turned with the body's own groups. */
static tacVec6 pull_direction(const tacModel *m, const tacWork *w, int b, const double *dq, tacVec6 turned,
                              double *dtau) {
    int first = m->body_dof_adr[b];
    for (int last = first + m->body_dof_num[b]; last > first;) {
        int start = tac_dof_group(m, last - 1);
        tacVec6 s = tac_zero6(), dF = tac_add6(w->X[b], turned);
        for (int i = start; i < last; i++) {
            dtau[i] = tac_dot6(w->S[i], dF);
            s = tac_madd6(s, dq[i], w->S[i]);
        }
        turned = tac_add6(turned, tac_crossf6(s, w->F[b]));
        last = start;
    }
    return turned;
}

/* With the acceleration of the world in A[0]. */
static void push_direction(const tacModel *m, tacWork *w, const double *v, const double *a, const double *dq,
                           const double *dv, double *dtau) {
    forward_direction_pass(m, w, v, a, dq, dv);
    add_to_parents(m, w);
    for (int b = 0; b < m->nbody; b++)
        w->Lambda[b] = tac_zero6(); /* turned */
    for (int b = m->nbody - 1; b > 0; b--) {
        int parent = m->body_parent[b];
        tacVec6 turned = pull_direction(m, w, b, dq, w->Lambda[b], dtau);
        w->Lambda[parent] = tac_add6(w->Lambda[parent], turned);
        w->X[parent] = tac_add6(w->X[parent], w->X[b]);
    }
}

void tac_rnea_jvp(const tacModel *m, tacWork *w, const double *v, const double *a, const double *dq, const double *dv,
                  double *dtau) {
    w->A[0] = tac_base_acceleration(m);
    push_direction(m, w, v, a, dq, dv, dtau);
}

void tac_mass_mul_jvp(const tacModel *m, tacWork *w, const double *x, const double *dq, double *df) {
    double *still = w->vec[3];
    for (int i = 0; i < m->nv; i++)
        still[i] = 0;
    w->A[0] = tac_zero6();
    push_direction(m, w, still, x, dq, still, df);
}

/* --- Movers and inertias ------------------------------------------------------------------------------------------ */

/* Motion just inboard of a mover: that of its body's parent, and of the body's dofs before the mover. */
static void motion_before(const tacModel *m, const tacWork *w, const double *v, const double *a, const tacMover *x,
                          tacVec6 *V, tacVec6 *A) {
    int parent = m->body_parent[x->body];
    *V = w->V[parent];
    *A = w->A[parent];
    for (int i = m->body_dof_adr[x->body]; i < x->first; i++) {
        *V = tac_madd6(*V, v[i], w->S[i]);
        *A = tac_madd6(tac_madd6(*A, v[i], w->Sdot[i]), a[i], w->S[i]);
    }
}

/* (ID5) and (ID6) for a displacement along x->S. */
void tac_rnea_move(const tacModel *m, const tacWork *w, const double *v, const double *a, const tacMover *x, int column,
                   const tacSink *sink) {
    if (x->site > 0) return; /* sites have no inertia */
    tacVec6 V, A;
    motion_before(m, w, v, a, x, &V, &A);
    int b = x->body, first = m->body_dof_adr[b];
    tacVec6 psi1 = tac_crossm6(V, x->S), psi2 = tac_add6(tac_crossm6(A, x->S), tac_crossm6(V, psi1));
    for (int i = first; i < m->nv; i++) {
        if (!tac_moves_dof(m, x, i)) continue;
        int body = m->dof_body[i];
        tacVec6 U = tac_inertia_mul(w->composite[body], w->S[i]);
        tacVec3 W = coriolis_mul_transposed(&w->coriolis[body], w->S[i]);
        tac_emit(sink, i, column, tac_dot6(U, psi2) + tac_dot3(W, psi1.ang));
    }
    tacVec6 P = tac_add6(tac_add6(tac_inertia_mul(w->composite[b], psi2), coriolis_mul(&w->coriolis[b], psi1.ang)),
                         tac_crossf6(x->S, w->F[b]));
    for (int i = x->first > first ? x->first - 1 : m->body_last_dof[m->body_parent[b]]; i >= 0; i = m->dof_parent[i])
        tac_emit(sink, i, column, tac_dot6(w->S[i], P));
}

/* dF = dI A + V x* (dI V) on one body. */
void tac_rnea_inertia(const tacModel *m, const tacWork *w, int body, const tacInertia *dI, int column,
                      const tacSink *sink) {
    tacVec6 V = w->V[body];
    tacVec6 dF = tac_add6(tac_inertia_mul(*dI, w->A[body]), tac_crossf6(V, tac_inertia_mul(*dI, V)));
    for (int i = m->body_last_dof[body]; i >= 0; i = m->dof_parent[i])
        tac_emit(sink, i, column, tac_dot6(w->S[i], dF));
}

/* A_0 = (0, -g) moves by -dg, and every body with it: dF^C = I^C (0, -dg). */
void tac_rnea_gravity(const tacModel *m, const tacWork *w, tacVec3 dg, int column, const tacSink *sink) {
    if (*m->option_disable & TAC_DISABLE_GRAVITY) return;
    tacVec6 dA = {{0, 0, 0}, tac_neg3(dg)};
    for (int i = 0; i < m->nv; i++)
        tac_emit(sink, i, column, tac_dot6(w->S[i], tac_inertia_mul(w->composite[m->dof_body[i]], dA)));
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

/* Take lambda as a velocity: Lambda_k = sum of S_i lambda_i inboard of body k. The scalar lambda . tau is the sum over
 * bodies of Lambda_k . F_k (plus armature). Its derivatives are (ID1) once more:
 *   d/dq_j = (Lambda_before x S_j) . F^C + X^C . psi2_j + Y^C . psi1_j      X_k = I_k Lambda_k
 *   d/dv_j = X^C . (psi1_j + Sd_j) + Y^C . S_j                              Y_k = B_k^T Lambda_k              (ID7)
 * With the cross products on the other side, the dofs of a group share everything except S_j:
 *   d/dq_j = S_j . (V_before x* (V_before x* X^C - Y^C) - A_before x* X^C - Lambda_before x* F^C)
 *   d/dv_j = S_j . (Y^C - (V_before + V_after) x* X^C) */
typedef struct Motion {
    tacVec6 V, A, Lambda;
} Motion;

/* The motion after a group from the motion before it. */
static inline Motion pass_group(const tacWork *w, Motion x, int first, int count, const double *v, const double *a,
                                const double *lambda) {
    for (int i = first; i < first + count; i++) {
        tacVec6 S = w->S[i];
        x.V = tac_madd6(x.V, v[i], S);
        x.A = tac_madd6(tac_madd6(x.A, v[i], w->Sdot[i]), a[i], S);
        x.Lambda = tac_madd6(x.Lambda, lambda[i], S);
    }
    return x;
}

/* Root to leaves: the results of forward_pass without the rates of dofs, and Lambda, X, Y (angular). */
static void forward_adjoint_pass(const tacModel *m, tacWork *w, const double *v, const double *a,
                                 const double *lambda) {
    w->V[0] = w->Lambda[0] = tac_zero6();
    w->A[0] = tac_base_acceleration(m);
    for (int b = 1; b < m->nbody; b++) {
        int parent = m->body_parent[b], first = m->body_dof_adr[b], last = first + m->body_dof_num[b];
        Motion x = {w->V[parent], w->A[parent], w->Lambda[parent]};
        for (int i = first, count; i < last; i += count) {
            count = group_size(m, i);
            for (int j = i; j < i + count; j++)
                w->Sdot[j] = tac_crossm6(x.V, w->S[j]);
            x = pass_group(w, x, i, count, v, a, lambda);
        }
        w->V[b] = x.V;
        w->A[b] = x.A;
        w->Lambda[b] = x.Lambda;
        w->F[b] = tac_add6(tac_inertia_mul(w->inertia[b], x.A), tac_crossf6(x.V, tac_inertia_mul(w->inertia[b], x.V)));
        w->composite[b] = w->inertia[b];
        w->coriolis[b] = body_coriolis(&w->inertia[b], x.V);
        w->X[b] = tac_inertia_mul(w->inertia[b], x.Lambda);
        w->Y[b] = coriolis_mul_transposed(&w->coriolis[b], x.Lambda);
    }
}

/* (ID7) for the dofs of one body. Needs: sums over its subtree of F, X, Y. */
static void pull_dofs(const tacModel *m, const tacWork *w, int b, const double *v, const double *a,
                      const double *lambda, double *qbar, double *vbar) {
    int parent = m->body_parent[b], first = m->body_dof_adr[b], last = first + m->body_dof_num[b];
    tacVec6 F = w->F[b], X = w->X[b], Y = {w->Y[b], {0, 0, 0}};
    Motion x = {w->V[parent], w->A[parent], w->Lambda[parent]};
    for (int i = first, count; i < last; i += count) {
        count = group_size(m, i);
        Motion after = {.V = w->V[b]};
        if (i + count < last) after = pass_group(w, x, i, count, v, a, lambda);
        tacVec6 turned = tac_sub6(tac_crossf6(x.V, X), Y);
        tacVec6 G = tac_sub6(tac_sub6(tac_crossf6(x.V, turned), tac_crossf6(x.A, X)), tac_crossf6(x.Lambda, F));
        tacVec6 H = tac_add6(turned, tac_crossf6(after.V, X));
        for (int j = i; j < i + count; j++) {
            qbar[j] = tac_dot6(w->S[j], G);
            vbar[j] = -tac_dot6(w->S[j], H);
        }
        x = after;
    }
}

void tac_rnea_vjp(const tacModel *m, tacWork *w, const double *v, const double *a, const double *lambda, double *qbar,
                  double *vbar) {
    forward_adjoint_pass(m, w, v, a, lambda);
    add_to_parents(m, w);
    for (int b = m->nbody - 1; b > 0; b--) {
        int parent = m->body_parent[b];
        pull_dofs(m, w, b, v, a, lambda, qbar, vbar);
        if (parent == 0) continue;
        w->X[parent] = tac_add6(w->X[parent], w->X[b]);
        w->Y[parent] = tac_add3(w->Y[parent], w->Y[b]);
    }
}
