/* Equalities of an lcp step (docs/theory/contact.md, L12, L13) and their terms in its derivatives. With the gain
 * dv = v+ - v, a closed equality has
 *
 *   r = J dv + (pos(q (+) h v) - pos(q))/h + closing(pos(q)/h) + eps f
 *
 * This is differentiated at q, and pos also at the predicted q (+) h v. predict.c has the derivatives of q (+) h v
 * itself. An equality whose error exceeds its curvature is open. It closes slowly, as overlap does:
 *
 *   r = J v+ + closing(pos(q)/h) + eps f,      |closing| <= TAC_LCP_CLOSING, along pos
 *
 * An equality on a mocap body follows that body, whose motion is in no velocity. At an impact, r = J dv + eps f. */
#include "contact/coordinate.h"
#include "contact/equality.h"
#include "contact/lcp/problem.h"
#include "math/scalar.h"

/* --- How they are held -------------------------------------------------------------------------------------------- */

/* |pos| over the (up to three) translational, or rotational, rows of row k's equality. */
static double opening(const tacLcp *lcp, int k) {
    const tacRow *row = &lcp->rows.row[k];
    int first = k - row->axis % 3;
    double sum = 0;
    for (int i = first; i < first + 3 && i < lcp->rows.n; i++)
        if (lcp->rows.row[i].kind == TAC_ROW_EQUALITY && lcp->rows.row[i].id == row->id)
            sum += lcp->rows.row[i].pos * lcp->rows.row[i].pos;
    return tac_sqrt(sum);
}

/* Sets hold of the rows first, first + 1, ... of one equality. Returns the first row of the next. An equality is open
 * when its error exceeds the row's curvature. A step leaves a smaller error, so a mechanism in motion stays closed. */
static int hold_one(const tacModel *m, tacLcp *lcp, int first) {
    const tacRow *row = lcp->rows.row;
    double pos = 0, curvature = 0;
    int end = first;
    for (; end < lcp->rows.n && row[end].kind == TAC_ROW_EQUALITY && row[end].id == row[first].id; end++) {
        pos = tac_max(pos, opening(lcp, end) / lcp->h);
        curvature = tac_max(curvature, tac_abs(row[end].curvature));
    }
    int driven = tac_row_is_driven(m, &lcp->rows, first), open = pos > TAC_LCP_CLOSING + curvature;
    tacLcpHold hold = lcp->impact ? TAC_LCP_KEPT : driven ? TAC_LCP_DRIVEN : open ? TAC_LCP_OPEN : TAC_LCP_CLOSED;
    for (int k = first; k < end; k++)
        lcp->hold[k] = (int)hold;
    if (!lcp->impact && !driven)
        lcp->bounce_margin = tac_min(lcp->bounce_margin, tac_abs(pos - TAC_LCP_CLOSING - curvature));
    return end;
}

void tac_lcp_set_hold(const tacModel *m, tacLcp *lcp) {
    for (int k = 0; k < lcp->rows.n;)
        if (lcp->rows.row[k].kind == TAC_ROW_EQUALITY)
            k = hold_one(m, lcp, k);
        else
            lcp->hold[k++] = TAC_LCP_CLOSED;
}

double tac_lcp_closing_speed(const tacLcp *lcp, int k, int *bound) {
    const tacRow *row = &lcp->rows.row[k];
    double h = lcp->h, s = row->pos / h, most = TAC_LCP_FOLLOWING, open = 0;
    int at = 0;
    if (lcp->hold[k] == TAC_LCP_KEPT) s = 0;
    if (lcp->hold[k] == TAC_LCP_DRIVEN) {
        at = (s > most) - (s < -most);
        s = tac_clamp(s, -most, most);
    }
    if (lcp->hold[k] == TAC_LCP_OPEN) {
        open = opening(lcp, k);
        at = open > TAC_LCP_CLOSING * h;
    }
    if (open > TAC_LCP_CLOSING * h) s = row->pos * (TAC_LCP_CLOSING / open);
    if (bound != NULL) *bound = at;
    return s + (tac_lcp_is_predicted(lcp, k) ? row->curvature : 0);
}

double tac_lcp_closing_margin(const tacLcp *lcp, int k) {
    double h = lcp->h;
    if (lcp->hold[k] == TAC_LCP_DRIVEN) return tac_abs(tac_abs(lcp->rows.row[k].pos / h) - TAC_LCP_FOLLOWING);
    return lcp->hold[k] == TAC_LCP_OPEN ? tac_abs(opening(lcp, k) / h - TAC_LCP_CLOSING) : TAC_INFINITY;
}

/* d(closing)/d(pos), less 1/h where pos is predicted. At the bound of an open one, s = C pos/|pos|:
 *   ds = (C/|pos|) (dpos - n (n . dpos)),   n = pos/|pos|;   *across = (C/|pos|)^1/2 n_k */
static double rate_here(const tacLcp *lcp, int k, double *across) {
    int bound;
    *across = 0;
    if (lcp->hold[k] == TAC_LCP_KEPT) return 0;
    tac_lcp_closing_speed(lcp, k, &bound);
    if (lcp->hold[k] != TAC_LCP_OPEN || bound == 0) return ((bound == 0) - tac_lcp_is_predicted(lcp, k)) / lcp->h;
    double open = opening(lcp, k), rate = TAC_LCP_CLOSING / open;
    *across = tac_sqrt(rate) * lcp->rows.row[k].pos / open;
    return rate;
}

/* Factor of J. */
static const double *speed_of(const tacLcpPoint *p, int k) {
    return tac_lcp_is_predicted(p->lcp, k) ? p->gained : p->v_next;
}

/* --- Joints and tendons ------------------------------------------------------------------------------------------- */

static void couple_jac(const tacLcpPoint *p, int k, const tacRowSink *q, const tacRowSink *theta,
                       const tacParamTangent *tangents) {
    const tacLcp *lcp = p->lcp;
    const tacRow *row = &lcp->rows.row[k];
    tacCombination here = tac_row_combination(p->m, row, p->x->q);
    double across, rate = rate_here(lcp, k, &across);
    tacRowWeights by = {lcp->f[k], -1 / lcp->h, rate - across * across, speed_of(p, k)}, next = {.rate = 1 / lcp->h};
    tac_combination_jac(p->m, &here, k, &by, q);
    for (int i = 0; theta != NULL && i < p->m->nmember; i++) {
        int column = tangents[i].column;
        tac_combination_param(p->m, &here, row, k, p->x->q, &by, &tangents[i], column, theta);
        if (lcp->predicted.q == NULL || !tac_lcp_is_predicted(lcp, k)) continue;
        tacCombination there = tac_row_combination(p->m, row, lcp->predicted.q);
        tac_combination_param(p->m, &there, row, k, lcp->predicted.q, &next, &tangents[i], column, theta);
    }
}

/* --- Connects and welds ------------------------------------------------------------------------------------------- */

/* An equality at q, or at the predicted q (+) h v, with the weights of its changes. */
static tacEqualityPlace place_here(const tacLcpPoint *p, int k) {
    const tacLcp *lcp = p->lcp;
    tacEqualityPlace a = {p->w, *p->x, tac_equality_at(p->m, p->w, lcp->rows.row[k].id), {.k = k}};
    tac_equality_meet(&a.e);
    a.by.scale = -1 / lcp->h;
    a.by.z = speed_of(p, k);
    a.by.V = tac_lcp_is_predicted(lcp, k) ? p->V_gained : p->V;
    for (int i = 0; i < a.e.n; i++) {
        a.by.f[i] = lcp->f[k + i];
        a.by.rate[i] = rate_here(lcp, k + i, &a.by.across[i]);
    }
    return a;
}

static tacEqualityPlace place_predicted(const tacLcpPoint *p, int k) {
    tacEqualityPlace a = {
        &p->lcp->predicted.w, *p->x, tac_equality_at(p->m, &p->lcp->predicted.w, p->lcp->rows.row[k].id), {.k = k}};
    a.x.q = p->lcp->predicted.q;
    for (int i = 0; i < a.e.n; i++)
        a.by.rate[i] = 1 / p->lcp->h;
    return a;
}

static void pose_jac(const tacLcpPoint *p, int k, const tacRowSink *q, const tacRowSink *mocap, const tacRowSink *theta,
                     const tacParamTangent *tangents) {
    tacEqualityPlace here = place_here(p, k);
    for (int j = 0; j < p->m->nv; j++) {
        tacMover mover = tac_dof_mover(p->m, p->w, j);
        tac_equality_move(p->m, p->w, &here.e, &mover, &here.by, j, q);
    }
    tac_equality_inputs_jac(p->m, &here, tangents, mocap, theta);
    if (p->lcp->predicted.q == NULL || !tac_lcp_is_predicted(p->lcp, k)) return;
    tacEqualityPlace next = place_predicted(p, k);
    tac_equality_inputs_jac(p->m, &next, tangents, mocap, theta);
}

/* --- All of them -------------------------------------------------------------------------------------------------- */

void tac_lcp_equality_jac(const tacLcpPoint *p, const tacLcpSink *q, const tacLcpSink *mocap, const tacLcpSink *theta,
                          const tacParamTangent *tangents) {
    const tacRows *rows = &p->lcp->rows;
    tacRowSink to_q = tac_lcp_rows(q), to_mocap = {.force = {0}}, to_theta = {.force = {0}};
    if (mocap != NULL) to_mocap = tac_lcp_rows(mocap);
    if (theta != NULL) to_theta = tac_lcp_rows(theta);
    for (int k = 0; k < rows->n; k++) {
        const tacRow *row = &rows->row[k];
        if (row->kind != TAC_ROW_EQUALITY) continue;
        if (!tac_equality_is_pose(p->m, row->id))
            couple_jac(p, k, &to_q, theta == NULL ? NULL : &to_theta, tangents);
        else if (row->axis == 0)
            pose_jac(p, k, &to_q, mocap == NULL ? NULL : &to_mocap, theta == NULL ? NULL : &to_theta, tangents);
    }
}
