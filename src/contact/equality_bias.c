/* Acceleration of the rows of connects and welds at zero joint accelerations, and its derivatives
 * (docs/theory/contact.md, R11, R12). */
#include "contact/equality.h"

/* Velocity of a body, and its acceleration at zero joint accelerations, about the origin of its tree. */
typedef struct Motion {
    tacVec6 V, A;
} Motion;
#define STILL                                                                                                          \
    { tac_zero6(), tac_zero6() }

/* Motion of the body behind a dof: V = sum S v and A = sum Sdot v over the path to the dof. -1: the world. */
static Motion motion_behind(const tacModel *m, const tacWork *w, const double *v, int dof) {
    Motion sum = STILL;
    for (int i = dof; i >= 0; i = m->dof_parent[i]) {
        sum.V = tac_madd6(sum.V, v[i], w->S[i]);
        sum.A = tac_madd6(sum.A, v[i], w->Sdot[i]);
    }
    return sum;
}

/* The dof before dof `first` of a body, or before all of its own. */
static int dof_before(const tacModel *m, int body, int first) {
    int own = m->body_dof_adr[body], num = m->body_dof_num[body];
    return num > 0 && first > own ? first - 1 : m->body_last_dof[m->body_parent[body]];
}

static void motion_of_sides(const tacModel *m, const tacWork *w, const tacEquality *e, const double *v, Motion out[2]) {
    for (int side = 0; side < 2; side++)
        out[side] = motion_behind(m, w, v, m->body_last_dof[e->body[side]]);
}

static tacVec3 velocity_of(Motion s, tacVec3 r) { return tac_add3(s.V.lin, tac_cross3(s.V.ang, r)); }

/* p'' = A_lin + A_ang x r + w x p' */
static tacVec3 acceleration_of(Motion s, tacVec3 r) {
    return tac_add3(tac_add3(s.A.lin, tac_cross3(s.A.ang, r)), tac_cross3(s.V.ang, velocity_of(s, r)));
}

static tacVec3 arm_of(const tacWork *w, const tacEquality *e, int side) {
    return tac_sub3(e->point[side], w->origin[e->body[side]]);
}

/* G = A_0 - A_1 - w_1 x (w_0 - w_1), angular parts: the rate of R_1^T (w_0 - w_1), in world axes. */
static tacVec3 turning_rate(const Motion s[2]) {
    tacVec3 turning = tac_sub3(s[0].V.ang, s[1].V.ang);
    return tac_sub3(tac_sub3(s[0].A.ang, s[1].A.ang), tac_cross3(s[1].V.ang, turning));
}

/* Q'' = (R_1^T G) Q/2 - |w_0 - w_1|^2 Q/4, since the quaternion square (R_1^T (w_0 - w_1))^2 is -|w_0 - w_1|^2. */
void tac_equality_bias(const tacModel *m, const tacWork *w, const tacEquality *e, const double *v,
                       double out[TAC_EQUALITY_ROWS]) {
    Motion s[2];
    motion_of_sides(m, w, e, v, s);
    tac_store3(out, tac_sub3(acceleration_of(s[0], arm_of(w, e, 0)), acceleration_of(s[1], arm_of(w, e, 1))));
    tacVec3 turning = tac_sub3(s[0].V.ang, s[1].V.ang), G = turning_rate(s);
    for (int k = 3; k < e->n; k++)
        out[k] = tac_dot3(e->axis[k - 3], G) - 0.25 * tac_dot3(turning, turning) * e->pos[k];
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* Change of an anchor's acceleration with its motion and its position. */
static tacVec3 acceleration_change(Motion s, Motion ds, tacVec3 r, tacVec3 dr) {
    tacVec3 linear = tac_add3(ds.A.lin, tac_add3(tac_cross3(ds.A.ang, r), tac_cross3(s.A.ang, dr)));
    tacVec3 du = tac_add3(velocity_of(ds, r), tac_cross3(s.V.ang, dr));
    return tac_add3(linear, tac_add3(tac_cross3(ds.V.ang, velocity_of(s, r)), tac_cross3(s.V.ang, du)));
}

static tacVec3 turning_rate_change(const Motion s[2], const Motion ds[2]) {
    tacVec3 turning = tac_sub3(s[0].V.ang, s[1].V.ang), change = tac_sub3(ds[0].V.ang, ds[1].V.ang);
    tacVec3 crossed = tac_add3(tac_cross3(ds[1].V.ang, turning), tac_cross3(s[1].V.ang, change));
    return tac_sub3(tac_sub3(ds[0].A.ang, ds[1].A.ang), crossed);
}

/* Change of the rows with the motion of the sides and, unless d is NULL, with the geometry. */
static void rows_change(const tacWork *w, const tacEquality *e, const Motion s[2], const Motion ds[2],
                        const tacEqualityChange *d, double out[TAC_EQUALITY_ROWS]) {
    tacVec3 linear[2], none = tac_zero3();
    for (int side = 0; side < 2; side++)
        linear[side] = acceleration_change(s[side], ds[side], arm_of(w, e, side), d == NULL ? none : d->point[side]);
    tac_store3(out, tac_sub3(linear[0], linear[1]));
    tacVec3 turning = tac_sub3(s[0].V.ang, s[1].V.ang), change = tac_sub3(ds[0].V.ang, ds[1].V.ang);
    tacVec3 G = turning_rate(s), dG = turning_rate_change(s, ds);
    for (int k = 3; k < e->n; k++) {
        out[k] = tac_dot3(e->axis[k - 3], dG) - 0.5 * tac_dot3(turning, change) * e->pos[k];
        if (d != NULL) out[k] += tac_dot3(d->axis[k - 3], G) - 0.25 * tac_dot3(turning, turning) * d->pos[k];
    }
}

/* A mover X turns everything behind it. The motion before it has velocity V_b and acceleration A_b (R12):
 *   dV = X x (V - V_b),   dA = X x (A - A_b) - (X x V_b) x (V - V_b) */
void tac_equality_bias_change(const tacModel *m, const tacWork *w, const tacEquality *e, const double *v,
                              const tacEqualityChange *d, double out[TAC_EQUALITY_ROWS]) {
    Motion s[2], ds[2] = {STILL, STILL};
    const tacMover *x = d->mover;
    motion_of_sides(m, w, e, v, s);
    for (int side = 0; x != NULL && side < 2; side++) {
        if (!tac_moves_body(m, x, e->body[side])) continue;
        Motion before = motion_behind(m, w, v, dof_before(m, x->body, x->first));
        tacVec6 beyond = tac_sub6(s[side].V, before.V);
        ds[side].V = tac_crossm6(x->S, beyond);
        ds[side].A = tac_sub6(tac_crossm6(x->S, tac_sub6(s[side].A, before.A)),
                              tac_crossm6(tac_crossm6(x->S, before.V), beyond));
    }
    rows_change(w, e, s, ds, d, out);
}

/* Last dof of the group whose first is given: three of a ball's or free joint's, or one. */
static int group_end(const tacModel *m, int first) {
    int type = m->joint_type[m->dof_joint[first]];
    return type == TAC_JOINT_FREE || type == TAC_JOINT_BALL ? first + 2 : first;
}

/* dV/dv_j = S_j,   dA/dv_j = V_b x S_j + S_j x (V - V_a),  V_b before and V_a behind the group of dof j */
void tac_equality_bias_velocity_jac(const tacModel *m, const tacWork *w, const tacEquality *e, const double *v, int k,
                                    const tacSink *sink) {
    Motion s[2];
    double out[TAC_EQUALITY_ROWS];
    motion_of_sides(m, w, e, v, s);
    for (int j = 0; j < m->nv; j++) {
        tacMover x = tac_dof_mover(m, w, j);
        Motion ds[2] = {STILL, STILL};
        if (!tac_moves_body(m, &x, e->body[0]) && !tac_moves_body(m, &x, e->body[1])) continue;
        tacVec6 before = motion_behind(m, w, v, dof_before(m, x.body, x.first)).V;
        tacVec6 both = tac_add6(before, motion_behind(m, w, v, group_end(m, x.first)).V);
        for (int side = 0; side < 2; side++)
            if (tac_moves_body(m, &x, e->body[side]))
                ds[side] = (Motion){x.S, tac_crossm6(x.S, tac_sub6(s[side].V, both))};
        rows_change(w, e, s, ds, NULL, out);
        for (int i = 0; i < e->n; i++)
            if (out[i] != 0) tac_emit(sink, k + i, m->nv + j, out[i]);
    }
}
