/* Constraints of the soft model: impedances, regularization, reference accelerations. */
#include "contact/soft/soft.h"

#include "math/scalar.h"

#include <string.h>

/* Regularization and friction are kept above them, as MuJoCo does. */
#define LEAST_R  1e-15
#define LEAST_MU 1e-5

enum { DOUBLES = 4 };

size_t tac_soft_bytes(const tacModel *m, int max_contacts) {
    size_t n = (size_t)tac_rows_max(m, max_contacts);
    return tac_rows_bytes(m, max_contacts) + tac_arena_round(n * sizeof(tacSoftBlock)) +
           DOUBLES * tac_arena_round(n * sizeof(double));
}

int tac_soft_layout(tacSoft *soft, const tacModel *m, int max_contacts, tacArena *arena) {
    *soft = (tacSoft){.nblock = 0};
    int ok = tac_rows_layout(&soft->rows, m, max_contacts, arena), n = soft->rows.max;
    double **reals[DOUBLES] = {&soft->D, &soft->aref, &soft->y, &soft->f};
    soft->rows.turning = 1;
    for (int k = 0; k < DOUBLES; k++)
        ok &= (*reals[k] = TAC_TAKE(arena, n, double)) != NULL;
    soft->block = TAC_TAKE(arena, n, tacSoftBlock);
    return ok && soft->block != NULL;
}

/* --- What a contact has of its geoms ------------------------------------------------------------------------------ */

/* Share of the first geom where both have the same priority. */
static double mix_of(const tacModel *m, int a, int b) {
    double x = m->geom_solmix[a], y = m->geom_solmix[b];
    if (x >= LEAST_R && y >= LEAST_R) return x / (x + y);
    return x < LEAST_R && y < LEAST_R ? 0.5 : x < LEAST_R ? 0 : 1;
}

static void mix_geoms(const tacModel *m, int a, int b, tacContactSoftness *s) {
    int pa = m->geom_priority[a], pb = m->geom_priority[b];
    double mix = pa != pb ? pa > pb : mix_of(m, a, b), friction[3];
    const double *ra = m->geom_solref + 2 * a, *rb = m->geom_solref + 2 * b;
    for (int i = 0; i < 2; i++) {
        int average = pa != pb || (ra[0] > 0 && rb[0] > 0);
        s->solref[i] = average ? mix * ra[i] + (1 - mix) * rb[i] : tac_min(ra[i], rb[i]);
    }
    for (int i = 0; i < 5; i++)
        s->solimp[i] = mix * m->geom_solimp[5 * a + i] + (1 - mix) * m->geom_solimp[5 * b + i];
    for (int i = 0; i < 3; i++) {
        double fa = m->geom_friction[3 * a + i], fb = m->geom_friction[3 * b + i];
        friction[i] = pa != pb ? (pa > pb ? fa : fb) : tac_max(fa, fb);
    }
    const int from[5] = {0, 0, 1, 2, 2};
    for (int i = 0; i < 5; i++)
        s->friction[i] = friction[from[i]];
}

tacContactSoftness tac_contact_softness(const tacModel *m, const tacContact *c) {
    tacContactSoftness s;
    if (c->pair >= 0) {
        memcpy(s.solref, m->pair_solref + 2 * c->pair, sizeof s.solref);
        memcpy(s.solimp, m->pair_solimp + 5 * c->pair, sizeof s.solimp);
        memcpy(s.friction, m->pair_friction + 5 * c->pair, sizeof s.friction);
    } else {
        mix_geoms(m, c->geom[0], c->geom[1], &s);
    }
    if (*m->option_enable & TAC_ENABLE_OVERRIDE) {
        memcpy(s.solref, m->option_o_solref, sizeof s.solref);
        memcpy(s.solimp, m->option_o_solimp, sizeof s.solimp);
        memcpy(s.friction, m->option_o_friction, sizeof s.friction);
    }
    for (int i = 0; i < 5; i++)
        s.friction[i] = tac_max(s.friction[i], LEAST_MU);
    return s;
}

/* --- Regularization ----------------------------------------------------------------------------------------------- */

/* MuJoCo's estimate of J M^-1 J^T of two bodies' row: turn 0 along a line, 1 about it. */
static double bodies_weight(const tacModel *m, const int body[2], int turn) {
    return m->body_invweight[2 * body[0] + turn] + m->body_invweight[2 * body[1] + turn];
}

static double coordinate_weight(const tacModel *m, int joint, int obj) {
    if (obj < 0) return 0;
    return joint ? m->dof_invweight[m->joint_dof_adr[obj]] : m->tendon_invweight[obj];
}

/* The same of any row but a contact's. */
static double row_weight(const tacModel *m, const tacSoft *soft, int k) {
    const tacRow *row = &soft->rows.row[k];
    int body[2];
    switch (row->kind) {
    case TAC_ROW_JOINT_LIMIT:
        return m->dof_invweight[m->joint_dof_adr[row->id]];
    case TAC_ROW_JOINT_FRICTION:
        return m->dof_invweight[row->id];
    case TAC_ROW_TENDON_LIMIT:
    case TAC_ROW_TENDON_FRICTION:
        return m->tendon_invweight[row->id];
    default:
        break;
    }
    const int *obj = m->equality_obj + 2 * row->id, joint = m->equality_type[row->id] == TAC_EQ_JOINT;
    if (joint || m->equality_type[row->id] == TAC_EQ_TENDON)
        return coordinate_weight(m, joint, obj[0]) + coordinate_weight(m, joint, obj[1]);
    tac_row_bodies(m, &soft->rows, k, body);
    return bodies_weight(m, body, row->axis >= 3);
}

static double regularize(const tacImpedance *z, double weight) { return tac_max(LEAST_R, (1 - z->d) * weight / z->d); }

/* R of a contact: of the normal row (a pyramid's first edge), then of friction, so that all directions slip at the same
 * part of their bound. */
static void regularize_contact(const tacModel *m, tacSoft *soft, tacSoftBlock *b, const int body[2]) {
    double tran = bodies_weight(m, body, 0), *D = soft->D + b->row, impratio = tac_max(LEAST_R, *m->option_impratio);
    const double *mu = b->friction;
    b->mu = b->n > 1 ? mu[0] * tac_sqrt(1 / impratio) : 0;
    if (b->kind == TAC_SOFT_PYRAMID) {
        double R = regularize(&b->z, tran + mu[0] * mu[0] * tran);
        D[0] = 1 / (2 * b->mu * b->mu * R);
        return;
    }
    double R = regularize(&b->z, tran), slip = R / impratio;
    D[0] = 1 / R;
    for (int k = 1; k < b->n; k++)
        D[k] = mu[k - 1] * mu[k - 1] / (slip * mu[0] * mu[0]);
}

/* --- Blocks ------------------------------------------------------------------------------------------------------- */

/* What of the model a row's softness is. */
static tacSoftness row_softness(const tacModel *m, const tacRow *row, double shortest) {
    const double *ref = NULL, *imp = NULL;
    int joint = row->kind == TAC_ROW_JOINT_FRICTION ? m->dof_joint[row->id] : row->id;
    switch (row->kind) {
    case TAC_ROW_JOINT_LIMIT:
        ref = m->joint_solref_limit + 2 * joint, imp = m->joint_solimp_limit + 5 * joint;
        break;
    case TAC_ROW_JOINT_FRICTION:
        ref = m->joint_solref_friction + 2 * joint, imp = m->joint_solimp_friction + 5 * joint;
        break;
    case TAC_ROW_TENDON_LIMIT:
        ref = m->tendon_solref_limit + 2 * row->id, imp = m->tendon_solimp_limit + 5 * row->id;
        break;
    case TAC_ROW_TENDON_FRICTION:
        ref = m->tendon_solref_friction + 2 * row->id, imp = m->tendon_solimp_friction + 5 * row->id;
        break;
    default:
        ref = m->equality_solref + 2 * row->id, imp = m->equality_solimp + 5 * row->id;
        break;
    }
    return tac_soft_clamp(ref, imp, shortest);
}

static void pose_contact(const tacModel *m, tacSoft *soft, tacSoftBlock *b, double shortest) {
    const tacContact *c = &soft->rows.contact[soft->rows.row[b->row].id];
    int body[2] = {m->geom_body[c->geom[0]], m->geom_body[c->geom[1]]};
    tacContactSoftness s = tac_contact_softness(m, c);
    tacSoftness clamped = tac_soft_clamp(s.solref, s.solimp, shortest);
    b->kind = b->n == 1 ? TAC_SOFT_LIMIT : *m->option_cone == TAC_CONE_PYRAMIDAL ? TAC_SOFT_PYRAMID : TAC_SOFT_ELLIPTIC;
    b->r = c->dist - c->include;
    b->z = tac_soft_impedance(&clamped, b->r, 1);
    memcpy(b->friction, s.friction, sizeof b->friction);
    regularize_contact(m, soft, b, body);
}

static double limit_margin(const tacModel *m, const tacRow *row) {
    if (row->kind == TAC_ROW_JOINT_LIMIT) return m->joint_margin[row->id];
    return row->kind == TAC_ROW_TENDON_LIMIT ? m->tendon_margin[row->id] : 0;
}

static double length_of(const tacRow *row, int n) {
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += row[k].pos * row[k].pos;
    return tac_sqrt(sum);
}

static void pose_other(const tacModel *m, tacSoft *soft, tacSoftBlock *b, double shortest) {
    const tacRow *row = &soft->rows.row[b->row];
    int dry = row->kind == TAC_ROW_JOINT_FRICTION || row->kind == TAC_ROW_TENDON_FRICTION;
    tacSoftness s = row_softness(m, row, shortest);
    b->kind = row->kind == TAC_ROW_EQUALITY ? TAC_SOFT_EQUALITY : dry ? TAC_SOFT_LOSS : TAC_SOFT_LIMIT;
    b->r = b->n > 1 ? length_of(row, b->n) : row->pos - limit_margin(m, row);
    b->z = tac_soft_impedance(&s, b->r, !dry);
    if (row->kind == TAC_ROW_JOINT_FRICTION) b->loss = m->joint_frictionloss[m->dof_joint[row->id]];
    if (row->kind == TAC_ROW_TENDON_FRICTION) b->loss = m->tendon_frictionloss[row->id];
    for (int k = 0; k < b->n; k++)
        soft->D[b->row + k] = 1 / regularize(&b->z, row_weight(m, soft, b->row + k));
}

/* Rows of one block: of a contact, of a connect or weld; others alone. */
static int rows_of_block(const tacRows *rows, int k) {
    const tacRow *row = &rows->row[k];
    int n = 1;
    if (row->kind != TAC_ROW_CONTACT && row->kind != TAC_ROW_EQUALITY) return 1;
    while (k + n < rows->n && row[n].kind == row->kind && row[n].id == row->id)
        n++;
    return n;
}

/* r of one row: what its reference pulls at. */
static double row_error(const tacSoftBlock *b, const tacRow *row, int k) {
    if (row->kind == TAC_ROW_CONTACT) return k == 0 ? b->r : 0;
    return b->n > 1 ? row[k].pos : b->r;
}

void tac_soft_pose(const tacModel *m, tacSoft *soft, const double *v, double h) {
    double shortest = *m->option_disable & TAC_DISABLE_REFSAFE ? 0 : 2 * h;
    soft->nblock = 0;
    for (int k = 0; k < soft->rows.n; k += soft->block[soft->nblock - 1].n) {
        tacSoftBlock *b = &soft->block[soft->nblock++];
        *b = (tacSoftBlock){.row = k, .n = rows_of_block(&soft->rows, k)};
        const tacRow *row = &soft->rows.row[k];
        if (row->kind == TAC_ROW_CONTACT)
            pose_contact(m, soft, b, shortest);
        else
            pose_other(m, soft, b, shortest);
        for (int i = 0; i < b->n; i++)
            soft->aref[k + i] =
                -b->z.B * tac_row_velocity(&soft->rows, k + i, v) - b->z.K * b->z.d * row_error(b, row, i);
    }
}
