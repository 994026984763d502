/* Restitution (docs/theory/contact.md, L7). A contact with restitution e > 0 bounces if its present velocity closes it
 * in this step, dist + h J v < 0, and exceeds the threshold. Its shift is
 *
 *   s = e J v      so that w = J v+ + e J v >= 0: it leaves with e times the speed it came with
 *
 * The shift by its gap would stop it at the surface.
 *
 * At an impact within a step the forces of the whole step have acted already. The velocity at that time is v + lag, and
 * s = e J (v + lag) + J lag (H4). */
#include "contact/lcp/problem.h"

#include "math/scalar.h"

/* Least change of J v at which the row begins, or ceases, to bounce. dist + h J v < 0 is J v < -dist/h. */
static double margin_of(const tacLcp *lcp, int k, double approach, double speed) {
    double threshold = lcp->toi ? -speed : tac_min(-speed, -lcp->rows.row[k].pos / lcp->h);
    return tac_abs(approach - threshold);
}

void tac_lcp_bounce(const tacModel *m, tacLcp *lcp, const double *v, const double *lag, double speed) {
    lcp->v = v;
    lcp->lag = lag;
    for (int k = 0; k < lcp->rows.n; k++) {
        const tacRow *row = &lcp->rows.row[k];
        if (row->kind != TAC_ROW_CONTACT || row->axis != 0) continue;
        double e = tac_contact_restitution(m, &lcp->rows.contact[row->id]);
        if (!(e > 0)) continue;
        double late = lag == NULL ? 0 : tac_row_velocity(&lcp->rows, k, lag);
        double approach = tac_row_velocity(&lcp->rows, k, v) + late, s = e * approach + late;
        int closes = lcp->toi || row->pos + lcp->h * approach < 0;
        lcp->bounce_margin = tac_min(lcp->bounce_margin, margin_of(lcp, k, approach, speed));
        if (!(approach < -speed) || !closes || !(s < 0)) continue;
        lcp->bounce[k] = lcp->restitution[k] = e;
        lcp->s[k] = s;
        lcp->bouncing++;
    }
}

void tac_lcp_hop(tacLcp *lcp, int contact, const double *v) {
    int k = lcp->rows.first_row[contact];
    double approach = tac_row_velocity(&lcp->rows, k, v);
    if (!(approach < 0)) return;
    lcp->bounce[k] = TAC_LCP_HOP;
    lcp->restitution[k] = 0;
    lcp->s[k] = TAC_LCP_HOP * approach;
}

double tac_lcp_lag_share(const tacLcp *lcp, int k) {
    double e = lcp->bounce[k];
    return e > 0 && e <= 1 ? 1 + e : 0;
}

double tac_lcp_bounce_move(const tacLcpPoint *p, const tacContact *c, int row, const tacDisplacement *d,
                           const tacContactTangent *t) {
    double e = p->lcp->bounce[row], change[3];
    if (!(e > 0)) return 0;
    tac_contact_velocity_move(p->m, p->w, c, p->V_start, p->x->v, d, t, change);
    double sum = e * change[0];
    double share = tac_lcp_lag_share(p->lcp, row);
    if (p->lcp->lag == NULL || share == 0) return sum;
    tac_contact_velocity_move(p->m, p->w, c, p->V_lag, p->lcp->lag, d, t, change);
    return sum + share * change[0];
}

double tac_lcp_bounce_param(const tacLcpPoint *p, int row, const tacParamTangent *t) {
    if (tac_lcp_lag_share(p->lcp, row) == 0) return 0; /* no restitution in it */
    double rate = tac_contact_restitution_param(p->m, t, &p->lcp->rows.contact[p->lcp->rows.row[row].id]);
    if (rate == 0) return 0;
    double late = p->lcp->lag == NULL ? 0 : tac_row_velocity(&p->lcp->rows, row, p->lcp->lag);
    double share = p->lcp->bounce[row] / p->lcp->restitution[row];
    return share * rate * (tac_row_velocity(&p->lcp->rows, row, p->x->v) + late);
}
