#include "dynamics/geom_motion.h"

/* --- Bounds ------------------------------------------------------------------------------------------------------- */

/* Bound for a point at the distance L from the frame's origin. */
static void shift(tacMotionBound *b, double L) {
    b->speed += b->spin * L;
    b->accel += (b->spin_rate + b->spin * b->spin) * L;
}

/* A rotation at the rate w, about an axis fixed in the previous frame, through a point at the distance L. */
static void turn(tacMotionBound *b, double w, double L) {
    shift(b, L);
    b->spin_rate += b->spin * w;
    b->spin += w;
    shift(b, L);
}

/* A translation by at most s, at the rate u. */
static void slide(tacMotionBound *b, double s, double u) {
    b->accel += (b->spin_rate + b->spin * b->spin) * s + 2 * b->spin * u;
    b->speed += b->spin * s + u;
}

static double rotation_rate(const tacModel *m, const double *v, int joint) {
    const double *w = v + m->joint_dof_adr[joint];
    return m->joint_type[joint] == TAC_JOINT_HINGE ? tac_abs(w[0]) : tac_norm3(tac_load3(w));
}

static void add_joint(const tacModelMotion *k, int joint, tacMotionBound *b) {
    const tacModel *m = k->model;
    int adr = m->joint_qpos_adr[joint];
    if (m->joint_type[joint] != TAC_JOINT_SLIDE) {
        turn(b, rotation_rate(m, k->v, joint), tac_norm3(m->joint_pos[joint]));
        return;
    }
    double rate = k->v[m->joint_dof_adr[joint]], start = k->q[adr] - m->qpos_0[adr];
    slide(b, tac_max(tac_abs(start), tac_abs(start + k->h * rate)), tac_abs(rate));
}

/* Bound of a body, from that of its parent. */
static tacMotionBound child_bound(const tacModelMotion *k, int body, tacMotionBound b) {
    const tacModel *m = k->model;
    int first = m->body_joint_adr[body], last = first + m->body_joint_num[body];
    if (m->body_mocap[body] >= 0) return (tacMotionBound){0};
    if (first < last && m->joint_type[first] == TAC_JOINT_FREE) {
        const double *v = k->v + m->joint_dof_adr[first];
        return (tacMotionBound){.spin = tac_norm3(tac_load3(v + 3)), .speed = tac_norm3(tac_load3(v))};
    }
    shift(&b, tac_norm3(m->body_pos[body]));
    for (int j = first; j < last; j++)
        add_joint(k, j, &b);
    return b;
}

void tac_motion_bounds(const tacModelMotion *k) {
    k->bound[0] = (tacMotionBound){0};
    for (int body = 1; body < k->model->nbody; body++)
        k->bound[body] = child_bound(k, body, k->bound[k->model->body_parent[body]]);
}

/* The bound relative to an ancestor. */
static tacMotionBound bound_from(const tacModelMotion *k, int base, int body) {
    if (base == 0) return k->bound[body];
    if (body == base) return (tacMotionBound){0};
    return child_bound(k, body, bound_from(k, base, k->model->body_parent[body]));
}

/* --- Frames at a time --------------------------------------------------------------------------------------------- */

typedef struct Frame {
    tacVec3 pos;
    tacQuat quat;
    tacVec6 V;  /* at pos */
    int places; /* 1: V is not asked for */
} Frame;

/* Moves the frame's own point to x. */
static void move_to(Frame *f, tacVec3 x) {
    if (!f->places) f->V.lin = tac_add3(f->V.lin, tac_cross3(f->V.ang, tac_sub3(x, f->pos)));
    f->pos = x;
}

static Frame free_frame(const tacModelMotion *k, int joint, double t, int places) {
    const double *q = k->q + k->model->joint_qpos_adr[joint], *v = k->v + k->model->joint_dof_adr[joint];
    tacVec3 w = tac_load3(v + 3);
    Frame f = {.pos = tac_madd3(tac_load3(q), t, tac_load3(v)), .places = places};
    f.quat = tac_quat_mul(tac_quat_normalize(tac_quat_load(q + 3)), tac_quat_exp(tac_scale3(t, w)));
    f.V = (tacVec6){tac_quat_rotate(f.quat, w), tac_load3(v)};
    return f;
}

/* Turns the frame on its own side, about the anchor. spin is the rate, in the frame after. */
static void turn_frame(Frame *f, tacQuat by, tacVec3 spin, tacVec3 anchor) {
    int apart = anchor.x != 0 || anchor.y != 0 || anchor.z != 0;
    if (apart) move_to(f, tac_add3(f->pos, tac_quat_rotate(f->quat, anchor)));
    f->quat = tac_quat_mul(f->quat, by);
    if (!f->places) f->V.ang = tac_add3(f->V.ang, tac_quat_rotate(f->quat, spin));
    if (apart) move_to(f, tac_sub3(f->pos, tac_quat_rotate(f->quat, anchor)));
}

static void apply_joint(const tacModelMotion *k, int joint, double t, Frame *f) {
    const tacModel *m = k->model;
    const double *q = k->q + m->joint_qpos_adr[joint], *v = k->v + m->joint_dof_adr[joint];
    double moved = q[0] + t * v[0] - m->qpos_0[m->joint_qpos_adr[joint]];
    tacVec3 axis = m->joint_axis[joint], w;
    switch (m->joint_type[joint]) {
    case TAC_JOINT_SLIDE:
        axis = tac_quat_rotate(f->quat, axis);
        move_to(f, tac_madd3(f->pos, moved, axis));
        f->V.lin = tac_madd3(f->V.lin, v[0], axis);
        break;
    case TAC_JOINT_HINGE:
        turn_frame(f, tac_quat_axis_angle(axis, moved), tac_scale3(v[0], axis), m->joint_pos[joint]);
        break;
    default: /* TAC_JOINT_BALL */
        w = tac_load3(v);
        turn_frame(f, tac_quat_mul(tac_quat_normalize(tac_quat_load(q)), tac_quat_exp(tac_scale3(t, w))), w,
                   m->joint_pos[joint]);
    }
}

/* Walks the path from an ancestor. In the world, fixed frames keep their poses. places: without V. */
static Frame body_frame(const tacModelMotion *k, int base, int body, double t, int places) {
    const tacModel *m = k->model;
    const tacMotionBound *b = &k->bound[body];
    int first = m->body_joint_adr[body], last = first + m->body_joint_num[body];
    if (body == base && base > 0) return (Frame){.quat = tac_quat_identity(), .places = places};
    if (base == 0 && b->spin == 0 && b->speed == 0)
        return (Frame){.pos = k->work->xpos[body], .quat = k->work->xquat[body], .places = places};
    if (first < last && m->joint_type[first] == TAC_JOINT_FREE) return free_frame(k, first, t, places);
    Frame f = body_frame(k, base, m->body_parent[body], t, places);
    move_to(&f, tac_add3(f.pos, tac_quat_rotate(f.quat, m->body_pos[body])));
    f.quat = tac_quat_mul(f.quat, m->body_quat[body]);
    for (int j = first; j < last; j++)
        apply_joint(k, j, t, &f);
    f.quat = tac_quat_renormalize(f.quat);
    return f;
}

static void geom_at(const void *data, double t, tacPose *pose, tacVec6 *velocity) {
    const tacGeomMotion *g = data;
    const tacModel *m = g->all->model;
    Frame f = body_frame(g->all, g->base, m->geom_body[g->geom], t, velocity == NULL);
    move_to(&f, tac_add3(f.pos, tac_quat_rotate(f.quat, m->geom_pos[g->geom])));
    pose->p = f.pos;
    pose->R = tac_quat_mat(tac_quat_mul(f.quat, m->geom_quat[g->geom]));
    if (velocity) *velocity = f.V;
}

tacMotion tac_geom_motion(const tacGeomMotion *g) {
    const tacModel *m = g->all->model;
    tacMotion motion = {geom_at, g, bound_from(g->all, g->base, m->geom_body[g->geom])};
    shift(&motion.bound, tac_norm3(m->geom_pos[g->geom]));
    return motion;
}

int tac_common_body(const tacModel *m, int a, int b) {
    while (a != b)
        if (a > b)
            a = m->body_parent[a];
        else
            b = m->body_parent[b];
    return a;
}

tacPose tac_body_pose(const tacModelMotion *k, int body, double t) {
    Frame f = body_frame(k, 0, body, t, 1);
    return (tacPose){f.pos, tac_quat_mat(f.quat)};
}
