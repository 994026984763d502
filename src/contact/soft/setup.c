/* Constraints of the soft model: impedances, regularization, reference accelerations. */
#include "contact/soft/problem.h"

#include "contact/equality.h"
#include "math/scalar.h"

#include <string.h>

int tac_soft_layout(tacSoft *soft, const tacModel *m, int max_contacts, tacArena *arena) {
    *soft = (tacSoft){.nblock = 0};
    int ok = tac_rows_layout(&soft->rows, m, max_contacts, arena), n = soft->rows.max;
    double **reals[] = {&soft->D, &soft->aref, &soft->y, &soft->f};
    soft->rows.turning = 1;
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++)
        ok &= (*reals[k] = TAC_TAKE(arena, n, double)) != NULL;
    soft->block = TAC_TAKE(arena, n, tacSoftBlock);
    return ok && soft->block != NULL;
}

/* --- What a contact has of its geoms ------------------------------------------------------------------------------ */

/* Weight of the first geom if both have the same priority. */
static double mix_of(const tacModel *m, int a, int b) {
    double x = m->geom_solmix[a], y = m->geom_solmix[b];
    if (x >= TAC_SOFT_LEAST_R && y >= TAC_SOFT_LEAST_R) return x / (x + y);
    return x < TAC_SOFT_LEAST_R && y < TAC_SOFT_LEAST_R ? 0.5 : x < TAC_SOFT_LEAST_R ? 0 : 1;
}

double tac_contact_mix(const tacModel *m, int a, int b, int *average) {
    int pa = m->geom_priority[a], pb = m->geom_priority[b];
    *average = pa != pb || (m->geom_solref[2 * a] > 0 && m->geom_solref[2 * b] > 0);
    return pa != pb ? pa > pb : mix_of(m, a, b);
}

static void mix_geoms(const tacModel *m, int a, int b, tacContactSoftness *s) {
    int average, pa = m->geom_priority[a], pb = m->geom_priority[b];
    double mix = tac_contact_mix(m, a, b, &average), friction[3];
    const double *ra = m->geom_solref + 2 * a, *rb = m->geom_solref + 2 * b;
    for (int i = 0; i < 2; i++)
        s->solref[i] = average ? mix * ra[i] + (1 - mix) * rb[i] : tac_min(ra[i], rb[i]);
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
    tacContactSoftness s = {.solreffriction = {0, 0}};
    if (c->pair >= 0) {
        memcpy(s.solreffriction, m->pair_solreffriction + 2 * c->pair, sizeof s.solreffriction);
        memcpy(s.solref, m->pair_solref + 2 * c->pair, sizeof s.solref);
        memcpy(s.solimp, m->pair_solimp + 5 * c->pair, sizeof s.solimp);
        memcpy(s.friction, m->pair_friction + 5 * c->pair, sizeof s.friction);
    } else {
        mix_geoms(m, c->geom[0], c->geom[1], &s);
    }
    if (*m->option_enable & TAC_ENABLE_OVERRIDE) {
        memcpy(s.solref, m->option_o_solref, sizeof s.solref);
        memcpy(s.solreffriction, m->option_o_solref, sizeof s.solreffriction);
        memcpy(s.solimp, m->option_o_solimp, sizeof s.solimp);
        memcpy(s.friction, m->option_o_friction, sizeof s.friction);
    }
    for (int i = 0; i < 5; i++)
        s.friction[i] = tac_max(s.friction[i], TAC_SOFT_LEAST_MU);
    return s;
}

int tac_contact_has_slip(const tacModel *m, const tacContactSoftness *s) {
    const double *ref = s->solreffriction;
    return *m->option_cone == TAC_CONE_ELLIPTIC && (ref[0] != 0 || ref[1] != 0) && (ref[0] > 0) == (ref[1] > 0);
}

/* --- Regularization ----------------------------------------------------------------------------------------------- */

static double at(const double *array, int i) { return array == NULL ? 0 : array[i]; }

static double coordinate_weight(const tacModel *m, int joint, int obj, tacInverseWeights by) {
    if (obj < 0) return 0;
    return joint ? at(by.dof, m->joint_dof_adr[obj]) : at(by.tendon, obj);
}

double tac_soft_weight(const tacModel *m, const tacRows *rows, int k, tacInverseWeights by) {
    const tacRow *row = &rows->row[k];
    int body[2], equality = row->kind == TAC_ROW_EQUALITY, type = equality ? m->equality_type[row->id] : -1;
    switch (row->kind) {
    case TAC_ROW_JOINT_LIMIT:
        return at(by.dof, m->joint_dof_adr[row->id]);
    case TAC_ROW_JOINT_FRICTION:
        return at(by.dof, row->id);
    case TAC_ROW_TENDON_LIMIT:
    case TAC_ROW_TENDON_FRICTION:
        return at(by.tendon, row->id);
    default:
        break;
    }
    if (type == TAC_EQ_JOINT || type == TAC_EQ_TENDON) {
        const int *obj = m->equality_obj + 2 * row->id;
        return coordinate_weight(m, type == TAC_EQ_JOINT, obj[0], by) +
               coordinate_weight(m, type == TAC_EQ_JOINT, obj[1], by);
    }
    tac_row_bodies(m, rows, k, body);
    int turn = equality && row->axis >= 3; /* 0 along a line, 1 about it */
    return at(by.body, 2 * body[0] + turn) + at(by.body, 2 * body[1] + turn);
}

static tacInverseWeights weights_of(const tacModel *m) {
    return (tacInverseWeights){m->dof_invweight, m->body_invweight, m->tendon_invweight};
}

/* R = (1 - d)/d weight, of row i of a block. */
static double regularize(tacSoftBlock *b, int i, double weight) {
    double R = (1 - b->z.d) * weight / b->z.d;
    if (R > TAC_SOFT_LEAST_R) return R;
    b->held |= 1 << i;
    return TAC_SOFT_LEAST_R;
}

/* R of a contact: of the normal row (a pyramid's first edge), then of friction. All directions then slip at the same
 * fraction of their bound. */
static void regularize_contact(const tacModel *m, tacSoft *soft, tacSoftBlock *b) {
    double tran = tac_soft_weight(m, &soft->rows, b->row, weights_of(m)), *D = soft->D + b->row;
    double impratio = tac_max(TAC_SOFT_LEAST_R, *m->option_impratio);
    const double *mu = b->friction;
    b->mu = b->n > 1 ? mu[0] * tac_sqrt(1 / impratio) : 0;
    double R = regularize(b, 0, b->kind == TAC_SOFT_PYRAMID ? tran + mu[0] * mu[0] * tran : tran), slip = R / impratio;
    if (b->held) b->held = (1 << b->n) - 1;
    D[0] = b->kind == TAC_SOFT_PYRAMID ? 1 / (2 * b->mu * b->mu * R) : 1 / R;
    for (int k = 1; k < b->n && b->kind == TAC_SOFT_ELLIPTIC; k++)
        D[k] = mu[k - 1] * mu[k - 1] / (slip * mu[0] * mu[0]);
}

/* --- Blocks ------------------------------------------------------------------------------------------------------- */

tacSoftNumbers tac_soft_numbers(const tacModel *m, const tacRow *row) {
    int id = row->kind == TAC_ROW_JOINT_FRICTION ? m->dof_joint[row->id] : row->id;
    switch (row->kind) {
    case TAC_ROW_JOINT_LIMIT:
        return (tacSoftNumbers){m->joint_solref_limit + 2 * id, m->joint_solimp_limit + 5 * id, m->joint_margin + id,
                                NULL};
    case TAC_ROW_JOINT_FRICTION:
        return (tacSoftNumbers){m->joint_solref_friction + 2 * id, m->joint_solimp_friction + 5 * id, NULL,
                                m->joint_frictionloss + id};
    case TAC_ROW_TENDON_LIMIT:
        return (tacSoftNumbers){m->tendon_solref_limit + 2 * id, m->tendon_solimp_limit + 5 * id, m->tendon_margin + id,
                                NULL};
    case TAC_ROW_TENDON_FRICTION:
        return (tacSoftNumbers){m->tendon_solref_friction + 2 * id, m->tendon_solimp_friction + 5 * id, NULL,
                                m->tendon_frictionloss + id};
    default:
        return (tacSoftNumbers){m->equality_solref + 2 * id, m->equality_solimp + 5 * id, NULL, NULL};
    }
}

double tac_soft_shortest(const tacModel *m, double h) { return *m->option_disable & TAC_DISABLE_REFSAFE ? 0 : 2 * h; }

static tacSoftKind kind_of(const tacModel *m, const tacRow *row, int n) {
    switch (row->kind) {
    case TAC_ROW_EQUALITY:
        return TAC_SOFT_EQUALITY;
    case TAC_ROW_JOINT_FRICTION:
    case TAC_ROW_TENDON_FRICTION:
        return TAC_SOFT_LOSS;
    default:
        if (n == 1) return TAC_SOFT_LIMIT;
        return *m->option_cone == TAC_CONE_PYRAMIDAL ? TAC_SOFT_PYRAMID : TAC_SOFT_ELLIPTIC;
    }
}

static void set_contact(const tacModel *m, tacSoft *soft, tacSoftBlock *b, double shortest) {
    const tacContact *c = &soft->rows.contact[soft->rows.row[b->row].id];
    tacContactSoftness s = tac_contact_softness(m, c);
    tacSoftness clamped = tac_soft_clamp(s.solref, s.solimp, shortest);
    clamped.piece = b->piece;
    b->r = c->dist - c->include;
    b->z = tac_soft_impedance(&clamped, b->r, 1);
    b->own = b->n > 1 && tac_contact_has_slip(m, &s);
    b->slip = b->z.B;
    if (b->own) {
        clamped = tac_soft_clamp(s.solreffriction, s.solimp, shortest);
        clamped.piece = b->piece;
        b->slip = tac_soft_impedance(&clamped, b->r, 0).B;
    }
    memcpy(b->friction, s.friction, sizeof b->friction);
    regularize_contact(m, soft, b);
}

static double length_of(const tacRow *row, int n) {
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += row[k].pos * row[k].pos;
    return tac_sqrt(sum);
}

static void set_other(const tacModel *m, tacSoft *soft, tacSoftBlock *b, double shortest) {
    const tacRow *row = &soft->rows.row[b->row];
    tacSoftNumbers numbers = tac_soft_numbers(m, row);
    tacSoftness s = tac_soft_clamp(numbers.solref, numbers.solimp, shortest);
    int dry = b->kind == TAC_SOFT_LOSS;
    s.piece = b->piece;
    b->r = b->n > 1 ? length_of(row, b->n) : row->pos - (numbers.margin != NULL ? *numbers.margin : 0);
    b->z = tac_soft_impedance(&s, b->r, !dry);
    b->slip = b->z.B;
    b->loss = dry ? *numbers.loss : 0;
    for (int k = 0; k < b->n; k++)
        soft->D[b->row + k] = 1 / regularize(b, k, tac_soft_weight(m, &soft->rows, b->row + k, weights_of(m)));
}

/* Number of rows of one block: those of a contact, connect or weld; others have one. */
static int rows_of_block(const tacRows *rows, int k) {
    const tacRow *row = &rows->row[k];
    int n = 1;
    if (row->kind != TAC_ROW_CONTACT && row->kind != TAC_ROW_EQUALITY) return 1;
    while (k + n < rows->n && row[n].kind == row->kind && row[n].id == row->id)
        n++;
    return n;
}

/* -B J v - K d r, less J'v of connects and welds. */
static void set_reference(const tacModel *m, const tacWork *w, tacSoft *soft, const tacSoftBlock *b, const double *v) {
    const tacRow *row = &soft->rows.row[b->row];
    double *aref = soft->aref + b->row, bias[TAC_EQUALITY_ROWS];
    tac_block_velocities(&soft->rows, b->row, b->n, v, aref);
    for (int i = 0; i < b->n; i++)
        aref[i] = -tac_soft_damping(b, i) * aref[i] - b->z.K * b->z.d * tac_soft_row_error(b, row, i);
    if (row->kind != TAC_ROW_EQUALITY || !tac_equality_is_pose(m, row->id)) return;
    tacEquality e = tac_equality_at(m, w, row->id);
    tac_equality_bias(m, w, &e, v, bias);
    for (int i = 0; i < b->n; i++)
        aref[i] -= bias[i];
}

void tac_soft_setup(const tacModel *m, const tacWork *w, tacSoft *soft, const double *v, double h) {
    double shortest = tac_soft_shortest(m, h);
    const unsigned char *sign = soft->sign;
    soft->nblock = 0;
    for (int k = 0; k < soft->rows.n; k += soft->block[soft->nblock - 1].n) {
        tacSoftBlock *b = &soft->block[soft->nblock++];
        *b = (tacSoftBlock){.row = k, .n = rows_of_block(&soft->rows, k)};
        b->kind = kind_of(m, &soft->rows.row[k], b->n);
        if (sign != NULL) tac_soft_hold_piece(b, sign);
        if (soft->rows.row[k].kind == TAC_ROW_CONTACT)
            set_contact(m, soft, b, shortest);
        else
            set_other(m, soft, b, shortest);
        set_reference(m, w, soft, b, v);
        if (sign != NULL) sign += tac_soft_hold_law(b, sign);
    }
}
