/* Forces of constraints in the step as outputs, with their derivatives (docs/theory/contact.md, L9): of contacts on
 * bodies, and of all rows on dofs,
 *
 *   z = G(q) f,     dz = dG f_fixed + Ghat df_C,     df_C = A_CC^-1 (h J_C Mhat^-1 dR - dr)
 *
 * G the rows' unit wrenches or J^T / h, Ghat with what bounded rows add to their parents. In reverse
 *
 *   mu = A_CC^-T Ghat^T zbar,   lambda = -h Mhat^-1 J_C^T mu:   bar -= dR^T lambda + dr^T mu, bar += (dG f)^T zbar. */
#include "math/dense.h"
#include "math/scalar.h"
#include "contact/lcp/step.h"

#include <string.h>

/* --- Values ------------------------------------------------------------------------------------------------------- */

void tac_lcp_forces_on_dofs(const tacModel *m, const tacLcp *lcp, double *qfrc) {
    memset(qfrc, 0, (size_t)m->nv * sizeof *qfrc);
    tac_lcp_add_force(lcp, qfrc);
    for (int i = 0; i < m->nv; i++)
        qfrc[i] /= lcp->h;
}

tacStatus tac_lcp_forces(tacContext *ctx, const double *x, const double *u, double *wrench, double *qfrc) {
    tacLcp lcp = {.unsolved = 0};
    size_t mark = tac_arena_mark(&ctx->arena);
    tacStatus status = tac_lcp_judge(&lcp, tac_lcp_advance(ctx, x, u, &lcp));
    if (status == TAC_OK) {
        tac_lcp_wrenches(ctx->model, &ctx->work, &lcp, wrench);
        tac_lcp_forces_on_dofs(ctx->model, &lcp, qfrc);
    }
    tac_arena_release(&ctx->arena, mark);
    return status;
}

/* --- Contacts ----------------------------------------------------------------------------------------------------- */

static tacContactState state_of(const tacLcp *lcp, int k, int rows) {
    if (lcp->row_class[k] != TAC_ROW_FREE) return TAC_CONTACT_OPEN;
    for (int axis = 1; axis < rows; axis++)
        if (lcp->row_class[k + axis] != TAC_ROW_FREE) return TAC_CONTACT_SLIDING;
    return TAC_CONTACT_STICKING;
}

tacContactForce tac_lcp_describe(const tacLcp *lcp, int contact, const double *v_next) {
    int k = lcp->rows.first_row[contact], rows = k + 1 < lcp->rows.n && lcp->parent[k + 1] == k ? 3 : 1;
    tacContactForce out = {.contact = lcp->rows.contact[contact], .margin = TAC_INFINITY};
    out.state = state_of(lcp, k, rows);
    for (int axis = 0; axis < rows; axis++) {
        out.force[axis] = lcp->f[k + axis] / lcp->h;
        out.velocity[axis] = tac_row_velocity(&lcp->rows, k + axis, v_next);
        out.margin = tac_min(out.margin, tac_lcp_row_margin(lcp, k + axis));
    }
    return out;
}

tacStatus tac_lcp_contacts(tacContext *ctx, const double *x, const double *u, tacContactForce *out, int max, int *n) {
    tacLcp lcp = {.unsolved = 0};
    size_t mark = tac_arena_mark(&ctx->arena);
    tacStatus status = tac_lcp_advance(ctx, x, u, &lcp);
    if (status == TAC_OK) *n = lcp.rows.ncontact;
    if (status == TAC_OK && lcp.rows.ncontact > max) status = TAC_ERR_CONTACTS;
    for (int c = 0; status == TAC_OK && c < lcp.rows.ncontact; c++)
        out[c] = tac_lcp_describe(&lcp, c, ctx->work.next + ctx->model->nq);
    tac_arena_release(&ctx->arena, mark);
    return tac_lcp_judge(&lcp, status);
}

/* --- Jacobian ----------------------------------------------------------------------------------------------------- */

/* Z += Ghat_k df, with f' = -df of free row k: on bodies. */
static void add_wrench_columns(tacContext *ctx, const tacLcp *lcp, int k, double factor, tacColumns c,
                               const double *minus_df, double *Z) {
    tacRowWrench unit;
    if (!tac_lcp_row_wrench(ctx->model, &ctx->work, lcp, k, &unit)) return;
    for (int side = 0; side < 2; side++) {
        const double *rows = &unit.wrench[side].ang.x;
        for (int i = 0; i < 6; i++)
            tac_dense_axpy(c.n, -factor * rows[i], minus_df, Z + (size_t)(6 * unit.body[side] + i) * (size_t)c.n);
    }
}

/* The same on dofs. */
static void add_dof_columns(tacContext *ctx, const tacLcp *lcp, int k, double factor, tacColumns c,
                            const double *minus_df, double *Z) {
    (void)ctx;
    const tacRow *row = &lcp->rows.row[k];
    for (int e = row->adr; e < row->adr + row->num; e++)
        tac_dense_axpy(c.n, -factor * lcp->rows.J[e] / lcp->h, minus_df, Z + (size_t)lcp->rows.dof[e] * (size_t)c.n);
}

typedef void (*AddColumns)(tacContext *ctx, const tacLcp *lcp, int k, double factor, tacColumns c,
                           const double *minus_df, double *Z);

static void add_changes(tacContext *ctx, const tacLcp *lcp, tacColumns c, AddColumns add, const double *minus_df,
                        double *Z) {
    int child[2];
    double factor[2];
    for (int k = 0; k < lcp->rows.n; k++) {
        if (lcp->row_class[k] != TAC_ROW_FREE) continue;
        const double *change = minus_df + (size_t)k * (size_t)c.n;
        add(ctx, lcp, k, 1, c, change, Z);
        for (int i = tac_lcp_bounded_children(lcp, k, child, factor) - 1; i >= 0; i--)
            add(ctx, lcp, child[i], factor[i], c, change, Z);
    }
}

void tac_lcp_add_force_changes(tacContext *ctx, const tacLcp *lcp, tacColumns c, const double *minus_df,
                               double *dwrench, double *dqfrc) {
    if (dwrench != NULL) add_changes(ctx, lcp, c, add_wrench_columns, minus_df, dwrench);
    if (dqfrc != NULL) add_changes(ctx, lcp, c, add_dof_columns, minus_df, dqfrc);
}

/* Z at fixed forces of the free rows, and f' = -df of every free row in dr. */
static tacStatus change_forces(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, int impact,
                               double *dwrench, double *dqfrc, double *dr) {
    tacColumns c = tac_count_columns(ctx);
    const tacModel *m = ctx->model;
    size_t numbers = (size_t)m->nv * (size_t)c.n;
    double *W = TAC_TAKE(&ctx->arena, numbers, double), *own = TAC_TAKE(&ctx->arena, numbers, double);
    if (W == NULL || own == NULL) return TAC_ERR_ARENA_FULL;
    memset(own, 0, numbers * sizeof *own);
    tacStatus status = tac_lcp_smooth_jac(ctx, x, u, impact, c, W);
    if (status == TAC_OK) status = tac_lcp_residuals_jac(ctx, x, u, lcp, c, own, dr, dwrench);
    if (status != TAC_OK) return status;
    tac_dense_axpy((int)numbers, 1, own, W);
    if (dqfrc != NULL) tac_dense_axpy((int)numbers, -1, own, dqfrc); /* dR has -d(J^T f) / h */
    tacTree tree = tac_dof_tree(m);
    tac_tree_push_many(&tree, ctx->work.L, c.n, W);
    for (int i = 0; i < lcp->nisland && status == TAC_OK; i++)
        status = tac_lcp_answer_island(ctx, lcp, i, c, dr, W);
    return status;
}

tacStatus tac_lcp_problem_forces_jac(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, int impact,
                                     double *dwrench, double *dqfrc) {
    tacColumns c = tac_count_columns(ctx);
    size_t mark = tac_arena_mark(&ctx->arena);
    double *dr = TAC_TAKE(&ctx->arena, (size_t)lcp->rows.n * (size_t)c.n, double);
    tacStatus status = dr == NULL ? TAC_ERR_ARENA_FULL : change_forces(ctx, x, u, lcp, impact, dwrench, dqfrc, dr);
    if (status == TAC_OK) tac_lcp_add_force_changes(ctx, lcp, c, dr, dwrench, dqfrc);
    tac_arena_release(&ctx->arena, mark);
    return status;
}

tacStatus tac_lcp_forces_jac(tacContext *ctx, const double *x, const double *u, double *dwrench, double *dqfrc) {
    tacLcp lcp = {.unsolved = 0};
    size_t mark = tac_arena_mark(&ctx->arena);
    tacStatus status = tac_lcp_judge(&lcp, tac_lcp_advance(ctx, x, u, &lcp));
    if (status == TAC_OK) status = tac_lcp_problem_forces_jac(ctx, x, u, &lcp, 0, dwrench, dqfrc);
    tac_arena_release(&ctx->arena, mark);
    return status;
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

/* seed_k = G_k . zbar */
static void seed_rows(tacContext *ctx, const tacLcp *lcp, const double *wrenchbar, const double *qfrcbar,
                      double *seed) {
    tacRowWrench unit;
    const tacVec6 *on_body = (const tacVec6 *)(const void *)wrenchbar;
    for (int k = 0; k < lcp->rows.n; k++) {
        seed[k] = qfrcbar == NULL ? 0 : tac_row_velocity(&lcp->rows, k, qfrcbar) / lcp->h;
        if (wrenchbar == NULL || !tac_lcp_row_wrench(ctx->model, &ctx->work, lcp, k, &unit)) continue;
        for (int side = 0; side < 2; side++)
            seed[k] += tac_dot6(unit.wrench[side], on_body[unit.body[side]]);
    }
}

tacStatus tac_lcp_pull_forces(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp,
                              const double *wrenchbar, const double *qfrcbar, const tacGrad *bar) {
    const tacModel *m = ctx->model;
    double *lambda = TAC_TAKE(&ctx->arena, m->nv, double), *own = TAC_TAKE(&ctx->arena, m->nv, double);
    double *seed = TAC_TAKE(&ctx->arena, lcp->rows.n, double), *mu = TAC_TAKE(&ctx->arena, lcp->rows.n, double);
    if (lambda == NULL || own == NULL || seed == NULL || mu == NULL) return TAC_ERR_ARENA_FULL;
    memset(lambda, 0, (size_t)m->nv * sizeof *lambda);
    seed_rows(ctx, lcp, wrenchbar, qfrcbar, seed);
    tacStatus status = tac_lcp_answer_reverse(ctx, lcp, seed, lambda, mu);
    if (status != TAC_OK) return status;
    memcpy(own, lambda, (size_t)m->nv * sizeof *own);
    if (qfrcbar != NULL) tac_dense_axpy(m->nv, 1, qfrcbar, own); /* dR has -d(J^T f) / h */
    status = tac_lcp_residuals_vjp(ctx, x, u, lcp, own, mu, wrenchbar, bar);
    if (status == TAC_OK) tac_residual_vjp(ctx, x, u, tac_damping_span(ctx), lambda, bar);
    return status;
}

tacStatus tac_lcp_forces_vjp(tacContext *ctx, const double *x, const double *u, const double *wrenchbar,
                             const double *qfrcbar, const tacGrad *bar) {
    tacLcp lcp = {.unsolved = 0};
    size_t mark = tac_arena_mark(&ctx->arena);
    tacStatus status = tac_lcp_judge(&lcp, tac_lcp_advance(ctx, x, u, &lcp));
    if (status == TAC_OK) status = tac_lcp_pull_forces(ctx, x, u, &lcp, wrenchbar, qfrcbar, bar);
    tac_arena_release(&ctx->arena, mark);
    return status;
}
