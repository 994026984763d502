/* The report of a step on its solved problem: contacts, margins, and the smooth piece of the step. */
#include "contact/lcp/share.h"

#include "math/scalar.h"

/* m/s, rad/s: a row with less margin is tied. */
#define TIED 1e-12
/* Nothing moves a row whose J M^-1 J^T is below this share of its compliance (sideways friction of a planar robot). It
 * never changes its class. */
#define UNMOVED 1e-6

double tac_lcp_row_margin(const tacLcp *lcp, int k) {
    double scale = lcp->parent[k] < 0 ? 1 : lcp->decided[lcp->parent[k]],
           a = tac_row_product(&lcp->rows, k, k) + lcp->eps[k];
    if (lcp->row_class[k] == TAC_ROW_OFF || a <= (1 + UNMOVED) * lcp->eps[k]) return TAC_INFINITY;
    if (lcp->row_class[k] != TAC_ROW_FREE) return tac_abs(lcp->w[k]);
    double low = lcp->decided[k] - lcp->low[k] * scale, high = lcp->high[k] * scale - lcp->decided[k];
    return a * tac_min(low, high);
}

/* Least change of pos/h (m/s, rad/s) at which the shift of a row that holds begins, or ceases, to be at its bound: the
 * derivative by pos has a step there. */
static double shift_margin(const tacLcp *lcp, int k) {
    const tacRow *row = &lcp->rows.row[k];
    int tangent = row->kind == TAC_ROW_CONTACT && row->axis > 0;
    int friction = row->kind == TAC_ROW_JOINT_FRICTION || row->kind == TAC_ROW_TENDON_FRICTION;
    if (lcp->row_class[k] != TAC_ROW_FREE || tangent || friction || lcp->bounce[k] > 0) return TAC_INFINITY;
    if (tac_lcp_has_met(lcp, row)) return TAC_INFINITY; /* has no shift */
    if (row->kind == TAC_ROW_EQUALITY) return tac_lcp_closing_margin(lcp, k);
    if (lcp->toi && row->kind == TAC_ROW_CONTACT) return tac_lcp_return_margin(lcp, row->pos);
    return tac_abs((row->pos - (row->kind == TAC_ROW_CONTACT ? lcp->target : 0)) / lcp->span + TAC_LCP_CORRECTION);
}

/* 1: a separated contact or limit, which is no part of the active set. */
static int is_idle(const tacLcp *lcp, int k) {
    int p = lcp->parent[k] < 0 ? k : lcp->parent[k];
    return lcp->row_class[p] == TAC_ROW_LOW && lcp->low[p] == 0;
}

static uint64_t hash_row(const tacLcp *lcp, int k, uint64_t hash) {
    const tacRow *row = &lcp->rows.row[k];
    int bounces = (lcp->bounce[k] > 0) + (lcp->bounce[k] < lcp->restitution[k]);
    int words[6] = {(int)row->kind, row->id, row->axis, lcp->row_class[k], (int)tac_lcp_shift_piece(lcp, row), bounces};
    if (row->kind == TAC_ROW_EQUALITY) {
        tac_lcp_closing_speed(lcp, k, &words[4]);
        words[5] = lcp->hold[k];
    }
    if (row->kind == TAC_ROW_CONTACT) {
        words[1] = 0;
        if (row->axis == 0) hash = tac_contact_hash(&lcp->rows.contact[row->id], hash);
    }
    return tac_hash(words, sizeof words, hash);
}

static void count_contact(const tacLcp *lcp, int k, tacStepInfo *info) {
    int friction = k + 2 < lcp->rows.n && lcp->parent[k + 1] == k;
    info->contacts++;
    if (!friction || lcp->row_class[k + 1] == TAC_ROW_OFF) return;
    int sticks = lcp->row_class[k + 1] == TAC_ROW_FREE && lcp->row_class[k + 2] == TAC_ROW_FREE;
    info->sticking += sticks;
    info->sliding += !sticks;
}

/* The worst violation at q. Rows driven by mocap bodies do not count: they depend on more than q. */
static void report_start(const tacModel *m, const tacLcp *lcp, tacStepInfo *info) {
    tacViolation most = {0};
    for (int k = 0; k < lcp->rows.n; k++) {
        const tacRow *row = &lcp->rows.row[k];
        if (lcp->hold[k] == TAC_LCP_DRIVEN) continue;
        const int *geom = row->kind == TAC_ROW_CONTACT ? lcp->rows.contact[row->id].geom : NULL;
        if (geom != NULL && !tac_may_part(m, geom)) continue;
        tac_note_violation(tac_row_violation(row), row, geom, &most);
    }
    tac_report_start(&most, info);
}

void tac_lcp_report(const tacModel *m, const tacLcp *lcp, int quiet, tacStepInfo *info) {
    *info = (tacStepInfo){.iterations = lcp->pivots,
                          .residual = lcp->residual,
                          .class_margin = lcp->bounce_margin,
                          .feature_margin = TAC_INFINITY,
                          .restitution_share = 1};
    if (!quiet) report_start(m, lcp, info);
    for (int k = 0; k < lcp->rows.n && !quiet; k++) {
        const tacRow *row = &lcp->rows.row[k];
        double margin = tac_lcp_row_margin(lcp, k);
        info->class_margin = tac_min(info->class_margin, tac_min(margin, shift_margin(lcp, k)));
        info->ties += margin < TIED;
        if (lcp->restitution[k] > 0)
            info->restitution_share = tac_min(info->restitution_share, lcp->bounce[k] / lcp->restitution[k]);
        if (is_idle(lcp, k)) continue;
        info->active_set = hash_row(lcp, k, info->active_set);
        if (row->kind != TAC_ROW_CONTACT || row->axis != 0) continue;
        count_contact(lcp, k, info);
        info->feature_margin = tac_min(info->feature_margin, lcp->rows.contact[row->id].switch_margin);
    }
}
