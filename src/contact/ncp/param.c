/* Derivatives of the step's equations at fixed q+ by the numbers of the model and by mocap poses. These move bodies at
 * all three poses, and change inertias, shapes, friction and the dofs' own numbers   (docs/theory/ncp.md, W24, W25).
 * Forces at q are not here (dynamics/param_deriv.h). */
#include "contact/ncp/deriv.h"

#include "base/error.h"
#include "contact/ncp/bodies.h"
#include "contact/ncp/contact.h"
#include "contact/ncp/contact_system.h"
#include "contact/ncp/impulse_place.h"
#include "contact/ncp/pair_deriv.h"
#include "contact/ncp/rows_deriv.h"
#include "dynamics/passive.h"

#define IS(t, row) (TAC_FIELDS[(t)->field].offset == offsetof(tacModel, row))

/* A column: movers at the three poses, an inertial change, or neither. */
typedef struct Column {
    const tacNcpView *view;
    int nmover;
    tacMover mover[TAC_NCP_POSES][2];
    const tacInertialTangent *inertial; /* nbody; NULL: none */
    int id;
    const tacNcpSink *sink;
} Column;

static const tacWork *work_at(const tacNcpView *view, int pose) {
    return pose == TAC_NCP_BEFORE ? &view->d->before : pose == TAC_NCP_NOW ? view->p->w : &view->p->next;
}

/* The same model at another pose. */
static tacSmoothPoint point_at(const tacNcpView *view, int pose) {
    tacSmoothPoint x = *view->x;
    if (pose == TAC_NCP_BEFORE) x.q = view->d->q_before;
    if (pose == TAC_NCP_NEXT) x.q = view->p->q_next;
    return x;
}

static tacVec3 place_velocity(const tacWork *w, const tacMover *mover, tacVec3 point) {
    return tac_add3(mover->S.lin, tac_cross3(mover->S.ang, tac_sub3(point, w->origin[mover->body])));
}

/* Velocity of a point of a body at one pose, and its rotation. */
static tacVec3 point_move(const Column *c, int pose, int body, tacVec3 point, tacVec3 *turn) {
    tacVec3 sum = tac_zero3();
    *turn = tac_zero3();
    for (int k = 0; k < c->nmover; k++) {
        const tacMover *mover = &c->mover[pose][k];
        if (!tac_moves_body(c->view->p->m, mover, body)) continue;
        sum = tac_add3(sum, place_velocity(work_at(c->view, pose), mover, point));
        *turn = tac_add3(*turn, mover->S.ang);
    }
    return sum;
}

/* --- Bodies ------------------------------------------------------------------------------------------------------- */

/* Emits S_i . f to row i of the balance, for all dofs on the path to a body. */
static void emit_wrench(const Column *c, int body, tacVec6 f) {
    const tacNcp *p = c->view->p;
    for (int i = p->m->body_last_dof[body]; i >= 0; i = p->m->dof_parent[i])
        tac_emit(&c->sink->balance, i, c->id, tac_dot6(p->w->S[i], f));
}

/* Emits the motion of the mover's subtree, by its own twist at each pose. */
static void move_bodies(const Column *c, int k) {
    const tacNcpView *v = c->view;
    const tacModel *m = v->p->m;
    int body = c->mover[TAC_NCP_NOW][k].body;
    tacVec6 f = tac_zero6();
    for (int pose = 0; pose < TAC_NCP_POSES; pose++)
        f = tac_add6(f, tac_ncp_block_times(v->d, pose, body, c->mover[pose][k].S));
    emit_wrench(c, body, f);
    for (int i = 0; i < m->nv; i++) {
        double sum = 0;
        if (m->dof_body[i] == body || !tac_moves_body(m, &c->mover[TAC_NCP_NOW][k], m->dof_body[i])) continue;
        for (int pose = 0; pose < TAC_NCP_POSES; pose++)
            sum += tac_dot6(v->d->row[pose][i], c->mover[pose][k].S);
        tac_emit(&c->sink->balance, i, c->id, sum);
    }
}

/* Residual of a body's balance with applied forces, at its centre of mass. It keeps its direction. */
static tacVec6 carried(const tacNcpView *v, int body) {
    tacVec6 f = v->d->wrench[body];
    const tacForceTorque *applied = v->x->u.xfrc;
    if (applied == NULL) return f;
    f.ang = tac_madd3(f.ang, -v->p->h, applied[body].torque);
    f.lin = tac_madd3(f.lin, -v->p->h, applied[body].force);
    return f;
}

static void move_all(const Column *c) {
    const tacNcpView *v = c->view;
    for (int k = 0; k < c->nmover; k++) {
        const tacMover *now = &c->mover[TAC_NCP_NOW][k];
        if (now->site > 0) continue;
        move_bodies(c, k);
        for (int b = 1; b < v->p->m->nbody; b++)
            if (!v->p->ldu.still[b])
                tac_world_force_move(v->p->m, v->p->w, b, carried(v, b), now, c->id, &c->sink->balance);
    }
}

/* Angular momentum is linear in the inertia, linear momentum in the mass; the centre of mass itself moves by R dc at
 * each pose   (W25). */
static void change_inertia(const Column *c, int b) {
    const tacNcpView *v = c->view;
    const tacNcp *p = v->p;
    const tacInertialTangent *d = &c->inertial[b];
    const tacWork *w[TAC_NCP_POSES] = {work_at(v, TAC_NCP_BEFORE), work_at(v, TAC_NCP_NOW), work_at(v, TAC_NCP_NEXT)};
    double mass = p->m->body_mass[b], h = p->h;
    tacVec3 gravity = tac_neg3(tac_base_acceleration(p->m).lin), moved[TAC_NCP_POSES];
    for (int pose = 0; pose < TAC_NCP_POSES; pose++)
        moved[pose] = tac_mulmv3(w[pose]->xmat[b], d->com);
    tacVec3 second_difference = tac_add3(tac_madd3(w[2]->xipos[b], -2, w[1]->xipos[b]), w[0]->xipos[b]),
            moved_difference = tac_add3(tac_madd3(moved[2], -2, moved[1]), moved[0]);
    tacVec3 lin = tac_madd3(tac_madd3(tac_scale3(d->mass / h, second_difference), -h * d->mass, gravity), mass / h,
                            moved_difference);
    tacVec3 ang = tac_ncp_angular_momentum_gained(w, b, d->icom, h);
    tacVec3 arm = tac_sub3(w[1]->xipos[b], w[1]->origin[b]);
    tacVec3 turning = tac_add3(tac_cross3(arm, lin), tac_cross3(moved[1], carried(v, b).lin));
    emit_wrench(c, b, (tacVec6){tac_add3(ang, turning), lin});
}

static void change_inertias(const Column *c) {
    const tacNcp *p = c->view->p;
    for (int b = 1; c->inertial != NULL && b < p->m->nbody; b++)
        if (!p->ldu.still[b] && !tac_inertial_is_still(&c->inertial[b])) change_inertia(c, b);
}

/* --- Contacts ----------------------------------------------------------------------------------------------------- */

/* Motion of a contact's side: its centre of mass moves with the movers and within the body. */
static tacNcpSide side_move(const Column *c, int body) {
    const tacNcpView *v = c->view;
    tacNcpSide s = {0};
    if (v->p->ldu.still[body]) return s;
    s.dx_now = point_move(c, TAC_NCP_NOW, body, v->p->w->xipos[body], &s.turn_now);
    s.dx_next = point_move(c, TAC_NCP_NEXT, body, v->p->next.xipos[body], &s.turn_next);
    s.dx_before = point_move(c, TAC_NCP_BEFORE, body, v->d->before.xipos[body], &s.turn_before);
    if (c->inertial == NULL) return s;
    s.dx_now = tac_add3(s.dx_now, tac_mulmv3(v->p->w->xmat[body], c->inertial[body].com));
    s.dx_next = tac_add3(s.dx_next, tac_mulmv3(v->p->next.xmat[body], c->inertial[body].com));
    s.dx_before = tac_add3(s.dx_before, tac_mulmv3(v->d->before.xmat[body], c->inertial[body].com));
    return s;
}

/* Emits the change of a contact that moves by t at q+, its own point at q by start, and its bound by rest. */
static void move_contact(const Column *c, int contact, const tacNcpFrame *frame, const tacContactTangent *t,
                         tacVec3 start, double rest) {
    const tacNcpView *v = c->view;
    const tacNcpContact *at = &v->p->contact[contact];
    const int row = TAC_NCP_INPUTS * contact;
    tacNcpSide side[2] = {side_move(c, at->body[0]), side_move(c, at->body[1])};
    tacNcpChange d = tac_ncp_contact_change(v->p, at, frame, t, start, side);
    d.gap_slip[0] -= rest;
    for (int k = 0; k < (at->friction.mu > 0 ? 3 : 1); k++)
        tac_emit(&c->sink->inputs, row + k, c->id, d.gap_slip[k]);
    for (int k = 0; k < 2; k++) {
        int b = at->body[k];
        tacVec3 turn, P = tac_scale3(k == 0 ? -1 : 1, frame->impulse), origin = v->p->next.xpos[b];
        if (!v->p->ldu.still[b]) emit_wrench(c, b, tac_scale6(-1, d.wrench[k]));
        if (tac_sink_is_empty(&c->sink->wrench)) continue;
        tacVec3 darm = tac_sub3(t->pos, point_move(c, TAC_NCP_NEXT, b, origin, &turn));
        tacVec6 dW = {
            tac_add3(tac_cross3(darm, P), tac_cross3(tac_sub3(at->next.contact.pos, origin), d.wrench[k].lin)),
            d.wrench[k].lin};
        tac_emit_wrench(&c->sink->wrench, b, c->id, tac_scale6(1 / v->p->h, dW));
    }
}

/* --- Columns ------------------------------------------------------------------------------------------------------ */

static Column param_column(const tacNcpView *v, const tacParamTangent *t, int id, const tacNcpSink *sink) {
    Column c = {.view = v, .inertial = t->inertial, .id = id, .sink = sink};
    for (int pose = 0; pose < TAC_NCP_POSES; pose++) {
        tacSmoothPoint x = point_at(v, pose);
        c.nmover = tac_param_movers(v->p->m, work_at(v, pose), t, &x, c.mover[pose]);
    }
    if (c.nmover > 0 && c.mover[0][0].site > 0) c.nmover = 0;
    return c;
}

static Column mocap_column(const tacNcpView *v, int i, const tacNcpSink *sink) {
    Column c = {.view = v, .nmover = 1, .id = i, .sink = sink};
    for (int pose = 0; pose < TAC_NCP_POSES; pose++)
        tac_mocap_mover(v->p->m, work_at(v, pose), i, v->x->u.mocap, &c.mover[pose][0]);
    return c;
}

/* Emits changes of the dofs' own inertia and damping, and of gravity. */
static void emit_own(const tacNcpView *v, const tacParamTangent *t, int id, const tacNcpSink *sink) {
    const tacModel *m = v->p->m;
    for (int i = 0; i < m->nv; i++) {
        double gained = v->p->x[i] - v->p->v[i], damping = t->dof_damping == NULL ? 0 : t->dof_damping[i];
        int joint = m->dof_joint[i];
        if (IS(t, joint_damping) && t->index == joint) damping += 1;
        double own = v->p->damping_span * damping + (IS(t, joint_armature) && t->index == joint);
        if (own != 0) tac_emit(&sink->balance, i, id, own * gained);
    }
    if (!IS(t, option_gravity) || (*m->option_disable & TAC_DISABLE_GRAVITY)) return;
    Column c = {.view = v, .id = id, .sink = sink};
    tacVec3 dg = tac_vec3(t->index == 0, t->index == 1, t->index == 2);
    for (int b = 1; b < m->nbody; b++) {
        tacVec3 f = tac_scale3(-v->p->h * m->body_mass[b], dg), arm = tac_sub3(v->p->w->xipos[b], v->p->w->origin[b]);
        if (!v->p->ldu.still[b]) emit_wrench(&c, b, (tacVec6){tac_cross3(arm, f), f});
    }
}

/* Emits changes of the contacts' own numbers: friction, the unit of products, how bounds yield. */
static void emit_inputs(const tacNcpView *v, const tacParamTangent *t, int id, const tacNcpSink *sink) {
    const tacNcp *p = v->p;
    double unit = t->inertial == NULL ? 0 : tac_ncp_gap_unit_change(p, t->inertial);
    for (int i = 0; i < p->ncontact; i++) {
        const tacNcpContact *c = &p->contact[i];
        double mu = c->friction.mu > 0 ? tac_contact_friction_param(p->m, t, &c->now.start, 1) : 0;
        if (mu != 0) tac_emit(&sink->inputs, TAC_NCP_INPUTS * i + TAC_NCP_MU, id, mu);
        if (unit != 0) tac_emit(&sink->inputs, TAC_NCP_INPUTS * i + TAC_NCP_UNIT, id, unit);
        if (t->inertial == NULL || c->friction.soft == 0) continue;
        double lighter = tac_ncp_inverse_masses_change(p->m, c->body, t->inertial);
        if (c->pair != NULL) lighter *= c->pair->scale;
        tac_emit(&sink->inputs, TAC_NCP_INPUTS * i + TAC_NCP_GAP, id,
                 -tac_ncp_gap_bound_by_mass(&c->law.bound, c->friction.gamma, lighter));
    }
}

/* A contact prepared at q+, and at q where that is needed. */
typedef struct Prepared {
    tacContactSystem next, start;
    tacContactSystem place; /* at q: where the impulse acts */
    double follows;         /* d(bound)/d(gap at q) */
} Prepared;

static tacStatus prepare(const tacNcpView *v, int contact, Prepared *out) {
    tacNcp *p = v->p;
    const tacNcpContact *c = &p->contact[contact];
    out->follows = v->d->response[contact].bound_by_gap;
    TAC_TRY(tac_contact_prepare(p->m, p->scene, &c->next.contact, &out->next));
    if (out->follows != 0) TAC_TRY(tac_ncp_prepare_at(p, p->w, &c->now.start, &out->start));
    if (c->impulse.rule != TAC_NCP_PLACE_NEXT) TAC_TRY(tac_ncp_prepare_at(p, p->w, &c->now.contact, &out->place));
    return TAC_OK;
}

double tac_ncp_scale_param(const tacModel *m, const tacNcpContact *c, const tacParamTangent *t, int k) {
    double change[2];
    if (c->feature.found.pair < 0 || c->friction.mu == 0) return 0;
    for (int i = 0; i < 2; i++)
        change[i] = tac_contact_friction_param(m, t, &c->now.start, 1 + i);
    double of = change[c->law.tangent_scale[0] == 0];
    return (change[k] - c->law.tangent_scale[k] * of) / c->friction.mu;
}

static void scale_tangents_param(const tacNcp *p, const tacNcpContact *c, const tacParamTangent *t,
                                 tacContactTangent *d) {
    tacVec3 unit[2];
    tac_ncp_scale_tangents(c, d->tangent);
    if (c->feature.found.pair < 0 || c->friction.mu == 0) return;
    tac_contact_frame(c->next.contact.normal, &unit[0], &unit[1]);
    for (int k = 0; k < 2; k++)
        d->tangent[k] = tac_madd3(d->tangent[k], tac_ncp_scale_param(p->m, c, t, k), unit[k]);
}

/* Emits one contact in the column of one parameter. */
static void contact_param(const tacNcpView *v, int contact, const Prepared *at, const tacNcpFrame *frame,
                          const tacParamTangent *tangent, const Column *column) {
    tacNcp *p = v->p;
    const tacNcpContact *c = &p->contact[contact];
    tacContactTangent t = {0}, other;
    tacSmoothPoint next = point_at(v, TAC_NCP_NEXT), now = point_at(v, TAC_NCP_NOW);
    tacVec3 start = tac_zero3();
    double rest = 0;
    tac_contact_param(p->m, &p->next, &at->next, tangent, &next, p->scene->corner_change, &t);
    scale_tangents_param(p, c, tangent, &t);
    if (at->follows != 0) {
        tac_contact_param(p->m, p->w, &at->start, tangent, &now, p->scene->corner_change, &other);
        rest = at->follows * other.dist;
    }
    if (c->impulse.rule != TAC_NCP_PLACE_NEXT) {
        tac_contact_param(p->m, p->w, &at->place, tangent, &now, p->scene->corner_change, &other);
        start = tac_ncp_own_point_move(c, &c->now.contact, &other);
    }
    if (c->law.bounce > 0) /* at fixed velocities */
        rest -= c->law.bounce / c->law.restitution * tac_contact_restitution_param(p->m, tangent, &c->feature.found) *
                p->h * tac_dot3(c->next.contact.normal, tac_ncp_slip_before(p, c));
    move_contact(column, contact, frame, &t, start, rest);
}

/* Change of the own point at q along a mocap pose. */
static tacVec3 own_point_along(const tacNcpView *v, const tacNcpContact *c, const tacContactSystem *place,
                               const Column *column) {
    tacContactTangent d = tac_contact_along(v->p->m, v->p->w, place, &column->mover[TAC_NCP_NOW][0]);
    return tac_ncp_own_point_move(c, &c->now.contact, &d);
}

/* Emits a pair in all columns. */
static tacStatus emit_pair(const tacNcpView *v, int contact, const tacParamTangent *tangents, const tacNcpSink *mocap,
                           const tacNcpSink *theta) {
    tacNcp *p = v->p;
    TAC_SCOPE(&p->pairs.arena);
    const tacNcpContact *c = &p->contact[contact];
    tacSmoothPoint next = point_at(v, TAC_NCP_NEXT), now = point_at(v, TAC_NCP_NOW);
    tacNcpPairSystem s;
    double rest;
    TAC_TRY(tac_ncp_pair_prepare(p, c, v->d->response[contact].bound_by_gap, &s));
    tacNcpFrame frame = tac_ncp_contact_frame(p, c);
    for (int k = 0; theta != NULL && k < p->m->nmember; k++) {
        Column column = param_column(v, &tangents[k], tangents[k].column, theta);
        tacContactTangent t = tac_ncp_pair_param(p, c, &s, &tangents[k], &next, &now, &rest);
        scale_tangents_param(p, c, &tangents[k], &t);
        move_contact(&column, contact, &frame, &t, tac_zero3(), rest);
    }
    for (int k = 0; mocap != NULL && k < TAC_POSE_SIZE * p->m->nmocap; k++) {
        Column column = mocap_column(v, k, mocap);
        tacContactTangent t =
            tac_ncp_pair_along(p, c, &s, &column.mover[TAC_NCP_NEXT][0], &column.mover[TAC_NCP_NOW][0], &rest);
        tac_ncp_scale_tangents(c, t.tangent);
        move_contact(&column, contact, &frame, &t, tac_zero3(), rest);
    }
    return TAC_OK;
}

/* Emits one contact in all columns; its geometry is prepared once. */
static tacStatus emit_contact(const tacNcpView *v, int contact, const tacParamTangent *tangents,
                              const tacNcpSink *mocap, const tacNcpSink *theta) {
    tacNcp *p = v->p;
    const tacNcpContact *c = &p->contact[contact];
    if (c->pair != NULL) return emit_pair(v, contact, tangents, mocap, theta);
    Prepared at;
    TAC_TRY(prepare(v, contact, &at));
    tacNcpFrame frame = tac_ncp_contact_frame(p, c);
    for (int k = 0; theta != NULL && k < p->m->nmember; k++) {
        Column column = param_column(v, &tangents[k], tangents[k].column, theta);
        contact_param(v, contact, &at, &frame, &tangents[k], &column);
    }
    for (int k = 0; mocap != NULL && k < TAC_POSE_SIZE * p->m->nmocap; k++) {
        Column column = mocap_column(v, k, mocap);
        double rest = 0;
        tacVec3 start = tac_zero3();
        tacContactTangent t = tac_contact_along(p->m, &p->next, &at.next, &column.mover[TAC_NCP_NEXT][0]);
        if (c->impulse.rule != TAC_NCP_PLACE_NEXT) start = own_point_along(v, c, &at.place, &column);
        tac_ncp_scale_tangents(c, t.tangent);
        if (at.follows != 0)
            rest = at.follows * tac_contact_along(p->m, p->w, &at.start, &column.mover[TAC_NCP_NOW][0]).dist;
        move_contact(&column, contact, &frame, &t, start, rest);
    }
    return TAC_OK;
}

tacStatus tac_ncp_param_jac(const tacNcpView *v, const tacParamTangent *tangents, const tacNcpSink *mocap,
                            const tacNcpSink *theta) {
    const tacModel *m = v->p->m;
    if (theta != NULL && m->nparam == 0) theta = NULL;
    if (mocap != NULL && m->nmocap == 0) mocap = NULL;
    for (int k = 0; theta != NULL && k < m->nmember; k++) {
        int at = tangents[k].column;
        Column column = param_column(v, &tangents[k], at, theta);
        move_all(&column);
        change_inertias(&column);
        emit_own(v, &tangents[k], at, theta);
        if (!v->free) emit_inputs(v, &tangents[k], at, theta);
        if (tac_param_is_time(&tangents[k])) tac_ncp_time_jac(v, at, theta);
    }
    for (int k = 0; mocap != NULL && k < TAC_POSE_SIZE * m->nmocap; k++) {
        Column column = mocap_column(v, k, mocap);
        move_all(&column);
    }
    for (int i = 0; i < v->p->ncontact && !v->free && (theta != NULL || mocap != NULL); i++)
        TAC_TRY(emit_contact(v, i, tangents, mocap, theta));
    tac_ncp_rows_param_jac(v, tangents, mocap, theta);
    return TAC_OK;
}
