#include "dynamics/param_tangent.h"

#include "dynamics/mass.h"
#include "dynamics/param_weight.h"
#include "dynamics/reference.h"

#include <string.h>

#define IS(t, row) (TAC_FIELDS[(t)->field].offset == offsetof(tacModel, row))

/* One pass over the registered numbers at the reference pose. A block has one row per number. NULL: the model has no
 * rule of that kind. */
typedef struct Pass {
    const tacModel *m;
    tacWork *w;
    tacParamTangent *t;
    tacInertialTangent *inertial;                     /* nbody for each number that changes inertial properties */
    double *stiffness, *damping;                      /* nmember x njnt, nv */
    double *servo;                                    /* nmember x nu: damping biases */
    double *rest;                                     /* nmember x 2 ntendon: spring lengths */
    double *equality;                                 /* nmember x 11 neq: data of equalities */
    double *dof_weight, *body_weight, *tendon_weight; /* nmember x nv, 2 nbody, ntendon: inverse weights */
} Pass;

/* --- Springs given by time constant and damping ratio ------------------------------------------------------------- */

/* I = n / sum of inverse weights,  stiffness = I / (T r)^2,  damping = 2 I / T (docs/theory/parameters.md, PA11) */
static void spring_tangents(const Pass *p, int joint) {
    static const int DOFS[] = {
        [TAC_JOINT_FREE] = 6, [TAC_JOINT_BALL] = 3, [TAC_JOINT_SLIDE] = 1, [TAC_JOINT_HINGE] = 1};
    const tacModel *m = p->m;
    int first = m->joint_dof_adr[joint], n = DOFS[m->joint_type[joint]];
    double T = m->joint_springdamper[2 * joint], r = m->joint_springdamper[2 * joint + 1], weight = 0;
    double stiffness = m->joint_stiffness_used[joint], damping = m->dof_damping[first];
    double by_time = T > TAC_MIN_DIVISOR ? 1 / T : 0; /* divisors below MuJoCo's bound do not move */
    double squares = T * T * r * r > TAC_MIN_DIVISOR ? 1 : 0;
    for (int i = first; i < first + n; i++)
        weight += m->dof_invweight[i];
    for (int k = 0; k < m->nmember; k++) {
        double *row = p->stiffness + (size_t)k * (size_t)m->njnt + joint, change = 0;
        for (int i = first; i < first + n; i++)
            change += p->dof_weight[(size_t)k * (size_t)m->nv + (size_t)i];
        double relative = weight > TAC_MIN_DIVISOR ? -change / weight : 0; /* dI / I */
        int time = IS(&p->t[k], joint_springdamper) && p->t[k].index == 2 * joint;
        int ratio = IS(&p->t[k], joint_springdamper) && p->t[k].index == 2 * joint + 1;
        *row = stiffness * (relative - squares * (time ? 2 / T : ratio ? 2 / r : 0));
        for (int i = first; i < first + n; i++)
            p->damping[(size_t)k * (size_t)m->nv + (size_t)i] = damping * (relative - (time ? by_time : 0));
    }
}

/* --- Servos given by damping ratio -------------------------------------------------------------------------------- */

/* Change of an actuator's moment row at the reference pose, row[nv]. */
static void moment_change(const Pass *p, int a, const tacParamTangent *t, double *row) {
    const tacModel *m = p->m;
    tacMover movers[2];
    tacSink sink = {.matrix = row, .ld = 1};
    double length = 0;
    memset(row, 0, (size_t)m->nv * sizeof *row);
    int n = tac_reference_movers(p->m, p->w, t, movers), joint = m->actuator_trnid[2 * a];
    for (int k = 0; k < n; k++)
        tac_moment_move(m, p->w, a, &movers[k], 0, 1, &sink);
    if (IS(t, actuator_gear) && t->index / 6 == a) {
        double unit[6] = {0};
        tacTransmitted out = {.row = row};
        unit[t->index % 6] = 1;
        tac_transmit(m, p->w, a, unit, m->qpos_0, &out);
    }
    if (IS(t, actuator_cranklength) && t->index == a) tac_add_crank_row(m, p->w, a, &length, row);
    if (IS(t, term_coef) && m->actuator_trntype[a] == TAC_TRN_TENDON && tac_tendon_of_term(m, t->index) == joint)
        row[m->joint_dof_adr[m->term_joint[t->index]]] += m->actuator_gear[6 * a];
    if (m->actuator_trntype[a] == TAC_TRN_JOINT_IN_PARENT && m->joint_type[joint] == TAC_JOINT_FREE &&
        IS(t, body_quat) &&
        t->index / 4 == m->joint_body[joint]) { /* torque R^T gear: turning R by d gives (R^T gear) x d */
        int dof = m->joint_dof_adr[joint] + 3;
        tacVec3 torque = tac_load3(p->w->moment + (size_t)a * (size_t)m->nv + dof);
        tac_store3(row + dof, tac_cross3(torque, tac_quat_component_turn(m->body_quat[t->index / 4], t->index % 4)));
    }
}

/* Changes of the inertia that an actuator feels, sum of M0_i / moment_i^2 (PA12). Returns the inertia. */
static double reflected_changes(const Pass *p, int a) {
    const tacModel *m = p->m;
    const double *moment = p->w->moment + (size_t)a * (size_t)m->nv;
    double sum = 0, *row = p->w->vec[1], *column = p->servo + a;
    for (int k = 0; k < m->nmember; k++) {
        moment_change(p, a, &p->t[k], row);
        for (int i = p->w->moment_begin[a]; i < p->w->moment_end[a]; i++)
            if (moment[i] * moment[i] > TAC_MIN_DIVISOR)
                column[(size_t)k * (size_t)m->nu] -= 2 * m->dof_M0[i] * row[i] / (moment[i] * moment[i] * moment[i]);
    }
    for (int i = p->w->moment_begin[a]; i < p->w->moment_end[a]; i++) {
        double square = moment[i] * moment[i];
        if (!(square > TAC_MIN_DIVISOR)) continue;
        sum += m->dof_M0[i] / square;
        memset(p->w->vec[0], 0, (size_t)m->nv * sizeof(double));
        p->w->vec[0][i] = 1;
        tacMassForm form = tac_mass_form(m, p->w, p->w->vec[0]);
        for (int k = 0; k < m->nmember; k++)
            column[(size_t)k * (size_t)m->nu] += tac_reference_form_change(&form, &p->t[k], 0) / square;
    }
    return sum;
}

/* damping = -2 ratio sqrt(kp inertia). The ratio is dampratio, or a positive biasprm[2] (PA13). */
static void servo_tangents(const Pass *p, int a) {
    const tacModel *m = p->m;
    double damping = m->actuator_damping_used[a], ratio = tac_damping_ratio(m, a);
    double inertia = reflected_changes(p, a);
    for (int k = 0; k < m->nmember; k++) {
        double *row = p->servo + (size_t)k * (size_t)m->nu + a;
        const tacParamTangent *t = &p->t[k];
        int own = m->actuator_dampratio[a] > 0 ? IS(t, actuator_dampratio) && t->index == a
                                               : IS(t, actuator_biasprm) && t->index == 10 * a + 2;
        *row = inertia > 0 ? damping * *row / (2 * inertia) : 0;
        if (own) *row += damping / ratio;
    }
}

/* --- Springs of tendons that rest at qpos_spring ------------------------------------------------------------------ */

/* length = sum of coef qpos_spring (PA14) */
static void rest_tangents(const Pass *p, int tendon) {
    const tacModel *m = p->m;
    int first = m->tendon_term_adr[tendon], last = first + m->tendon_term_num[tendon];
    for (int k = 0; k < m->nmember; k++) {
        double *row = p->rest + ((size_t)k * (size_t)m->ntendon + (size_t)tendon) * 2, change = 0;
        for (int i = first; i < last; i++) {
            int joint = m->term_joint[i];
            if (IS(&p->t[k], term_coef) && p->t[k].index == i) change += m->qpos_spring[m->joint_qpos_adr[joint]];
            if (IS(&p->t[k], joint_springref) && p->t[k].index == joint) change += m->term_coef[i];
        }
        row[0] = row[1] = change;
    }
}

/* --- Equalities, completed at the reference pose ------------------------------------------------------------------ */

static tacVec3 moved_by(const Pass *p, const tacMover *x, tacVec3 point) {
    return tac_add3(x->S.lin, tac_cross3(x->S.ang, tac_sub3(point, p->w->origin[x->body])));
}

/* Changes, when a pose moves, of the point of body `from` expressed in body `to` (3 numbers), and with `quat` (4) of
 * the rotation from `to` to `from`: dc = R_to^T (dp_from - dp_to), dQ = (R_to^T (x_from - x_to)) Q / 2 */
static void carried_change(const Pass *p, const tacParamTangent *t, const int body[2], tacVec3 point, double *change,
                           double *quat) {
    const tacModel *m = p->m;
    int to = body[0], from = body[1];
    tacMover movers[2];
    int n = tac_reference_movers(p->m, p->w, t, movers);
    for (int i = 0; i < n; i++) {
        int sign = tac_moves_body(m, &movers[i], from) - tac_moves_body(m, &movers[i], to);
        if (sign == 0) continue;
        tacVec3 dp = tac_mulmtv3(p->w->xmat[to], moved_by(p, &movers[i], point));
        tac_store3(change, tac_madd3(tac_load3(change), sign, dp));
        if (quat == NULL) continue;
        tacQuat Q = tac_quat_mul(tac_quat_conj(p->w->xquat[to]), p->w->xquat[from]);
        tacVec3 x = tac_scale3(0.5 * sign, tac_mulmtv3(p->w->xmat[to], movers[i].S.ang));
        tacQuat dQ = tac_quat_mul((tacQuat){0, x.x, x.y, x.z}, Q);
        quat[0] += dQ.w;
        quat[1] += dQ.x;
        quat[2] += dQ.y;
        quat[3] += dQ.z;
    }
}

/* Number k of a quaternion that is normalized when read. */
static void unit_change(const double *written, int k, double *change) {
    tacQuat q = tac_quat_load(written), u = tac_quat_normalize(q);
    double norm = tac_quat_norm(q), unit[4];
    tac_quat_store(unit, u);
    for (int i = 0; i < 4; i++)
        change[i] = ((i == k) - unit[i] * unit[k]) / norm;
}

/* The equality's own numbers. `carried`: index in data of the anchor computed from the other one; -1: none. */
static void own_data_change(const Pass *p, const tacParamTangent *t, int eq, const int body[2], int carried,
                            double *change) {
    const tacModel *m = p->m;
    int k = t->index - 11 * eq, weld = m->equality_type[eq] == TAC_EQ_WELD;
    if (!IS(t, equality_data) || k < 0 || k > 10) return;
    if (carried >= 0 && k >= 3 && k < 10) return; /* computed, not read */
    if (weld && k >= 6 && k < 10) {
        unit_change(m->equality_data + 11 * eq + 6, k - 6, change + 6);
        return;
    }
    change[k] = 1;
    if (carried < 0 || k >= 3) return;
    tacVec3 unit = tac_vec3(k == 0, k == 1, k == 2);
    tac_store3(change + carried, tac_mulmtv3(p->w->xmat[body[0]], tac_mulmv3(p->w->xmat[body[1]], unit)));
}

/* connect: the anchor in body 1 gives that in body 2. weld without a quaternion: the anchor in body 2 gives that in
 * body 1. */
static void equality_tangents(const Pass *p, int eq) {
    const tacModel *m = p->m;
    const double *data = m->equality_data + 11 * eq;
    const int *obj = m->equality_obj + 2 * eq;
    int weld = m->equality_type[eq] == TAC_EQ_WELD, connect = m->equality_type[eq] == TAC_EQ_CONNECT;
    int completed = m->equality_objkind[eq] == TAC_KIND_BODY && (connect || tac_weld_is_automatic(m, eq));
    int body[2] = {weld ? obj[0] : obj[1], weld ? obj[1] : obj[0]}; /* to, from */
    for (int i = 0; i < 2; i++)
        body[i] = body[i] < 0 ? 0 : body[i];
    tacVec3 point = completed ? tac_frame_pos(p->w, body[1], tac_load3(data)) : tac_zero3();
    for (int k = 0; k < m->nmember; k++) {
        double *change = p->equality + ((size_t)k * (size_t)m->neq + (size_t)eq) * 11;
        own_data_change(p, &p->t[k], eq, body, completed ? 3 : -1, change);
        if (completed) carried_change(p, &p->t[k], body, point, change + 3, weld ? change + 6 : NULL);
    }
}

/* --- The whole ---------------------------------------------------------------------------------------------------- */

static int has_spring_ratios(const tacModel *m) {
    for (int j = 0; j < m->njnt; j++)
        if (tac_joint_by_ratio(m, j)) return 1;
    return 0;
}

/* One row per block: name, columns, 1 if the model has such a rule. Setting parameters does not change the set of
 * blocks. A rule that is off cannot be registered (params.c), except the ratio of a servo, whose block always
 * exists. */
#define BLOCKS(X)                                                                                                      \
    X(stiffness, m->njnt, springs)                                                                                     \
    X(damping, m->nv, springs)                                                                                         \
    X(servo, m->nu, 1)                                                                                                 \
    X(rest, 2 * m->ntendon, 1)                                                                                         \
    X(equality, 11 * m->neq, 1)                                                                                        \
    X(dof_weight, m->nv, springs || weights)                                                                           \
    X(body_weight, 2 * m->nbody, weights)                                                                              \
    X(tendon_weight, m->ntendon, weights)

static size_t block_size(const tacModel *m, int columns) { return (size_t)m->nmember * (size_t)columns; }

/* Number of registered numbers that change inertial properties. */
static int count_inertial(const tacModel *m) {
    int n = 0;
    for (int k = 0; k < m->nmember; k++)
        n += tac_inertial_depends(m, m->param_field[k], m->param_index[k]) != 0;
    return n;
}

/* Takes all blocks; false: the arena is too small. */
static int layout(Pass *p, const tacModel *m, int weights, tacArena *arena) {
    int springs = has_spring_ratios(m);
    p->inertial = TAC_TAKE(arena, (size_t)count_inertial(m) * (size_t)m->nbody, tacInertialTangent);
    if (p->inertial == NULL) return 0;
#define X(name, columns, exists)                                                                                       \
    if ((exists) && (p->name = TAC_TAKE(arena, block_size(m, columns), double)) == NULL) return 0;
    BLOCKS(X)
#undef X
    return 1;
}

static void clear_blocks(const Pass *p, int weights) {
    const tacModel *m = p->m;
    int springs = has_spring_ratios(m);
#define X(name, columns, exists)                                                                                       \
    if (exists) memset(p->name, 0, block_size(m, columns) * sizeof *p->name);
    BLOCKS(X)
#undef X
}

static void inertial_tangents(const Pass *p) {
    const tacModel *m = p->m;
    tacInertialTangent *row = p->inertial;
    for (int k = 0; k < m->nmember; k++) {
        tacParamTangent *t = &p->t[k];
        *t = (tacParamTangent){.field = m->param_field[k], .index = m->param_index[k], .column = m->param_theta[k]};
        if (!tac_inertial_depends(m, t->field, t->index)) continue;
        if (tac_inertial_tangent(m, t->field, t->index, row)) t->inertial = row;
        row += m->nbody;
    }
}

/* The parameter's row of a block. NULL if it is zero. */
static const double *moving_row(const double *block, int per, int k) {
    const double *row = block == NULL ? NULL : block + (size_t)k * (size_t)per;
    for (int i = 0; row != NULL && i < per; i++)
        if (row[i] != 0) return row;
    return NULL;
}

static void stand_at_reference(const tacModel *m, tacWork *w) {
    tac_kinematics_q(m, w, m->qpos_0, NULL);
    tac_crba(m, w);
    tac_factor(m, w, NULL); /* it was factored when the model was completed */
    tac_tendon_lengths(m, w, m->qpos_0);
    tac_transmission_q(m, w, m->qpos_0);
}

/* Needs: the reference pose, inertial tangents. */
static void weight_tangents(const Pass *p) {
    if (p->dof_weight != NULL) tac_dof_weight_tangents(p->m, p->w, p->t, p->dof_weight);
    if (p->body_weight != NULL) tac_body_weight_tangents(p->m, p->w, p->t, p->body_weight);
    if (p->tendon_weight != NULL) tac_tendon_weight_tangents(p->m, p->w, p->t, p->tendon_weight);
}

static void point_to_rows(const Pass *p) {
    const tacModel *m = p->m;
    for (int k = 0; k < m->nmember; k++) {
        p->t[k].joint_stiffness = moving_row(p->stiffness, m->njnt, k);
        p->t[k].dof_damping = moving_row(p->damping, m->nv, k);
        p->t[k].actuator_damping = moving_row(p->servo, m->nu, k);
        p->t[k].springlength = moving_row(p->rest, 2 * m->ntendon, k);
        p->t[k].equality_data = moving_row(p->equality, 11 * m->neq, k);
        p->t[k].dof_weight = moving_row(p->dof_weight, m->nv, k);
        p->t[k].body_weight = moving_row(p->body_weight, 2 * m->nbody, k);
        p->t[k].tendon_weight = moving_row(p->tendon_weight, m->ntendon, k);
    }
}

int tac_param_tangents(const tacModel *m, tacWork *w, int weights, tacArena *arena, tacParamTangent *t) {
    Pass p = {.m = m, .w = w, .t = t};
    if (!layout(&p, m, weights, arena)) return 0;
    clear_blocks(&p, weights);
    inertial_tangents(&p);
    stand_at_reference(m, w);
    weight_tangents(&p);
    for (int j = 0; j < m->njnt; j++)
        if (tac_joint_by_ratio(m, j)) spring_tangents(&p, j);
    for (int a = 0; a < m->nu; a++)
        if (tac_damping_ratio(m, a) > 0) servo_tangents(&p, a);
    for (int i = 0; i < m->ntendon; i++)
        if (tac_spring_is_automatic(m, i)) rest_tangents(&p, i);
    for (int i = 0; i < m->neq; i++)
        equality_tangents(&p, i);
    point_to_rows(&p);
    return 1;
}

void tac_param_tangents_measure(const tacModel *m, int weights, tacArena *dry) {
    Pass p = {0};
    layout(&p, m, weights, dry);
}
