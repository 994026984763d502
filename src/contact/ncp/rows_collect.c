/* Limits, dry friction, equalities and armature of tendons in the step: how many rows there are at most, and the rows
 * of a state (docs/theory/ncp.md, W29-W32). */
#include "contact/ncp/rows.h"

#include "contact/coordinate.h"
#include "contact/ncp/contact.h"
#include "contact/ncp/damping.h"
#include "math/scalar.h"

#define TURN 6.28318530717958647693 /* 2 pi */

/* --- Sizes -------------------------------------------------------------------------------------------------------- */

static int equality_rows(const tacModel *m, int e) {
    static const int ROWS[] = {[TAC_EQ_CONNECT] = 3, [TAC_EQ_WELD] = 6, [TAC_EQ_JOINT] = 1, [TAC_EQ_TENDON] = 1};
    return tac_equality_holds(m, e) ? ROWS[m->equality_type[e]] : 0;
}

static int tendon_rows(const tacModel *m, int t) {
    return m->tendon_type[t] == TAC_TENDON_FIXED ? 2 + (m->tendon_limited[t] ? 2 : 0) : 0;
}

int tac_ncp_max_wide(const tacModel *m) {
    int n = tac_ncp_max_damping(m);
    for (int t = 0; t < m->ntendon; t++)
        n += tendon_rows(m, t);
    for (int e = 0; e < m->neq; e++)
        n += equality_rows(m, e);
    return n;
}

int tac_ncp_max_rows(const tacModel *m) {
    int n = m->nv + m->nu + tac_ncp_max_wide(m);
    for (int j = 0; j < m->njnt; j++)
        n += m->joint_limited[j] ? 2 : 0;
    return n;
}

int tac_ncp_has_ball_limit(const tacModel *m) {
    for (int j = 0; j < m->njnt; j++)
        if (m->joint_limited[j] && m->joint_type[j] == TAC_JOINT_BALL) return 1;
    return 0;
}

static int path_length(const tacModel *m, int body) {
    int n = 0;
    for (int i = m->body_last_dof[body]; i >= 0; i = m->dof_parent[i])
        n++;
    return n;
}

/* Bodies of both sides of a connect or weld. */
static void equality_bodies(const tacModel *m, int eq, int body[2]) {
    tacRow row = {.kind = TAC_ROW_EQUALITY, .id = eq};
    tac_row_bodies(m, &(tacRows){.row = &row}, 0, body);
}

static int equality_numbers(const tacModel *m, int e) {
    int body[2], n = 0;
    if (!tac_equality_is_pose(m, e)) {
        for (int i = 0; i < 2; i++) {
            tacCoordinate c = {(tacKind)m->equality_objkind[e], m->equality_obj[2 * e + i]};
            if (c.id >= 0) n += tac_coordinate_size(m, c);
        }
        return n;
    }
    equality_bodies(m, e, body);
    return path_length(m, body[0]) + path_length(m, body[1]);
}

static int max_numbers(const tacModel *m) {
    int n = m->nv + tac_ncp_max_damping_numbers(m);
    for (int j = 0; j < m->njnt; j++)
        n += m->joint_limited[j] ? (m->joint_type[j] == TAC_JOINT_BALL ? 3 : 2) : 0;
    for (int t = 0; t < m->ntendon; t++)
        n += tendon_rows(m, t) * m->tendon_term_num[t];
    for (int e = 0; e < m->neq; e++)
        n += equality_rows(m, e) * equality_numbers(m, e);
    return n;
}

int tac_ncp_rows_layout(tacNcpRows *r, const tacModel *m, tacArena *arena) {
    size_t wide = (size_t)tac_ncp_max_wide(m);
    *r = (tacNcpRows){.max = tac_ncp_max_rows(m), .max_nnz = max_numbers(m), .max_wide = (int)wide};
    r->row = TAC_TAKE(arena, r->max, tacNcpRow);
    r->dof = TAC_TAKE(arena, r->max_nnz, int);
    r->J = TAC_TAKE(arena, r->max_nnz, double);
    r->G = TAC_TAKE(arena, r->max_nnz, double);
    r->wide = TAC_TAKE(arena, wide, int);
    r->pivot = TAC_TAKE(arena, wide, int);
    r->S = TAC_TAKE(arena, wide * wide, double);
    r->mark = TAC_TAKE(arena, m->nbody, unsigned char);
    r->X = TAC_TAKE(arena, m->nv, double);
    r->Y = TAC_TAKE(arena, m->nv, double);
    r->t = TAC_TAKE(arena, wide, double);
    r->work = TAC_TAKE(arena, wide, double);
    return r->row && r->dof && r->J && r->G && r->wide && r->pivot && r->S && r->mark && r->X && r->Y && r->t &&
           r->work;
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

tacNcpRow *tac_ncp_begin_row(tacNcp *p, tacRow of, tacNcpLaw law, int wide) {
    tacNcpRows *rows = &p->rows;
    tacNcpRow *row = &rows->row[rows->n];
    *row = (tacNcpRow){
        .of = of, .law = law, .wide = wide ? rows->nwide : -1, .at = -1, .cone = -1, .mate = TAC_NCP_SINGLE};
    row->of.adr = rows->nnz;
    if (wide) rows->wide[rows->nwide++] = rows->n;
    rows->n++;
    return row;
}

void tac_ncp_add_number(tacNcpRows *rows, tacNcpRow *row, int dof, double J) {
    rows->dof[rows->nnz] = dof;
    rows->J[rows->nnz] = J;
    rows->G[rows->nnz++] = 0;
    row->of.num++;
}

static void add_terms(const tacNcp *p, tacNcpRows *rows, tacNcpRow *row, const tacCombination *a) {
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < tac_coordinate_size(p->m, a->c[i]); k++) {
            tacCoordinateTerm term = tac_coordinate_term(p->m, a->c[i], k);
            tac_ncp_add_number(rows, row, term.dof, a->scale[i] * term.coef);
        }
}

/* Approximate J M^-1 J^T; of a ball's limit, whose J is at most a unit vector, that of a unit vector. */
static double inverse_mass(const tacNcp *p, const tacNcpRow *row) {
    double sum = 0;
    for (int e = row->of.adr; e < row->of.adr + row->of.num; e++)
        sum += p->rows.J[e] * p->rows.J[e] * p->m->dof_invweight[p->rows.dof[e]];
    return sum > 0 ? sum : p->m->dof_invweight[p->rows.dof[row->of.adr]];
}

/* scale: unit of a's impulse (h loss of dry friction), or of b's velocity (h of a gap). */
static void add_row_cone(tacNcp *p, tacNcpRow *row, int dim, double unit, double scale) {
    double inverse = inverse_mass(p, row);
    row->cone = p->ncone;
    row->at = p->numbers;
    row->mass = inverse > 0 ? 1 / inverse : 1;
    tac_ncp_add_cone(p, dim, unit, scale * inverse);
}

static double inverse_tree_mass(const tacModel *m, int body) {
    double mass = m->body_subtree_mass[m->body_root[body]];
    return m->body_last_dof[body] < 0 || !(mass > 0) ? 0 : 1 / mass;
}

double tac_ncp_inverse_masses(const tacModel *m, const int body[2]) {
    return inverse_tree_mass(m, body[0]) + inverse_tree_mass(m, body[1]);
}

double tac_ncp_inverse_masses_change(const tacModel *m, const int body[2], const tacInertialTangent *d) {
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        double inverse = inverse_tree_mass(m, body[side]), change = 0;
        for (int b = 1; b < m->nbody; b++)
            if (m->body_root[b] == m->body_root[body[side]]) change += d[b].mass;
        sum -= change * inverse * inverse;
    }
    return sum;
}

/* The tree of a limit. Where the limit turns, its mass is an inertia at an arm. */
static double limit_scale(const tacNcp *p, const tacRow *of, int body[2]) {
    body[0] = body[1] = 0;
    if (of->kind == TAC_ROW_JOINT_LIMIT)
        body[0] = p->m->joint_body[of->id];
    else
        tac_row_bodies(p->m, &(tacRows){.row = (tacRow *)of}, 0, body);
    int turns = of->kind == TAC_ROW_JOINT_LIMIT && p->m->joint_type[of->id] != TAC_JOINT_SLIDE;
    return turns ? 1 / (TAC_NCP_ARM * TAC_NCP_ARM) : 1;
}

double tac_ncp_limit_mass_change(const tacNcp *p, const tacNcpRow *row, const tacInertialTangent *d) {
    int body[2];
    double scale = limit_scale(p, &row->of, body);
    return scale * tac_ncp_inverse_masses_change(p->m, body, d);
}

static void set_bound(const tacNcp *p, tacNcpRow *row, double gap) {
    int body[2];
    double scale = limit_scale(p, &row->of, body);
    row->of.pos = gap;
    row->bound = tac_ncp_gap_bound_at(p, gap, TAC_NCP_CORRECTION, scale * tac_ncp_inverse_masses(p->m, body));
    row->rest = row->bound.rest;
}

static void add_limit(tacNcp *p, tacRow of, int wide) {
    tacNcpRow *row = tac_ncp_begin_row(p, of, TAC_NCP_PAIR, wide);
    tacCombination a = tac_row_combination(p->m, &of, p->q);
    add_terms(p, &p->rows, row, &a);
    set_bound(p, row, a.pos);
    add_row_cone(p, row, 1, p->gap_unit, p->h);
}

double tac_ncp_ball_range(const tacModel *m, int joint) {
    return tac_max(m->joint_range[2 * joint], m->joint_range[2 * joint + 1]);
}

tacVec3 tac_ncp_ball_turn(const tacModel *m, int joint, const double *q) {
    return tac_quat_log(tac_quat_normalize(tac_quat_load(q + m->joint_qpos_adr[joint])));
}

tacVec3 tac_ncp_ball_turn_next(const tacNcp *p, int joint) {
    tacVec3 phi = tac_ncp_ball_turn(p->m, joint, p->q_next), from = tac_ncp_ball_turn(p->m, joint, p->q);
    double angle = tac_norm3(phi);
    if (!(tac_dot3(phi, from) < 0)) return phi;
    tacVec3 on = tac_scale3(1 - TURN / angle, phi);
    return tac_norm3(tac_sub3(on, from)) < tac_norm3(tac_sub3(phi, from)) ? on : phi;
}

double tac_ncp_ball_gap(double range, tacVec3 phi) { return 0.5 * (range - tac_dot3(phi, phi) / range); }

static void add_ball_limit(tacNcp *p, int joint) {
    const tacModel *m = p->m;
    tacNcpRow *row =
        tac_ncp_begin_row(p, (tacRow){.kind = TAC_ROW_JOINT_LIMIT, .id = joint, .axis = 1}, TAC_NCP_PAIR, 0);
    for (int i = 0; i < 3; i++)
        tac_ncp_add_number(&p->rows, row, m->joint_dof_adr[joint] + i, 0);
    set_bound(p, row, tac_ncp_ball_gap(tac_ncp_ball_range(m, joint), tac_ncp_ball_turn(m, joint, p->q)));
    add_row_cone(p, row, 1, p->gap_unit, p->h);
}

static void add_limits(tacNcp *p) {
    const tacModel *m = p->m;
    for (int j = 0; j < m->njnt; j++) {
        if (!m->joint_limited[j] || m->joint_type[j] == TAC_JOINT_FREE) continue;
        if (m->joint_type[j] == TAC_JOINT_BALL) add_ball_limit(p, j);
        for (int end = 0; end < 2 && m->joint_type[j] != TAC_JOINT_BALL; end++)
            add_limit(p, (tacRow){.kind = TAC_ROW_JOINT_LIMIT, .id = j, .axis = end}, 0);
    }
    for (int t = 0; t < m->ntendon; t++)
        for (int end = 0; end < 2 && m->tendon_limited[t] && m->tendon_type[t] == TAC_TENDON_FIXED; end++)
            add_limit(p, (tacRow){.kind = TAC_ROW_TENDON_LIMIT, .id = t, .axis = end}, 1);
}

static void add_tendon_rate(tacNcp *p, tacNcpRow *row) {
    tacRow like = {.kind = TAC_ROW_TENDON_FRICTION, .id = row->of.id};
    tacCombination a = tac_row_combination(p->m, &like, p->q);
    add_terms(p, &p->rows, row, &a);
}

static void add_friction(tacNcp *p) {
    const tacModel *m = p->m;
    for (int i = 0; i < m->nv; i++) {
        double loss = m->joint_frictionloss[m->dof_joint[i]];
        if (!(loss > 0)) continue;
        tacNcpRow *row = tac_ncp_begin_row(p, (tacRow){.kind = TAC_ROW_JOINT_FRICTION, .id = i}, TAC_NCP_DRY, 0);
        tac_ncp_add_number(&p->rows, row, i, 1);
        row->coefficient = p->h * loss;
        add_row_cone(p, row, 2, TAC_NCP_DRY_SPEED, row->coefficient);
    }
    for (int t = 0; t < m->ntendon; t++) {
        if (m->tendon_type[t] != TAC_TENDON_FIXED || !(m->tendon_frictionloss[t] > 0)) continue;
        tacNcpRow *row = tac_ncp_begin_row(p, (tacRow){.kind = TAC_ROW_TENDON_FRICTION, .id = t}, TAC_NCP_DRY, 1);
        add_tendon_rate(p, row);
        row->coefficient = p->h * m->tendon_frictionloss[t];
        add_row_cone(p, row, 2, TAC_NCP_DRY_SPEED, row->coefficient);
    }
}

static void add_armatures(tacNcp *p) {
    const tacModel *m = p->m;
    for (int t = 0; t < m->ntendon; t++) {
        if (m->tendon_type[t] != TAC_TENDON_FIXED || !(m->tendon_armature[t] > 0)) continue;
        tacNcpRow *row =
            tac_ncp_begin_row(p, (tacRow){.kind = TAC_ROW_TENDON_FRICTION, .id = t, .axis = 1}, TAC_NCP_INERTIA, 1);
        add_tendon_rate(p, row);
        row->coefficient = m->tendon_armature[t];
    }
}

/* eps of an equality's row without the inverse masses of the trees. */
static double compliance_unit(const tacNcp *p, const tacRow *of) {
    const tacModel *m = p->m;
    int turns = of->axis >= 3 || m->equality_type[of->id] == TAC_EQ_JOINT;
    return p->h * TAC_NCP_COMPLIANCE / (turns ? TAC_NCP_ARM * TAC_NCP_ARM : 1);
}

double tac_ncp_row_compliance_change(const tacNcp *p, const tacNcpRow *row, const tacInertialTangent *d) {
    int body[2];
    tac_row_bodies(p->m, &(tacRows){.row = (tacRow *)&row->of}, 0, body);
    return compliance_unit(p, &row->of) * tac_ncp_inverse_masses_change(p->m, body, d);
}

static tacNcpRow *begin_equality(tacNcp *p, int eq, int axis, double pos) {
    int body[2];
    tacNcpRow *row = tac_ncp_begin_row(p, (tacRow){.kind = TAC_ROW_EQUALITY, .id = eq, .axis = axis}, TAC_NCP_HELD, 1);
    double slack = p->h * TAC_NCP_CLOSING;
    tac_row_bodies(p->m, &(tacRows){.row = &row->of}, 0, body);
    row->coefficient = compliance_unit(p, &row->of) * tac_ncp_inverse_masses(p->m, body);
    row->of.pos = pos;
    row->rest = pos > slack ? pos - slack : pos < -slack ? pos + slack : 0;
    row->at = p->m->nv + p->rows.nheld++;
    return row;
}

/* J_i = S_i . (unit wrench of the row) on the paths to both sides. */
static void add_pose_equality(tacNcp *p, int eq) {
    const tacModel *m = p->m;
    tacEquality e = tac_equality_at(m, p->w, eq);
    if (m->body_last_dof[e.body[0]] < 0 && m->body_last_dof[e.body[1]] < 0) return;
    for (int axis = 0; axis < e.n; axis++) {
        tacNcpRow *row = begin_equality(p, eq, axis, e.pos[axis]);
        for (int side = 0; side < 2; side++) {
            tacVec6 W = tac_equality_wrench(p->w, &e, side, axis);
            for (int i = m->body_last_dof[e.body[side]]; i >= 0; i = m->dof_parent[i])
                tac_ncp_add_number(&p->rows, row, i, tac_dot6(p->w->S[i], W));
        }
    }
}

static void add_equalities(tacNcp *p) {
    for (int e = 0; e < p->m->neq; e++) {
        if (!tac_equality_holds(p->m, e)) continue;
        if (tac_equality_is_pose(p->m, e)) {
            add_pose_equality(p, e);
            continue;
        }
        tacRow of = {.kind = TAC_ROW_EQUALITY, .id = e};
        tacCombination a = tac_row_combination(p->m, &of, p->q);
        tacNcpRow *row = begin_equality(p, e, 0, a.pos);
        add_terms(p, &p->rows, row, &a);
    }
}

/* Joints first, then tendons, each in their order, as dry friction and limits are collected. */
static int rank_of_coordinate(const tacNcp *p, const tacNcpRow *row) {
    switch (row->of.kind) {
    case TAC_ROW_JOINT_FRICTION:
        return p->m->dof_joint[row->of.id];
    case TAC_ROW_JOINT_LIMIT:
        return row->of.id;
    default:
        return p->m->njnt + row->of.id;
    }
}

/* Pairs dry friction with the limits of its coordinate. */
static void pair_friction_with_limits(const tacNcp *p) {
    const tacNcpRows *rows = &p->rows;
    int limit = 0;
    for (int k = 0; k < rows->n; k++) {
        tacNcpRow *dry = &rows->row[k];
        if (dry->law != TAC_NCP_DRY) continue;
        int rank = rank_of_coordinate(p, dry);
        while (limit < rows->n &&
               (rows->row[limit].law != TAC_NCP_PAIR || rank_of_coordinate(p, &rows->row[limit]) < rank))
            limit++;
        if (limit == rows->n || rank_of_coordinate(p, &rows->row[limit]) > rank) continue;
        if (tac_ncp_row_is_ball(p, &rows->row[limit])) continue;
        dry->mate = limit;
        rows->row[limit].mate = rows->row[limit + 1].mate = TAC_NCP_MATED;
    }
}

/* G of rows that are linear in v+: of rates J, of gaps h J. */
static void put_constant_rows(const tacNcp *p) {
    for (int k = 0; k < p->rows.n; k++) {
        const tacNcpRow *row = &p->rows.row[k];
        double of = row->law == TAC_NCP_PAIR ? p->h : 1;
        for (int e = row->of.adr; e < row->of.adr + row->of.num; e++)
            p->rows.G[e] = of * p->rows.J[e];
    }
}

void tac_ncp_collect_rows(tacNcp *p) {
    int off = *p->m->option_disable;
    p->rows.n = p->rows.nnz = p->rows.nwide = p->rows.nheld = 0;
    add_armatures(p);
    tac_ncp_add_damping(p);
    int free = off & TAC_DISABLE_CONSTRAINT;
    if (!free) add_equalities(p);
    if (!free && !(off & TAC_DISABLE_FRICTIONLOSS)) add_friction(p);
    if (!free && !(off & TAC_DISABLE_LIMIT)) add_limits(p);
    put_constant_rows(p);
    pair_friction_with_limits(p);
}
