/* Derivatives of the rows of connects and welds (docs/theory/contact.md, R9, R10). */
#include "contact/equality.h"

#include "math/quat.h"

static tacVec3 vector_of(tacQuat q) { return tac_vec3(q.x, q.y, q.z); }

/* --- Changes of the geometry -------------------------------------------------------------------------------------- */

static int moves_side(const tacModel *m, const tacEquality *e, int side, const tacMover *x) {
    if (x->site > 0) return e->site[side] == x->site - 1;
    return tac_moves_body(m, x, e->body[side]);
}

/* dQ = (R_1^T (x_0 - x_1)) Q / 2 for turns x of the two frames. */
static tacEqualityChange change_along(const tacModel *m, const tacWork *w, const tacEquality *e, const tacMover *x) {
    tacEqualityChange d = {.mover = x};
    tacVec3 turn = tac_zero3();
    for (int side = 0; side < 2; side++) {
        if (!moves_side(m, e, side, x)) continue;
        tacVec3 r = tac_sub3(e->point[side], w->origin[x->body]);
        d.point[side] = tac_add3(x->S.lin, tac_cross3(x->S.ang, r));
        turn = tac_madd3(turn, side == 0 ? 1 : -1, x->S.ang);
        if (side == 1) d.frame = x->S.ang;
    }
    tacVec3 half = tac_scale3(0.5, tac_quat_rotate(tac_quat_conj(e->quat[1]), turn));
    d.turn = tac_quat_mul((tacQuat){0, half.x, half.y, half.z}, e->turn);
    return d;
}

/* Change with the numbers in data_used. xquat of its body is the world orientation of frame 0 before `rel`. */
static tacEqualityChange change_of_data(const tacModel *m, const tacWork *w, const tacEquality *e, const double *data) {
    tacEqualityChange d = {.scale = e->n == 6 ? data[10] : 0};
    if (m->equality_objkind[e->id] == TAC_KIND_SITE) return d;
    d.point[0] = tac_mulmv3(w->xmat[e->body[0]], tac_load3(data + (e->n == 6 ? 3 : 0)));
    d.point[1] = tac_mulmv3(w->xmat[e->body[1]], tac_load3(data + (e->n == 6 ? 0 : 3)));
    if (e->n == 6)
        d.turn = tac_quat_mul(tac_quat_conj(e->quat[1]), tac_quat_mul(w->xquat[e->body[0]], tac_quat_load(data + 6)));
    return d;
}

/* --- Changes of the rows ------------------------------------------------------------------------------------------ */

/* axis_k = (scale/2) R_1 (Q_w e_k + vec Q x e_k) */
static void axis_changes(const tacEquality *e, tacEqualityChange *d) {
    tacQuat Q = e->turn, dQ = d->turn;
    tacQuat both = {e->scale * dQ.w + d->scale * Q.w, e->scale * dQ.x + d->scale * Q.x,
                    e->scale * dQ.y + d->scale * Q.y, e->scale * dQ.z + d->scale * Q.z};
    for (int k = 0; k < 3; k++) {
        tacVec3 unit = tac_vec3(k == 0, k == 1, k == 2);
        tacVec3 local = tac_scale3(0.5, tac_madd3(tac_cross3(vector_of(both), unit), both.w, unit));
        d->axis[k] = tac_add3(tac_quat_rotate(e->quat[1], local), tac_cross3(d->frame, e->axis[k]));
    }
}

/* Change of the anchor's velocity and the angular velocity of one side, at fixed z. */
static tacVec6 side_velocity_change(const tacModel *m, const tacWork *w, const tacEquality *e, int side,
                                    const tacEqualityChange *d, const tacEqualityWeights *by) {
    int body = e->body[side];
    tacVec6 V = by->V[body], out = {{0, 0, 0}, tac_cross3(V.ang, d->act[side])};
    if (d->mover == NULL) return out;
    tacDisplacement moved = {1, {*d->mover}};
    tacVec6 dV = tac_body_velocity_move(m, w, by->V, by->z, &moved, body);
    tacVec3 r = tac_sub3(e->act[side], w->origin[body]);
    return (tacVec6){dV.ang, tac_add3(out.lin, tac_add3(dV.lin, tac_cross3(dV.ang, r)))};
}

static void emit_velocities(const tacModel *m, const tacWork *w, const tacEquality *e, const tacEqualityChange *d,
                            const tacEqualityWeights *by, double out[TAC_EQUALITY_ROWS]) {
    tacVec6 du = tac_sub6(side_velocity_change(m, w, e, 0, d, by), side_velocity_change(m, w, e, 1, d, by));
    tacVec3 turning = tac_sub3(by->V[e->body[0]].ang, by->V[e->body[1]].ang);
    for (int k = 0; k < 3; k++)
        out[k] += tac_get3(du.lin, k);
    for (int k = 3; k < e->n; k++)
        out[k] += tac_dot3(d->axis[k - 3], turning) + tac_dot3(e->axis[k - 3], du.ang);
}

/* tau_i = S_i . W, W = (r x F + T, F):  dtau_i = dS_i . W + S_i . (dp x F + dT, 0) */
static void emit_forces(const tacModel *m, const tacWork *w, const tacEquality *e, const tacEqualityChange *d,
                        const tacEqualityWeights *by, int column, const tacSink *sink) {
    tacVec3 F = tac_load3(by->f), T = tac_zero3(), dT = tac_zero3();
    for (int k = 3; k < e->n; k++) {
        T = tac_madd3(T, by->f[k], e->axis[k - 3]);
        dT = tac_madd3(dT, by->f[k], d->axis[k - 3]);
    }
    for (int side = 0; side < 2; side++) {
        int body = e->body[side];
        double sign = side == 0 ? by->scale : -by->scale;
        tacVec3 r = tac_sub3(e->act[side], w->origin[body]);
        tacVec6 W = {tac_add3(tac_cross3(r, F), T), F}, dW = {tac_add3(tac_cross3(d->act[side], F), dT), {0, 0, 0}};
        for (int i = m->body_last_dof[body]; i >= 0; i = m->dof_parent[i]) {
            double value = tac_dot6(w->S[i], dW);
            if (d->mover != NULL && tac_moves_dof(m, d->mover, i))
                value += tac_dot6(tac_crossm6(d->mover->S, w->S[i]), W);
            if (value != 0) tac_emit(sink, i, column, sign * value);
        }
    }
}

/* Sets the resulting changes of the rows: pos, axes, and the points where forces act. */
static void change_rows(const tacEquality *e, tacEqualityChange *d) {
    tacVec3 middle = tac_scale3(0.5, tac_add3(d->point[0], d->point[1]));
    for (int side = 0; side < 2; side++)
        d->act[side] = e->meet ? middle : d->point[side];
    tac_store3(d->pos, tac_sub3(d->point[0], d->point[1]));
    if (e->n < 6) return;
    axis_changes(e, d);
    tac_store3(d->pos + 3, tac_madd3(tac_scale3(e->scale, vector_of(d->turn)), d->scale, vector_of(e->turn)));
}

static void emit_change(const tacModel *m, const tacWork *w, const tacEquality *e, tacEqualityChange *d,
                        const tacEqualityWeights *by, int column, const tacRowSink *sink) {
    double dr[TAC_EQUALITY_ROWS] = {0};
    change_rows(e, d);
    if (by->v != NULL) tac_equality_bias_change(m, w, e, by->v, d, dr);
    if (by->z != NULL) emit_velocities(m, w, e, d, by, dr);
    if (by->scale != 0) emit_forces(m, w, e, d, by, column, &sink->force);
    for (int k = 0; k < e->n; k++) {
        double change = dr[k] + by->rate[k] * d->pos[k];
        if (by->across[k] != 0)
            change -= by->across[k] * tac_dot3(tac_load3(by->across + k / 3 * 3), tac_load3(d->pos + k / 3 * 3));
        if (change != 0) tac_emit(&sink->row, by->k + k, column, change);
    }
}

void tac_equality_move(const tacModel *m, const tacWork *w, const tacEquality *e, const tacMover *mover,
                       const tacEqualityWeights *by, int column, const tacRowSink *sink) {
    if (!moves_side(m, e, 0, mover) && !moves_side(m, e, 1, mover)) return;
    tacEqualityChange d = change_along(m, w, e, mover);
    emit_change(m, w, e, &d, by, column, sink);
}

void tac_equality_param(const tacModel *m, const tacWork *w, const tacEquality *e, const tacSmoothPoint *x,
                        const tacEqualityWeights *by, const tacParamTangent *t, int column, const tacRowSink *sink) {
    tacMover mover[2];
    int n = tac_param_movers(m, w, t, x, mover);
    for (int i = 0; i < n; i++)
        tac_equality_move(m, w, e, &mover[i], by, column, sink);
    if (t->equality_data == NULL) return;
    tacEqualityChange d = change_of_data(m, w, e, t->equality_data + 11 * e->id);
    emit_change(m, w, e, &d, by, column, sink);
}

void tac_equality_inputs_jac(const tacModel *m, const tacEqualityPlace *a, const tacParamTangent *tangents,
                             const tacRowSink *mocap, const tacRowSink *theta) {
    for (int i = 0; mocap != NULL && i < TAC_POSE_SIZE * m->nmocap; i++) {
        tacMover mover;
        tac_mocap_mover(m, a->w, i, a->x.u.mocap, &mover);
        tac_equality_move(m, a->w, &a->e, &mover, &a->by, i, mocap);
    }
    for (int i = 0; theta != NULL && i < m->nmember; i++)
        tac_equality_param(m, a->w, &a->e, &a->x, &a->by, &tangents[i], tangents[i].column, theta);
}
