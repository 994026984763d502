#include "dynamics/transmission.h"

#include "dynamics/kinematics.h"

/* A moment row of sites is the work of a force and a moment at one or two points of bodies:
 *   moment_i = sum over ends of S_i . W,   W = (moment + (point - O) x force, force),   i inboard of the end's body.
 * Its derivative has the change of the ends by a mover x, and the axes that x moves, dS_i = S_x x S_i. */
typedef struct End {
    int site, body;
    tacVec3 point, force, moment; /* world */
} End;

static int moves_end(const tacModel *m, const tacMover *x, const End *end) {
    return x->site > 0 ? x->site - 1 == end->site : tac_moves_body(m, x, end->body);
}

/* Change of an end's point and orientation. Zero if the mover does not move it. */
static tacVec3 point_change(const tacModel *m, const tacWork *w, const tacMover *x, const End *end) {
    if (!moves_end(m, x, end)) return tac_zero3();
    return tac_add3(x->S.lin, tac_cross3(x->S.ang, tac_sub3(end->point, w->origin[end->body])));
}

static tacVec3 turn(const tacModel *m, const tacMover *x, const End *end) {
    return moves_end(m, x, end) ? x->S.ang : tac_zero3();
}

/* --- Ends of each kind of transmission, and their change --------------------------------------------------- */

static tacVec3 site_pos(const tacModel *m, const tacWork *w, int site) {
    return tac_frame_pos(w, m->site_body[site], m->site_pos[site]);
}

static tacQuat site_quat(const tacModel *m, const tacWork *w, int site) {
    return tac_frame_quat(w, m->site_body[site], m->site_quat[site]);
}

/* Inputs of the ends. `frame` is the end whose axes fix the force and moment (sites), or -1. */
typedef struct Ends {
    int n, frame;
    End end[2];
    tacVec3 axis, p; /* slider-crank: slider's axis, crank - slider */
    double gear, along, root, s;
} Ends;

static Ends site_ends(const tacModel *m, const tacWork *w, int actuator) {
    int site = m->actuator_trnid[2 * actuator], ref = m->actuator_trnid[2 * actuator + 1];
    int frame = ref >= 0 ? ref : site; /* a site whose axes they are fixed in */
    const double *gear = m->actuator_gear + 6 * actuator;
    tacQuat axes = site_quat(m, w, frame);
    tacVec3 force = tac_quat_rotate(axes, tac_load3(gear)), moment = tac_quat_rotate(axes, tac_load3(gear + 3));
    Ends e = {.n = ref >= 0 ? 2 : 1, .frame = ref >= 0 ? 1 : 0};
    e.end[0] = (End){site, m->site_body[site], site_pos(m, w, site), force, moment};
    if (ref >= 0) e.end[1] = (End){ref, m->site_body[ref], site_pos(m, w, ref), tac_neg3(force), tac_neg3(moment)};
    return e;
}

/* L = along - root,  along = a.p,  root^2 = along^2 + r^2 - p.p;  force g = dL/dp = s a + p/root,  dL/da = s p. */
static Ends crank_ends(const tacModel *m, const tacWork *w, int actuator) {
    int crank = m->actuator_trnid[2 * actuator], slider = m->actuator_trnid[2 * actuator + 1];
    double rod = m->actuator_cranklength[actuator];
    Ends e = {.n = 2, .frame = -1, .gear = m->actuator_gear[6 * actuator]};
    e.axis = tac_quat_rotate(site_quat(m, w, slider), tac_vec3(0, 0, 1));
    tacVec3 crank_pos = site_pos(m, w, crank), slider_pos = site_pos(m, w, slider);
    e.p = tac_sub3(crank_pos, slider_pos);
    e.along = tac_dot3(e.axis, e.p);
    double det = e.along * e.along + rod * rod - tac_dot3(e.p, e.p);
    e.root = det > 0 ? tac_sqrt(det) : 0;
    e.s = det > 0 ? 1 - e.along / e.root : 1;
    tacVec3 g = tac_scale3(e.gear, det > 0 ? tac_madd3(tac_scale3(e.s, e.axis), 1 / e.root, e.p) : e.axis);
    e.end[0] = (End){crank, m->site_body[crank], crank_pos, g, tac_zero3()};
    e.end[1] =
        (End){slider, m->site_body[slider], slider_pos, tac_neg3(g), tac_scale3(e.gear * e.s, tac_cross3(e.axis, e.p))};
    return e;
}

/* Change of force and moment of both ends; bodies and points are those of `e`. */
static void site_change(const tacModel *m, const Ends *e, const tacMover *mover, End *change) {
    tacVec3 x = turn(m, mover, &e->end[e->frame]);
    for (int k = 0; k < e->n; k++) {
        change[k].force = tac_cross3(x, e->end[k].force);
        change[k].moment = tac_cross3(x, e->end[k].moment);
    }
}

static void crank_change(const tacModel *m, const tacWork *w, const Ends *e, const tacMover *x, End *change) {
    tacVec3 dp = tac_sub3(point_change(m, w, x, &e->end[0]), point_change(m, w, x, &e->end[1]));
    tacVec3 da = tac_cross3(turn(m, x, &e->end[1]), e->axis);
    double dalong = tac_dot3(da, e->p) + tac_dot3(e->axis, dp), droot = 0, ds = 0;
    tacVec3 dg = da;
    if (e->root > 0) {
        double inverse = 1 / e->root;
        droot = (e->along * dalong - tac_dot3(e->p, dp)) * inverse;
        ds = (e->along * droot * inverse - dalong) * inverse;
        dg = tac_add3(tac_scale3(ds, e->axis), tac_scale3(e->s, da));
        dg = tac_madd3(tac_madd3(dg, inverse, dp), -droot * inverse * inverse, e->p);
    }
    tacVec3 dsp = tac_add3(tac_scale3(ds, e->p), tac_scale3(e->s, dp)); /* d(s p) */
    tacVec3 dmoment = tac_add3(tac_cross3(da, tac_scale3(e->s, e->p)), tac_cross3(e->axis, dsp));
    change[0].force = tac_scale3(e->gear, dg);
    change[1].force = tac_neg3(change[0].force);
    change[0].moment = tac_zero3();
    change[1].moment = tac_scale3(e->gear, dmoment);
}

/* --- Moment rows -------------------------------------------------------------------------------------------------- */

static tacVec6 wrench(const tacWork *w, const End *end) {
    tacVec3 arm = tac_sub3(end->point, w->origin[end->body]);
    return (tacVec6){tac_add3(end->moment, tac_cross3(arm, end->force)), end->force};
}

/* Column of one end: S_i . dW + (S_x x S_i) . W over the rows i of its path; rows that move both ends are left out. */
static void emit_column(const tacModel *m, const tacWork *w, const Ends *e, int k, const tacMover *x, int column,
                        const End *change, double scale, const tacSink *sink) {
    const End *end = &e->end[k];
    int other = e->n == 2 && e->frame >= 0 ? e->end[1 - k].body : -1;
    tacVec3 arm = tac_sub3(end->point, w->origin[end->body]), moved = point_change(m, w, x, end);
    tacVec6 W = wrench(w, end);
    tacVec6 dW = {tac_add3(change->moment, tac_add3(tac_cross3(moved, end->force), tac_cross3(arm, change->force))),
                  change->force};
    for (int i = m->body_last_dof[end->body]; i >= 0; i = m->dof_parent[i]) {
        tacMover row = tac_dof_mover(m, w, i);
        if (other >= 0 && tac_moves_body(m, &row, other)) continue;
        double value = tac_dot6(w->S[i], dW);
        if (tac_moves_dof(m, x, i)) value += tac_dot6(tac_crossm6(x->S, w->S[i]), W);
        tac_emit(sink, i, column, scale * value);
    }
}

static void emit_mover(const tacModel *m, const tacWork *w, const Ends *e, const tacMover *x, int column, double scale,
                       const tacSink *sink) {
    End change[2];
    if (e->frame >= 0)
        site_change(m, e, x, change);
    else
        crank_change(m, w, e, x, change);
    for (int k = 0; k < e->n; k++)
        emit_column(m, w, e, k, x, column, &change[k], scale, sink);
}

/* Reverse mode of emit_single_end: the rows inboard of a group of dofs, summed once for the group. */
static void pull_single_end(const tacModel *m, const tacWork *w, int body, tacVec6 W, const tacSink *sink) {
    if (sink->lambda == NULL) return;
    for (int j = m->body_last_dof[body]; j >= 0;) {
        int first = tac_dof_group(m, j);
        tacVec6 Lambda = tac_zero6();
        for (int i = m->dof_parent[first]; i >= 0; i = m->dof_parent[i])
            if (sink->skip == NULL || !sink->skip[i]) Lambda = tac_madd6(Lambda, sink->lambda[i], w->S[i]);
        for (; m->dof_parent[first] >= 0 && j >= first; j--)
            sink->bar[j] += tac_dot6(Lambda, tac_crossf6(w->S[j], W));
        j = m->dof_parent[first];
    }
}

/* One end alone, with force and moment fixed in it. It moves rigidly with all that a dof moves, so only rows inboard of
 * the dof change:  dmoment_i/dq_j = S_i . (S_j x* W). */
static void emit_single_end(const tacModel *m, const tacWork *w, const End *end, double scale, const tacSink *sink) {
    tacVec6 W = wrench(w, end);
    if (sink->matrix == NULL) {
        pull_single_end(m, w, end->body, tac_scale6(sink->negate ? -scale : scale, W), sink);
        return;
    }
    for (int j = m->body_last_dof[end->body]; j >= 0; j = m->dof_parent[j]) {
        tacVec6 dW = tac_crossf6(w->S[j], W);
        for (int i = m->dof_parent[tac_dof_group(m, j)]; i >= 0; i = m->dof_parent[i])
            tac_emit(sink, i, j, scale * tac_dot6(w->S[i], dW));
    }
}

/* Every dof that moves an end, once. */
static void emit_ends(const tacModel *m, const tacWork *w, const Ends *e, double scale, const tacSink *sink) {
    for (int path = 0; path < e->n; path++)
        for (int j = m->body_last_dof[e->end[path].body]; j >= 0; j = m->dof_parent[j]) {
            tacMover x = tac_dof_mover(m, w, j);
            if (path == 1 && tac_moves_body(m, &x, e->end[0].body)) continue;
            emit_mover(m, w, e, &x, j, scale, sink);
        }
}

/* In-parent ball or free: the torque R^T gear turns with the child, d(R^T gear) = (R^T gear) x d. */
static void emit_in_parent(const tacModel *m, const tacWork *w, int actuator, double scale, const tacSink *sink) {
    int joint = m->actuator_trnid[2 * actuator], type = m->joint_type[joint];
    int dof = m->joint_dof_adr[joint] + (type == TAC_JOINT_FREE ? 3 : 0);
    tacVec3 g = tac_scale3(scale, tac_load3(w->moment + (size_t)actuator * (size_t)m->nv + dof));
    tac_emit(sink, dof, dof + 1, -g.z);
    tac_emit(sink, dof, dof + 2, g.y);
    tac_emit(sink, dof + 1, dof, g.z);
    tac_emit(sink, dof + 1, dof + 2, -g.x);
    tac_emit(sink, dof + 2, dof, -g.y);
    tac_emit(sink, dof + 2, dof + 1, g.x);
}

int tac_moment_is_constant(const tacModel *m, int actuator) {
    int type = m->actuator_trntype[actuator];
    if (type == TAC_TRN_JOINT_IN_PARENT) {
        int joint = m->joint_type[m->actuator_trnid[2 * actuator]];
        return joint == TAC_JOINT_HINGE || joint == TAC_JOINT_SLIDE;
    }
    return type != TAC_TRN_SITE && type != TAC_TRN_SLIDERCRANK;
}

void tac_moment_jac(const tacModel *m, const tacWork *w, int actuator, double scale, const tacSink *sink) {
    if (tac_moment_is_constant(m, actuator)) return;
    int type = m->actuator_trntype[actuator];
    if (type == TAC_TRN_JOINT_IN_PARENT) {
        emit_in_parent(m, w, actuator, scale, sink);
        return;
    }
    Ends e = type == TAC_TRN_SITE ? site_ends(m, w, actuator) : crank_ends(m, w, actuator);
    if (e.n == 1)
        emit_single_end(m, w, &e.end[0], scale, sink);
    else
        emit_ends(m, w, &e, scale, sink);
}

void tac_moment_move(const tacModel *m, const tacWork *w, int actuator, const tacMover *mover, int column, double scale,
                     const tacSink *sink) {
    int type = m->actuator_trntype[actuator];
    if (type != TAC_TRN_SITE && type != TAC_TRN_SLIDERCRANK) return; /* joint coordinates know nothing of places */
    Ends e = type == TAC_TRN_SITE ? site_ends(m, w, actuator) : crank_ends(m, w, actuator);
    emit_mover(m, w, &e, mover, column, scale, sink);
}

/* --- Lengths ------------------------------------------------------------------------------------------------------ */

/* gear . log(Q): gear . Jr^-1; the same in parent axes, for log(Q) is its own image under Q. */
static void add_ball_length(const tacModel *m, int actuator, const double *q, double scale, double *row) {
    int joint = m->actuator_trnid[2 * actuator];
    tacQuat quat = tac_quat_normalize(tac_quat_load(q + m->joint_qpos_adr[joint]));
    tacMat3 inverse = tac_quat_right_jacobian_inverse(tac_quat_log(quat));
    tacVec3 d = tac_mulmtv3(inverse, tac_load3(m->actuator_gear + 6 * actuator));
    double *r = row + m->joint_dof_adr[joint];
    tac_store3(r, tac_madd3(tac_load3(r), scale, d));
}

/* The length of a site's pose beside a reference site is (p - p_ref) . force + rotation . gear in the reference's axes.
 * With these moments the ends' work is the true change of this length. rotation is measured as in transmission.c, by
 * the product site quaternion times body quaternion. It turns by the body-frame angular velocity:
 *   d(rotation) = Jr^-1 (R_body^T w_body - between^T R_ref^T w_ref) */
static void set_length_moments(const tacModel *m, const tacWork *w, int actuator, Ends *e) {
    End *end = &e->end[0], *ref = &e->end[1];
    tacQuat quat = tac_quat_mul(m->site_quat[end->site], w->xquat[end->body]);
    tacQuat ref_quat = tac_quat_mul(m->site_quat[ref->site], w->xquat[ref->body]);
    tacQuat between = tac_quat_mul(tac_quat_conj(ref_quat), quat);
    tacMat3 inverse = tac_quat_right_jacobian_inverse(tac_quat_log(between));
    tacVec3 pull = tac_mulmtv3(inverse, tac_load3(m->actuator_gear + 6 * actuator + 3));
    tacVec3 arm = tac_sub3(end->point, ref->point); /* arm . (w x force) = w . (force x arm) */
    end->moment = tac_mulmv3(w->xmat[end->body], pull);
    ref->moment = tac_sub3(tac_cross3(end->force, arm), tac_mulmv3(w->xmat[ref->body], tac_quat_rotate(between, pull)));
}

static void add_site_pair_length(const tacModel *m, const tacWork *w, int actuator, double scale, double *row) {
    Ends e = site_ends(m, w, actuator);
    set_length_moments(m, w, actuator, &e);
    for (int k = 0; k < 2; k++)
        tac_add_point_row(m, w, e.end[k].body, e.end[k].point, e.end[k].force, e.end[k].moment, scale, row);
}

void tac_add_length_row(const tacModel *m, const tacWork *w, int actuator, const double *q, double scale, double *row) {
    const int *trnid = m->actuator_trnid + 2 * actuator;
    int type = m->actuator_trntype[actuator];
    int joint = type == TAC_TRN_JOINT || type == TAC_TRN_JOINT_IN_PARENT ? m->joint_type[trnid[0]] : -1;
    if (joint == TAC_JOINT_FREE || type == TAC_TRN_BODY || (type == TAC_TRN_SITE && trnid[1] < 0))
        return; /* no length */
    if (joint == TAC_JOINT_BALL) {
        add_ball_length(m, actuator, q, scale, row);
    } else if (type == TAC_TRN_SITE) {
        add_site_pair_length(m, w, actuator, scale, row);
    } else {
        const double *moment = w->moment + (size_t)actuator * (size_t)m->nv;
        for (int i = w->moment_begin[actuator]; i < w->moment_end[actuator]; i++)
            row[i] += scale * moment[i];
    }
}

/* A site that turns alone, by t in its own axes, turns the product site quaternion times body quaternion by R_body^T t.
 * A body that turns by t in the world does the same. The true turn x of the site differs. This is the resulting change
 * of the length. */
static double own_turn_excess(const tacModel *m, const tacWork *w, const Ends *e, const tacMover *mover) {
    double excess = 0;
    tacVec3 arm = tac_sub3(e->end[0].point, e->end[1].point);
    for (int k = 0; k < 2; k++) {
        if (!moves_end(m, mover, &e->end[k])) continue;
        tacVec3 pull = k == 0 ? e->end[0].moment : tac_sub3(e->end[1].moment, tac_cross3(e->end[0].force, arm));
        tacVec3 x = mover->S.ang, t = tac_quat_rotate(tac_quat_conj(site_quat(m, w, e->end[k].site)), x);
        excess += tac_dot3(pull, tac_sub3(t, x));
    }
    return excess;
}

/* The work of the ends on the mover's displacement. For a site beside a reference site, that of its pose in the
 * reference's axes. */
double tac_length_move(const tacModel *m, const tacWork *w, int actuator, const tacMover *mover) {
    int type = m->actuator_trntype[actuator], pair = m->actuator_trnid[2 * actuator + 1] >= 0;
    if (type != TAC_TRN_SLIDERCRANK && !(type == TAC_TRN_SITE && pair)) return 0;
    Ends e = type == TAC_TRN_SITE ? site_ends(m, w, actuator) : crank_ends(m, w, actuator);
    if (type == TAC_TRN_SITE) set_length_moments(m, w, actuator, &e);
    double change = type == TAC_TRN_SITE && mover->site > 0 ? own_turn_excess(m, w, &e, mover) : 0;
    for (int k = 0; k < e.n; k++)
        change += tac_dot3(e.end[k].force, point_change(m, w, mover, &e.end[k])) +
                  tac_dot3(e.end[k].moment, turn(m, mover, &e.end[k]));
    return change;
}

/* droot = r / root =: d;  ds = along d / root^2;  dg = ds a - p d / root^2;  d(s p) = ds p. */
void tac_add_crank_row(const tacModel *m, const tacWork *w, int actuator, double *length, double *row) {
    if (m->actuator_trntype[actuator] != TAC_TRN_SLIDERCRANK) return;
    Ends e = crank_ends(m, w, actuator);
    if (e.root == 0) return;
    double droot = m->actuator_cranklength[actuator] / e.root, ds = e.along * droot / (e.root * e.root);
    tacVec3 dg = tac_madd3(tac_scale3(ds, e.axis), -droot / (e.root * e.root), e.p);
    tacVec3 dmoment = tac_scale3(ds, tac_cross3(e.axis, e.p));
    *length -= e.gear * droot;
    tac_add_point_row(m, w, e.end[0].body, e.end[0].point, dg, tac_zero3(), e.gear, row);
    tac_add_point_row(m, w, e.end[1].body, e.end[1].point, tac_neg3(dg), dmoment, e.gear, row);
}
