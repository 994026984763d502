#include "contact/equality.h"

#include "math/quat.h"

int tac_equality_is_pose(const tacModel *m, int eq) {
    return m->equality_type[eq] == TAC_EQ_CONNECT || m->equality_type[eq] == TAC_EQ_WELD;
}

int tac_equality_holds(const tacModel *m, int eq) {
    return m->equality_active[eq] && !(*m->option_disable & (TAC_DISABLE_EQUALITY | TAC_DISABLE_CONSTRAINT));
}

/* --- Geometry ----------------------------------------------------------------------------------------------------- */

/* Frame and anchor of each side. A connect has its anchors in data[0-2] and data[3-5]. A weld has them the other way
 * round, and the rotation in data[6-9]. Sites are their own anchors. */
static void place_sides(const tacModel *m, const tacWork *w, tacEquality *e) {
    const double *data = m->equality_data_used + 11 * e->id;
    const double *anchor[2] = {data + (e->n == 6 ? 3 : 0), data + (e->n == 6 ? 0 : 3)};
    int sites = m->equality_objkind[e->id] == TAC_KIND_SITE;
    for (int side = 0; side < 2; side++) {
        int obj = m->equality_obj[2 * e->id + side];
        e->site[side] = sites ? obj : -1;
        e->body[side] = sites ? m->site_body[obj] : obj < 0 ? 0 : obj;
        int body = e->body[side];
        e->point[side] = tac_frame_pos(w, body, sites ? m->site_pos[obj] : tac_load3(anchor[side]));
        e->quat[side] = sites ? tac_frame_quat(w, body, m->site_quat[obj]) : w->xquat[body];
    }
    if (e->n == 6 && !sites) e->quat[0] = tac_quat_mul(e->quat[0], tac_quat_load(data + 6));
}

/* Q = conj(q_1) q_0 turns by (R_1^T (w_0 - w_1)) Q / 2, so
 *   d(scale vec Q)/dt . e_k = axis_k . (w_0 - w_1),   axis_k = (scale/2) R_1 (Q_w e_k + vec Q x e_k) */
static void place_axes(tacEquality *e) {
    tacQuat Q = e->turn;
    tacVec3 vec = tac_vec3(Q.x, Q.y, Q.z);
    for (int k = 0; k < 3; k++) {
        tacVec3 unit = tac_vec3(k == 0, k == 1, k == 2);
        tacVec3 local = tac_madd3(tac_cross3(vec, unit), Q.w, unit);
        e->axis[k] = tac_quat_rotate(e->quat[1], tac_scale3(e->scale / 2, local));
    }
    tac_store3(e->pos + 3, tac_scale3(e->scale, vec));
}

tacEquality tac_equality_at(const tacModel *m, const tacWork *w, int eq) {
    tacEquality e = {.id = eq, .n = m->equality_type[eq] == TAC_EQ_WELD ? 6 : 3};
    place_sides(m, w, &e);
    tac_store3(e.pos, tac_sub3(e.point[0], e.point[1]));
    e.turn = tac_quat_mul(tac_quat_conj(e.quat[1]), e.quat[0]);
    e.scale = e.n == 6 ? m->equality_data_used[11 * eq + 10] : 0;
    if (e.n == 6) place_axes(&e);
    e.act[0] = e.point[0];
    e.act[1] = e.point[1];
    return e;
}

void tac_equality_meet(tacEquality *e) {
    e->act[0] = e->act[1] = tac_scale3(0.5, tac_add3(e->point[0], e->point[1]));
    e->meet = 1;
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

tacVec6 tac_equality_wrench(const tacWork *w, const tacEquality *e, int side, int axis) {
    double sign = side == 0 ? 1 : -1;
    if (axis >= 3) return (tacVec6){tac_scale3(sign, e->axis[axis - 3]), tac_zero3()};
    tacVec3 d = tac_vec3(sign * (axis == 0), sign * (axis == 1), sign * (axis == 2));
    return (tacVec6){tac_cross3(tac_sub3(e->act[side], w->origin[e->body[side]]), d), d};
}

void tac_add_equality(const tacModel *m, const tacWork *w, int eq, tacRows *rows) {
    tacEquality e = tac_equality_at(m, w, eq);
    if (rows->meet) tac_equality_meet(&e);
    int last[2] = {m->body_last_dof[e.body[0]], m->body_last_dof[e.body[1]]};
    if (last[0] < 0 && last[1] < 0) return;
    for (int axis = 0; axis < e.n; axis++) {
        tacRow *row = tac_rows_begin(rows, TAC_ROW_EQUALITY, eq, axis, e.pos[axis]);
        if (row == NULL) return;
        tacVec6 W[2] = {tac_equality_wrench(w, &e, 0, axis), tac_equality_wrench(w, &e, 1, axis)};
        tac_rows_add_paths(m, rows, row, last, w->S, W);
    }
}

void tac_equality_gradient(const tacModel *m, const tacWork *w, const tacEquality *e, int axis, double *out) {
    for (int side = 0; side < 2; side++) {
        tacVec6 W = tac_equality_wrench(w, e, side, axis);
        for (int i = m->body_last_dof[e->body[side]]; i >= 0; i = m->dof_parent[i])
            out[i] += tac_dot6(w->S[i], W);
    }
}
