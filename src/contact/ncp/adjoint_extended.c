/* Refinement of the transposed system in extended precision, where contacts are nearly redundant: for example two that
 * press on one limb against the end of its joint. Weights of single contacts are then large against their sum, and the
 * few digits that doubles leave of it are multiplied by as much again. Residuals are evaluated here in long doubles,
 * with mu from lambda each time:
 *
 *   y = (unit impulses) . lambda,   mu = mu_given + dp/d(inputs)^T y,   rest = vbar - A0^T lambda + G^T mu
 *
 * Of a contact that holds, dp/d(inputs) is 1e10 and more, so that rounding of y leaves few digits of mu even so. The
 * solve for `rest` has the correction of mu by its own y, which is as small as the correction of lambda: mu of the
 * answer is that of lambda before the last solve, plus this correction. */
#include "contact/ncp/adjoint.h"

#include "contact/ncp/rows_deriv.h"
#include "math/dense.h"

#include <string.h>

/* Maximum number of solves, until the correction of lambda is below this share of it: mu follows with a factor of 1e10,
 * and keeps its digits. */
enum { MAX_SOLVES = 5 };
#define CONVERGED 1e-17

/* y += s x, of n numbers. */
static void long_axpy(int n, tacLong s, const double *x, tacLong *y) {
    for (int i = 0; i < n; i++)
        y[i] += s * (tacLong)x[i];
}

static tacLong long_dot(int n, const double *a, const tacLong *b) {
    tacLong sum = 0;
    for (int i = 0; i < n; i++)
        sum += (tacLong)a[i] * b[i];
    return sum;
}

static tacLong row_dot(const tacNcpRows *rows, const tacNcpRow *row, const tacLong *x) {
    tacLong sum = 0;
    for (int e = row->of.adr; e < row->of.adr + row->of.num; e++)
        sum += (tacLong)rows->J[e] * x[rows->dof[e]];
    return sum;
}

static void row_axpy(const tacNcpRows *rows, const tacNcpRow *row, tacLong s, const double *numbers, tacLong *y) {
    for (int e = row->of.adr; e < row->of.adr + row->of.num; e++)
        y[rows->dof[e]] += s * (tacLong)numbers[e];
}

/* --- mu of lambda ------------------------------------------------------------------------------------------------- */

static void sum_paths(const tacNcp *p, tacNcpExtended *w) {
    const tacModel *m = p->m;
    memset(w->path, 0, 6 * sizeof *w->path);
    for (int b = 1; b < m->nbody; b++) {
        memcpy(w->path + 6 * b, w->path + 6 * m->body_parent[b], 6 * sizeof *w->path);
        for (int j = m->body_dof_adr[b]; j < m->body_dof_adr[b] + m->body_dof_num[b]; j++)
            long_axpy(6, w->lambda[j], p->ldu.left + 6 * j, w->path + 6 * b);
    }
}

static void project_lambda(const tacNcp *p, tacNcpDeriv *d) {
    tacNcpExtended *w = &d->extended;
    sum_paths(p, w);
    for (int i = 0; i < p->ncontact; i++)
        for (int k = 0; k < 3; k++) {
            const tacNcpResponse *a = &d->response[i];
            const int *body = p->contact[i].body;
            w->y[3 * i + k] = long_dot(6, &a->unit[0][k].ang.x, w->path + 6 * body[0]) +
                              long_dot(6, &a->unit[1][k].ang.x, w->path + 6 * body[1]);
        }
    for (int k = 0; k < p->rows.n; k++)
        w->y[3 * p->ncontact + k] = row_dot(&p->rows, &p->rows.row[k], w->lambda);
}

/* mu += dp/d(inputs)^T of one row, nu = y/C. */
static void add_row_weight(const tacNcp *p, const tacNcpDeriv *d, int k, tacLong nu) {
    d->extended.mu[tac_ncp_value_input(p, k)] -= nu;
    d->extended.mu[tac_ncp_number_input(p, k)] += (tacLong)tac_ncp_row_offset_rate(&p->rows.row[k], d->kappa) * nu;
}

static int is_wide(const tacNcpRow *row) { return row->wide >= 0; }

/* Sets mu of contacts and narrow rows from y. Weights of wide rows are unknowns like lambda, and stay. */
static void set_weights(const tacNcp *p, tacNcpDeriv *d) {
    tacLong *mu = d->extended.mu;
    const tacLong *y = d->extended.y;
    for (int i = 0; i < TAC_NCP_INPUTS * p->ncontact; i++)
        mu[i] = (tacLong)d->mu_given[i];
    for (int i = 0; i < p->ncontact; i++)
        for (int k = 0; k < 3; k++)
            long_axpy(TAC_NCP_INPUTS, y[3 * i + k], d->response[i].to[k], mu + TAC_NCP_INPUTS * i);
    for (int k = 0; k < p->rows.n; k++) {
        const tacNcpRow *row = &p->rows.row[k];
        if (is_wide(row) || tac_ncp_row_is_smooth(row)) continue;
        mu[tac_ncp_value_input(p, k)] = (tacLong)d->mu_given[tac_ncp_value_input(p, k)];
        mu[tac_ncp_number_input(p, k)] = (tacLong)d->mu_given[tac_ncp_number_input(p, k)];
        add_row_weight(p, d, k, y[3 * p->ncontact + k] / (tacLong)tac_ncp_row_compliance(row));
    }
}

/* --- Residual ----------------------------------------------------------------------------------------------------- */

/* Subtracts G^T mu and the coupling from t of both bodies. */
static void contact_residual(const tacNcp *p, const tacNcpDeriv *d, int i) {
    const tacNcpContact *c = &p->contact[i];
    const tacNcpExtended *w = &d->extended;
    int moves[2] = {!p->ldu.still[c->body[0]], !p->ldu.still[c->body[1]]};
    for (int side = 0; side < 2; side++) {
        const tacLong *of = w->path + 6 * c->body[side];
        for (int k = 0; k < (c->friction.mu > 0 ? 3 : 1) && moves[side]; k++)
            long_axpy(6, -w->mu[TAC_NCP_INPUTS * i + k], c->next.G[k] + 6 * side, w->t + 6 * c->body[side]);
        for (int r = 0; r < 6 && moves[0] && moves[1]; r++)
            long_axpy(6, -of[r], d->response[i].Gamma[side][r] + 6 * (1 - side), w->t + 6 * c->body[1 - side]);
    }
}

static void bodies_residual(const tacNcp *p, const tacNcpDeriv *d, const double *vbar) {
    const tacModel *m = p->m;
    const tacNcpExtended *w = &d->extended;
    memset(w->t, 0, 6 * (size_t)m->nbody * sizeof *w->t);
    for (int b = 1; b < m->nbody; b++)
        for (int r = 0; r < 6 && !p->ldu.still[b]; r++)
            long_axpy(6, w->path[6 * b + r], d->held + TAC_BLOCK_SIZE * b + 6 * r, w->t + 6 * b);
    for (int i = 0; i < p->ncontact; i++)
        contact_residual(p, d, i);
    for (int b = m->nbody - 1; b > 0; b--) {
        for (int j = m->body_dof_adr[b]; j < m->body_dof_adr[b] + m->body_dof_num[b]; j++)
            w->rest[j] =
                (tacLong)vbar[j] - (tacLong)d->diag[j] * w->lambda[j] - long_dot(6, p->ldu.right + 6 * j, w->t + 6 * b);
        for (int r = 0; r < 6; r++)
            w->t[6 * m->body_parent[b] + r] += w->t[6 * b + r];
    }
}

/* As add_rows_residual of adjoint_passes.h. */
static void row_residual(const tacNcp *p, const tacNcpDeriv *d, int k) {
    const tacNcpRow *row = &p->rows.row[k];
    const tacNcpExtended *w = &d->extended;
    tacLong y = w->y[3 * p->ncontact + k], of = w->mu[tac_ncp_value_input(p, k)];
    int inertia = tac_ncp_row_is_smooth(row), dof = p->rows.dof[row->of.adr];
    if (inertia) row_axpy(&p->rows, row, -(tacLong)row->coefficient * y, p->rows.J, w->rest);
    if (!inertia) row_axpy(&p->rows, row, of, p->rows.G, w->rest);
    for (int i = 0; i < 9 && tac_ncp_row_is_ball(p, row); i++)
        w->rest[dof + i % 3] -= (tacLong)row->turn[i] * w->lambda[dof + i / 3];
    if (is_wide(row)) d->single.wide[row->wide] = inertia ? 0 : (double)(y + (tacLong)tac_ncp_row_compliance(row) * of);
}

/* Residual of lambda and of mu of wide rows: rest and wide of d->single. Sets mu of the others. */
static void adjoint_residual(const tacNcp *p, tacNcpDeriv *d) {
    project_lambda(p, d);
    set_weights(p, d);
    bodies_residual(p, d, d->single.vbar);
    for (int k = 0; k < p->rows.n; k++)
        row_residual(p, d, k);
    for (int j = 0; j < p->m->nv; j++)
        d->single.rest[j] = (double)d->extended.rest[j];
}

void tac_ncp_adjoint_extended(const tacNcp *p, tacNcpDeriv *d) {
    int nv = p->m->nv, inputs = tac_ncp_inputs(p);
    tacNcpLanes *w = &d->single;
    double change[2] = {0, 0};
    for (int j = 0; j < nv; j++)
        d->extended.lambda[j] = (tacLong)w->lambda[j];
    for (int i = 0; i < inputs; i++)
        d->extended.mu[i] = (tacLong)w->mu[i];
    for (int s = 0; s < MAX_SOLVES; s++) {
        adjoint_residual(p, d);
        for (int i = 0; i < inputs; i++)
            w->mu[i] = (double)d->extended.mu[i];
        tac_ncp_adjoint_correct(p, d, w);
        for (int k = 0; k < p->rows.n; k++) {
            const tacNcpRow *row = &p->rows.row[k];
            if (is_wide(row) && !tac_ncp_row_is_smooth(row)) add_row_weight(p, d, k, (tacLong)w->wide[row->wide]);
        }
        for (int j = 0; j < nv; j++) {
            d->extended.lambda[j] += (tacLong)w->rest[j];
            w->lambda[j] = (double)d->extended.lambda[j];
        }
        change[0] = change[1];
        change[1] = tac_dense_largest(nv, w->rest);
        if (change[1] <= CONVERGED * tac_dense_largest(nv, w->lambda)) break;
    }
    tac_ncp_note_correction(d, change, tac_dense_largest(nv, w->lambda));
}
