/* The transposed system of bodies, contacts and rows, solved with iterative refinement for several right sides side by
 * side (docs/theory/ncp.md, W26, W33):
 *
 *   A^T lambda + G^T nu = vbar,    mu = mu_given + dp/d(inputs)^T (unit impulses . lambda)
 *
 * Included once by each of adjoint_single.c, adjoint_narrow.c and adjoint_wide.c, which define LANES (math/lane.h). */
#pragma once

#include "contact/ncp/adjoint.h"
#include "contact/ncp/rows_deriv.h"
#include "solve/block_ldu_lanes.h"

/* Solves of the refinement. The first leaves an error of rounding times the contacts' stiffness in mu, the second
 * almost none. A third follows if the last correction of lambda exceeds the share CONVERGED, for all right sides if for
 * one. */
enum { SOLVES = 2, MAX_SOLVES = 3 };
#define CONVERGED 1e-8

/* tacNcpLanes, as lanes. */
typedef struct Lanes {
    Lane *vbar, *lambda, *mu, *rest, *path, *t, *f, *z, *wide;
} Lanes;

LANE_INLINE Lanes lanes_of(const tacNcpLanes *w) {
#define LANE_ARRAY(x) (Lane *)(void *)(x)
    return (Lanes){LANE_ARRAY(w->vbar), LANE_ARRAY(w->lambda), LANE_ARRAY(w->mu),
                   LANE_ARRAY(w->rest), LANE_ARRAY(w->path),   LANE_ARRAY(w->t),
                   LANE_ARRAY(w->f),    LANE_ARRAY(w->z),      LANE_ARRAY(w->wide)};
#undef LANE_ARRAY
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

LANE_INLINE Lane row_dot(const tacNcpRows *rows, const tacNcpRowResponse *a, const double *numbers, const Lane *y) {
    Lane sum = {0};
    for (int e = a->adr; e < a->adr + a->num; e++)
        sum += numbers[e] * y[rows->dof[e]];
    return sum;
}

LANE_INLINE void row_axpy(const tacNcpRows *rows, const tacNcpRowResponse *a, Lane s, const double *numbers, Lane *y) {
    for (int e = a->adr; e < a->adr + a->num; e++)
        y[rows->dof[e]] += s * numbers[e];
}

/* J of a ball is that of q+: its part of A^T lambda at fixed p. */
LANE_INLINE void subtract_ball(const tacNcp *p, int k, const Lanes *w) {
    const tacNcpRow *row = &p->rows.row[k];
    int dof = p->rows.dof[row->of.adr];
    for (int i = 0; i < 9; i++)
        w->rest[dof + i % 3] -= row->turn[i] * w->lambda[dof + i / 3];
}

/* Adds what rows have in the residual: rest += G^T mu, less their part of A^T lambda at fixed p. Armature does not
 * respond to inputs. wide = the residual of wide rows' equations. */
LANE_INLINE void add_rows_residual(const tacNcp *p, const tacNcpDeriv *d, const Lanes *w) {
    const tacNcpRows *rows = &p->rows;
    const Lane *mu = w->mu + tac_ncp_value_input(p, 0);
    for (int k = 0; k < rows->n; k++) {
        const tacNcpRowResponse *a = &d->row_response[k];
        if (a->is_ball) subtract_ball(p, k, w);
        if (a->wide >= 0) lane_zero(1, &w->wide[a->wide]);
        if (a->is_smooth) {
            row_axpy(rows, a, -a->coefficient * row_dot(rows, a, rows->J, w->lambda), rows->J, w->rest);
            continue;
        }
        row_axpy(rows, a, mu[k], rows->G, w->rest);
        if (a->wide >= 0) w->wide[a->wide] = row_dot(rows, a, rows->J, w->lambda) + a->compliance * mu[k];
    }
}

/* mu += dp/d(inputs)^T (J . rest) of narrow rows; of wide rows from their own weights. */
LANE_INLINE void add_rows_weights(const tacNcp *p, const tacNcpDeriv *d, const Lanes *w) {
    const tacNcpRows *rows = &p->rows;
    Lane *value = w->mu + tac_ncp_value_input(p, 0), *number = w->mu + tac_ncp_number_input(p, 0);
    for (int k = 0; k < rows->n; k++) {
        const tacNcpRowResponse *a = &d->row_response[k];
        if (a->is_smooth) continue;
        Lane nu = a->stiffness * row_dot(rows, a, rows->J, w->rest);
        if (a->wide >= 0) nu = w->wide[a->wide];
        value[k] -= nu;
        number[k] += a->offset_rate * nu;
    }
}

/* --- Contacts ----------------------------------------------------------------------------------------------------- */

/* mu += dp/d(inputs)^T y, y = (unit impulses) . (S rest summed on the way to each body, f) */
LANE_INLINE void add_contact_weights(const tacNcp *p, const tacNcpDeriv *d, const Lanes *w) {
    for (int i = 0; i < p->ncontact; i++) {
        const tacNcpResponse *a = &d->response[i];
        const int *body = p->contact[i].body;
        Lane y[3];
        for (int k = 0; k < 3; k++)
            y[k] = p->ldu.still[body[0]] ? (Lane){0} : lane_dot6(&a->unit[0][k].ang.x, w->f + 6 * body[0]);
        for (int k = 0; k < 3 && !p->ldu.still[body[1]]; k++)
            y[k] += lane_dot6(&a->unit[1][k].ang.x, w->f + 6 * body[1]);
        for (int e = 0; e < TAC_NCP_INPUTS; e++)
            w->mu[TAC_NCP_INPUTS * i + e] += (a->to[0][e] * y[0] + a->to[1][e] * y[1]) + a->to[2][e] * y[2];
    }
}

/* t -= Gamma^T path of one side by the other's pose. */
LANE_INLINE void add_across(const tacNcp *p, const tacNcpDeriv *d, const Lanes *w, int contact, int side) {
    const int *body = p->contact[contact].body;
    for (int r = 0; r < 6; r++)
        lane_axpy6(-w->path[6 * body[side] + r], d->response[contact].Gamma[side][r] + 6 * (1 - side),
                   w->t + 6 * body[1 - side]);
}

/* Adds the contacts to the weights t of poses: -G^T mu of gap and slip, and the coupling of two moving bodies. */
LANE_INLINE void add_contacts_residual(const tacNcp *p, const tacNcpDeriv *d, const Lanes *w) {
    for (int i = 0; i < p->ncontact; i++) {
        const tacNcpContact *c = &p->contact[i];
        int moves[2] = {!p->ldu.still[c->body[0]], !p->ldu.still[c->body[1]]};
        for (int side = 0; side < 2; side++) {
            for (int k = 0; k < (c->friction.mu > 0 ? 3 : 1) && moves[side]; k++)
                lane_axpy6(-w->mu[TAC_NCP_INPUTS * i + k], c->next.G[k] + 6 * side, w->t + 6 * c->body[side]);
            if (moves[0] && moves[1]) add_across(p, d, w, i, side);
        }
    }
}

/* --- The system --------------------------------------------------------------------------------------------------- */

/* rest = vbar - A0^T lambda + G^T mu: the residual of the transposed system, with the stiffness of contacts in mu. */
LANE_INLINE void set_residual(const tacNcp *p, const tacNcpDeriv *d, const Lanes *w) {
    const tacModel *m = p->m;
    for (int b = 0; b < m->nbody; b++) {
        if (p->ldu.still[b])
            lane_zero(6, w->t + 6 * b);
        else
            lane_multv6(d->held + TAC_BLOCK_SIZE * b, w->path + 6 * b, w->t + 6 * b);
    }
    add_contacts_residual(p, d, w);
    for (int b = m->nbody - 1; b > 0; b--) {
        for (int j = m->body_dof_adr[b]; j < m->body_dof_adr[b] + m->body_dof_num[b]; j++)
            w->rest[j] = w->vbar[j] - d->diag[j] * w->lambda[j] - lane_dot6(p->ldu.right + 6 * j, w->t + 6 * b);
        lane_add6(w->t + 6 * b, w->t + 6 * m->body_parent[b]);
    }
    add_rows_residual(p, d, w);
}

/* f = sums of S lambda on the way to each body. */
LANE_INLINE void sum_paths(const tacNcp *p, const Lane *lambda, Lane *f) {
    const tacModel *m = p->m;
    lane_zero(6, f);
    for (int b = 1; b < m->nbody; b++) {
        for (int i = 0; i < 6; i++)
            f[6 * b + i] = f[6 * m->body_parent[b] + i];
        for (int j = m->body_dof_adr[b]; j < m->body_dof_adr[b] + m->body_dof_num[b]; j++)
            lane_axpy6(lambda[j], p->ldu.left + 6 * j, f + 6 * b);
    }
}

/* Dofs at which a right side is not zero: `count` from `first` on. */
typedef struct Span {
    int first, count;
} Span;

/* Solves  A^T lambda + G^T nu = rest,  C nu - J lambda = wide  in place: lambda overwrites rest, nu overwrites wide.
 * f: sums of S lambda. With x = A^-T rest:  S^T nu = wide + J x,  lambda = x - A^-T G^T nu   (W33). */
LANE_INLINE void solve_bordered(const tacNcp *p, const tacNcpDeriv *d, const Lanes *w, Span of) {
    int n = p->rows.nwide, nv = p->m->nv;
    lane_solve_transposed(&p->ldu, of.first, of.count, w->rest, w->z, w->f);
    if (n == 0) return;
    for (int k = 0; k < n; k++)
        w->wide[k] += row_dot(&p->rows, &d->row_response[p->rows.wide[k]], p->rows.J, w->rest);
    lane_lu_solve_transposed(n, p->rows.S, p->rows.pivot, w->wide);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < nv; j++)
            w->rest[j] -= w->wide[k] * d->border[(size_t)k * (size_t)nv + (size_t)j];
    sum_paths(p, w->rest, w->f);
}

/* Solves for `rest`, zero but for some dofs, and `wide`; mu gets what belongs to that correction. */
LANE_TARGET static inline void correct(const tacNcp *p, const tacNcpDeriv *d, const tacNcpLanes *lanes, Span of) {
    Lanes w = lanes_of(lanes);
    solve_bordered(p, d, &w, of);
    add_contact_weights(p, d, &w);
    add_rows_weights(p, d, &w);
}

/* lambda += rest, path += f. Notes the size of the correction. */
LANE_INLINE void add_correction(const tacNcp *p, const Lanes *w, tacNcpLanes *lanes) {
    for (int j = 0; j < p->m->nv; j++)
        w->lambda[j] += w->rest[j];
    for (int i = 0; i < 6 * p->m->nbody; i++)
        w->path[i] += w->f[i];
    memcpy(lanes->change[0], lanes->change[1], LANES * sizeof(double));
    lane_largest(p->m->nv, w->rest, lanes->change[1]);
}

LANE_INLINE int has_converged(const tacNcp *p, const Lanes *w, const tacNcpLanes *lanes) {
    double largest[LANES];
    lane_largest(p->m->nv, w->lambda, largest);
    for (int k = 0; k < LANES; k++)
        if (lanes->change[1][k] > CONVERGED * largest[k]) return 0;
    return 1;
}

/* Dofs from the first to the last that a lane of x is not zero at. */
LANE_INLINE Span span_of(int n, const Lane *x) {
    const double *at = lane_of(x, 0);
    int first = 0, end = LANES * n;
    while (end > 0 && at[end - 1] == 0)
        end--;
    while (first < end && at[first] == 0)
        first++;
    return (Span){first / LANES, (end + LANES - 1) / LANES - first / LANES};
}

/* Begins with lambda = 0. `known`: mu is not zero. */
LANE_INLINE void begin(const tacNcp *p, const tacNcpDeriv *d, const Lanes *w, int known) {
    lane_zero(p->m->nv, w->lambda);
    lane_zero(6 * p->m->nbody, w->path);
    if (known) {
        set_residual(p, d, w);
        return;
    }
    for (int j = 0; j < p->m->nv; j++)
        w->rest[j] = w->vbar[j];
    lane_zero(p->rows.nwide, w->wide);
}

LANE_TARGET static inline void refine(const tacNcp *p, const tacNcpDeriv *d, tacNcpLanes *lanes, int known) {
    Lanes w = lanes_of(lanes);
    memset(lanes->change, 0, sizeof lanes->change);
    begin(p, d, &w, known);
    for (int k = 0; k < MAX_SOLVES; k++) {
        if (k >= SOLVES && has_converged(p, &w, lanes)) break;
        if (k > 0) set_residual(p, d, &w);
        correct(p, d, lanes, k > 0 || known ? (Span){0, p->m->nv} : span_of(p->m->nv, w.rest));
        add_correction(p, &w, lanes);
    }
}
