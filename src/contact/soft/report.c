/* Report of a step's solved problem: the zone of each constraint, margins to the next zone, and the smooth piece of the
 * step. */
#include "contact/soft/problem.h"

#include "contact/ball_limit.h"
#include "contact/coordinate.h"
#include "math/scalar.h"

#include <string.h>

/* m/s^2: a zone with less margin is tied. */
#define TIED 1e-10

/* --- Margins ------------------------------------------------------------------------------------------------------ */

/* Least change of an edge's y, of the pyramid's largest slope, that makes it push or cease to push. */
static double pyramid_margin(const tacSoftBlock *b, const double *y) {
    double least = TAC_INFINITY;
    for (int k = 1; k < b->n; k++) {
        double mu = b->friction[k - 1], slope = tac_sqrt(1 + mu * mu);
        least = tac_min(least, tac_min(tac_abs(y[0] + mu * y[k]), tac_abs(y[0] - mu * y[k])) / slope);
    }
    return least;
}

/* Distance of (N, T) to the two lines N = mu T and mu N + T = 0, in units of y. */
static double elliptic_margin(const tacSoftBlock *b, const double *y) {
    double mu = b->mu, N = mu * y[0], T = 0, most = mu;
    for (int k = 1; k < b->n; k++) {
        T += b->friction[k - 1] * b->friction[k - 1] * y[k] * y[k];
        most = tac_max(most, b->friction[k - 1]);
    }
    T = tac_sqrt(T);
    return tac_min(tac_abs(N - mu * T), tac_abs(mu * N + T)) / (most * tac_sqrt(1 + mu * mu));
}

double tac_soft_margin(const tacSoftBlock *b, const double *D, const double *y) {
    switch (b->kind) {
    case TAC_SOFT_EQUALITY:
        return TAC_INFINITY;
    case TAC_SOFT_LOSS:
        return tac_abs(tac_abs(y[0]) - b->loss / D[0]);
    case TAC_SOFT_LIMIT:
        return tac_abs(y[0]);
    case TAC_SOFT_PYRAMID:
        return pyramid_margin(b, y);
    default:
        return elliptic_margin(b, y);
    }
}

/* Least change of r that leads to another smooth piece of the impedance, or ends a limit or contact. */
static double piece_margin(const tacSoftBlock *b) {
    return b->kind == TAC_SOFT_EQUALITY || b->kind == TAC_SOFT_LOSS ? b->z.next : tac_min(b->z.next, tac_abs(b->r));
}

double tac_soft_limit_margin(const tacModel *m, const double *q) {
    double least = TAC_INFINITY;
    if (*m->option_disable & (TAC_DISABLE_LIMIT | TAC_DISABLE_CONSTRAINT)) return least;
    for (int j = 0; j < m->njnt; j++) {
        if (!m->joint_limited[j] || m->joint_type[j] == TAC_JOINT_FREE) continue;
        tacVec3 axis;
        for (int side = m->joint_type[j] == TAC_JOINT_BALL; side < 2; side++) {
            tacRow row = {.kind = TAC_ROW_JOINT_LIMIT, .id = j, .axis = side};
            double pos = m->joint_type[j] == TAC_JOINT_BALL ? m->joint_range[2 * j + 1] - tac_ball_angle(m, j, q, &axis)
                                                            : tac_row_combination(m, &row, q).pos;
            least = tac_min(least, tac_abs(pos - m->joint_margin[j]));
        }
    }
    for (int t = 0; t < 2 * m->ntendon; t++) {
        tacRow row = {.kind = TAC_ROW_TENDON_LIMIT, .id = t / 2, .axis = t % 2};
        if (!m->tendon_limited[t / 2]) continue;
        least = tac_min(least, tac_abs(tac_row_combination(m, &row, q).pos - m->tendon_margin[t / 2]));
    }
    return least;
}

/* --- The set ------------------------------------------------------------------------------------------------------ */

static uint64_t hash_block(const tacSoft *soft, const tacSoftBlock *b, uint64_t hash) {
    const tacRow *row = &soft->rows.row[b->row];
    int both = b->kind == TAC_SOFT_EQUALITY || b->kind == TAC_SOFT_LOSS; /* else there is no row where r > 0 */
    int piece = !both && b->z.piece < 0 ? -b->z.piece : b->z.piece;
    int words[7] = {(int)row->kind, row->id, row->axis, (int)b->kind, b->zone, piece, b->own};
    if (row->kind == TAC_ROW_CONTACT) {
        words[1] = 0;
        hash = tac_contact_hash(&soft->rows.contact[row->id], hash);
    }
    return tac_hash(words, sizeof words, hash);
}

void tac_soft_count(const tacSoft *soft, tacStepInfo *info) {
    int contacts = 0, sliding = 0;
    info->iterations += soft->iterations;
    info->residual = tac_max(info->residual, soft->residual);
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        if (tac_soft_is_idle(b) || soft->rows.row[b->row].kind != TAC_ROW_CONTACT) continue;
        contacts++;
        sliding += tac_soft_zone(b) == TAC_ZONE_CONE;
    }
    if (contacts < info->contacts) return; /* of the stages of a step, the one that has most */
    info->contacts = contacts;
    info->sliding = sliding;
    info->sticking = contacts - sliding;
}

void tac_soft_report(const tacSoft *soft, double h, tacStepInfo *info) {
    tac_soft_count(soft, info);
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        double margin = tac_soft_margin(b, soft->D + b->row, soft->y + b->row);
        info->class_margin = tac_min(info->class_margin, h * margin);
        info->ties += margin < TIED;
        if (tac_soft_is_idle(b)) continue;
        info->active_set = hash_block(soft, b, info->active_set);
        info->feature_margin = tac_min(info->feature_margin, piece_margin(b));
        if (soft->rows.row[b->row].kind != TAC_ROW_CONTACT) continue;
        info->feature_margin =
            tac_min(info->feature_margin, soft->rows.contact[soft->rows.row[b->row].id].switch_margin);
    }
}
