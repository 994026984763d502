/* Terms of contacts in dR and dr (docs/theory/contact.md, R2, R3). Only held contacts have any: the others have neither
 * force nor condition. */
#include "base/error.h"
#include "contact/lcp/problem.h"

static double bounce_move(const void *context, const tacContact *c, int row, const tacDisplacement *d,
                          const tacContactTangent *t) {
    return tac_lcp_bounce_move(context, c, row, d, t);
}

static int any_bounces(const tacLcp *lcp) {
    int any = 0;
    for (int k = 0; k < lcp->rows.n; k++)
        any |= lcp->bounce[k] > 0;
    return any;
}

static void add_contact(const tacLcp *lcp, int contact, tacContactRun *run) {
    int first = lcp->rows.first_row[contact];
    int n = first + 1 < lcp->rows.n && lcp->parent[first + 1] == first ? 3 : 1;
    tacRunContact *r = tac_contact_run_add(run, contact, first, n);
    r->rate = tac_lcp_shift_rate(lcp, first);
    for (int axis = 0; axis < n; axis++)
        r->f[axis] = lcp->f[first + axis];
}

tacStatus tac_lcp_contacts_jac(const tacLcpPoint *p, const tacLcpSink *q, const tacLcpSink *mocap,
                               const tacLcpSink *theta, const tacParamTangent *tangents) {
    const tacLcp *lcp = p->lcp;
    tacContactColumns to = {q, mocap, theta, tangents};
    tacContactRun run = {.m = p->m,
                         .w = p->w,
                         .scene = p->scene,
                         .rows = &lcp->rows,
                         .x = p->x,
                         .z = p->v_next,
                         .V = p->V,
                         .scale = -1 / lcp->h,
                         .wrench_scale = 1 / lcp->h,
                         .more = any_bounces(lcp) ? bounce_move : NULL,
                         .context = p};
    for (int contact = 0; contact < lcp->rows.ncontact; contact++) {
        if (lcp->row_class[lcp->rows.first_row[contact]] != TAC_ROW_FREE) continue;
        if (!tac_contact_run_takes(&run, contact)) TAC_TRY(tac_contact_run_jac(&run, &to));
        add_contact(lcp, contact, &run);
    }
    return tac_contact_run_jac(&run, &to);
}
