#include "dynamics/param_deriv.h"

#include "dynamics/actuator.h"
#include "dynamics/inverse.h"
#include "dynamics/param_mass.h"
#include "dynamics/passive.h"

/* One column under construction. R takes changes of inverse dynamics, the others changes of forces. */
typedef struct Column {
    const tacModel *m;
    tacWork *w;
    const tacSmoothPoint *x;
    const double *a; /* NULL: forces alone, R is not written */
    double damping_span;
    const tacParamTangent *t;
    int id;
    tacSink R, passive, actuator, applied;
} Column;

static int springs_on(const tacModel *m) { return !(*m->option_disable & TAC_DISABLE_SPRING); }
static int dampers_on(const tacModel *m) { return !(*m->option_disable & TAC_DISABLE_DAMPER); }
static int actuators_on(const tacModel *m) { return !(*m->option_disable & TAC_DISABLE_ACTUATION); }
static int passive_on(const tacModel *m) { return springs_on(m) || dampers_on(m); }

static void force(const Column *c, int i, double change) { tac_emit(&c->passive, i, c->id, change); }

/* --- Places and inertias ----------------------------------------------------------------------------------------- */

/* Gravity compensation of some joints goes through actuators. At a bound it changes nothing. */
static void compensate(const Column *c, int i, double change) {
    if (!c->m->joint_actgravcomp[c->m->dof_joint[i]])
        force(c, i, change);
    else if (!c->w->saturated[i])
        tac_emit(&c->actuator, i, c->id, change);
}

static tacVec6 compensation(const tacModel *m, int body) {
    tacVec3 up = tac_base_acceleration(m).lin;
    return (tacVec6){{0, 0, 0}, tac_scale3(m->body_mass[body] * m->body_gravcomp[body], up)};
}

/* Moves the compensation force of every body. First for joints that take it as a passive force, then for those that
 * take it through their actuators. */
static void move_compensation(const Column *c, const tacMover *mover) {
    const tacModel *m = c->m;
    for (int pass = 0; pass < 2 && passive_on(m); pass++) {
        tacSink sink = pass ? c->actuator : c->passive;
        sink.skip = c->w->skip;
        for (int i = 0; i < m->nv; i++) {
            int through = m->joint_actgravcomp[m->dof_joint[i]];
            c->w->skip[i] = pass ? !through || c->w->saturated[i] : through;
        }
        for (int b = 1; b < m->nbody; b++)
            if (m->body_gravcomp[b] != 0) tac_world_force_move(m, c->w, b, compensation(m, b), mover, c->id, &sink);
    }
}

/* Transmissions by sites: moment rows turn, lengths and velocities change. */
static void move_actuators(const Column *c, const tacMover *mover) {
    const tacModel *m = c->m;
    tacSink masked = c->actuator;
    masked.skip = c->w->saturated;
    for (int a = 0; a < m->nu && actuators_on(m); a++) {
        int type = m->actuator_trntype[a];
        if (m->actuator_without_force[a] || (type != TAC_TRN_SITE && type != TAC_TRN_SLIDERCRANK)) continue;
        tac_moment_move(m, c->w, a, mover, c->id, c->w->force[a], &masked);
        double change = tac_move_drive(m, c->w, c->x, mover, a).force;
        tac_emit_force(m, c->w, a, c->x->act, c->x->h, change, c->id, &c->actuator);
    }
}

static void move(const Column *c, const tacMover *mover) {
    const tacModel *m = c->m;
    if (c->a != NULL) tac_rnea_move(m, c->w, c->x->v, c->a, mover, c->id, &c->R);
    move_compensation(c, mover);
    for (int b = 1; c->x->u.xfrc != NULL && b < m->nbody; b++) {
        tacForceTorque f = c->x->u.xfrc[b];
        tac_world_force_move(m, c->w, b, (tacVec6){f.torque, f.force}, mover, c->id, &c->applied);
    }
    move_actuators(c, mover);
}

/* c = com - O;  dh = dm c + m dc;  dI = R dicom R^T + d(m (|c|^2 1 - c c^T)) */
tacInertia tac_world_inertia_change(const tacModel *m, const tacWork *w, int body, const tacInertialTangent *d) {
    tacVec3 c = tac_sub3(w->xipos[body], w->origin[body]), dc = tac_mulmv3(w->xmat[body], d->com);
    double mass = m->body_mass[body];
    tacSym3 own = tac_rotatesym3(w->xmat[body], d->icom);
    return (tacInertia){d->mass, tac_madd3(tac_scale3(d->mass, c), mass, dc),
                        tac_addsym3(own, tac_pointsym3_jvp(mass, c, d->mass, dc))};
}

/* The regressor, gravity compensation, and forces applied at the centre of mass. */
static void change_inertia(const Column *c, int body, const tacInertialTangent *d) {
    const tacModel *m = c->m;
    tacInertia dI = tac_world_inertia_change(m, c->w, body, d);
    if (c->a != NULL) tac_rnea_inertia(m, c->w, body, &dI, c->id, &c->R);
    tacVec3 arm = tac_sub3(c->w->xipos[body], c->w->origin[body]), moved = tac_mulmv3(c->w->xmat[body], d->com);
    tacVec3 up = tac_base_acceleration(m).lin;
    tacVec3 held = tac_scale3(m->body_gravcomp[body] * m->body_mass[body], up);
    tacVec3 more = tac_scale3(m->body_gravcomp[body] * d->mass, up);
    tacVec3 applied = c->x->u.xfrc != NULL ? c->x->u.xfrc[body].force : tac_zero3();
    tacVec6 dW = {tac_add3(tac_cross3(moved, held), tac_cross3(arm, more)), more};
    for (int i = m->body_last_dof[body]; i >= 0; i = m->dof_parent[i]) {
        if (passive_on(m)) compensate(c, i, tac_dot6(c->w->S[i], dW));
        tac_emit(&c->applied, i, c->id, tac_dot3(c->w->S[i].ang, tac_cross3(moved, applied)));
    }
}

static void gravity(const Column *c, int row, int k) {
    const tacModel *m = c->m;
    (void)row;
    tacVec3 dg = tac_vec3(k == 0, k == 1, k == 2);
    if (*m->option_disable & TAC_DISABLE_GRAVITY) return;
    if (c->a != NULL) tac_rnea_gravity(m, c->w, dg, c->id, &c->R);
    for (int b = 1; b < m->nbody && passive_on(m); b++) {
        if (m->body_gravcomp[b] == 0) continue;
        tacVec3 arm = tac_sub3(c->w->xipos[b], c->w->origin[b]);
        tacVec3 f = tac_scale3(-m->body_gravcomp[b] * m->body_mass[b], dg);
        for (int i = m->body_last_dof[b]; i >= 0; i = m->dof_parent[i])
            compensate(c, i, tac_dot6(c->w->S[i], (tacVec6){tac_cross3(arm, f), f}));
    }
}

static void gravcomp(const Column *c, int body, int k) {
    const tacModel *m = c->m;
    (void)k;
    if (!passive_on(m)) return;
    tacVec3 arm = tac_sub3(c->w->xipos[body], c->w->origin[body]);
    tacVec3 f = tac_scale3(m->body_mass[body], tac_base_acceleration(m).lin);
    for (int i = m->body_last_dof[body]; i >= 0; i = m->dof_parent[i])
        compensate(c, i, tac_dot6(c->w->S[i], (tacVec6){tac_cross3(arm, f), f}));
}

/* --- Joints ------------------------------------------------------------------------------------------------------ */

static int joint_dofs(const tacModel *m, int joint) {
    static const int DOFS[] = {
        [TAC_JOINT_FREE] = 6, [TAC_JOINT_BALL] = 3, [TAC_JOINT_SLIDE] = 1, [TAC_JOINT_HINGE] = 1};
    return DOFS[m->joint_type[joint]];
}

static void change_stiffness(const Column *c, int joint, double change) {
    double d[6];
    if (!springs_on(c->m) || change == 0) return;
    int n = tac_spring_displacement(c->m, joint, c->x->q, d);
    for (int i = 0; i < n; i++)
        force(c, c->m->joint_dof_adr[joint] + i, -change * d[i]);
}

/* -D v, and in the residual D span a */
static void change_damping(const Column *c, int dof, double change) {
    if (!dampers_on(c->m)) return;
    force(c, dof, -change * c->x->v[dof]);
    if (c->a != NULL) tac_emit(&c->R, dof, c->id, change * c->damping_span * c->a[dof]);
}

/* The residual's D span a, span = h or 0. */
static void timestep(const Column *c, int row, int k) {
    (void)row;
    (void)k;
    for (int i = 0; c->a != NULL && c->damping_span > 0 && dampers_on(c->m) && i < c->m->nv; i++)
        tac_emit(&c->R, i, c->id, c->m->dof_damping[i] * c->a[i]);
}

static void joint_stiffness(const Column *c, int joint, int k) {
    (void)k;
    change_stiffness(c, joint, 1);
}

static void joint_damping(const Column *c, int joint, int k) {
    (void)k;
    for (int i = 0; i < joint_dofs(c->m, joint); i++)
        change_damping(c, c->m->joint_dof_adr[joint] + i, 1);
}

static void joint_armature(const Column *c, int joint, int k) {
    (void)k;
    for (int i = 0; c->a != NULL && i < joint_dofs(c->m, joint); i++) {
        int dof = c->m->joint_dof_adr[joint] + i;
        tac_emit(&c->R, dof, c->id, c->a[dof]);
    }
}

static void joint_springref(const Column *c, int joint, int k) {
    int type = c->m->joint_type[joint];
    (void)k;
    if (springs_on(c->m) && (type == TAC_JOINT_HINGE || type == TAC_JOINT_SLIDE))
        force(c, c->m->joint_dof_adr[joint], c->m->joint_stiffness_used[joint]);
}

/* Bounds of the total actuator force. A force held at a bound equals the bound. */
static void joint_actfrcrange(const Column *c, int joint, int k) {
    const tacModel *m = c->m;
    int dof = m->joint_dof_adr[joint];
    double held = m->joint_actfrcrange[2 * joint + k];
    if (m->nu > 0 && actuators_on(m) && m->joint_actfrclimited[joint] && c->w->qfrc_actuator[dof] == held)
        tac_emit(&c->actuator, dof, c->id, 1);
}

/* The spring of a free joint rests at its body's pose in the file. Turning the rest pose by x: d = log(exp(-x) Q), so
 * dd = -Jl^-1(d) x = -Jr^-1(-d) x. */
static void free_spring_rest(const Column *c, int body, tacVec3 shift, tacVec3 turn) {
    const tacModel *m = c->m;
    int joint = m->body_joint_adr[body];
    if (m->body_joint_num[body] == 0 || m->joint_type[joint] != TAC_JOINT_FREE || !springs_on(m)) return;
    double d[6], stiffness = m->joint_stiffness_used[joint];
    tac_spring_displacement(m, joint, c->x->q, d);
    tacMat3 inverse = tac_quat_right_jacobian_inverse(tac_neg3(tac_load3(d + 3)));
    tacVec3 turned = tac_mulmv3(inverse, turn);
    for (int i = 0; i < 3; i++) {
        force(c, m->joint_dof_adr[joint] + i, stiffness * tac_get3(shift, i));
        force(c, m->joint_dof_adr[joint] + 3 + i, stiffness * tac_get3(turned, i));
    }
}

static void body_pos(const Column *c, int body, int k) {
    free_spring_rest(c, body, tac_vec3(k == 0, k == 1, k == 2), tac_zero3());
}

static void body_quat(const Column *c, int body, int k) {
    free_spring_rest(c, body, tac_zero3(), tac_quat_component_turn(c->m->body_quat[body], k));
}

/* --- Tendons ----------------------------------------------------------------------------------------------------- */

/* A change of the force along a tendon. */
static void pull(const Column *c, int tendon, double change) {
    const tacModel *m = c->m;
    int first = m->tendon_term_adr[tendon], last = first + m->tendon_term_num[tendon];
    for (int k = first; k < last && change != 0; k++)
        force(c, m->joint_dof_adr[m->term_joint[k]], change * m->term_coef[k]);
}

static void tendon_stiffness(const Column *c, int tendon, int k) {
    (void)k;
    if (springs_on(c->m)) pull(c, tendon, -tac_tendon_stretch(c->m, c->w, tendon));
}

static void tendon_damping(const Column *c, int tendon, int k) {
    (void)k;
    if (dampers_on(c->m)) pull(c, tendon, -c->w->tendon_velocity[tendon]);
}

/* M has armature J^T J between a dof and its ancestors. */
static void tendon_inertia(const Column *c, int tendon, int term, double change) {
    const tacModel *m = c->m;
    int first = m->tendon_term_adr[tendon], last = first + m->tendon_term_num[tendon];
    for (int k = first; c->a != NULL && k < last; k++)
        for (int l = first; l < last; l++) {
            int i = m->joint_dof_adr[m->term_joint[k]], j = m->joint_dof_adr[m->term_joint[l]];
            double square = term < 0 ? m->term_coef[k] * m->term_coef[l]
                                     : (k == term) * m->term_coef[l] + (l == term) * m->term_coef[k];
            if (tac_on_one_path(m, i, j)) tac_emit(&c->R, i, c->id, change * square * c->a[j]);
        }
}

static void tendon_armature(const Column *c, int tendon, int k) {
    (void)k;
    tendon_inertia(c, tendon, -1, 1);
}

static void change_springlength(const Column *c, int tendon, int side, double change) {
    if (springs_on(c->m) && tac_tendon_band_side(c->m, c->w, tendon) == side)
        pull(c, tendon, c->m->tendon_stiffness[tendon] * change);
}

static void tendon_springlength(const Column *c, int tendon, int k) {
    const double *written = c->m->tendon_springlength + 2 * tendon;
    if (written[0] != -1 || written[1] != -1) change_springlength(c, tendon, k, 1);
}

/* L = sum coef q: length, velocity, and the row itself. */
static void term_coef(const Column *c, int term, int k) {
    const tacModel *m = c->m;
    (void)k;
    int t = tac_tendon_of_term(m, term), joint = m->term_joint[term], dof = m->joint_dof_adr[joint];
    double dL = c->x->q[m->joint_qpos_adr[joint]], dv = c->x->v[dof], tension = 0, change = 0;
    if (m->tendon_type[t] != TAC_TENDON_FIXED) return;
    if (springs_on(m)) {
        tension -= m->tendon_stiffness[t] * tac_tendon_stretch(m, c->w, t);
        if (tac_tendon_band_side(m, c->w, t) >= 0) change -= m->tendon_stiffness[t] * dL;
    }
    if (dampers_on(m)) {
        tension -= m->tendon_damping[t] * c->w->tendon_velocity[t];
        change -= m->tendon_damping[t] * dv;
    }
    force(c, dof, tension);
    pull(c, t, change);
    if (m->tendon_armature[t] != 0) tendon_inertia(c, t, term, m->tendon_armature[t]);
}

/* --- The column -------------------------------------------------------------------------------------------------- */

#define ROW(row, function)                                                                                             \
    { offsetof(tacModel, row), function }
static const struct {
    size_t offset;
    void (*emit)(const Column *c, int row, int k);
} DIRECT[] = {
    ROW(option_timestep, timestep),
    ROW(option_gravity, gravity),
    ROW(body_pos, body_pos),
    ROW(body_quat, body_quat),
    ROW(body_gravcomp, gravcomp),
    ROW(joint_stiffness, joint_stiffness),
    ROW(joint_damping, joint_damping),
    ROW(joint_armature, joint_armature),
    ROW(joint_springref, joint_springref),
    ROW(joint_actfrcrange, joint_actfrcrange),
    ROW(tendon_stiffness, tendon_stiffness),
    ROW(tendon_damping, tendon_damping),
    ROW(tendon_armature, tendon_armature),
    ROW(tendon_springlength, tendon_springlength),
    ROW(term_coef, term_coef),
};

static void emit_direct(const Column *c) {
    const tacField *field = &TAC_FIELDS[c->t->field];
    for (size_t i = 0; i < sizeof DIRECT / sizeof *DIRECT; i++)
        if (DIRECT[i].offset == field->offset) DIRECT[i].emit(c, c->t->index / field->per, c->t->index % field->per);
}

/* Numbers computed from the parameter when the model is derived. */
static void emit_derived(const Column *c) {
    const tacModel *m = c->m;
    const tacParamTangent *t = c->t;
    for (int b = 1; t->inertial != NULL && b < m->nbody; b++)
        change_inertia(c, b, &t->inertial[b]);
    for (int j = 0; t->joint_stiffness != NULL && j < m->njnt; j++)
        change_stiffness(c, j, t->joint_stiffness[j]);
    for (int i = 0; t->dof_damping != NULL && i < m->nv; i++)
        change_damping(c, i, t->dof_damping[i]);
    for (int i = 0; t->springlength != NULL && i < 2 * m->ntendon; i++)
        change_springlength(c, i / 2, i % 2, t->springlength[i]);
}

/* R = ID - forces, all in one sink. */
static Column residual_column(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a, int column,
                              const tacSink *sink) {
    Column c = {.m = m, .w = w, .x = x, .a = a, .id = column, .R = *sink, .passive = *sink};
    c.passive.negate = !c.R.negate;
    c.actuator = c.applied = c.passive;
    return c;
}

static void emit_param(const Column *c) {
    tacMover movers[2];
    tac_mark_saturated(c->m, c->w);
    int n = tac_param_movers(c->m, c->w, c->t, c->x, movers);
    for (int k = 0; k < n; k++)
        move(c, &movers[k]);
    emit_direct(c);
    emit_derived(c);
    tac_param_actuator_jac(c->m, c->w, c->x, c->t, c->id, &c->actuator);
}

void tac_residual_move(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a, const tacMover *mover,
                       int column, const tacSink *sink) {
    Column c = residual_column(m, w, x, a, column, sink);
    tac_mark_saturated(m, w);
    move(&c, mover);
}

void tac_param_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a, double damping_span,
                   const tacParamTangent *t, int column, const tacSink *sink) {
    Column c = residual_column(m, w, x, a, column, sink);
    c.t = t;
    c.damping_span = damping_span;
    emit_param(&c);
}

void tac_force_move(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacMover *mover, int column,
                    const tacForceParts *sink) {
    Column c = {.m = m, .w = w, .x = x, .id = column, .passive = sink->passive, .actuator = sink->actuator};
    tac_mark_saturated(m, w);
    move(&c, mover);
}

void tac_param_force_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacParamTangent *t, int column,
                         const tacForceParts *sink) {
    Column c = {.m = m, .w = w, .x = x, .t = t, .id = column, .passive = sink->passive, .actuator = sink->actuator};
    emit_param(&c);
}
