/* What equalities add to the derivatives of an lcp step (docs/theory/contact.md, L12): with the gain dv = v+ - v,
 *
 *   r = J dv + (pos(q (+) h v) - pos(q))/h + closing(pos(q)/h) + eps f
 *
 * is differentiated at q, and pos once more ahead of it; how q (+) h v moves with q and v is the step's business. At an
 * impact, r = J dv + eps f. */
#include "contact/coordinate.h"
#include "contact/equality.h"
#include "contact/lcp/lcp.h"

/* d(closing - pos/h)/d(pos): none but where the bound holds. */
static double rate_here(const tacLcp *lcp, int k) {
    double s = lcp->impact ? 0 : lcp->rows.row[k].pos / lcp->h;
    return s > TAC_LCP_CLOSING || s < -TAC_LCP_CLOSING ? -1 / lcp->h : 0;
}

/* --- Joints and tendons ------------------------------------------------------------------------------------------- */

static void couple_jac(const tacLcpPoint *p, int k, const tacRowSink *q, const tacRowSink *theta,
                       const tacParamTangent *tangents) {
    const tacLcp *lcp = p->lcp;
    const tacRow *row = &lcp->rows.row[k];
    tacCombination here = tac_row_combination(p->m, row, p->x->q);
    tacRowWeights by = {lcp->f[k], -1 / lcp->h, rate_here(lcp, k), p->gained}, ahead = {.rate = 1 / lcp->h};
    tac_combination_jac(p->m, &here, k, &by, q);
    for (int i = 0; theta != NULL && i < p->m->nparam; i++) {
        tac_combination_param(p->m, &here, row, k, p->x->q, &by, &tangents[i], i, theta);
        if (lcp->impact) continue;
        tacCombination there = tac_row_combination(p->m, row, lcp->ahead.q);
        tac_combination_param(p->m, &there, row, k, lcp->ahead.q, &ahead, &tangents[i], i, theta);
    }
}

/* --- Connects and welds ------------------------------------------------------------------------------------------- */

/* One of them, here or ahead. */
typedef struct Place {
    const tacWork *w;
    tacSmoothPoint x;
    tacEquality e;
    tacEqualityWeights by;
} Place;

static Place place_here(const tacLcpPoint *p, int k) {
    const tacLcp *lcp = p->lcp;
    Place a = {p->w, *p->x, tac_equality_at(p->m, p->w, lcp->rows.row[k].id), {.k = k}};
    a.by.scale = -1 / lcp->h, a.by.z = p->gained, a.by.V = p->V_gained;
    for (int i = 0; i < a.e.n; i++)
        a.by.f[i] = lcp->f[k + i], a.by.rate[i] = rate_here(lcp, k + i);
    return a;
}

static Place place_ahead(const tacLcpPoint *p, int k) {
    Place a = {&p->lcp->ahead.w, *p->x, tac_equality_at(p->m, &p->lcp->ahead.w, p->lcp->rows.row[k].id), {.k = k}};
    a.x.q = p->lcp->ahead.q;
    for (int i = 0; i < a.e.n; i++)
        a.by.rate[i] = 1 / p->lcp->h;
    return a;
}

static void inputs_jac(const tacLcpPoint *p, const Place *a, const tacRowSink *mocap, const tacRowSink *theta,
                       const tacParamTangent *tangents) {
    tacMover mover;
    for (int i = 0; mocap != NULL && i < 7 * p->m->nmocap; i++) {
        tac_mocap_mover(p->m, a->w, i / 7, i % 7, p->x->u.mocap + 7 * (i / 7), &mover);
        tac_equality_move(p->m, a->w, &a->e, &mover, &a->by, i, mocap);
    }
    for (int i = 0; theta != NULL && i < p->m->nparam; i++)
        tac_equality_param(p->m, a->w, &a->e, &a->x, &a->by, &tangents[i], i, theta);
}

static void pose_jac(const tacLcpPoint *p, int k, const tacRowSink *q, const tacRowSink *mocap, const tacRowSink *theta,
                     const tacParamTangent *tangents) {
    Place here = place_here(p, k);
    for (int j = 0; j < p->m->nv; j++) {
        tacMover mover = tac_dof_mover(p->m, p->w, j);
        tac_equality_move(p->m, p->w, &here.e, &mover, &here.by, j, q);
    }
    inputs_jac(p, &here, mocap, theta, tangents);
    if (p->lcp->impact) return;
    Place ahead = place_ahead(p, k);
    inputs_jac(p, &ahead, mocap, theta, tangents);
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
