/* The system of bodies and dofs, A, bordered by the rows that act on dofs of several joints   (docs/theory/ncp.md, W32)
 *
 *   A dv - J^T dp = -R,      G dv + C dp = w,      S = C + G A^-1 J^T
 *
 * C is small where a row is active and large where it is not. Nothing large is added to A. */
#include "contact/ncp/border.h"

#include "math/dense.h"

#include <string.h>

static const tacNcpRow *wide_row(const tacNcp *p, int i) { return &p->rows.row[p->rows.wide[i]]; }

/* Marks the bodies that the motion of the rows' dofs follows from. */
static void mark_bodies(tacNcp *p) {
    const tacNcpRows *rows = &p->rows;
    memset(rows->mark, 0, (size_t)p->m->nbody);
    for (int k = 0; k < rows->nwide; k++)
        for (int e = wide_row(p, k)->of.adr, end = e + wide_row(p, k)->of.num; e < end; e++)
            rows->mark[p->m->dof_body[rows->dof[e]]] = 1;
    tac_block_ldu_close_marks(&p->ldu, rows->mark);
}

/* 1: the row is the other end of a tendon's range, and its column the last one's with the other sign. */
static int is_other_end(const tacNcp *p, int l) {
    const tacRow *row = &wide_row(p, l)->of, *last = l > 0 ? &wide_row(p, l - 1)->of : NULL;
    return last != NULL && row->kind == TAC_ROW_TENDON_LIMIT && last->kind == row->kind && last->id == row->id;
}

/* Column l of S: G A^-1 J_l^T. */
static void put_column(tacNcp *p, int l) {
    int n = p->rows.nwide;
    double *S = p->rows.S + l, *X = p->rows.X;
    if (is_other_end(p, l)) {
        for (int k = 0; k < n; k++)
            S[(size_t)k * (size_t)n] = -S[(size_t)k * (size_t)n - 1];
        return;
    }
    memset(X, 0, (size_t)p->m->nv * sizeof *X);
    tac_ncp_row_axpy(&p->rows, wide_row(p, l), -1, p->rows.J, X);
    tac_block_ldu_forward(&p->ldu, NULL, X);
    tac_block_ldu_backward(&p->ldu, p->rows.mark, X);
    for (int k = 0; k < n; k++)
        S[(size_t)k * (size_t)n] = tac_ncp_row_dot(&p->rows, wide_row(p, k), p->rows.G, X);
}

tacStatus tac_ncp_border_factor(tacNcp *p) {
    int n = p->rows.nwide;
    if (n == 0) return TAC_OK;
    mark_bodies(p);
    for (int l = 0; l < n; l++)
        put_column(p, l);
    for (int k = 0; k < n; k++)
        p->rows.S[(size_t)k * (size_t)n + (size_t)k] += tac_ncp_row_compliance(wide_row(p, k));
    return tac_lu_factor(n, p->rows.S, p->rows.pivot, p->rows.work) < 0 ? TAC_OK : TAC_ERR_SINGULAR;
}

/* dp of wide rows, in t, from the first pass y of A^-1 (-R). */
static void solve_wide(tacNcp *p, const double *c, const double *y) {
    double *X = p->rows.X;
    memcpy(X, y, (size_t)p->m->nv * sizeof *X);
    tac_block_ldu_backward(&p->ldu, p->rows.mark, X);
    for (int k = 0; k < p->rows.nwide; k++) {
        const tacNcpRow *row = wide_row(p, k);
        p->rows.t[k] = tac_ncp_row_offset(row, c) - tac_ncp_row_dot(&p->rows, row, p->rows.G, X);
    }
    tac_lu_solve(p->rows.nwide, p->rows.S, p->rows.pivot, p->rows.t);
}

void tac_ncp_border_solve(tacNcp *p, const double *c, double *dv) {
    int n = p->rows.nwide, nv = p->m->nv;
    double *X = p->rows.X;
    memcpy(dv, p->g_rhs, (size_t)nv * sizeof *dv);
    tac_block_ldu_forward(&p->ldu, &p->rhs[0].ang.x, dv);
    if (n > 0) {
        solve_wide(p, c, dv);
        memset(X, 0, (size_t)nv * sizeof *X);
        for (int k = 0; k < n; k++)
            tac_ncp_row_axpy(&p->rows, wide_row(p, k), -p->rows.t[k], p->rows.J, X);
        tac_block_ldu_forward(&p->ldu, NULL, X);
        for (int i = 0; i < nv; i++)
            dv[i] += X[i];
    }
    tac_block_ldu_backward(&p->ldu, NULL, dv);
}
