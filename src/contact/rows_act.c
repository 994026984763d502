/* Actions of rows: the bodies they act on, curvature of equalities, velocities along rows, and forces. */
#include "contact/rows.h"

#include "contact/coordinate.h"
#include "contact/equality.h"
#include "math/scalar.h"

/* --- Bodies ------------------------------------------------------------------------------------------------------- */

/* The first body that a coordinate's force acts on. */
static int coordinate_body(const tacModel *m, tacCoordinate c) {
    return tac_coordinate_size(m, c) == 0 ? 0 : m->joint_body[tac_coordinate_term(m, c, 0).joint];
}

void tac_row_bodies(const tacModel *m, const tacRows *rows, int k, int body[2]) {
    const tacRow *row = &rows->row[k];
    tacCombination a = tac_row_combination(m, row, m->qpos_0);
    body[0] = body[1] = 0;
    for (int i = 0; i < a.n; i++)
        body[i] = coordinate_body(m, a.c[i]);
    if (a.n > 0) return;
    if (row->kind == TAC_ROW_CONTACT) {
        const tacContact *c = &rows->contact[row->id];
        body[0] = m->geom_body[c->geom[0]];
        body[1] = m->geom_body[c->geom[1]];
    } else if (row->kind == TAC_ROW_EQUALITY) {
        for (int side = 0; side < 2; side++) {
            int obj = m->equality_obj[2 * row->id + side];
            body[side] = obj < 0 ? 0 : m->equality_objkind[row->id] == TAC_KIND_SITE ? m->site_body[obj] : obj;
        }
    } else {
        body[0] = row->kind == TAC_ROW_JOINT_FRICTION ? m->dof_body[row->id] : m->joint_body[row->id];
    }
}

int tac_row_is_driven(const tacModel *m, const tacRows *rows, int k) {
    int body[2];
    tac_row_bodies(m, rows, k, body);
    return m->body_mocap[m->body_root[body[0]]] >= 0 || m->body_mocap[m->body_root[body[1]]] >= 0;
}

int tac_row_wrench(const tacModel *m, const tacWork *w, const tacRows *rows, int k, tacRowWrench *out) {
    const tacRow *row = &rows->row[k];
    if (row->kind != TAC_ROW_CONTACT) return 0;
    const tacContact *c = &rows->contact[row->id];
    tacVec3 d = row->axis % 3 == 0 ? c->normal : c->tangent[row->axis % 3 - 1];
    for (int side = 0; side < 2; side++) {
        int body = m->geom_body[c->geom[side]];
        tacVec6 force = {tac_cross3(tac_sub3(c->pos, w->xpos[body]), d), d}, torque = {d, {0, 0, 0}};
        out->body[side] = body;
        out->wrench[side] = tac_scale6(side == 0 ? -1 : 1, row->axis < 3 ? force : torque);
    }
    return 1;
}

/* --- What is broken ----------------------------------------------------------------------------------------------- */

int tac_may_part(const tacModel *m, const int geom[2]) {
    return m->body_last_dof[m->geom_body[geom[0]]] != m->body_last_dof[m->geom_body[geom[1]]];
}

double tac_row_violation(const tacRow *row) {
    if (row->kind == TAC_ROW_EQUALITY) return tac_abs(row->pos);
    int friction = row->kind == TAC_ROW_JOINT_FRICTION || row->kind == TAC_ROW_TENDON_FRICTION;
    return friction || (row->kind == TAC_ROW_CONTACT && row->axis > 0) ? 0 : tac_max(0, -row->pos);
}

void tac_note_violation(double size, const tacRow *row, const int *geom, tacViolation *most) {
    static const tacConstraintKind KINDS[] = {[TAC_ROW_CONTACT] = TAC_CONSTRAINT_CONTACT,
                                              [TAC_ROW_JOINT_LIMIT] = TAC_CONSTRAINT_JOINT_LIMIT,
                                              [TAC_ROW_TENDON_LIMIT] = TAC_CONSTRAINT_TENDON_LIMIT,
                                              [TAC_ROW_JOINT_FRICTION] = TAC_CONSTRAINT_JOINT_FRICTION,
                                              [TAC_ROW_TENDON_FRICTION] = TAC_CONSTRAINT_TENDON_FRICTION,
                                              [TAC_ROW_EQUALITY] = TAC_CONSTRAINT_EQUALITY};
    if (!(size > most->size)) return;
    *most = (tacViolation){size, KINDS[row->kind], row->id, {-1, -1}};
    for (int i = 0; i < 2 && geom != NULL; i++)
        most->geom[i] = geom[i];
}

void tac_report_start(const tacViolation *most, tacStepInfo *info) {
    info->violation = *most;
    info->start = most->size > TAC_START_TOLERANCE ? TAC_ERR_INCONSISTENT : TAC_OK;
}

/* --- Prediction --------------------------------------------------------------------------------------------------- */

int tac_rows_any_equality(const tacModel *m) {
    for (int e = 0; e < m->neq; e++)
        if (tac_equality_holds(m, e)) return 1;
    return 0;
}

void tac_rows_set_curvature(const tacModel *m, const tacPrediction *at, const double *v, double h, tacRows *rows) {
    tacEquality e = {.id = -1};
    for (int k = 0; k < rows->n; k++) {
        tacRow *row = &rows->row[k];
        if (row->kind != TAC_ROW_EQUALITY) continue;
        int pose = tac_equality_is_pose(m, row->id);
        if (pose && e.id != row->id) e = tac_equality_at(m, &at->w, row->id);
        double pos = pose ? e.pos[row->axis] : tac_row_combination(m, row, at->q).pos;
        row->curvature = (pos - row->pos) / h - tac_row_velocity(rows, k, v);
    }
}

void tac_rows_keep_velocity(tacRows *rows, const double *v) {
    for (int k = 0; k < rows->n; k++)
        if (rows->row[k].kind == TAC_ROW_EQUALITY) rows->row[k].curvature = -tac_row_velocity(rows, k, v);
}

void tac_row_gradient_at(const tacModel *m, const tacPrediction *at, const tacRow *row, double *out) {
    if (!tac_equality_is_pose(m, row->id)) {
        tacCombination a = tac_row_combination(m, row, at->q);
        tac_combination_gradient(m, &a, out);
        return;
    }
    tacEquality e = tac_equality_at(m, &at->w, row->id);
    tac_equality_gradient(m, &at->w, &e, row->axis, out);
}

/* --- Velocities and forces ---------------------------------------------------------------------------------------- */

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

/* Three rows at once: those of a contact. */
static void three_velocities(const tacRows *rows, const tacRow *row, const double *v, double *out) {
    const double *x = rows->J + row[0].adr, *y = rows->J + row[1].adr, *z = rows->J + row[2].adr;
    const int *dof = rows->dof + row->adr;
    double a = 0, b = 0, c = 0;
    for (int e = 0; e < row->num; e++) {
        double u = v[dof[e]];
        a += x[e] * u;
        b += y[e] * u;
        c += z[e] * u;
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
}

void tac_block_velocities(const tacRows *rows, int k, int n, const double *v, double *out) {
    if (n == 3) {
        three_velocities(rows, &rows->row[k], v, out);
        return;
    }
    for (int i = 0; i < n; i++)
        out[i] = tac_row_velocity(rows, k + i, v);
}

static void add_three_forces(const tacRows *rows, const tacRow *row, const double f[3], double *force) {
    const double *x = rows->J + row[0].adr, *y = rows->J + row[1].adr, *z = rows->J + row[2].adr;
    const int *dof = rows->dof + row->adr;
    double a = f[0], b = f[1], c = f[2];
    for (int e = 0; e < row->num; e++)
        force[dof[e]] += x[e] * a + y[e] * b + z[e] * c;
}

void tac_block_add_forces(const tacRows *rows, int k, int n, const double *f, double *force) {
    if (n == 3) {
        add_three_forces(rows, &rows->row[k], f, force);
        return;
    }
    for (int i = 0; i < n; i++)
        tac_row_add_force(rows, k + i, f[i], force);
}
