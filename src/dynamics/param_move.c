/* Parameters that are poses of bodies, joints and sites, as movers. */
#include "dynamics/param_deriv.h"

#define IS(t, row) (TAC_FIELDS[(t)->field].offset == offsetof(tacModel, row))

static tacVec3 unit(int k) { return tac_vec3(k == 0, k == 1, k == 2); }

/* A turn by the world vector `turn` about a world point, about the tree's origin. */
static tacVec6 turn_about(tacVec3 turn, tacVec3 point, tacVec3 origin) {
    return (tacVec6){turn, tac_cross3(tac_sub3(point, origin), turn)};
}

/* --- Bodies ------------------------------------------------------------------------------------------------------ */

/* Coordinates give the pose of free bodies, and the input that of mocap bodies. */
static int has_place(const tacModel *m, const tacSmoothPoint *x, int body) {
    int joint = m->body_joint_adr[body];
    if (m->body_joint_num[body] > 0 && m->joint_type[joint] == TAC_JOINT_FREE) return 0;
    return m->body_mocap[body] < 0 || x->u.mocap == NULL;
}

static int move_body(const tacModel *m, const tacWork *w, const tacParamTangent *t, const tacSmoothPoint *x,
                     tacMover *out) {
    int turned = IS(t, body_quat), body = t->index / (turned ? 4 : 3), k = t->index % (turned ? 4 : 3);
    int parent = m->body_parent[body];
    if (!has_place(m, x, body)) return 0;
    *out = (tacMover){.body = body, .first = m->body_dof_adr[body]};
    if (turned) {
        tacQuat start = tac_quat_mul(w->xquat[parent], m->body_quat[body]);
        tacVec3 turn = tac_quat_rotate(start, tac_quat_component_turn(m->body_quat[body], k));
        out->S = turn_about(turn, tac_frame_pos(w, parent, m->body_pos[body]), w->origin[body]);
    } else {
        out->S = (tacVec6){{0, 0, 0}, tac_mulmv3(w->xmat[parent], unit(k))};
    }
    return 1;
}

void tac_mocap_mover(const tacModel *m, const tacWork *w, int i, const double *poses, tacMover *out) {
    int mocap = i / TAC_POSE_SIZE, k = i % TAC_POSE_SIZE;
    const double *pose = poses + TAC_POSE_SIZE * (ptrdiff_t)mocap;
    int body = m->mocap_body[mocap];
    *out = (tacMover){.body = body, .first = m->body_dof_adr[body]};
    if (k < 3) {
        out->S = (tacVec6){{0, 0, 0}, unit(k)};
    } else {
        tacVec3 turn = tac_quat_component_turn(w->xquat[body], k - 3);
        double norm = tac_quat_norm(tac_quat_load(pose + 3));
        out->S =
            turn_about(tac_quat_rotate(w->xquat[body], tac_scale3(1 / norm, turn)), w->xpos[body], w->origin[body]);
    }
}

/* --- Joints ------------------------------------------------------------------------------------------------------ */

/* Orientations of the body before and after one of its joints moves it. */
static void joint_frames(const tacModel *m, const tacWork *w, int joint, const double *q, tacQuat *before,
                         tacQuat *after) {
    int body = m->joint_body[joint];
    *after = tac_quat_mul(w->xquat[m->body_parent[body]], m->body_quat[body]);
    for (int j = m->body_joint_adr[body]; j <= joint; j++) {
        const double *qj = q + m->joint_qpos_adr[j];
        *before = *after;
        if (m->joint_type[j] == TAC_JOINT_HINGE)
            *after =
                tac_quat_mul(*after, tac_quat_axis_angle(m->joint_axis[j], qj[0] - m->qpos_0[m->joint_qpos_adr[j]]));
        if (m->joint_type[j] == TAC_JOINT_BALL) *after = tac_quat_mul(*after, tac_quat_normalize(tac_quat_load(qj)));
    }
}

static int joint_dofs(const tacModel *m, int joint) {
    static const int DOFS[] = {
        [TAC_JOINT_FREE] = 6, [TAC_JOINT_BALL] = 3, [TAC_JOINT_SLIDE] = 1, [TAC_JOINT_HINGE] = 1};
    return DOFS[m->joint_type[joint]];
}

/* T(p) Rot T(-p): the anchor's displacement before the joint, its opposite after it. */
static int move_anchor(const tacModel *m, const tacWork *w, int joint, int k, const double *q, tacMover *out) {
    tacQuat before, after;
    int body = m->joint_body[joint], dof = m->joint_dof_adr[joint];
    joint_frames(m, w, joint, q, &before, &after);
    out[0] = (tacMover){{{0, 0, 0}, tac_quat_rotate(before, unit(k))}, body, dof, 0};
    out[1] = (tacMover){{{0, 0, 0}, tac_neg3(tac_quat_rotate(after, unit(k)))}, body, dof + joint_dofs(m, joint), 0};
    return 2;
}

/* Turning the axis by x (da = x x a, so x = a x da) is turning by x before the joint and by -x after it. Both are about
 * the anchor, which a slide moves. */
static int move_axis(const tacModel *m, const tacWork *w, int joint, int k, const double *q, tacMover *out) {
    tacQuat before, after;
    int body = m->joint_body[joint], dof = m->joint_dof_adr[joint];
    tacVec3 axis = m->joint_axis[joint], x = tac_cross3(axis, unit(k)), anchor = w->joint_pos[joint], moved = anchor;
    joint_frames(m, w, joint, q, &before, &after);
    if (m->joint_type[joint] == TAC_JOINT_SLIDE) {
        int adr = m->joint_qpos_adr[joint];
        moved = tac_madd3(anchor, q[adr] - m->qpos_0[adr], w->joint_axis[joint]);
    }
    out[0] = (tacMover){turn_about(tac_quat_rotate(before, x), anchor, w->origin[body]), body, dof, 0};
    out[1] = (tacMover){turn_about(tac_neg3(tac_quat_rotate(after, x)), moved, w->origin[body]), body, dof + 1, 0};
    return 2;
}

/* The joint moves by q - ref. */
static int move_reference(const tacModel *m, const tacWork *w, int joint, tacMover *out) {
    int type = m->joint_type[joint];
    if (type != TAC_JOINT_HINGE && type != TAC_JOINT_SLIDE) return 0;
    *out = tac_dof_mover(m, w, m->joint_dof_adr[joint]);
    out->S = tac_scale6(-1, out->S);
    return 1;
}

/* --- Sites ------------------------------------------------------------------------------------------------------- */

static int move_site(const tacModel *m, const tacWork *w, const tacParamTangent *t, tacMover *out) {
    int turned = IS(t, site_quat), site = t->index / (turned ? 4 : 3), k = t->index % (turned ? 4 : 3);
    int body = m->site_body[site];
    *out = (tacMover){.body = body, .first = m->nv, .site = site + 1};
    if (turned) {
        tacVec3 turn = tac_quat_component_turn(m->site_quat[site], k);
        out->S = turn_about(tac_quat_rotate(tac_frame_quat(w, body, m->site_quat[site]), turn),
                            tac_frame_pos(w, body, m->site_pos[site]), w->origin[body]);
    } else {
        out->S = (tacVec6){{0, 0, 0}, tac_mulmv3(w->xmat[body], unit(k))};
    }
    return 1;
}

int tac_param_movers(const tacModel *m, const tacWork *w, const tacParamTangent *t, const tacSmoothPoint *x,
                     tacMover out[2]) {
    if (IS(t, body_pos) || IS(t, body_quat)) return move_body(m, w, t, x, out);
    if (IS(t, joint_pos)) return move_anchor(m, w, t->index / 3, t->index % 3, x->q, out);
    if (IS(t, joint_axis)) return move_axis(m, w, t->index / 3, t->index % 3, x->q, out);
    if (IS(t, joint_ref)) return move_reference(m, w, t->index, out);
    if (IS(t, site_pos) || IS(t, site_quat)) return move_site(m, w, t, out);
    return 0;
}
