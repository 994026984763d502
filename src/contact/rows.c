#include "contact/rows.h"

#include "math/scalar.h"

#include <string.h>

/* --- Room --------------------------------------------------------------------------------------------------------- */

/* Most rows of a model beside contacts. */
static int most_other_rows(const tacModel *m) {
    int n = 0;
    for (int j = 0; j < m->njnt; j++)
        n += (m->joint_limited[j] ? 2 : 0);
    for (int t = 0; t < m->ntendon; t++)
        n += (m->tendon_limited[t] ? 2 : 0) + 1;
    return n + m->nv;
}

/* Most dofs between the world and any body. */
static int most_depth(const tacModel *m) {
    int depth = 1;
    for (int i = 0; i < m->nv; i++)
        depth = m->dof_depth[i] > depth ? m->dof_depth[i] : depth;
    return depth;
}

typedef struct Room {
    int rows;
    int numbers;
} Room;

static Room room_for(const tacModel *m, int max_contacts) {
    int other = most_other_rows(m), depth = most_depth(m), tendon_rows = 3 * m->ntendon;
    int wide = 2 * depth < m->nv ? 2 * depth : m->nv;
    return (Room){3 * max_contacts + other, (3 * max_contacts + other) * wide + tendon_rows * m->nv};
}

size_t tac_rows_bytes(const tacModel *m, int max_contacts) {
    Room room = room_for(m, max_contacts);
    size_t rows = (size_t)room.rows, numbers = (size_t)room.numbers, contacts = (size_t)max_contacts;
    return tac_arena_round(rows * sizeof(tacRow)) + tac_arena_round(numbers * sizeof(int)) +
           2 * tac_arena_round(numbers * sizeof(double)) + tac_arena_round(contacts * sizeof(tacContact)) +
           tac_arena_round(contacts * sizeof(int));
}

int tac_rows_layout(tacRows *rows, const tacModel *m, int max_contacts, tacArena *arena) {
    Room room = room_for(m, max_contacts);
    *rows = (tacRows){.max = room.rows, .max_nnz = room.numbers, .max_contacts = max_contacts};
    rows->row = TAC_TAKE(arena, room.rows, tacRow);
    rows->dof = TAC_TAKE(arena, room.numbers, int);
    rows->J = TAC_TAKE(arena, room.numbers, double);
    rows->Y = TAC_TAKE(arena, room.numbers, double);
    rows->contact = TAC_TAKE(arena, max_contacts, tacContact);
    rows->first_row = TAC_TAKE(arena, max_contacts, int);
    return rows->row && rows->dof && rows->J && rows->Y && rows->contact && rows->first_row;
}

/* --- Contacts ----------------------------------------------------------------------------------------------------- */

void tac_contact_friction(const tacModel *m, const tacContact *c, double mu[2]) {
    if (c->pair >= 0) {
        mu[0] = m->pair_friction[5 * c->pair], mu[1] = m->pair_friction[5 * c->pair + 1];
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

/* Union of the paths of two bodies' last dofs, descending -> dof; their number. */
static int union_of_paths(const tacModel *m, int i, int j, int *dof) {
    int n = 0;
    while (i >= 0 || j >= 0) {
        int next = i > j ? i : j;
        dof[n++] = next;
        if (i == next) i = m->dof_parent[i];
        if (j == next) j = m->dof_parent[j];
    }
    return n;
}

/* S_i . (force through p), about the tree's origin: the velocity along d of the body's point at p per unit of dof i. */
static double along(const tacWork *w, int body, int i, tacVec3 p, tacVec3 d) {
    tacVec3 r = tac_sub3(p, w->origin[body]);
    return tac_dot3(d, tac_add3(w->S[i].lin, tac_cross3(w->S[i].ang, r)));
}

static int on_path(const tacModel *m, int last, int i) {
    for (int k = last; k >= i; k = m->dof_parent[k])
        if (k == i) return 1;
    return 0;
}

static tacVec3 contact_axis(const tacContact *c, int axis) { return axis == 0 ? c->normal : c->tangent[axis - 1]; }

static tacRow *new_row(tacRows *rows, tacRowKind kind, int id, int axis, double pos) {
    if (rows->n == rows->max) {
        rows->overflow = 1;
        return NULL;
    }
    tacRow *row = &rows->row[rows->n++];
    *row = (tacRow){kind, id, axis, rows->nnz, 0, -1, pos};
    return row;
}

static void add_number(tacRows *rows, tacRow *row, int dof, double value) {
    if (rows->nnz == rows->max_nnz) {
        rows->overflow = 1;
        return;
    }
    rows->dof[rows->nnz] = dof, rows->J[rows->nnz++] = value;
    row->num++;
}

static void add_contact(const tacModel *m, const tacWork *w, tacRows *rows, int id) {
    const tacContact *c = &rows->contact[id];
    int body[2] = {m->geom_body[c->geom[0]], m->geom_body[c->geom[1]]};
    int last[2] = {m->body_last_dof[body[0]], m->body_last_dof[body[1]]};
    int dimension = tac_contact_dimension(m, c) > 1 ? 3 : 1;
    rows->first_row[id] = rows->n;
    for (int axis = 0; axis < dimension; axis++) {
        tacRow *row = new_row(rows, TAC_ROW_CONTACT, id, axis, c->dist);
        if (row == NULL) return;
        int room = rows->max_nnz - rows->nnz, *dof = rows->dof + rows->nnz;
        if (room < m->nv &&
            room < (last[0] < 0 ? 0 : m->dof_depth[last[0]]) + (last[1] < 0 ? 0 : m->dof_depth[last[1]])) {
            rows->overflow = 1;
            return;
        }
        row->num = union_of_paths(m, last[0], last[1], dof);
        tacVec3 d = contact_axis(c, axis);
        for (int k = 0; k < row->num; k++) {
            double value = 0;
            if (on_path(m, last[1], dof[k])) value += along(w, body[1], dof[k], c->pos, d);
            if (on_path(m, last[0], dof[k])) value -= along(w, body[0], dof[k], c->pos, d);
            rows->J[rows->nnz + k] = value;
        }
        rows->nnz += row->num;
    }
}

/* --- Limits and dry friction -------------------------------------------------------------------------------------- */

/* A row of one dof. Its ancestors come along with zeros: weighing fills them. */
static void add_dof_row(const tacModel *m, tacRows *rows, tacRow row, double coefficient) {
    tacRow *added = new_row(rows, row.kind, row.id, row.axis, row.pos);
    if (added == NULL) return;
    int dof = row.kind == TAC_ROW_JOINT_LIMIT ? m->joint_dof_adr[row.id] : row.id;
    for (int i = dof; i >= 0; i = m->dof_parent[i])
        add_number(rows, added, i, i == dof ? coefficient : 0);
}

static void add_joint_limits(const tacModel *m, const double *q, const double *v, double reach, tacRows *rows) {
    for (int j = 0; j < m->njnt; j++) {
        int type = m->joint_type[j], i = m->joint_dof_adr[j];
        if (!m->joint_limited[j] || (type != TAC_HINGE && type != TAC_SLIDE)) continue;
        double near = m->joint_margin[j] + reach * (tac_abs(v[i]) + 1), x = q[m->joint_qpos_adr[j]];
        double pos[2] = {x - m->joint_range[2 * j], m->joint_range[2 * j + 1] - x};
        for (int side = 0; side < 2; side++)
            if (pos[side] < near)
                add_dof_row(m, rows, (tacRow){TAC_ROW_JOINT_LIMIT, j, side, 0, 0, 0, pos[side]}, side == 0 ? 1 : -1);
    }
}

static void add_joint_friction(const tacModel *m, tacRows *rows) {
    for (int i = 0; i < m->nv; i++)
        if (m->joint_frictionloss[m->dof_joint[i]] > 0)
            add_dof_row(m, rows, (tacRow){TAC_ROW_JOINT_FRICTION, i, 0, 0, 0, 0, 0}, 1);
}

/* Contacts of what no dof moves (an explicit pair of two fixed geoms) are left out: no force could part them. */
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
    if (!(off & TAC_DISABLE_FRICTIONLOSS)) add_joint_friction(m, rows);
    if (!(off & TAC_DISABLE_LIMIT)) add_joint_limits(m, q, v, reach, rows);
    for (int c = 0; c < rows->ncontact; c++)
        add_contact(m, w, rows, c);
    for (int k = 0; k < rows->n; k++)
        rows->row[k].tree = rows->row[k].num > 0 ? m->body_root[m->dof_body[rows->dof[rows->row[k].adr]]] : -1;
}

/* --- Products ----------------------------------------------------------------------------------------------------- */

/* y = D^-1/2 L^-T j: going up the path from the leaves, row i of L takes its share from every ancestor. */
void tac_rows_weigh(const tacModel *m, const tacWork *w, tacRows *rows, double *scratch_nv) {
    for (int k = 0; k < rows->n; k++) {
        const tacRow *row = &rows->row[k];
        const int *dof = rows->dof + row->adr;
        for (int e = 0; e < row->num; e++)
            scratch_nv[dof[e]] = rows->J[row->adr + e];
        for (int e = 0; e < row->num; e++) {
            int i = dof[e], at = m->dof_M_adr[i];
            double z = scratch_nv[i];
            rows->Y[row->adr + e] = z * tac_sqrt(w->L[at]);
            for (int a = m->dof_parent[i]; a >= 0; a = m->dof_parent[a])
                scratch_nv[a] -= w->L[++at] * z;
        }
    }
}

double tac_row_velocity(const tacRows *rows, int k, const double *v) {
    const tacRow *row = &rows->row[k];
    double sum = 0;
    for (int e = row->adr; e < row->adr + row->num; e++)
        sum += rows->J[e] * v[rows->dof[e]];
    return sum;
}

void tac_row_add_force(const tacRows *rows, int k, double f, double *force) {
    const tacRow *row = &rows->row[k];
    for (int e = row->adr; e < row->adr + row->num; e++)
        force[rows->dof[e]] += rows->J[e] * f;
}

double tac_row_product(const tacRows *rows, int k, int l) {
    int a = rows->row[k].adr, b = rows->row[l].adr;
    int a_end = a + rows->row[k].num, b_end = b + rows->row[l].num;
    double sum = 0;
    while (a < a_end && b < b_end) {
        int i = rows->dof[a], j = rows->dof[b];
        if (i == j) sum += rows->Y[a] * rows->Y[b];
        a += i >= j, b += j >= i;
    }
    return sum;
}

/* Row k is spread over the dofs, and each other row picks its own from there. */
void tac_rows_products(const tacRows *rows, int n, const int *list, double *scratch_nv, double *A) {
    for (int i = 0; i < n; i++) {
        const tacRow *row = &rows->row[list[i]];
        for (int e = row->adr; e < row->adr + row->num; e++)
            scratch_nv[rows->dof[e]] = rows->Y[e];
        for (int j = 0; j <= i; j++) {
            const tacRow *other = &rows->row[list[j]];
            double sum = 0;
            for (int e = other->adr; e < other->adr + other->num; e++)
                sum += rows->Y[e] * scratch_nv[rows->dof[e]];
            A[(size_t)i * (size_t)n + (size_t)j] = A[(size_t)j * (size_t)n + (size_t)i] = sum;
        }
        for (int e = row->adr; e < row->adr + row->num; e++)
            scratch_nv[rows->dof[e]] = 0;
    }
}
