/* Bodies between three poses: momenta of the variational integrator, and joints. Rotations are described by the
 * rotation vector, where [Howell2022, eqs. 16-18] have the quaternion's vector part. */
#include "contact/ncp/bodies.h"

#include "contact/ncp/turns.h"
#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

/* rad: a body or joint must turn by less in a step. Half a turn has no direction. */
#define MAX_TURN 3.0
/* rad: the rotation of a body differs from h times its angular velocity at q by less than this, unless one of them has
 * lost a full turn. */
#define MAX_TURN_DIFFERENCE 3.141592653589793

/* --- Angular momentum --------------------------------------------------------------------------------------------- */

tacMat3 tac_ncp_skew(tacVec3 a) { return (tacMat3){{0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0}}; }

/* E = (1 - (t/2) cot(t/2))/t^2 of the angle t, as in Jr^-1, and F = (dE/dt)/t = ((t/2)^2/sin^2(t/2) + (t/2) cot(t/2) -
 * 2)/t^4. */
void tac_ncp_inverse_jacobian_terms(double tt, double *E, double *F) {
    if (tt < TAC_NCP_SMALL_TURN * TAC_NCP_SMALL_TURN) {
        *E = 1.0 / 12 + tt * (1.0 / 720 + tt * (1.0 / 30240 + tt / 1209600));
        *F = 1.0 / 360 + tt * (1.0 / 7560 + tt * (1.0 / 201600 + tt / 5987520));
        return;
    }
    double half = 0.5 * tac_sqrt(tt), s = tac_sin(half), cot = tac_cos(half) / s;
    *E = (1 - half * cot) / tt;
    *F = (half * half / (s * s) + half * cot - 2) / (tt * tt);
}

/* Jr^-1 = (1 - E |phi|^2) 1 + [phi]/2 + E phi phi^T */
static tacMat3 inverse_jacobian(tacVec3 phi, double square, double E) {
    double d = 1 - E * square;
    tacVec3 e = tac_scale3(E, phi), half = tac_scale3(0.5, phi);
    return (tacMat3){{d + e.x * phi.x, e.x * phi.y - half.z, e.x * phi.z + half.y, //
                      e.x * phi.y + half.z, d + e.y * phi.y, e.y * phi.z - half.x, //
                      e.x * phi.z - half.y, e.y * phi.z + half.x, d + e.z * phi.z}};
}

tacVec3 tac_angular_momentum(tacSym3 J, tacVec3 phi, double h, int after) {
    tacVec3 y = tac_mulsv3(J, phi), across = tac_cross3(phi, y);
    double E, F;
    tac_ncp_inverse_jacobian_terms(tac_dot3(phi, phi), &E, &F);
    tacVec3 L = tac_madd3(tac_madd3(y, after ? 0.5 : -0.5, across), E, tac_cross3(phi, across));
    return tac_scale3(1 / h, L);
}

/* With y = J phi, s = y/2 + E phi x y and [phi] [y] = y phi^T - (phi . y) 1,
 *   dL = (1/h) [Jr^-1 J - [s] + E (phi . y) 1 + (F phi x (phi x y) - E y) phi^T] Jr^-T t */
tacMat3 tac_angular_momentum_jac(tacSym3 J, tacVec3 phi, double h) {
    tacVec3 y = tac_mulsv3(J, phi), across = tac_cross3(phi, y);
    double E, F, tt = tac_dot3(phi, phi), over_h = 1 / h;
    tac_ncp_inverse_jacobian_terms(tt, &E, &F);
    tacMat3 inverse = inverse_jacobian(phi, tt, E);
    tacMat3 D = tac_mulmm3(inverse, (tacMat3){{J.xx, J.xy, J.xz, J.xy, J.yy, J.yz, J.xz, J.yz, J.zz}});
    tacVec3 s = tac_madd3(tac_scale3(0.5, y), E, across);
    tacVec3 k = tac_madd3(tac_scale3(F, tac_cross3(phi, across)), -E, y);
    double along = E * tac_dot3(phi, y);
    const double rest[9] = {along + k.x * phi.x, s.z + k.x * phi.y,   -s.y + k.x * phi.z, //
                            -s.z + k.y * phi.x,  along + k.y * phi.y, s.x + k.y * phi.z,  //
                            s.y + k.z * phi.x,   -s.x + k.z * phi.y,  along + k.z * phi.z};
    for (int i = 0; i < 9; i++)
        D.m[i] = over_h * (D.m[i] + rest[i]);
    return tac_mulmm3(D, tac_transpose3(inverse));
}

tacVec3 tac_ncp_turn(tacQuat from, tacQuat to) { return tac_quat_log(tac_quat_mul(to, tac_quat_conj(from))); }

tacVec3 tac_ncp_angular_momentum_gained(const tacWork *const w[3], int b, tacSym3 J, double h) {
    tacSym3 inertia = tac_rotatesym3(w[1]->xmat[b], J);
    tacVec3 was = tac_angular_momentum(inertia, tac_ncp_turn(w[0]->xquat[b], w[1]->xquat[b]), h, 0);
    tacVec3 is = tac_angular_momentum(inertia, tac_ncp_turn(w[1]->xquat[b], w[2]->xquat[b]), h, 1);
    return tac_sub3(is, was);
}

/* --- Poses -------------------------------------------------------------------------------------------------------- */

/* Places w at q (+) step v. */
static void place_at(tacNcp *p, double step, const double *v, tacWork *w) {
    for (int i = 0; i < p->m->nv; i++)
        p->hv[i] = step * v[i];
    tac_qpos_add(p->m, p->q, p->hv, p->q_next);
    tac_kinematics_poses(p->m, w, p->q_next, p->mocap);
}

void tac_ncp_place_before(tacNcp *p, tacWork *w, double *q_before) {
    place_at(p, -p->h, p->v, w);
    memcpy(q_before, p->q_next, (size_t)p->m->nq * sizeof *q_before);
    for (int i = 0; i < p->m->nv; i++) /* restores them */
        p->hv[i] = p->h * p->x[i];
    tac_qpos_add(p->m, p->q, p->hv, p->q_next);
}

/* The body that joint j turns too far by p->hv; 0: none. */
static int turned_by_joint(const tacNcp *p, int j) {
    const tacModel *m = p->m;
    int type = m->joint_type[j], adr = m->joint_dof_adr[j];
    const double *turn = p->hv + adr + (type == TAC_JOINT_FREE ? 3 : 0);
    if (type == TAC_JOINT_SLIDE) return 0;
    double angle = type == TAC_JOINT_HINGE ? tac_abs(*turn) : tac_norm3(tac_load3(turn));
    return angle < MAX_TURN ? 0 : m->joint_body[j];
}

static int is_shorter(tacVec3 a, double length) { return tac_dot3(a, a) < length * length; }

/* Sets slide and spin of the motion p->hv to the poses of next. Returns the first body that turns too far: by one
 * joint, or by all of them together; 0: none. Poses show a rotation only up to full turns, so it is compared with the
 * sum of the joints' axes at q times hv. Uses sum. */
static int measure_motion(tacNcp *p) {
    const tacModel *m = p->m;
    double over_h = 1 / p->h;
    int turned = 0;
    for (int j = 0; j < m->njnt && turned == 0; j++)
        turned = turned_by_joint(p, j);
    p->sum[0].ang = p->slide[0] = p->spin[0] = tac_zero3();
    if (turned == 0) tac_ncp_turns(m->nbody - 1, p->w->xquat + 1, p->next.xquat + 1, over_h, p->spin + 1);
    for (int b = 1; b < m->nbody && turned == 0; b++) {
        int adr = m->body_dof_adr[b];
        tacVec3 around = p->sum[m->body_parent[b]].ang;
        for (int i = adr; i < adr + m->body_dof_num[b]; i++)
            around = tac_madd3(around, p->hv[i], p->w->S[i].ang);
        p->sum[b].ang = around;
        tacVec3 turn = tac_scale3(p->h, p->spin[b]), lost = tac_sub3(turn, around);
        p->slide[b] = tac_scale3(over_h, tac_sub3(p->next.xipos[b], p->w->xipos[b]));
        if (!is_shorter(turn, MAX_TURN) || !is_shorter(lost, MAX_TURN_DIFFERENCE)) turned = b;
    }
    return turned;
}

/* Momentum of the velocity v, world axes at the centre of mass: R J R^T w, m x'. */
static tacVec6 momentum_of_velocity(const tacNcp *p, int b) {
    tacVec3 x = tac_point_velocity(p->w, b, p->w->xipos[b]);
    return (tacVec6){tac_mulsv3(p->inertia[b], p->w->V[b].ang), tac_scale3(p->m->body_mass[b], x)};
}

/* Momentum between q (-) h v and q, the poses of next and w. */
static tacVec6 momentum_before(const tacNcp *p, int b) {
    tacVec3 phi = tac_scale3(-p->h, p->spin[b]); /* slide and spin lead from q to q (-) h v */
    return (tacVec6){tac_angular_momentum(p->inertia[b], phi, p->h, 0), tac_scale3(-p->m->body_mass[b], p->slide[b])};
}

void tac_ncp_begin_bodies(tacNcp *p) {
    const tacModel *m = p->m;
    tacVec3 gravity = tac_neg3(tac_base_acceleration(m).lin);
    for (int b = 0; b < m->nbody; b++)
        p->ldu.still[b] = m->body_last_dof[b] < 0;
    place_at(p, -p->h, p->v, &p->next);
    p->turned_before = measure_motion(p);
    for (int b = 1; b < m->nbody; b++) {
        p->inertia[b] = tac_rotatesym3(p->w->xmat[b], m->body_icom[b]);
        p->before[b] = p->turned_before > 0 ? momentum_of_velocity(p, b) : momentum_before(p, b);
        p->before[b].lin = tac_madd3(p->before[b].lin, p->h * m->body_mass[b], gravity);
    }
}

tacStatus tac_ncp_place_bodies(tacNcp *p, const double *v_next) {
    const tacModel *m = p->m;
    place_at(p, p->h, v_next, &p->next);
    int turned = measure_motion(p);
    if (turned > 0) {
        p->turned = turned;
        return TAC_ERR_DEGENERATE;
    }
    p->f[0] = tac_zero6();
    tac_ncp_momenta(m->nbody - 1, p->inertia + 1, p->spin + 1, p->h, p->turning + 1);
    for (int b = 1; b < m->nbody; b++) {
        tacVec3 ang = tac_sub3(p->turning[b], p->before[b].ang);
        tacVec3 lin = tac_sub3(tac_scale3(m->body_mass[b], p->slide[b]), p->before[b].lin);
        tacVec3 arm = tac_sub3(p->w->xipos[b], p->w->origin[b]);
        p->f[b] = (tacVec6){tac_add3(ang, tac_cross3(arm, lin)), lin};
    }
    for (int i = 0; i < m->nv; i++)
        p->g[i] = (m->dof_armature[i] + p->damping_span * m->dof_damping[i]) * (v_next[i] - p->v[i]) - p->tau[i];
    return TAC_OK;
}

/* --- The linear system -------------------------------------------------------------------------------------------- */

static void store6(double *to, tacVec6 a) {
    tac_store3(to, a.ang);
    tac_store3(to + 3, a.lin);
}

/* Sets axes at q, and the derivative of poses at q+ by v+: h S+, for rotations h S+ Jr(h v+). */
static void put_axes(tacNcp *p) {
    const tacModel *m = p->m;
    for (int i = 0; i < m->nv; i++) {
        store6(p->ldu.left + 6 * i, p->w->S[i]);
        store6(p->ldu.right + 6 * i, tac_scale6(p->h, p->next.S[i]));
    }
    for (int j = 0; j < m->njnt; j++) {
        int type = m->joint_type[j], dof = m->joint_dof_adr[j] + (type == TAC_JOINT_FREE ? 3 : 0);
        if (type != TAC_JOINT_FREE && type != TAC_JOINT_BALL) continue;
        tacMat3 Q = tac_quat_right_jacobian(tac_load3(p->hv + dof));
        for (int c = 0; c < 3; c++) {
            tacVec6 S = tac_zero6();
            for (int r = 0; r < 3; r++)
                S = tac_madd6(S, p->h * Q.m[3 * r + c], p->next.S[dof + r]);
            store6(p->ldu.right + 6 * (dof + c), S);
        }
    }
}

/* [row] [column] = column row^T - (row . column) 1 */
void tac_ncp_set_rigid(const tacMat3 *T, double s, tacVec3 row, tacVec3 column, double *H) {
    double along = s * tac_dot3(row, column);
    const double *t = T->m;
    tacVec3 r = tac_scale3(s, row), c = tac_scale3(s, column);
    const double block[TAC_BLOCK_SIZE] = {t[0] - c.x * row.x + along,
                                          t[1] - c.x * row.y,
                                          t[2] - c.x * row.z,
                                          0,
                                          -r.z,
                                          r.y,
                                          t[3] - c.y * row.x,
                                          t[4] - c.y * row.y + along,
                                          t[5] - c.y * row.z,
                                          r.z,
                                          0,
                                          -r.x,
                                          t[6] - c.z * row.x,
                                          t[7] - c.z * row.y,
                                          t[8] - c.z * row.z + along,
                                          -r.y,
                                          r.x,
                                          0,
                                          0,
                                          c.z,
                                          -c.y,
                                          s,
                                          0,
                                          0,
                                          -c.z,
                                          0,
                                          c.x,
                                          0,
                                          s,
                                          0,
                                          c.y,
                                          -c.x,
                                          0,
                                          0,
                                          0,
                                          s};
    memcpy(H, block, sizeof block);
}

static void put_body(tacNcp *p, int b) {
    tacVec3 arm = tac_sub3(p->w->xipos[b], p->w->origin[b]), ahead = tac_sub3(p->next.xipos[b], p->next.origin[b]);
    tac_ncp_set_rigid(&p->turning_block[b], p->m->body_mass[b] / p->h, arm, ahead, p->ldu.H + TAC_BLOCK_SIZE * b);
}

void tac_ncp_linearize(tacNcp *p) {
    const tacModel *m = p->m;
    p->turned = 0;
    tac_block_ldu_begin(&p->ldu);
    put_axes(p);
    tac_ncp_momenta_jac(m->nbody - 1, p->inertia + 1, p->spin + 1, p->h, p->turning_block + 1);
    for (int b = 0; b < m->nbody; b++) {
        if (!p->ldu.still[b])
            put_body(p, b);
        else
            memset(p->ldu.H + TAC_BLOCK_SIZE * b, 0, TAC_BLOCK_SIZE * sizeof *p->ldu.H);
    }
    for (int i = 0; i < m->nv; i++)
        p->ldu.diag[i] = m->dof_armature[i] + p->damping_span * m->dof_damping[i];
}
