#include "dynamics/kinematics.h"

#include "base/lanes.h"

/* --- Positions ---------------------------------------------------------------------------------------------------- */

/* Functions that two versions of a loop share, for registers of any processor and for wide ones. */
#define INLINE static inline __attribute__((always_inline))

/* World pose of a body while its joints are applied one after another (docs/theory/dynamics.md, K1 to K3). */
typedef struct Pose {
    tacVec3 pos;
    tacQuat quat;
} Pose;

static int is_zero(tacVec3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }

/* q r. Most bodies are not turned in their parent, and then q is the exact product. (w = 1 alone does not tell: if w is
 * rounded to 1, the rest may be a turn of 1e-8.) */
static tacQuat turn_by(tacQuat q, tacQuat r) {
    return r.x == 0 && r.y == 0 && r.z == 0 && r.w == 1 ? q : tac_quat_mul(q, r);
}

/* The pose of a body before its joints move it: its pose in the parent, or the mocap input. */
INLINE Pose start_pose(const tacModel *m, const tacWork *w, int body, const double *mocap) {
    int id = m->body_mocap[body];
    if (id >= 0 && mocap != NULL) {
        const double *pose = mocap + TAC_POSE_SIZE * id;
        return (Pose){tac_load3(pose), tac_quat_normalize(tac_quat_load(pose + 3))};
    }
    int parent = m->body_parent[body];
    return (Pose){tac_add3(w->xpos[parent], tac_mulmv3(w->xmat[parent], m->body_pos[body])),
                  turn_by(w->xquat[parent], m->body_quat[body])};
}

/* Angular parts of the three axes of a ball or free joint: the columns of R, the child's axes in the world. */
static void set_ball_axes(tacVec6 *S, tacMat3 R) {
    for (int i = 0; i < 3; i++)
        S[i].ang = tac_vec3(R.m[i], R.m[3 + i], R.m[6 + i]);
}

/* The coordinates of a free joint are the pose itself: S = (0, e_i) then (R e_i, .). */
static Pose apply_free(const tacModel *m, tacWork *w, int joint, const double *q) {
    const double *qj = q + m->joint_qpos_adr[joint];
    Pose pose = {tac_load3(qj), tac_quat_normalize(tac_quat_load(qj + 3))};
    tacVec6 *S = w->S + m->joint_dof_adr[joint];
    S[0] = (tacVec6){{0, 0, 0}, {1, 0, 0}};
    S[1] = (tacVec6){{0, 0, 0}, {0, 1, 0}};
    S[2] = (tacVec6){{0, 0, 0}, {0, 0, 1}};
    set_ball_axes(S + 3, tac_quat_mat(pose.quat));
    w->joint_pos[joint] = pose.pos;
    w->joint_axis[joint] = tac_quat_rotate(pose.quat, m->joint_axis[joint]);
    return pose;
}

/* Turns the pose by `turn` (child side) about the joint's anchor. */
INLINE void turn_about(Pose *pose, tacQuat turn, tacVec3 anchor, tacVec3 joint_pos) {
    pose->quat = tac_quat_mul(pose->quat, turn);
    if (!is_zero(joint_pos)) pose->pos = tac_sub3(anchor, tac_quat_rotate(pose->quat, joint_pos));
}

/* Applies one slide, hinge or ball joint. Writes its anchor, axis and the angular parts of S (linear part for
 * slides). */
INLINE void apply_joint(const tacModel *m, tacWork *w, int joint, const double *q, Pose *pose) {
    int adr = m->joint_qpos_adr[joint];
    tacVec6 *S = w->S + m->joint_dof_adr[joint];
    tacVec3 axis = tac_quat_rotate(pose->quat, m->joint_axis[joint]);
    tacVec3 joint_pos = m->joint_pos[joint], anchor = pose->pos;
    if (!is_zero(joint_pos)) anchor = tac_add3(anchor, tac_quat_rotate(pose->quat, joint_pos));
    w->joint_axis[joint] = axis;
    w->joint_pos[joint] = anchor;
    switch (m->joint_type[joint]) {
    case TAC_JOINT_SLIDE:
        pose->pos = tac_madd3(pose->pos, q[adr] - m->qpos_0[adr], axis);
        S[0] = (tacVec6){{0, 0, 0}, axis};
        break;
    case TAC_JOINT_HINGE:
        S[0].ang = axis;
        turn_about(pose, tac_quat_axis_angle(m->joint_axis[joint], q[adr] - m->qpos_0[adr]), anchor, joint_pos);
        break;
    default: /* TAC_JOINT_BALL */
        turn_about(pose, tac_quat_normalize(tac_quat_load(q + adr)), anchor, joint_pos);
        set_ball_axes(S, tac_quat_mat(pose->quat));
    }
}

/* Linear parts of rotational axes about the reference point: velocity of the point O is axis x (O - anchor). */
INLINE void complete_axes(const tacModel *m, tacWork *w, int joint, tacVec3 origin) {
    int type = m->joint_type[joint];
    if (type == TAC_JOINT_SLIDE) return;
    int first = m->joint_dof_adr[joint] + (type == TAC_JOINT_FREE ? 3 : 0), count = type == TAC_JOINT_HINGE ? 1 : 3;
    tacVec3 arm = tac_sub3(w->joint_pos[joint], origin);
    for (int i = first; i < first + count; i++)
        w->S[i].lin = tac_cross3(arm, w->S[i].ang);
}

/* Spatial inertia about the reference point: c = com - O, h = m c, I = R icom R^T + m (|c|^2 1 - c c^T). */
static tacInertia world_inertia(const tacModel *m, const tacWork *w, int body, tacVec3 origin) {
    double mass = m->body_mass[body];
    tacVec3 c = tac_sub3(w->xipos[body], origin);
    return (tacInertia){mass, tac_scale3(mass, c),
                        tac_addsym3(tac_rotatesym3(w->xmat[body], m->body_icom[body]), tac_pointsym3(mass, c))};
}

/* Places a body without its inertia. */
INLINE void place_pose(const tacModel *m, tacWork *w, int body, const double *q, const double *mocap) {
    int first = m->body_joint_adr[body], last = first + m->body_joint_num[body];
    Pose pose;
    if (first < last && m->joint_type[first] == TAC_JOINT_FREE) {
        pose = apply_free(m, w, first, q);
    } else {
        pose = start_pose(m, w, body, mocap);
        for (int j = first; j < last; j++)
            apply_joint(m, w, j, q, &pose);
        pose.quat = tac_quat_renormalize(pose.quat);
    }
    w->xpos[body] = pose.pos;
    w->xquat[body] = pose.quat;
    w->xmat[body] = tac_quat_mat(pose.quat);
    w->xipos[body] = tac_add3(pose.pos, tac_mulmv3(w->xmat[body], m->body_ipos[body]));
    w->origin[body] = m->body_parent[body] == 0 ? pose.pos : w->origin[m->body_parent[body]];
    for (int j = first; j < last; j++)
        complete_axes(m, w, j, w->origin[body]);
}

void tac_place_body(const tacModel *m, tacWork *w, int body, const double *q, const double *mocap) {
    place_pose(m, w, body, q, mocap);
    w->inertia[body] = world_inertia(m, w, body, w->origin[body]);
}

void tac_place_world(tacWork *w) {
    w->xpos[0] = w->xipos[0] = w->origin[0] = tac_zero3();
    w->xquat[0] = tac_quat_identity();
    w->xmat[0] = tac_quat_mat(w->xquat[0]);
    w->inertia[0] = (tacInertia){0, {0, 0, 0}, {0, 0, 0, 0, 0, 0}};
}

void tac_kinematics_q(const tacModel *m, tacWork *w, const double *q, const double *mocap) {
    tac_place_world(w);
    for (int b = 1; b < m->nbody; b++)
        tac_place_body(m, w, b, q, mocap);
}

static void place_poses(const tacModel *m, tacWork *w, const double *q, const double *mocap) {
    for (int b = 1; b < m->nbody; b++)
        place_pose(m, w, b, q, mocap);
}

/* Wide instructions name where their result goes, which spares many copies between registers. */
TAC_WIDE static void place_poses_wide(const tacModel *m, tacWork *w, const double *q, const double *mocap) {
    for (int b = 1; b < m->nbody; b++)
        place_pose(m, w, b, q, mocap);
}

void tac_kinematics_poses(const tacModel *m, tacWork *w, const double *q, const double *mocap) {
    tac_place_world(w);
    (tac_has_wide() ? place_poses_wide : place_poses)(m, w, q, mocap);
}

void tac_kinematics_to(const tacModel *m, tacWork *w, int body, const double *q, const double *mocap) {
    enum { LONGEST = 64 };
    int path[LONGEST], n = 0, b = body;
    for (; b > 0 && n < LONGEST; b = m->body_parent[b])
        path[n++] = b;
    tac_place_world(w);
    for (int at = 1; b > 0 && at <= b; at++) /* beyond the longest path: all before it */
        tac_place_body(m, w, at, q, mocap);
    while (n > 0)
        tac_place_body(m, w, path[--n], q, mocap);
}

/* --- Velocities --------------------------------------------------------------------------------------------------- */

/* One group of dofs whose axes are fixed in the frame after them (docs/theory/dynamics.md, K4). Sdot_i = V x S_i with
 * the velocity before the group, then V += S v. (With the velocity after the group, the sum of Sdot_i v_i over the
 * group would be the same.) */
static inline tacVec6 add_dofs(tacWork *w, tacVec6 V, int first, int count, const double *v) {
    tacVec6 after = V;
    for (int i = first; i < first + count; i++) {
        tacVec6 S = w->S[i];
        w->Sdot[i] = tac_crossm6(V, S);
        after = tac_madd6(after, v[i], S);
    }
    return after;
}

/* The same for a body with a free joint on the world. Before it nothing moves, so only the axes of rotation do. */
static inline tacVec6 add_free(tacWork *w, int first, const double *v) {
    tacVec6 V = {{0, 0, 0}, tac_load3(v + first)};
    for (int i = first; i < first + 3; i++)
        w->Sdot[i] = tac_zero6();
    for (int i = first + 3; i < first + 6; i++) {
        w->Sdot[i] = (tacVec6){{0, 0, 0}, tac_cross3(V.lin, w->S[i].ang)};
        V.ang = tac_madd3(V.ang, v[i], w->S[i].ang);
    }
    return V;
}

/* Velocity of a body behind its joints. */
static tacVec6 add_joints(const tacModel *m, tacWork *w, int body, const double *v) {
    tacVec6 V = w->V[m->body_parent[body]];
    int first = m->body_joint_adr[body], last = first + m->body_joint_num[body];
    for (int j = first; j < last; j++) {
        int type = m->joint_type[j], dof = m->joint_dof_adr[j];
        if (type == TAC_JOINT_HINGE || type == TAC_JOINT_SLIDE) {
            V = add_dofs(w, V, dof, 1, v);
            continue;
        }
        V = add_dofs(w, V, dof, 3, v);
        if (type == TAC_JOINT_FREE) V = add_dofs(w, V, dof + 3, 3, v);
    }
    return V;
}

void tac_kinematics_v(const tacModel *m, tacWork *w, const double *v) {
    w->V[0] = tac_zero6();
    for (int b = 1; b < m->nbody; b++)
        w->V[b] = tac_floats(m, b) ? add_free(w, m->body_dof_adr[b], v) : add_joints(m, w, b, v);
}

tacVec6 tac_base_acceleration(const tacModel *m) {
    if (*m->option_disable & TAC_DISABLE_GRAVITY) return tac_zero6();
    return (tacVec6){{0, 0, 0}, tac_neg3(*m->option_gravity)};
}

tacVec3 tac_point_velocity(const tacWork *w, int body, tacVec3 point) {
    tacVec3 arm = tac_sub3(point, w->origin[body]);
    return tac_add3(w->V[body].lin, tac_cross3(w->V[body].ang, arm));
}

int tac_dof_group(const tacModel *m, int i) {
    int joint = m->dof_joint[i], adr = m->joint_dof_adr[joint];
    switch (m->joint_type[joint]) {
    case TAC_JOINT_FREE:
        return i - adr < 3 ? adr : adr + 3;
    case TAC_JOINT_BALL:
        return adr;
    default:
        return i;
    }
}

tacMover tac_dof_mover(const tacModel *m, const tacWork *w, int j) {
    return (tacMover){w->S[j], m->dof_body[j], tac_dof_group(m, j), 0};
}

int tac_moves_body(const tacModel *m, const tacMover *mover, int body) {
    if (mover->site > 0) return 0;
    while (body > mover->body)
        body = m->body_parent[body];
    return body == mover->body;
}

int tac_moves_dof(const tacModel *m, const tacMover *mover, int i) {
    int body = m->dof_body[i];
    if (mover->site > 0) return 0;
    return body == mover->body ? i >= mover->first : tac_moves_body(m, mover, body);
}

/* --- Frames, centres, Jacobian rows ------------------------------------------------------------------------------- */

tacVec3 tac_frame_pos(const tacWork *w, int body, tacVec3 pos) {
    return tac_add3(w->xpos[body], tac_mulmv3(w->xmat[body], pos));
}

tacQuat tac_frame_quat(const tacWork *w, int body, tacQuat quat) { return tac_quat_mul(w->xquat[body], quat); }

void tac_subtree_com(const tacModel *m, const tacWork *w, tacVec3 *com) {
    for (int b = 0; b < m->nbody; b++)
        com[b] = tac_scale3(m->body_mass[b], w->xipos[b]);
    for (int b = m->nbody - 1; b > 0; b--)
        com[m->body_parent[b]] = tac_add3(com[m->body_parent[b]], com[b]);
    for (int b = 0; b < m->nbody; b++) {
        double mass = m->body_subtree_mass[b];
        com[b] = mass > 0 ? tac_scale3(1 / mass, com[b]) : w->xipos[b];
    }
}

void tac_add_point_row(const tacModel *m, const tacWork *w, int body, tacVec3 point, tacVec3 direction,
                       tacVec3 rotation, double scale, double *row) {
    /* the wrench (direction at point, rotation) moved to the reference point */
    tacVec3 arm = tac_sub3(point, w->origin[body]);
    tacVec6 wrench = {tac_add3(rotation, tac_cross3(arm, direction)), direction};
    for (int i = m->body_last_dof[body]; i >= 0; i = m->dof_parent[i])
        row[i] += scale * tac_dot6(w->S[i], wrench);
}
