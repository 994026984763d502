/* Derivatives of Psi (momenta.h), one column at a time.
 *
 * A displacement S at q, and one S- at q-, move everything outboard of a dof. So V of the bodies outboard changes by a
 * rigid part S x V and by psi = V_before x S, as in (ID1), and at q- likewise by psi-. Velocities add their axes to
 * both. What is rigid cancels in S_i . W, except for axes inboard. Left of a body's force are, with t = S.ang,
 *
 *   d(force)  = m (psi_c - psi-_c - (t- - t) x v_c(q-, v)) / h,   psi_c = psi.lin + psi.ang x arm
 *   d(torque) = I (psi.ang - dw~) / h + psi.ang x (I w~) + w+ x (I dw~),   dw~ = R(q) R(q-)^T psi-.ang       (ST18) */
#include "dynamics/momenta.h"

#include "math/quat.h"

/* A change of everything outboard: displacements and rates at q and at q-. */
typedef struct Move {
    int body, first; /* as in tacMover */
    tacVec6 S, S_before;
    tacVec6 rate, rate_before;
} Move;

/* Velocity just inboard of a move, at one of the two configurations. */
static tacVec6 velocity_before(const tacModel *m, const tacVec6 *V, const tacVec6 *S, const double *v, const Move *x) {
    tacVec6 sum = V[m->body_parent[x->body]];
    for (int i = m->body_dof_adr[x->body]; i < x->first; i++)
        sum = tac_madd6(sum, v[i], S[i]);
    return sum;
}

static tacVec3 at_arm(tacVec6 x, tacVec3 arm) { return tac_add3(x.lin, tac_cross3(x.ang, arm)); }

static tacVec6 about_origin(tacVec3 torque, tacVec3 force, tacVec3 arm) {
    return (tacVec6){tac_add3(torque, tac_cross3(arm, force)), force};
}

/* From axes of q- to those of q, both fixed in body b. */
static tacVec3 carry(const tacWork *w, const tacMomenta *p, int b, tacVec3 x) {
    return tac_mulmv3(w->xmat[b], tac_mulmtv3(p->before.xmat[b], x));
}

/* Change of body b's force beyond its rigid part. shear: t- - t. */
static tacVec6 change_force(const tacModel *m, const tacWork *w, const tacMomenta *p, int b, tacVec6 psi,
                            tacVec6 psi_before, tacVec3 shear) {
    tacVec3 arm_before = tac_sub3(p->before.xipos[b], p->before.origin[b]), spun = tac_mulsv3(p->I[b], p->turn[b]);
    tacVec3 slide = tac_add3(at_arm(psi_before, arm_before), tac_cross3(shear, p->slide[b]));
    tacVec3 force = tac_scale3(m->body_mass[b] / p->h, tac_sub3(at_arm(psi, p->arm[b]), slide));
    tacVec3 turn = carry(w, p, b, psi_before.ang);
    tacVec3 torque = tac_scale3(1 / p->h, tac_mulsv3(p->I[b], tac_sub3(psi.ang, turn)));
    torque = tac_add3(torque, tac_cross3(psi.ang, spun));
    torque = tac_add3(torque, tac_cross3(p->V[b].ang, tac_mulsv3(p->I[b], turn)));
    return about_origin(torque, force, p->arm[b]);
}

/* Marks the bodies from x->body on that it moves, and sets their change. */
static void push(const tacModel *m, const tacWork *w, tacMomenta *p, const Move *x) {
    const tacWork *before = &p->before;
    tacVec6 psi = tac_crossm6(velocity_before(m, p->V, w->S, p->ahead, x), x->S);
    tacVec6 psi_before = tac_crossm6(velocity_before(m, before->V, before->S, p->v, x), x->S_before);
    tacVec3 shear = tac_sub3(x->S_before.ang, x->S.ang);
    psi = tac_add6(psi, x->rate);
    psi_before = tac_add6(psi_before, x->rate_before);
    for (int b = x->body; b < m->nbody; b++) {
        p->moved[b] = b == x->body || (m->body_parent[b] >= x->body && p->moved[m->body_parent[b]]);
        if (p->moved[b]) p->change[b] = change_force(m, w, p, b, psi, psi_before, shear);
    }
}

/* Emits S_i . dW for all dofs inboard of body b's dof `from`. */
static void emit_inboard(const tacModel *m, const tacWork *w, int from, tacVec6 dW, int column, const tacSink *sink) {
    for (int i = from; i >= 0; i = m->dof_parent[i])
        tac_emit(sink, i, column, tac_dot6(w->S[i], dW));
}

static void emit_move(const tacModel *m, const tacWork *w, tacMomenta *p, const Move *x, int column,
                      const tacSink *sink) {
    push(m, w, p, x);
    for (int b = m->nbody - 1; b >= x->body; b--) {
        if (!p->moved[b]) continue;
        int first = b == x->body ? x->first : m->body_dof_adr[b], last = m->body_dof_adr[b] + m->body_dof_num[b];
        for (int i = first; i < last; i++)
            tac_emit(sink, i, column, tac_dot6(w->S[i], p->change[b]));
        int parent = m->body_parent[b];
        if (b > x->body) p->change[parent] = tac_add6(p->change[parent], p->change[b]);
    }
    int b = x->body, within = x->first > m->body_dof_adr[b];
    emit_inboard(m, w, within ? x->first - 1 : m->body_last_dof[m->body_parent[b]],
                 tac_add6(p->change[b], tac_crossf6(x->S, p->W[b])), column, sink);
}

/* --- State -------------------------------------------------------------------------------------------------------- */

/* q- = q (-) h v: dq- = P dq - h Q dv, with P and Q of (ST1) at -h v. */
typedef struct Back {
    tacMat3 P, Q;
} Back;

static const tacMat3 SAME = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};

/* The rotation back to q (-) h v and its right Jacobian, for dof i's group, which begins at `first`. */
static Back back_of(const tacModel *m, const tacMomenta *p, int i, int first) {
    int joint = m->dof_joint[i], type = m->joint_type[joint];
    int turns = type == TAC_JOINT_BALL || (type == TAC_JOINT_FREE && first > m->joint_dof_adr[joint]);
    if (!turns) return (Back){SAME, SAME};
    tacVec3 turn = tac_scale3(-p->h, tac_load3(p->v + first));
    return (Back){tac_transpose3(tac_quat_mat(tac_quat_exp(turn))), tac_quat_right_jacobian(turn)};
}

/* The sum of B_jk S_j over a group that begins at `first`; k = i - first. Hinges and slides are groups of one. */
static tacVec6 combine(const tacModel *m, const tacVec6 *S, const tacMat3 *B, int first, int i) {
    int type = m->joint_type[m->dof_joint[i]];
    if (type == TAC_JOINT_HINGE || type == TAC_JOINT_SLIDE) return S[i];
    tacVec6 sum = tac_zero6();
    for (int j = 0; j < 3; j++)
        sum = tac_madd6(sum, B->m[3 * j + i - first], S[first + j]);
    return sum;
}

void tac_momenta_state_jac(const tacModel *m, const tacWork *w, tacMomenta *p, const unsigned char *rows,
                           const tacSink *sink) {
    for (int i = 0; i < m->nv; i++) {
        if (!rows[i]) continue;
        int first = tac_dof_group(m, i);
        Back back = back_of(m, p, i, first);
        Move x = {.body = m->dof_body[i], .first = first, .S = w->S[i]};
        x.S_before = combine(m, p->before.S, &back.P, first, i);
        emit_move(m, w, p, &x, i, sink);
        x = (Move){.body = x.body, .first = first, .rate = w->S[i], .rate_before = p->before.S[i]};
        x.S_before = tac_scale6(-p->h, combine(m, p->before.S, &back.Q, first, i));
        emit_move(m, w, p, &x, m->nv + i, sink);
    }
}

/* --- Numbers of the model ----------------------------------------------------------------------------------------- */

static void emit_movers(const tacModel *m, const tacWork *w, tacMomenta *p, int n, const tacMover *now,
                        const tacMover *before, int column, const tacSink *sink) {
    for (int k = 0; k < n; k++) {
        Move x = {.body = now[k].body, .first = now[k].first, .S = now[k].S, .S_before = before[k].S};
        if (now[k].site == 0) emit_move(m, w, p, &x, column, sink);
    }
}

/* Mass, mass centre and inertia of body b change by d. The mass centre moves at q and at q-. */
static void emit_inertia(const tacModel *m, const tacWork *w, const tacMomenta *p, int b, const tacInertialTangent *d,
                         int column, const tacSink *sink) {
    tacVec6 V = p->V[b];
    tacVec3 moved = tac_mulmv3(w->xmat[b], d->com), moved_before = tac_mulmv3(p->before.xmat[b], d->com);
    tacVec3 gain = tac_sub3(at_arm(V, p->arm[b]), p->slide[b]), spin = tac_sub3(V.ang, p->turn[b]);
    tacVec3 more = tac_sub3(tac_cross3(V.ang, moved), tac_cross3(p->before.V[b].ang, moved_before));
    tacVec3 force = tac_scale3(m->body_mass[b] / p->h, gain);
    tacVec3 dforce = tac_scale3(1 / p->h, tac_madd3(tac_scale3(d->mass, gain), m->body_mass[b], more));
    tacSym3 dI = tac_rotatesym3(w->xmat[b], d->icom);
    tacVec3 torque = tac_madd3(tac_cross3(V.ang, tac_mulsv3(dI, p->turn[b])), 1 / p->h, tac_mulsv3(dI, spin));
    torque = tac_add3(torque, tac_cross3(moved, force));
    emit_inboard(m, w, m->body_last_dof[b], about_origin(torque, dforce, p->arm[b]), column, sink);
}

/* The factor 1/h of body b's force. */
static void emit_rate(const tacModel *m, const tacWork *w, const tacMomenta *p, int b, int column,
                      const tacSink *sink) {
    double scale = -1 / (p->h * p->h);
    tacVec3 gain = tac_sub3(at_arm(p->V[b], p->arm[b]), p->slide[b]), spin = tac_sub3(p->V[b].ang, p->turn[b]);
    tacVec3 force = tac_scale3(scale * m->body_mass[b], gain);
    tacVec3 torque = tac_scale3(scale, tac_mulsv3(p->I[b], spin));
    emit_inboard(m, w, m->body_last_dof[b], about_origin(torque, force, p->arm[b]), column, sink);
}

/* h: that factor, v + h a, and q- = q (-) h v. */
static void emit_time(const tacModel *m, const tacWork *w, tacMomenta *p, int column, const tacSink *sink) {
    for (int b = 1; b < m->nbody; b++)
        emit_rate(m, w, p, b, column, sink);
    for (int i = 0; i < m->nv; i++) {
        Move x = {.body = m->dof_body[i], .first = tac_dof_group(m, i), .rate = tac_scale6(p->a[i], w->S[i])};
        x.S_before = tac_scale6(-p->v[i], p->before.S[i]);
        emit_move(m, w, p, &x, column, sink);
    }
}

void tac_momenta_param_jac(const tacModel *m, const tacWork *w, tacMomenta *p, const tacSmoothPoint *x,
                           const tacParamTangent *t, const tacSink *sink) {
    tacSmoothPoint before = *x;
    tacMover now[2], then[2];
    before.q = p->q_before;
    int n = tac_param_movers(m, w, t, x, now);
    tac_param_movers(m, &p->before, t, &before, then);
    emit_movers(m, w, p, n, now, then, t->column, sink);
    for (int b = 1; t->inertial != NULL && b < m->nbody; b++)
        if (!tac_inertial_is_still(&t->inertial[b])) emit_inertia(m, w, p, b, &t->inertial[b], t->column, sink);
    if (tac_param_is_time(t)) emit_time(m, w, p, t->column, sink);
}

void tac_momenta_mocap_jac(const tacModel *m, const tacWork *w, tacMomenta *p, const double *mocap, int k,
                           const tacSink *sink) {
    tacMover now, then;
    tac_mocap_mover(m, w, k, mocap, &now);
    tac_mocap_mover(m, &p->before, k, mocap, &then);
    emit_movers(m, w, p, 1, &now, &then, k, sink);
}
