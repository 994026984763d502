/* Derivatives of the rows by the time step h, at fixed a and forces f/h (docs/theory/contact.md, L16). v+ = v + h a,
 * and gaps close within h. Impulses grow with h, as those of dry friction at its bound do; what constraints add to R
 * stays. predict.c has the derivative of q (+) h v. */
#include "contact/lcp/problem.h"

/* d(s)/dh without the predicted part: s = pos/h, unless it is at a bound or is e J v. At an impact s is over the time
 * that is left, which is not h. */
static double shift_change(const tacLcp *lcp, int k) {
    const tacRow *row = &lcp->rows.row[k];
    int bound = 0, tangent = row->kind == TAC_ROW_CONTACT && row->axis > 0;
    if (tangent || row->kind == TAC_ROW_JOINT_FRICTION || row->kind == TAC_ROW_TENDON_FRICTION) return 0;
    if (row->kind != TAC_ROW_EQUALITY)
        return tac_lcp_shift_by_step(lcp, k) + (lcp->impact ? 0 : tac_lcp_shift_by_span(lcp, k));
    tac_lcp_closing_speed(lcp, k, &bound);
    return bound == 0 && !lcp->impact ? -row->pos / (lcp->h * lcp->h) : 0;
}

/* d/dh of (pos(q (+) h v) - pos(q))/h at fixed poses, for a predicted row. */
static double predicted_change(const tacLcpPoint *p, int k) {
    const tacLcp *lcp = p->lcp;
    if (lcp->impact || lcp->rows.row[k].kind != TAC_ROW_EQUALITY || !tac_lcp_is_predicted(lcp, k)) return 0;
    return -(lcp->rows.row[k].curvature + tac_row_velocity(&lcp->rows, k, p->x->v)) / lcp->h;
}

/* d(eps f): f is h times a force; compliance is less in long steps, by the square. */
static double compliance_change(const tacLcp *lcp, int k) {
    return (lcp->firmness < 1 ? -1 : 1) * lcp->eps[k] * lcp->f[k] / lcp->h;
}

/* J_k times the velocity that an impact takes back (truth.c). It takes back all dofs of a row, or none. */
static double undone(const tacLcp *lcp, int k) {
    const tacRow *row = &lcp->rows.row[k];
    int is = lcp->truth != NULL && row->num > 0 && lcp->undo[lcp->rows.dof[row->adr]];
    return is ? tac_row_velocity(&lcp->rows, k, lcp->late) : 0;
}

void tac_lcp_time_jac(const tacLcpPoint *p, int column, const tacLcpSink *sink) {
    const tacLcp *lcp = p->lcp;
    for (int k = 0; k < lcp->rows.n; k++) {
        double gained = (tac_row_velocity(&lcp->rows, k, p->gained) - undone(lcp, k)) / lcp->h; /* J a */
        tac_emit(&sink->row, k, column,
                 gained + shift_change(lcp, k) + predicted_change(p, k) + compliance_change(lcp, k));
    }
}
