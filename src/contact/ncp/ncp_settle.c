/* Trial points of Newton's steps, put on the central path   (docs/theory/ncp.md, W14a). Impulses are the linear
 * equations', gaps and slips those of the trial's poses: what is far apart has no residual then, however much its gap
 * bends. Of what was off before the step the same share is left to gaps and slips as the linear equations leave. */
#include "contact/ncp/ncp.h"

void tac_ncp_note_residuals(tacNcp *p) {
    tac_ncp_forget_lost(p);
    for (int i = 0; i < p->ncontact; i++)
        p->contact[i].off = p->contact[i].e;
    for (int k = 0; k < p->rows.n; k++)
        p->rows.row[k].off = p->rows.row[k].e[0];
}

static void settle_contact(const tacNcp *p, const tacNcpContact *c, double kappa, double left, double *a, double *b) {
    int friction = c->p.mu > 0 ? c->cone + 1 : c->cone; /* a pyramid's two cones are alike */
    tacFrictionPath path = {.ratio = {p->ratio[c->cone], p->ratio[friction]},
                            .k = {kappa * p->unit[c->cone], kappa * p->unit[friction]},
                            .left = left,
                            .off = &c->off};
    tac_friction_settle_contact(&c->p, &path, c->gap_slip, a, b);
}

static void settle_row(const tacNcp *p, const tacNcpRow *row, double kappa, double left, double *a, double *b) {
    double r = row->r + left * row->off, product = kappa * p->unit[row->cone];
    if (row->law == TAC_NCP_PAIR) {
        *b = r;
        tac_pair_settle(p->ratio[row->cone], product, a, b);
    } else {
        a[0] = 1;
        tac_friction_settle(1, p->ratio[row->cone], product, &r, a, b);
    }
}

void tac_ncp_settle(const tacNcp *p, double kappa, double left, double *a, double *b) {
    for (int i = 0; i < p->ncontact; i++)
        settle_contact(p, &p->contact[i], kappa, left, a + p->contact[i].adr, b + p->contact[i].adr);
    for (int k = 0; k < p->rows.n; k++) {
        const tacNcpRow *row = &p->rows.row[k];
        if (row->cone >= 0) settle_row(p, row, kappa, left, a + row->at, b + row->at);
    }
}
