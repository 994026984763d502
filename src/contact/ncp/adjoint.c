/* Reverse mode of the step: the transposed system of bodies, contacts and rows, with iterative refinement. */
#include "contact/ncp/adjoint.h"

#include "contact/ncp/border.h"
#include "contact/ncp/rows_deriv.h"
#include "math/dense.h"
#include "math/scalar.h"
#include "math/six.h"

#include <string.h>

void tac_ncp_add_weights(const tacNcp *p, const tacNcpDeriv *d, const tacVec6 *path, double *mu) {
    for (int i = 0; i < p->ncontact; i++) {
        const tacNcpResponse *a = &d->response[i];
        const int *body = p->contact[i].body;
        for (int k = 0; k < 3; k++) {
            double y = tac_dot6(a->unit[0][k], path[body[0]]) + tac_dot6(a->unit[1][k], path[body[1]]);
            for (int e = 0; e < TAC_NCP_INPUTS; e++)
                mu[TAC_NCP_INPUTS * i + e] += a->to[k][e] * y;
        }
    }
}

/* t -= Gamma^T path of one side by the other's pose. */
static void add_across(const tacNcp *p, const tacNcpDeriv *d, int contact, int side, tacVec6 *t) {
    const int *body = p->contact[contact].body;
    const double *of = &d->path[body[side]].ang.x;
    for (int r = 0; r < 6; r++)
        tac_six_axpy(-of[r], d->response[contact].Gamma[side][r] + 6 * (1 - side), &t[body[1 - side]].ang.x);
}

/* Adds the contacts to the weights t of poses: -G^T mu of gap and slip, and the coupling of two moving bodies. */
static void add_contact_weights(const tacNcp *p, const tacNcpDeriv *d, const double *mu, tacVec6 *t) {
    for (int i = 0; i < p->ncontact; i++) {
        const tacNcpContact *c = &p->contact[i];
        int moves[2] = {!p->ldu.still[c->body[0]], !p->ldu.still[c->body[1]]};
        for (int side = 0; side < 2; side++) {
            double *of = &t[c->body[side]].ang.x;
            for (int k = 0; k < (c->friction.mu > 0 ? 3 : 1) && moves[side]; k++)
                tac_six_axpy(-mu[TAC_NCP_INPUTS * i + k], c->next.G[k] + 6 * side, of);
            if (moves[0] && moves[1]) add_across(p, d, i, side, t);
        }
    }
}

/* rest = vbar - A0^T lambda + G^T mu: the residual of the transposed system, with the stiffness of contacts in mu. t:
 * scratch. */
static void adjoint_residual(const tacNcp *p, const tacNcpDeriv *d, const double *vbar, const double *lambda,
                             const double *mu, tacVec6 *t) {
    const tacModel *m = p->m;
    memset(t, 0, (size_t)m->nbody * sizeof *t);
    for (int b = 1; b < m->nbody; b++)
        if (!p->ldu.still[b]) tac_six_multv(d->held + TAC_BLOCK_SIZE * b, &d->path[b].ang.x, &t[b].ang.x);
    add_contact_weights(p, d, mu, t);
    for (int b = m->nbody - 1; b > 0; b--) {
        for (int j = m->body_dof_adr[b]; j < m->body_dof_adr[b] + m->body_dof_num[b]; j++)
            d->rest[j] = vbar[j] - d->diag[j] * lambda[j] - tac_six_dot(p->ldu.right + 6 * j, &t[b].ang.x);
        t[m->body_parent[b]] = tac_add6(t[m->body_parent[b]], t[b]);
    }
}

/* Solves of the refinement. The first leaves an error of rounding times the contacts' stiffness in mu, the second
 * almost none. A third follows if the last correction of lambda exceeds the share CONVERGED. */
enum { SOLVES = 2, MAX_SOLVES = 3 };
#define CONVERGED 1e-8
/* If the terms of G^T mu are this many times their sum, contacts are nearly redundant, and rounding is multiplied by
 * the square of this. */
#define REDUNDANT 1e4

/* Largest term of a contact or row in G^T mu. */
static double largest_weight(const tacNcp *p, const double *mu) {
    double most = 0;
    for (int i = 0; i < p->ncontact; i++)
        for (int k = 0; k < 3; k++)
            most = tac_max(most, tac_abs(mu[TAC_NCP_INPUTS * i + k]) * tac_dense_largest(12, p->contact[i].next.G[k]));
    for (int k = 0; k < p->rows.n; k++) {
        const tacRow *of = &p->rows.row[k].of;
        most = tac_max(most, tac_abs(mu[tac_ncp_value_input(p, k)]) * tac_dense_largest(of->num, p->rows.G + of->adr));
    }
    return most;
}

/* Relative rounding of doubles. */
#define DOUBLE_ROUNDING 2.2e-16

void tac_ncp_note_correction(tacNcpDeriv *d, const double change[2], double size) {
    double left = change[1] < change[0] ? change[1] * change[1] / change[0] : change[1];
    if (size > 0) d->conditioning = tac_max(d->conditioning, tac_max(1, left / (DOUBLE_ROUNDING * size)));
}

void tac_ncp_adjoint(const tacNcp *p, tacNcpDeriv *d, const double *vbar, double *lambda, double *mu) {
    const tacModel *m = p->m;
    double change[2] = {0, 0}; /* the last two */
    memset(lambda, 0, (size_t)m->nv * sizeof *lambda);
    memset(d->path, 0, (size_t)m->nbody * sizeof *d->path);
    memcpy(d->mu_given, mu, (size_t)tac_ncp_inputs(p) * sizeof *mu);
    for (int k = 0; k < MAX_SOLVES; k++) {
        if (k >= SOLVES && tac_dense_largest(m->nv, d->rest) <= CONVERGED * tac_dense_largest(m->nv, lambda)) break;
        if (k == 0 && tac_dense_largest(tac_ncp_inputs(p), mu) == 0) /* nothing is known of the impulses either */
            memcpy(d->rest, vbar, (size_t)m->nv * sizeof *vbar);
        else
            adjoint_residual(p, d, vbar, lambda, mu, p->rhs);
        tac_ncp_rows_adjoint_residual(p, lambda, mu, d->rest);
        tac_ncp_border_transposed(p, d->rest);
        tac_ncp_add_weights(p, d, (const tacVec6 *)(const void *)p->ldu.f, mu);
        tac_ncp_add_row_weights(p, d, d->rest, mu);
        tac_dense_axpy(m->nv, 1, d->rest, lambda);
        change[0] = change[1];
        change[1] = tac_dense_largest(m->nv, d->rest);
        tac_dense_axpy(6 * m->nbody, 1, p->ldu.f, &d->path[0].ang.x);
    }
    if (largest_weight(p, mu) > REDUNDANT * tac_dense_largest(m->nv, vbar))
        tac_ncp_adjoint_extended(p, d, vbar, lambda, mu);
    else
        tac_ncp_note_correction(d, change, tac_dense_largest(m->nv, lambda));
}
