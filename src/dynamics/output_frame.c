/* Outputs: places, orientations and velocities of frames. */
#include "dynamics/output.h"

#define IS(t, row) (TAC_FIELDS[(t)->field].offset == offsetof(tacModel, row))

/* A point and axes that move with a body. */
typedef struct Frame {
    int body;
    int last;  /* last dof that carries it */
    int joint; /* joint + 1 for a joint's anchor and axis, which only dofs before the joint move */
    int site;  /* site + 1 where it is a site */
    tacVec3 pos;
} Frame;

static Frame fixed_frame(const tacOutputPoint *p, int body, tacVec3 pos) {
    return (Frame){.body = body, .last = p->m->body_last_dof[body], .pos = pos};
}

static Frame body_frame(const tacOutputPoint *p, int body) { return fixed_frame(p, body, p->w->xpos[body]); }

static Frame com_frame(const tacOutputPoint *p, int body) { return fixed_frame(p, body, p->w->xipos[body]); }

static Frame geom_frame(const tacOutputPoint *p, int geom) {
    int body = p->m->geom_body[geom];
    return fixed_frame(p, body, tac_frame_pos(p->w, body, p->m->geom_pos[geom]));
}

static Frame site_frame(const tacOutputPoint *p, int site) {
    int body = p->m->site_body[site];
    Frame f = fixed_frame(p, body, tac_frame_pos(p->w, body, p->m->site_pos[site]));
    f.site = site + 1;
    return f;
}

/* Anchor and axis stay with the body's pose before the joint moves it. A free joint moves its own. */
static Frame joint_frame(const tacOutputPoint *p, int joint) {
    const tacModel *m = p->m;
    Frame f = fixed_frame(p, m->joint_body[joint], p->w->joint_pos[joint]);
    int dof = m->joint_dof_adr[joint];
    f.last = m->joint_type[joint] == TAC_JOINT_FREE ? dof + 5 : m->dof_parent[dof];
    f.joint = joint + 1;
    return f;
}

/* 1: the mover moves the frame. */
static int carries(const tacOutputPoint *p, const tacMover *x, const Frame *f) {
    if (x->site > 0) return x->site == f->site;
    if (f->joint > 0 && x->body == f->body) return x->first <= p->m->joint_dof_adr[f->joint - 1];
    return tac_moves_body(p->m, x, f->body);
}

/* A joint's own reference moves what follows it, but not its anchor. */
static int leaves_anchor(const tacVariation *d, const Frame *f) {
    return f->joint > 0 && d->t != NULL && IS(d->t, joint_ref) && d->t->index == f->joint - 1;
}

/* --- How the numbers of a carried frame change with a twist S ----------------------------------------------------- */

static tacVec3 arm_of(const tacOutputPoint *p, const Frame *f) { return tac_sub3(f->pos, p->w->origin[f->body]); }

/* S at the point: S.lin + S.ang x arm */
static tacVec3 point_of(tacVec6 S, tacVec3 arm) { return tac_add3(S.lin, tac_cross3(S.ang, arm)); }

static void add3(double *dz, tacVec3 d) { tac_store3(dz, tac_add3(tac_load3(dz), d)); }

/* d(pos) = S at the point */
static void move_pos(const tacOutputPoint *p, const Frame *f, tacVec6 S, double *dz) {
    add3(dz, point_of(S, arm_of(p, f)));
}

/* dR = [S.ang] R; row major */
static void move_mat(tacMat3 R, tacVec6 S, double *dz) {
    for (int c = 0; c < 3; c++) {
        tacVec3 d = tac_cross3(S.ang, tac_vec3(R.m[c], R.m[3 + c], R.m[6 + c]));
        dz[c] += d.x;
        dz[3 + c] += d.y;
        dz[6 + c] += d.z;
    }
}

/* Velocity (angular, linear at the point) turns with the mover. The motion before the mover does not, which adds psi:
 *   d(w, v) = S.ang x (w, v) + psi at the point   (outputs.md, O3) */
static void move_velocity(const tacOutputPoint *p, const Frame *f, tacVec6 S, tacVec6 psi, double *dz) {
    tacVec3 arm = arm_of(p, f);
    tacVec6 V = p->w->V[f->body];
    add3(dz, tac_add3(tac_cross3(S.ang, V.ang), psi.ang));
    add3(dz + 3, tac_add3(tac_cross3(S.ang, point_of(V, arm)), point_of(psi, arm)));
}

tacVec6 tac_mover_drag(const tacOutputPoint *p, const tacMover *x) {
    const tacModel *m = p->m;
    tacVec6 before = p->w->V[m->body_parent[x->body]];
    for (int i = m->body_dof_adr[x->body]; i < x->first && x->site == 0; i++)
        before = tac_madd6(before, p->x.v[i], p->w->S[i]);
    return tac_crossm6(before, x->S);
}

/* --- Along the dofs that carry a frame, and along a variation ----------------------------------------------------- */

static void state_pos(const tacOutputPoint *p, const Frame *f, int row, const tacForceSink *sink) {
    for (int j = f->last; j >= 0; j = p->m->dof_parent[j]) {
        double dz[3] = {0};
        move_pos(p, f, p->w->S[j], dz);
        tac_emit_numbers(&sink->q, row, j, 3, dz);
    }
}

static void state_mat(const tacOutputPoint *p, const Frame *f, tacMat3 R, int row, const tacForceSink *sink) {
    for (int j = f->last; j >= 0; j = p->m->dof_parent[j]) {
        double dz[9] = {0};
        move_mat(R, p->w->S[j], dz);
        tac_emit_numbers(&sink->q, row, j, 9, dz);
    }
}

static void state_velocity(const tacOutputPoint *p, const Frame *f, int row, const tacForceSink *sink) {
    tacVec3 arm = arm_of(p, f);
    for (int j = f->last; j >= 0; j = p->m->dof_parent[j]) {
        double dq[6] = {0}, dv[6];
        move_velocity(p, f, p->w->S[j], p->w->Sdot[j], dq); /* Sdot is the psi of a dof */
        tac_store3(dv, p->w->S[j].ang);
        tac_store3(dv + 3, point_of(p->w->S[j], arm));
        tac_emit_numbers(&sink->q, row, j, 6, dq);
        tac_emit_numbers(&sink->v, row, j, 6, dv);
    }
}

static void vary_pos(const tacOutputPoint *p, const Frame *f, const tacVariation *d, double *dz) {
    for (int k = 0; k < d->n; k++)
        if (carries(p, &d->mover[k], f) && !leaves_anchor(d, f)) move_pos(p, f, d->mover[k].S, dz);
}

static void vary_mat(const tacOutputPoint *p, const Frame *f, tacMat3 R, const tacVariation *d, double *dz) {
    for (int k = 0; k < d->n; k++)
        if (carries(p, &d->mover[k], f)) move_mat(R, d->mover[k].S, dz);
}

/* A site moved on its body takes the body's velocity at the new point. */
static void vary_velocity(const tacOutputPoint *p, const Frame *f, const tacVariation *d, double *dz) {
    for (int k = 0; k < d->n; k++) {
        const tacMover *x = &d->mover[k];
        if (!carries(p, x, f)) continue;
        if (x->site > 0)
            add3(dz + 3, tac_cross3(p->w->V[f->body].ang, point_of(x->S, arm_of(p, f))));
        else
            move_velocity(p, f, x->S, tac_mover_drag(p, x), dz);
    }
}

/* --- Bodies ------------------------------------------------------------------------------------------------------- */

static void store_mat(double *z, tacMat3 R) {
    for (int i = 0; i < 9; i++)
        z[i] = R.m[i];
}

void tac_value_body_pos(const tacOutputPoint *p, int id, double *z) { tac_store3(z, p->w->xpos[id]); }

void tac_state_body_pos(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    Frame f = body_frame(p, id);
    state_pos(p, &f, row, sink);
}

void tac_vary_body_pos(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    Frame f = body_frame(p, id);
    vary_pos(p, &f, d, dz);
}

void tac_value_body_mat(const tacOutputPoint *p, int id, double *z) { store_mat(z, p->w->xmat[id]); }

void tac_state_body_mat(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    Frame f = body_frame(p, id);
    state_mat(p, &f, p->w->xmat[id], row, sink);
}

void tac_vary_body_mat(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    Frame f = body_frame(p, id);
    vary_mat(p, &f, p->w->xmat[id], d, dz);
}

void tac_value_body_com(const tacOutputPoint *p, int id, double *z) { tac_store3(z, p->w->xipos[id]); }

void tac_state_body_com(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    Frame f = com_frame(p, id);
    state_pos(p, &f, row, sink);
}

/* xpos + R ipos, ipos from whatever gives the body its mass */
void tac_vary_body_com(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    Frame f = com_frame(p, id);
    vary_pos(p, &f, d, dz);
    if (d->t != NULL && d->t->inertial != NULL && id > 0) add3(dz, tac_mulmv3(p->w->xmat[id], d->t->inertial[id].com));
}

void tac_value_body_velocity(const tacOutputPoint *p, int id, double *z) {
    tac_store3(z, p->w->V[id].ang);
    tac_store3(z + 3, tac_point_velocity(p->w, id, p->w->xpos[id]));
}

void tac_state_body_velocity(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    Frame f = body_frame(p, id);
    state_velocity(p, &f, row, sink);
}

void tac_vary_body_velocity(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    Frame f = body_frame(p, id);
    vary_velocity(p, &f, d, dz);
}

/* --- Geoms -------------------------------------------------------------------------------------------------------- */

static tacMat3 geom_mat(const tacOutputPoint *p, int geom) {
    return tac_quat_mat(tac_frame_quat(p->w, p->m->geom_body[geom], p->m->geom_quat[geom]));
}

/* The geom's own place on its body. */
static int is_own(const tacVariation *d, size_t row, int per, int geom) {
    return d->t != NULL && TAC_FIELDS[d->t->field].offset == row && d->t->index / per == geom;
}

void tac_value_geom_pos(const tacOutputPoint *p, int id, double *z) { tac_store3(z, geom_frame(p, id).pos); }

void tac_state_geom_pos(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    Frame f = geom_frame(p, id);
    state_pos(p, &f, row, sink);
}

void tac_vary_geom_pos(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    Frame f = geom_frame(p, id);
    vary_pos(p, &f, d, dz);
    if (!is_own(d, offsetof(tacModel, geom_pos), 3, id)) return;
    int k = d->t->index % 3;
    add3(dz, tac_mulmv3(p->w->xmat[f.body], tac_vec3(k == 0, k == 1, k == 2)));
}

void tac_value_geom_mat(const tacOutputPoint *p, int id, double *z) { store_mat(z, geom_mat(p, id)); }

void tac_state_geom_mat(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    Frame f = geom_frame(p, id);
    state_mat(p, &f, geom_mat(p, id), row, sink);
}

void tac_vary_geom_mat(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    Frame f = geom_frame(p, id);
    tacMat3 R = geom_mat(p, id);
    vary_mat(p, &f, R, d, dz);
    if (!is_own(d, offsetof(tacModel, geom_quat), 4, id)) return;
    tacVec3 turn = tac_quat_component_turn(p->m->geom_quat[id], d->t->index % 4); /* in its own axes */
    move_mat(R, (tacVec6){tac_mulmv3(R, turn), {0, 0, 0}}, dz);
}

/* --- Sites -------------------------------------------------------------------------------------------------------- */

static tacMat3 site_mat(const tacOutputPoint *p, int site) {
    return tac_quat_mat(tac_frame_quat(p->w, p->m->site_body[site], p->m->site_quat[site]));
}

void tac_value_site_pos(const tacOutputPoint *p, int id, double *z) { tac_store3(z, site_frame(p, id).pos); }

void tac_state_site_pos(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    Frame f = site_frame(p, id);
    state_pos(p, &f, row, sink);
}

void tac_vary_site_pos(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    Frame f = site_frame(p, id);
    vary_pos(p, &f, d, dz);
}

void tac_value_site_mat(const tacOutputPoint *p, int id, double *z) { store_mat(z, site_mat(p, id)); }

void tac_state_site_mat(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    Frame f = site_frame(p, id);
    state_mat(p, &f, site_mat(p, id), row, sink);
}

void tac_vary_site_mat(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    Frame f = site_frame(p, id);
    vary_mat(p, &f, site_mat(p, id), d, dz);
}

void tac_value_site_velocity(const tacOutputPoint *p, int id, double *z) {
    Frame f = site_frame(p, id);
    tac_store3(z, p->w->V[f.body].ang);
    tac_store3(z + 3, tac_point_velocity(p->w, f.body, f.pos));
}

void tac_state_site_velocity(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    Frame f = site_frame(p, id);
    state_velocity(p, &f, row, sink);
}

void tac_vary_site_velocity(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    Frame f = site_frame(p, id);
    vary_velocity(p, &f, d, dz);
}

/* --- Joints ------------------------------------------------------------------------------------------------------- */

void tac_value_joint_pos(const tacOutputPoint *p, int id, double *z) { tac_store3(z, p->w->joint_pos[id]); }

void tac_state_joint_pos(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    Frame f = joint_frame(p, id);
    state_pos(p, &f, row, sink);
}

void tac_vary_joint_pos(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    Frame f = joint_frame(p, id);
    vary_pos(p, &f, d, dz);
}

void tac_value_joint_axis(const tacOutputPoint *p, int id, double *z) { tac_store3(z, p->w->joint_axis[id]); }

/* da = S.ang x a */
void tac_state_joint_axis(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    for (int j = joint_frame(p, id).last; j >= 0; j = p->m->dof_parent[j]) {
        double dz[3];
        tac_store3(dz, tac_cross3(p->w->S[j].ang, p->w->joint_axis[id]));
        tac_emit_numbers(&sink->q, row, j, 3, dz);
    }
}

void tac_vary_joint_axis(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    Frame f = joint_frame(p, id);
    for (int k = 0; k < d->n; k++)
        if (carries(p, &d->mover[k], &f) && !leaves_anchor(d, &f))
            add3(dz, tac_cross3(d->mover[k].S.ang, p->w->joint_axis[id]));
}
