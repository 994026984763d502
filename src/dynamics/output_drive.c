/* Outputs: lengths, velocities and forces of actuators and tendons, and the table of all outputs. */
#include "dynamics/actuator.h"
#include "dynamics/output.h"
#include "dynamics/param_mass.h"

#include <string.h>

#define IS(t, row) (TAC_FIELDS[(t)->field].offset == offsetof(tacModel, row))

/* --- Actuators ---------------------------------------------------------------------------------------------------- */

static double *zero_row(const tacOutputPoint *p) {
    memset(p->w->vec[3], 0, (size_t)p->m->nv * sizeof(double));
    return p->w->vec[3];
}

static void emit_row(const tacOutputPoint *p, int row, const double *d, const tacSink *sink) {
    for (int j = 0; j < p->m->nv; j++)
        if (d[j] != 0) tac_emit(sink, row, j, d[j]);
}

/* Change of length, velocity and unclamped force. */
static tacDriveChange drive_change(const tacOutputPoint *p, int a, const tacVariation *d) {
    tacDriveChange sum = {0, 0, 0};
    if (d->t != NULL) sum = tac_param_drive(p->m, p->w, &p->x, d->t, a);
    for (int k = 0; k < d->n; k++) {
        tacDriveChange c = tac_move_drive(p->m, p->w, &p->x, &d->mover[k], a);
        sum.length += c.length;
        sum.velocity += c.velocity;
        sum.force += c.force;
    }
    return sum;
}

void tac_value_actuator_length(const tacOutputPoint *p, int id, double *z) { *z = p->w->actuator_length[id]; }

void tac_state_actuator_length(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    double *d = zero_row(p);
    tac_add_length_row(p->m, p->w, id, p->x.q, 1, d);
    emit_row(p, row, d, &sink->q);
}

void tac_vary_actuator_length(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    *dz += drive_change(p, id, d).length;
}

void tac_value_actuator_velocity(const tacOutputPoint *p, int id, double *z) { *z = p->w->actuator_velocity[id]; }

/* moment v: the moment itself, and how it turns with q */
void tac_state_actuator_velocity(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    double *d = zero_row(p);
    tac_moment_jac(p->m, p->w, id, 1, &(tacSink){.lambda = p->x.v, .bar = d});
    emit_row(p, row, d, &sink->q);
    for (int j = p->w->moment_begin[id]; j < p->w->moment_end[id]; j++)
        tac_emit(&sink->v, row, j, p->w->moment[(size_t)id * (size_t)p->m->nv + (size_t)j]);
}

void tac_vary_actuator_velocity(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    *dz += drive_change(p, id, d).velocity;
}

void tac_value_actuator_force(const tacOutputPoint *p, int id, double *z) { *z = p->w->force[id]; }

void tac_state_actuator_force(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    tac_actuator_force_jac(p->m, p->w, id, &p->x, row, sink);
}

/* Includes the forces of all actuators that share a tendon's range with it, and the bounds themselves. */
void tac_vary_actuator_force(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    for (int a = 0; a < p->m->nu; a++) {
        double share = tac_force_share(p->m, p->w, id, a, p->x.act, p->x.h);
        if (share != 0) *dz += share * drive_change(p, a, d).force;
    }
    if (d->t != NULL) *dz += tac_param_bound(p->m, p->w, &p->x, d->t, id);
}

/* --- Tendons: length = sum of coef q ------------------------------------------------------------------------------ */

static void emit_tendon(const tacOutputPoint *p, int tendon, int row, const tacSink *sink) {
    const tacModel *m = p->m;
    int first = m->tendon_term_adr[tendon], last = first + m->tendon_term_num[tendon];
    for (int k = first; k < last; k++)
        tac_emit(sink, row, m->joint_dof_adr[m->term_joint[k]], m->term_coef[k]);
}

/* The joint whose coefficient in the tendon varies, or -1. */
static int varied_joint(const tacOutputPoint *p, int tendon, const tacVariation *d) {
    if (d->t == NULL || !IS(d->t, term_coef) || tac_tendon_of_term(p->m, d->t->index) != tendon) return -1;
    return p->m->term_joint[d->t->index];
}

void tac_value_tendon_length(const tacOutputPoint *p, int id, double *z) { *z = p->w->tendon_length[id]; }

void tac_state_tendon_length(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    emit_tendon(p, id, row, &sink->q);
}

void tac_vary_tendon_length(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    int joint = varied_joint(p, id, d);
    if (joint >= 0) *dz += p->x.q[p->m->joint_qpos_adr[joint]];
}

void tac_value_tendon_velocity(const tacOutputPoint *p, int id, double *z) { *z = p->w->tendon_velocity[id]; }

void tac_state_tendon_velocity(const tacOutputPoint *p, int id, int row, const tacForceSink *sink) {
    emit_tendon(p, id, row, &sink->v);
}

void tac_vary_tendon_velocity(const tacOutputPoint *p, int id, const tacVariation *d, double *dz) {
    int joint = varied_joint(p, id, d);
    if (joint >= 0) *dz += p->x.v[p->m->joint_dof_adr[joint]];
}

/* --- The table ---------------------------------------------------------------------------------------------------- */

static void value_act_dot(const tacOutputPoint *p, int id, double *z) { *z = p->w->act_dot[id]; }
static void value_qfrc_actuator(const tacOutputPoint *p, int id, double *z) { *z = p->w->qfrc_actuator[id]; }
static void value_qfrc_passive(const tacOutputPoint *p, int id, double *z) { *z = p->w->qfrc_passive[id]; }
static void value_acceleration(const tacOutputPoint *p, int id, double *z) { *z = p->w->qacc[id]; }

static void value_contact_force(const tacOutputPoint *p, int id, double *z) {
    memcpy(z, p->wrench + 6 * id, 6 * sizeof *z);
}
static void value_qfrc_constraint(const tacOutputPoint *p, int id, double *z) { *z = p->qfrc_constraint[id]; }

int tac_pair_order(const int geom[2], const int id[2]) {
    if (geom[0] == id[0] && geom[1] == id[1]) return 1;
    return geom[0] == id[1] && geom[1] == id[0] ? -1 : 0;
}

static void between_pair_force(const tacOutputPoint *p, const int id[2], double *z) {
    z[0] = z[1] = z[2] = 0;
    for (int i = 0; i < p->npair; i++) {
        int order = tac_pair_order(p->pair[i].geom, id);
        for (int k = 0; k < 3 && order != 0; k++)
            z[k] += (k == 0 ? 1 : order) * p->pair[i].force[k];
    }
}

#define RULE(size, count, needs, name)                                                                                 \
    { #name, size, offsetof(tacModel, count), needs, tac_value_##name, NULL, tac_state_##name, tac_vary_##name }
#define TOGETHER(size, count, needs, name)                                                                             \
    { #name, size, offsetof(tacModel, count), needs, value_##name, NULL, NULL, NULL }
#define BETWEEN(size, count, needs, name)                                                                              \
    { #name, size, offsetof(tacModel, count), needs, NULL, between_##name, NULL, NULL }

const tacOutputRule TAC_OUTPUT_RULES[TAC_OUTPUT_KINDS] = {
    [TAC_OUT_BODY_POS] = RULE(3, nbody, 0, body_pos),
    [TAC_OUT_BODY_MAT] = RULE(9, nbody, 0, body_mat),
    [TAC_OUT_BODY_COM] = RULE(3, nbody, 0, body_com),
    [TAC_OUT_GEOM_POS] = RULE(3, ngeom, 0, geom_pos),
    [TAC_OUT_GEOM_MAT] = RULE(9, ngeom, 0, geom_mat),
    [TAC_OUT_SITE_POS] = RULE(3, nsite, 0, site_pos),
    [TAC_OUT_SITE_MAT] = RULE(9, nsite, 0, site_mat),
    [TAC_OUT_JOINT_POS] = RULE(3, njnt, 0, joint_pos),
    [TAC_OUT_JOINT_AXIS] = RULE(3, njnt, 0, joint_axis),
    [TAC_OUT_SUBTREE_COM] = RULE(3, nbody, TAC_NEED_SUMS, subtree_com),
    [TAC_OUT_BODY_VELOCITY] = RULE(6, nbody, TAC_NEED_VELOCITY, body_velocity),
    [TAC_OUT_SITE_VELOCITY] = RULE(6, nsite, TAC_NEED_VELOCITY, site_velocity),
    [TAC_OUT_SUBTREE_VELOCITY] = RULE(3, nbody, TAC_NEED_SUMS, subtree_velocity),
    [TAC_OUT_MOMENTUM] = RULE(6, noption, TAC_NEED_SUMS, momentum),
    [TAC_OUT_KINETIC] = RULE(1, noption, TAC_NEED_SUMS | TAC_NEED_MASS, kinetic),
    [TAC_OUT_POTENTIAL] = RULE(1, noption, TAC_NEED_SUMS | TAC_NEED_TENDONS, potential),
    [TAC_OUT_TENDON_LENGTH] = RULE(1, ntendon, TAC_NEED_TENDONS, tendon_length),
    [TAC_OUT_TENDON_VELOCITY] = RULE(1, ntendon, TAC_NEED_TENDONS, tendon_velocity),
    [TAC_OUT_ACTUATOR_LENGTH] = RULE(1, nu, TAC_NEED_FORCES, actuator_length),
    [TAC_OUT_ACTUATOR_VELOCITY] = RULE(1, nu, TAC_NEED_FORCES, actuator_velocity),
    [TAC_OUT_ACTUATOR_FORCE] = RULE(1, nu, TAC_NEED_FORCES, actuator_force),
    [TAC_OUT_ACT_DOT] = TOGETHER(1, na, TAC_NEED_FORCES, act_dot),
    [TAC_OUT_QFRC_ACTUATOR] = TOGETHER(1, nv, TAC_NEED_FORCES, qfrc_actuator),
    [TAC_OUT_QFRC_PASSIVE] = TOGETHER(1, nv, TAC_NEED_FORCES, qfrc_passive),
    [TAC_OUT_ACCELERATION] = TOGETHER(1, nv, TAC_NEED_ACCELERATION, acceleration),
    [TAC_OUT_CONTACT_FORCE] = TOGETHER(6, nbody, TAC_NEED_CONSTRAINTS, contact_force),
    [TAC_OUT_QFRC_CONSTRAINT] = TOGETHER(1, nv, TAC_NEED_CONSTRAINTS, qfrc_constraint),
    [TAC_OUT_PAIR_FORCE] = BETWEEN(3, ngeom, TAC_NEED_PAIRS, pair_force),
    [TAC_OUT_GROWTH] = {.name = "growth", .size = 9, .count = offsetof(tacModel, ngeom)}, /* step/output_growth.c */
};
