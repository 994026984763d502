/* The system of bodies and dofs, A, bordered by the rows that act on dofs of several joints   (docs/theory/ncp.md, W32)
 *
 *   A dv - J^T dp = -R,      G dv + C dp = w,      S = C + G A^-1 J^T
 *
 * C is small where a row is active and large where it is not. Nothing large is added to A. */
#include "contact/ncp/border.h"

#include "math/dense.h"

#include <string.h>

static const tacNcpRow *wide_row(const tacNcp *p, int i) { return &p->rows.row[p->rows.wide[i]]; }

/* Column l of S: G A^-1 J_l^T. */
static void put_column(tacNcp *p, int l) {
    int n = p->rows.nwide, nv = p->m->nv;
    memset(p->rows.X, 0, (size_t)nv * sizeof *p->rows.X);
    tac_ncp_row_axpy(&p->rows, wide_row(p, l), -1, p->rows.J, p->rows.X);
    tac_block_ldu_solve(&p->ldu, &p->rhs[0].ang.x, p->rows.X, p->rows.X);
    for (int k = 0; k < n; k++)
        p->rows.S[(size_t)k * (size_t)n + (size_t)l] = tac_ncp_row_dot(&p->rows, wide_row(p, k), p->rows.G, p->rows.X);
}

tacStatus tac_ncp_border_factor(tacNcp *p) {
    int n = p->rows.nwide;
    if (n == 0) return TAC_OK;
    memset(p->rhs, 0, (size_t)p->m->nbody * sizeof *p->rhs);
    for (int l = 0; l < n; l++)
        put_column(p, l);
    for (int k = 0; k < n; k++)
        p->rows.S[(size_t)k * (size_t)n + (size_t)k] += tac_ncp_row_compliance(wide_row(p, k));
    return tac_lu_factor(n, p->rows.S, p->rows.pivot, p->rows.work) < 0 ? TAC_OK : TAC_ERR_SINGULAR;
}

void tac_ncp_border_solve(tacNcp *p, const double *c, double *dv) {
    int n = p->rows.nwide;
    tac_block_ldu_solve(&p->ldu, &p->rhs[0].ang.x, p->g_rhs, dv);
    if (n == 0) return;
    for (int k = 0; k < n; k++) {
        const tacNcpRow *row = wide_row(p, k);
        p->rows.t[k] = tac_ncp_row_offset(row, c) - tac_ncp_row_dot(&p->rows, row, p->rows.G, dv);
    }
    tac_lu_solve(n, p->rows.S, p->rows.pivot, p->rows.t);
    for (int k = 0; k < n; k++)
        tac_ncp_row_axpy(&p->rows, wide_row(p, k), -p->rows.t[k], p->rows.J, p->g_rhs);
    tac_block_ldu_solve(&p->ldu, &p->rhs[0].ang.x, p->g_rhs, dv);
}
