#include "contact/rows.h"

#include "contact/ball_limit.h"
#include "contact/coordinate.h"
#include "contact/equality.h"
#include "math/scalar.h"

#include <limits.h>
#include <string.h>

/* --- Room --------------------------------------------------------------------------------------------------------- */

/* Largest number of rows of a model besides contacts: rows along one or two paths, and rows along any dofs. */
typedef struct OtherRows {
    int paths, any;
} OtherRows;

static OtherRows most_other_rows(const tacModel *m) {
    static const int ROWS[] = {[TAC_EQ_CONNECT] = 3, [TAC_EQ_WELD] = 6, [TAC_EQ_JOINT] = 1, [TAC_EQ_TENDON] = 0};
    OtherRows n = {m->nv, 0};
    for (int j = 0; j < m->njnt; j++)
        n.paths += (m->joint_limited[j] ? 2 : 0);
    for (int t = 0; t < m->ntendon; t++)
        n.any += (m->tendon_limited[t] ? 2 : 0) + 1;
    for (int e = 0; e < m->neq; e++) {
        n.paths += ROWS[m->equality_type[e]];
        n.any += m->equality_type[e] == TAC_EQ_TENDON;
    }
    return n;
}

/* Largest number of dofs between the world and any body. */
static int most_depth(const tacModel *m) {
    int depth = 1;
    for (int i = 0; i < m->nv; i++)
        depth = m->dof_depth[i] > depth ? m->dof_depth[i] : depth;
    return depth;
}

typedef struct Room {
    size_t rows, numbers;
} Room;

/* Largest number of rows of a contact. */
static int most_dimension(const tacModel *m) {
    int most = 3;
    for (int g = 0; g < m->ngeom; g++)
        most = m->geom_condim[g] > most ? m->geom_condim[g] : most;
    for (int p = 0; p < m->npair; p++)
        most = m->pair_condim[p] > most ? m->pair_condim[p] : most;
    return most;
}

static Room room_for(const tacModel *m, int max_contacts) {
    OtherRows other = most_other_rows(m);
    size_t depth = (size_t)most_depth(m), nv = (size_t)m->nv, wide = 2 * depth < nv ? 2 * depth : nv;
    size_t rows = (size_t)most_dimension(m) * (size_t)max_contacts + (size_t)other.paths, any = (size_t)other.any;
    return (Room){rows + any, rows * wide + any * nv};
}

/* A count as an int. A larger one has no room in any memory either. */
static int as_int(size_t n) { return n < INT_MAX ? (int)n : INT_MAX; }

int tac_rows_max(const tacModel *m, int max_contacts) { return as_int(room_for(m, max_contacts).rows); }

int tac_rows_layout(tacRows *rows, const tacModel *m, int max_contacts, tacArena *arena) {
    Room room = room_for(m, max_contacts);
    *rows = (tacRows){.max = as_int(room.rows), .max_nnz = as_int(room.numbers), .max_contacts = max_contacts};
    rows->row = TAC_TAKE(arena, room.rows, tacRow);
    rows->dof = TAC_TAKE(arena, room.numbers, int);
    rows->J = TAC_TAKE(arena, room.numbers, double);
    rows->Y = TAC_TAKE(arena, room.numbers, double);
    rows->contact = TAC_TAKE(arena, max_contacts, tacContact);
    rows->first_row = TAC_TAKE(arena, max_contacts, int);
    return rows->row && rows->dof && rows->J && rows->Y && rows->contact && rows->first_row;
}

size_t tac_rows_bytes(const tacModel *m, int max_contacts) {
    tacArena dry = tac_arena_dry();
    tacRows rows;
    tac_rows_layout(&rows, m, max_contacts, &dry);
    return dry.peak;
}

/* --- Building ----------------------------------------------------------------------------------------------------- */

tacRow *tac_rows_begin(tacRows *rows, tacRowKind kind, int id, int axis, double pos) {
    if (rows->n == rows->max) {
        rows->overflow = 1;
        return NULL;
    }
    tacRow *row = &rows->row[rows->n++];
    *row = (tacRow){kind, id, axis, rows->nnz, 0, -1, pos, 0};
    return row;
}

static void add_number(tacRows *rows, tacRow *row, int dof, double value) {
    if (rows->nnz == rows->max_nnz) {
        rows->overflow = 1;
        return;
    }
    rows->dof[rows->nnz] = dof;
    rows->J[rows->nnz++] = value;
    row->num++;
}

/* A row that has a dof has all its ancestors. A missing dof is inserted in descending order. */
void tac_rows_add_path(const tacModel *m, tacRows *rows, tacRow *row, int dof) {
    int *list = rows->dof + row->adr, at = 0;
    for (int i = dof; i >= 0; i = m->dof_parent[i]) {
        while (at < row->num && list[at] > i)
            at++;
        if (at < row->num && list[at] == i) return;
        if (rows->nnz == rows->max_nnz) {
            rows->overflow = 1;
            return;
        }
        memmove(list + at + 1, list + at, (size_t)(row->num - at) * sizeof *list);
        list[at] = i;
        rows->J[rows->nnz++] = 0;
        row->num++;
    }
}

void tac_rows_add_value(tacRows *rows, const tacRow *row, int dof, double value) {
    for (int e = row->adr; e < row->adr + row->num; e++)
        if (rows->dof[e] == dof) rows->J[e] += value;
}

void tac_rows_add_paths(const tacModel *m, tacRows *rows, tacRow *row, const int last[2], const tacVec6 *S,
                        const tacVec6 W[2]) {
    int i = last[0], j = last[1];
    while (i >= 0 || j >= 0) {
        int dof = i > j ? i : j;
        double value = 0;
        if (i == dof) {
            value += tac_dot6(S[dof], W[0]);
            i = m->dof_parent[i];
        }
        if (j == dof) {
            value += tac_dot6(S[dof], W[1]);
            j = m->dof_parent[j];
        }
        add_number(rows, row, dof, value);
    }
}

/* --- Contacts ----------------------------------------------------------------------------------------------------- */

void tac_contact_friction(const tacModel *m, const tacContact *c, double mu[2]) {
    if (c->pair >= 0) {
        mu[0] = m->pair_friction[5 * c->pair];
        mu[1] = m->pair_friction[5 * c->pair + 1];
        return;
    }
    int a = c->geom[0], b = c->geom[1], pa = m->geom_priority[a], pb = m->geom_priority[b];
    double fa = m->geom_friction[3 * a], fb = m->geom_friction[3 * b];
    mu[0] = mu[1] = pa != pb ? (pa > pb ? fa : fb) : (fa > fb ? fa : fb);
}

double tac_contact_restitution(const tacModel *m, const tacContact *c) {
    int a = c->geom[0], b = c->geom[1], pa = m->geom_priority[a], pb = m->geom_priority[b];
    double ea = m->geom_restitution[a], eb = m->geom_restitution[b];
    return pa != pb ? (pa > pb ? ea : eb) : (ea > eb ? ea : eb);
}

int tac_contact_dimension(const tacModel *m, const tacContact *c) {
    if (c->pair >= 0) return m->pair_condim[c->pair];
    int a = c->geom[0], b = c->geom[1], pa = m->geom_priority[a], pb = m->geom_priority[b];
    int da = m->geom_condim[a], db = m->geom_condim[b];
    return pa != pb ? (pa > pb ? da : db) : (da > db ? da : db);
}

int tac_contact_has_friction(const tacModel *m, const tacContact *c) {
    double mu[2];
    tac_contact_friction(m, c, mu);
    return tac_contact_dimension(m, c) > 1 && (mu[0] > 0 || mu[1] > 0);
}

uint64_t tac_contact_hash(const tacContact *c, uint64_t hash) {
    const tacFeature *f = c->feature;
    int words[13] = {c->geom[0], c->geom[1], c->pair,    (int)c->rule, f[0].kind,     f[0].id[0],   f[0].id[1],
                     f[1].kind,  f[1].id[0], f[1].id[1], c->clip.kind, c->clip.id[0], c->clip.id[1]};
    return tac_hash(words, sizeof words, hash);
}

static tacVec3 contact_axis(const tacContact *c, int axis) {
    return axis % 3 == 0 ? c->normal : c->tangent[axis % 3 - 1];
}

/* Number of dofs on the paths up from two dofs. */
static int count_paths(const tacModel *m, int i, int j) {
    int n = 0;
    for (; i >= 0 || j >= 0; n++) {
        int dof = i > j ? i : j;
        if (i == dof) i = m->dof_parent[i];
        if (j == dof) j = m->dof_parent[j];
    }
    return n;
}

/* Rows of one contact under construction: their address, and the number of dofs in each. */
static int begin_contact(const tacModel *m, tacRows *rows, int id, int dimension, const int last[2]) {
    int num = count_paths(m, last[0], last[1]);
    for (int axis = 0; axis < dimension; axis++) {
        tacRow *row = tac_rows_begin(rows, TAC_ROW_CONTACT, id, axis, rows->contact[id].dist);
        if (row == NULL) return 0;
        if (rows->nnz + num > rows->max_nnz) {
            rows->overflow = 1;
            rows->n--;
            return 0;
        }
        row->num = num;
        rows->nnz += num;
    }
    return 1;
}

/* Velocity of the body's point at p, and angular velocity, per unit of dof i. */
static tacVec6 point_rate(const tacWork *w, int body, int i, tacVec3 p) {
    tacVec3 arm = tac_sub3(p, w->origin[body]);
    return (tacVec6){w->S[i].ang, tac_add3(w->S[i].lin, tac_cross3(w->S[i].ang, arm))};
}

/* Walks up both paths at once, in descending order. Dofs common to both have both shares. */
static void add_contact(const tacModel *m, const tacWork *w, tacRows *rows, int id) {
    const tacContact *c = &rows->contact[id];
    int condim = tac_contact_dimension(m, c), dimension = condim > 3 && !rows->turning ? 3 : condim;
    int body[2] = {m->geom_body[c->geom[0]], m->geom_body[c->geom[1]]};
    int last[2] = {m->body_last_dof[body[0]], m->body_last_dof[body[1]]}, i = last[0], j = last[1];
    rows->first_row[id] = rows->n;
    if (!begin_contact(m, rows, id, dimension, last)) return;
    const tacRow *row = &rows->row[rows->first_row[id]];
    for (int e = 0; e < row->num; e++) {
        int dof = i > j ? i : j;
        tacVec6 u = j == dof ? point_rate(w, body[1], dof, c->pos) : tac_zero6();
        if (i == dof) u = tac_sub6(u, point_rate(w, body[0], dof, c->pos));
        for (int axis = 0; axis < dimension; axis++) {
            rows->dof[row[axis].adr + e] = dof;
            rows->J[row[axis].adr + e] = tac_dot3(contact_axis(c, axis), axis < 3 ? u.lin : u.ang);
        }
        if (i == dof) i = m->dof_parent[i];
        if (j == dof) j = m->dof_parent[j];
    }
}

/* --- Limits, dry friction, equalities ----------------------------------------------------------------------------- */

static void add_combination(const tacModel *m, tacRows *rows, tacRow like, const tacCombination *a) {
    tacRow *row = tac_rows_begin(rows, like.kind, like.id, like.axis, a->pos);
    if (row == NULL) return;
    tac_add_combination(m, a, rows, row);
    if (row->num == 0) rows->n--; /* nothing moves along it */
}

/* What acts of the limits of one joint or tendon, 2 numbers. NULL: it is not given. */
static const unsigned char *limits_that_act(const unsigned char *acts, int id) {
    return acts == NULL ? NULL : acts + 2 * (ptrdiff_t)id;
}

/* Adds both ends of a coordinate's range if the step may reach them, or those that act. */
static void add_limits(const tacModel *m, tacRow like, double margin, const unsigned char *acts, const double *q,
                       const double *v, double reach, tacRows *rows) {
    for (int side = 0; side < 2; side++) {
        like.axis = side;
        tacCombination a = tac_row_combination(m, &like, q);
        double near = margin + reach * (tac_abs(tac_coordinate_rate(m, a.c[0], v)) + 1);
        if (acts == NULL ? a.pos < near : acts[side]) add_combination(m, rows, like, &a);
    }
}

static void add_all_limits(const tacModel *m, const double *q, const double *v, double reach, tacRows *rows) {
    for (int j = 0; j < m->njnt; j++) {
        if (!m->joint_limited[j] || m->joint_type[j] == TAC_JOINT_FREE) continue;
        const unsigned char *acts = limits_that_act(rows->joint_acts, j);
        if (m->joint_type[j] != TAC_JOINT_BALL)
            add_limits(m, (tacRow){.kind = TAC_ROW_JOINT_LIMIT, .id = j}, m->joint_margin[j], acts, q, v, reach, rows);
        else if (acts == NULL || acts[1])
            tac_add_ball_limit(m, j, q, v, acts == NULL ? reach : TAC_INFINITY, rows);
    }
    for (int t = 0; t < m->ntendon; t++)
        if (m->tendon_limited[t])
            add_limits(m, (tacRow){.kind = TAC_ROW_TENDON_LIMIT, .id = t}, m->tendon_margin[t],
                       limits_that_act(rows->tendon_acts, t), q, v, reach, rows);
}

static void add_friction(const tacModel *m, const double *q, tacRows *rows) {
    for (int i = 0; i < m->nv; i++) {
        if (!(m->joint_frictionloss[m->dof_joint[i]] > 0)) continue;
        tacRow *row = tac_rows_begin(rows, TAC_ROW_JOINT_FRICTION, i, 0, 0);
        if (row == NULL) return;
        tac_rows_add_path(m, rows, row, i);
        tac_rows_add_value(rows, row, i, 1);
    }
    for (int t = 0; t < m->ntendon; t++) {
        tacRow like = {.kind = TAC_ROW_TENDON_FRICTION, .id = t};
        tacCombination a = tac_row_combination(m, &like, q);
        if (m->tendon_frictionloss[t] > 0) add_combination(m, rows, like, &a);
    }
}

void tac_rows_add_equalities(const tacModel *m, const tacWork *w, const double *q, tacRows *rows) {
    for (int e = 0; e < m->neq; e++) {
        if (!tac_equality_holds(m, e)) continue;
        tacRow like = {.kind = TAC_ROW_EQUALITY, .id = e};
        tacCombination a = tac_row_combination(m, &like, q);
        if (tac_equality_is_pose(m, e))
            tac_add_equality(m, w, e, rows);
        else
            add_combination(m, rows, like, &a);
    }
}

/* Leaves out contacts of geoms that no dof moves (an explicit pair of two fixed geoms). No force could part them. */
static void drop_fixed(const tacModel *m, tacRows *rows) {
    int n = 0;
    for (int c = 0; c < rows->ncontact; c++) {
        const int *geom = rows->contact[c].geom;
        int moves = m->body_last_dof[m->geom_body[geom[0]]] >= 0 || m->body_last_dof[m->geom_body[geom[1]]] >= 0;
        if (moves && n++ != c) rows->contact[n - 1] = rows->contact[c];
    }
    rows->ncontact = n;
}

void tac_rows_find(const tacModel *m, const tacWork *w, const double *q, const double *v, double reach, tacRows *rows) {
    rows->n = rows->nnz = rows->overflow = 0;
    drop_fixed(m, rows);
    int off = *m->option_disable;
    if (off & TAC_DISABLE_CONSTRAINT) return;
    tac_rows_add_equalities(m, w, q, rows);
    if (!(off & TAC_DISABLE_FRICTIONLOSS)) add_friction(m, q, rows);
    if (!(off & TAC_DISABLE_LIMIT)) add_all_limits(m, q, v, reach, rows);
    for (int c = 0; c < rows->ncontact; c++)
        add_contact(m, w, rows, c);
    for (int k = 0; k < rows->n; k++)
        rows->row[k].tree = rows->row[k].num > 0 ? m->body_root[m->dof_body[rows->dof[rows->row[k].adr]]] : -1;
}
