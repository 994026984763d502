/* Outputs: centres of mass, momentum, energies. */
#include "dynamics/output.h"

#include "dynamics/energy.h"
#include "dynamics/mass.h"
#include "dynamics/param_mass.h"
#include "dynamics/passive.h"

#include <string.h>

#define IS(t, row) (TAC_FIELDS[(t)->field].offset == offsetof(tacModel, row))

static void add3(double *dz, double s, tacVec3 d) { tac_store3(dz, tac_madd3(tac_load3(dz), s, d)); }

static tacVec3 point_of(tacVec6 S, tacVec3 arm) { return tac_add3(S.lin, tac_cross3(S.ang, arm)); }

void tac_output_sums(const tacOutputPoint *p) {
    const tacModel *m = p->m;
    tac_subtree_com(m, p->w, p->com);
    for (int b = 0; b < m->nbody; b++) {
        p->composite[b] = p->w->inertia[b];
        p->momentum[b] = b > 0 ? tac_inertia_mul(p->w->inertia[b], p->w->V[b]) : tac_zero6();
    }
    for (int b = m->nbody - 1; b > 0; b--) {
        int parent = m->body_parent[b];
        if (parent == 0) {
            p->momentum[0].lin = tac_add3(p->momentum[0].lin, p->momentum[b].lin);
            continue;
        }
        p->composite[parent] = tac_inertia_add(p->composite[parent], p->composite[b]);
        p->momentum[parent] = tac_add6(p->momentum[parent], p->momentum[b]);
    }
}

/* --- Subtrees ----------------------------------------------------------------------------------------------------- */

/* 1: the body is `top` or its descendant. */
static int hangs_on(const tacModel *m, int body, int top) {
    while (body > top)
        body = m->body_parent[body];
    return body == top;
}

/* The root of the part of a subtree that a mover moves: the subtree itself, or a part inside it. -1: nothing. */
static int part_moved(const tacModel *m, int body, const tacMover *x) {
    if (x->site > 0) return -1;
    if (tac_moves_body(m, x, body)) return body;
    return hangs_on(m, x->body, body) ? x->body : -1;
}

/* Share of the part in the subtree's mass. A subtree without mass is at its body's position. */
static double mass_share(const tacModel *m, int body, int part) {
    double mass = m->body_subtree_mass[body];
    return mass > 0 ? m->body_subtree_mass[part] / mass : body == part;
}

/* c = sum m_b c_b / sum m_b. The centre of a part moves with the twist, the whole by the part's share   (outputs.md,
 * O4) */
static void move_com(const tacOutputPoint *p, int body, int part, tacVec6 S, double *dz) {
    tacVec3 arm = tac_sub3(p->com[part], p->w->origin[part]);
    add3(dz, mass_share(p->m, body, part), point_of(S, arm));
}

/* v = momentum / mass, and d(momentum) = S x* h + I psi, of which this is the linear part   (O5) */
static void move_com_velocity(const tacOutputPoint *p, int body, int part, tacVec6 S, tacVec6 psi, double *dz) {
    const tacModel *m = p->m;
    tacVec3 arm = tac_sub3(p->com[part], p->w->origin[part]);
    double mass = m->body_subtree_mass[body];
    if (mass > 0)
        add3(dz, 1 / mass, tac_cross3(S.ang, p->momentum[part].lin));
    else if (body == part)
        add3(dz, 1, tac_cross3(S.ang, point_of(p->w->V[body], arm)));
    add3(dz, mass_share(m, body, part), point_of(psi, arm));
}

/* Calls `emit` for every dof that moves a part of the subtree, with that part. */
static void each_dof(const tacOutputPoint *p, int body, int row, const tacForceSink *sink,
                     void (*emit)(const tacOutputPoint *p, int body, int part, int dof, int row,
                                  const tacForceSink *sink)) {
    const tacModel *m = p->m;
    for (int j = m->body_last_dof[body]; j >= 0; j = m->dof_parent[j])
        emit(p, body, body, j, row, sink);
    memset(p->inside, 0, (size_t)m->nbody);
    p->inside[body] = 1;
    for (int b = body + 1; b < m->nbody; b++) {
        p->inside[b] = p->inside[m->body_parent[b]];
        for (int j = m->body_dof_adr[b]; p->inside[b] && j < m->body_dof_adr[b] + m->body_dof_num[b]; j++)
            emit(p, body, b, j, row, sink);
    }
}

static void emit_com(const tacOutputPoint *p, int body, int part, int dof, int row, const tacForceSink *sink) {
    double dz[3] = {0};
    move_com(p, body, part, p->w->S[dof], dz);
    tac_emit_numbers(&sink->q, row, dof, 3, dz);
}

static void emit_com_velocity(const tacOutputPoint *p, int body, int part, int dof, int row, const tacForceSink *sink) {
    double dq[3] = {0}, dv[3] = {0};
    move_com_velocity(p, body, part, p->w->S[dof], p->w->Sdot[dof], dq);
    move_com(p, body, part, p->w->S[dof], dv);
    tac_emit_numbers(&sink->q, row, dof, 3, dq);
    tac_emit_numbers(&sink->v, row, dof, 3, dv);
}

void tac_value_subtree_com(const tacOutputPoint *p, int id, double *z) { tac_store3(z, p->com[id]); }

void tac_state_subtree_com(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    each_dof(p, id, row, sink, emit_com);
}

/* Masses and centres of the subtree's bodies: dc = sum (dm_b (c_b - c) + m_b dc_b) / m */
void tac_vary_subtree_com(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    const tacModel *m = p->m;
    double mass = m->body_subtree_mass[id];
    for (int k = 0; k < d->n; k++) {
        int part = part_moved(m, id, &d->mover[k]);
        if (part >= 0) move_com(p, id, part, d->mover[k].S, dz);
    }
    for (int b = id; d->t != NULL && d->t->inertial != NULL && b < m->nbody; b++) {
        const tacInertialTangent *change = &d->t->inertial[b];
        if (b == 0 || tac_inertial_is_still(change) || !hangs_on(m, b, id)) continue;
        double share = mass > 0 ? m->body_mass[b] / mass : b == id;
        add3(dz, share, tac_mulmv3(p->w->xmat[b], change->com));
        if (mass > 0) add3(dz, change->mass / mass, tac_sub3(p->w->xipos[b], p->com[id]));
    }
}

void tac_value_subtree_velocity(const tacOutputPoint *p, int id, double *z) {
    double mass = p->m->body_subtree_mass[id];
    tac_store3(z, mass > 0 ? tac_scale3(1 / mass, p->momentum[id].lin) : tac_point_velocity(p->w, id, p->w->xipos[id]));
}

void tac_state_subtree_velocity(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    each_dof(p, id, row, sink, emit_com_velocity);
}

/* d(momentum) = dI V of the subtree's bodies */
void tac_vary_subtree_velocity(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    const tacModel *m = p->m;
    double mass = m->body_subtree_mass[id];
    for (int k = 0; k < d->n; k++) {
        int part = part_moved(m, id, &d->mover[k]);
        if (part >= 0) move_com_velocity(p, id, part, d->mover[k].S, tac_mover_drag(p, &d->mover[k]), dz);
    }
    for (int b = id; d->t != NULL && d->t->inertial != NULL && b < m->nbody; b++) {
        const tacInertialTangent *change = &d->t->inertial[b];
        if (b == 0 || tac_inertial_is_still(change) || !hangs_on(m, b, id)) continue;
        if (mass > 0) {
            tacInertia dI = tac_world_inertia_change(m, p->w, b, change);
            add3(dz, 1 / mass, tac_inertia_mul(dI, p->w->V[b]).lin);
            add3(dz, -change->mass / (mass * mass), p->momentum[id].lin);
        } else if (b == id) {
            add3(dz, 1, tac_cross3(p->w->V[b].ang, tac_mulmv3(p->w->xmat[b], change->com)));
        }
    }
}

/* --- Momentum ----------------------------------------------------------------------------------------------------- */

/* A change of momentum about the tree's origin O, and of the centre c, about which the whole is taken:
 *   d(n, f) + (O - c) x df - dc x f_total   (O6) */
static void change_momentum(const tacOutputPoint *p, int body, tacVec6 dh, tacVec3 dcom, double *dz) {
    tacVec3 arm = tac_sub3(p->w->origin[body], p->com[0]);
    add3(dz, 1, tac_add3(dh.ang, tac_cross3(arm, dh.lin)));
    add3(dz, -1, tac_cross3(dcom, p->momentum[0].lin));
    add3(dz + 3, 1, dh.lin);
}

/* d(I V) summed over the bodies that move: S x* h + I psi */
static void move_momentum(const tacOutputPoint *p, int body, tacVec6 S, tacVec6 psi, double *dz) {
    double dcom[3] = {0};
    tacVec6 dh = tac_add6(tac_crossf6(S, p->momentum[body]), tac_inertia_mul(p->composite[body], psi));
    if (p->m->body_subtree_mass[0] > 0) move_com(p, 0, body, S, dcom);
    change_momentum(p, body, dh, tac_load3(dcom), dz);
}

void tac_value_momentum(const tacOutputPoint *p, int id, double *z) {
    tacVec6 h = tac_total_momentum(p->m, p->w);
    (void)id;
    tac_store3(z, h.ang);
    tac_store3(z + 3, h.lin);
}

void tac_state_momentum(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    (void)id;
    for (int j = 0; j < p->m->nv; j++) {
        double dq[6] = {0}, dv[6] = {0};
        int body = p->m->dof_body[j];
        move_momentum(p, body, p->w->S[j], p->w->Sdot[j], dq);
        change_momentum(p, body, tac_inertia_mul(p->composite[body], p->w->S[j]), tac_zero3(), dv);
        tac_emit_numbers(&sink->q, row, j, 6, dq);
        tac_emit_numbers(&sink->v, row, j, 6, dv);
    }
}

void tac_vary_momentum(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    const tacModel *m = p->m;
    double mass = m->body_subtree_mass[0];
    (void)id;
    for (int k = 0; k < d->n; k++)
        if (d->mover[k].site == 0)
            move_momentum(p, d->mover[k].body, d->mover[k].S, tac_mover_drag(p, &d->mover[k]), dz);
    for (int b = 1; d->t != NULL && d->t->inertial != NULL && b < m->nbody; b++) {
        const tacInertialTangent *change = &d->t->inertial[b];
        if (tac_inertial_is_still(change)) continue;
        tacInertia dI = tac_world_inertia_change(m, p->w, b, change);
        double dcom[3] = {0};
        if (mass > 0) {
            add3(dcom, m->body_mass[b] / mass, tac_mulmv3(p->w->xmat[b], change->com));
            add3(dcom, change->mass / mass, tac_sub3(p->w->xipos[b], p->com[0]));
        }
        change_momentum(p, b, tac_inertia_mul(dI, p->w->V[b]), tac_load3(dcom), dz);
    }
}

/* --- Kinetic energy: half of v.M v -------------------------------------------------------------------------------- */

static tacMassForm kinetic_form(const tacOutputPoint *p) {
    return (tacMassForm){p->m, p->w, p->x.v, p->w->V, p->momentum};
}

void tac_value_kinetic(const tacOutputPoint *p, int id, double *z) {
    (void)id;
    *z = tac_kinetic_energy(p->m, p->w, p->x.v);
}

/* dT/dq = psi . momentum outboard, dT/dv = M v   (O7) */
void tac_state_kinetic(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    double *Mv = p->w->vec[0];
    (void)id;
    tac_mass_mul(p->m, p->w, p->x.v, Mv);
    for (int j = 0; j < p->m->nv; j++) {
        tac_emit(&sink->q, row, j, tac_dot6(p->w->Sdot[j], p->momentum[p->m->dof_body[j]]));
        tac_emit(&sink->v, row, j, Mv[j]);
    }
}

void tac_vary_kinetic(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    tacMassForm form = kinetic_form(p);
    (void)id;
    for (int k = 0; k < d->n; k++)
        *dz += 0.5 * tac_mass_form_move(&form, &d->mover[k]);
    if (d->t != NULL) *dz += 0.5 * tac_mass_form_param(&form, d->t, 1);
}

/* --- Potential energy --------------------------------------------------------------------------------------------- */

static int springs_on(const tacModel *m) { return !(*m->option_disable & TAC_DISABLE_SPRING); }

/* Weight of a subtree times the rise of its centre. */
static double move_weight(const tacOutputPoint *p, int body, tacVec6 S) {
    tacVec3 arm = tac_sub3(p->com[body], p->w->origin[body]);
    return p->m->body_subtree_mass[body] * tac_dot3(tac_base_acceleration(p->m).lin, point_of(S, arm));
}

static double half_square(int n, const double *d) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += 0.5 * d[i] * d[i];
    return sum;
}

void tac_value_potential(const tacOutputPoint *p, int id, double *z) {
    (void)id;
    *z = tac_potential_energy(p->m, p->w, p->x.q);
}

/* Spring force k d, for a rotation too, since Jr^-1(d) leaves d unchanged   (O8) */
static void emit_springs(const tacOutputPoint *p, int row, const tacSink *sink) {
    const tacModel *m = p->m;
    double d[6];
    for (int j = 0; j < m->njnt; j++) {
        int n = m->joint_stiffness_used[j] == 0 ? 0 : tac_spring_displacement(m, j, p->x.q, d);
        for (int i = 0; i < n; i++)
            tac_emit(sink, row, m->joint_dof_adr[j] + i, m->joint_stiffness_used[j] * d[i]);
    }
    for (int t = 0; t < m->ntendon; t++) {
        double pull = m->tendon_stiffness[t] * tac_tendon_stretch(m, p->w, t);
        int first = m->tendon_term_adr[t], last = first + m->tendon_term_num[t];
        for (int k = first; k < last && pull != 0 && m->tendon_type[t] == TAC_TENDON_FIXED; k++)
            tac_emit(sink, row, m->joint_dof_adr[m->term_joint[k]], pull * m->term_coef[k]);
    }
}

void tac_state_potential(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    (void)id;
    for (int j = 0; j < p->m->nv; j++)
        tac_emit(&sink->q, row, j, move_weight(p, p->m->dof_body[j], p->w->S[j]));
    if (springs_on(p->m)) emit_springs(p, row, &sink->q);
}

/* sum of -g . (dm c + m dc), and -dg . sum of m c */
static double weight_change(const tacOutputPoint *p, const tacParamTangent *t) {
    const tacModel *m = p->m;
    tacVec3 up = tac_base_acceleration(m).lin;
    double sum = 0;
    for (int b = 1; b < m->nbody; b++) {
        if (t->inertial != NULL) {
            tacVec3 moved = tac_mulmv3(p->w->xmat[b], t->inertial[b].com);
            sum += tac_dot3(up, tac_madd3(tac_scale3(m->body_mass[b], moved), t->inertial[b].mass, p->w->xipos[b]));
        }
        if (IS(t, option_gravity) && !(*m->option_disable & TAC_DISABLE_GRAVITY))
            sum -= m->body_mass[b] * tac_get3(p->w->xipos[b], t->index);
    }
    return sum;
}

/* The spring of a free joint rests at its body's pose in the file: -k d . (shift, turn). */
static double rest_pose_change(const tacOutputPoint *p, const tacParamTangent *t) {
    const tacModel *m = p->m;
    int turned = IS(t, body_quat), per = turned ? 4 : 3, body = t->index / per, k = t->index % per;
    int joint = m->body_joint_adr[body];
    double d[6];
    if (m->body_joint_num[body] == 0 || m->joint_type[joint] != TAC_JOINT_FREE) return 0;
    tac_spring_displacement(m, joint, p->x.q, d);
    double along = turned ? tac_dot3(tac_load3(d + 3), tac_quat_component_turn(m->body_quat[body], k)) : d[k];
    return -m->joint_stiffness_used[joint] * along;
}

static double joint_spring_change(const tacOutputPoint *p, const tacParamTangent *t) {
    const tacModel *m = p->m;
    double d[6], sum = 0;
    for (int j = 0; t->joint_stiffness != NULL && j < m->njnt; j++) {
        int n = t->joint_stiffness[j] == 0 ? 0 : tac_spring_displacement(m, j, p->x.q, d);
        sum += t->joint_stiffness[j] * half_square(n, d);
    }
    if (IS(t, joint_stiffness)) sum += half_square(tac_spring_displacement(m, t->index, p->x.q, d), d);
    if (IS(t, joint_springref) && tac_spring_displacement(m, t->index, p->x.q, d) == 1)
        sum -= m->joint_stiffness_used[t->index] * d[0];
    if (IS(t, body_pos) || IS(t, body_quat)) sum += rest_pose_change(p, t);
    return sum;
}

/* A spring beyond its dead band: side 0 below, 1 above. */
static double band_change(const tacOutputPoint *p, int tendon, int side, double change) {
    double stretch = tac_tendon_stretch(p->m, p->w, tendon);
    return (side ? stretch > 0 : stretch < 0) ? -p->m->tendon_stiffness[tendon] * stretch * change : 0;
}

static double tendon_spring_change(const tacOutputPoint *p, const tacParamTangent *t) {
    const tacModel *m = p->m;
    double sum = 0;
    for (int i = 0; t->springlength != NULL && i < 2 * m->ntendon; i++)
        sum += band_change(p, i / 2, i % 2, t->springlength[i]);
    if (IS(t, tendon_springlength) && !tac_spring_is_automatic(m, t->index / 2))
        sum += band_change(p, t->index / 2, t->index % 2, 1);
    if (IS(t, tendon_stiffness)) sum += half_square(1, (double[]){tac_tendon_stretch(m, p->w, t->index)});
    if (IS(t, term_coef)) {
        int tendon = tac_tendon_of_term(m, t->index);
        double length = p->x.q[m->joint_qpos_adr[m->term_joint[t->index]]];
        sum += m->tendon_stiffness[tendon] * tac_tendon_stretch(m, p->w, tendon) * length;
    }
    return sum;
}

void tac_vary_potential(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    (void)id;
    for (int k = 0; k < d->n; k++)
        if (d->mover[k].site == 0) *dz += move_weight(p, d->mover[k].body, d->mover[k].S);
    if (d->t == NULL) return;
    *dz += weight_change(p, d->t);
    if (springs_on(p->m)) *dz += joint_spring_change(p, d->t) + tendon_spring_change(p, d->t);
}
