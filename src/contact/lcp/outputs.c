/* Forces of constraints in the step as outputs, with their derivatives (docs/theory/contact.md, L9). Contacts give
 * forces on bodies, and all rows give forces on dofs:
 *
 *   z = G(q) f,     dz = dG f_fixed + Ghat df_C,     df_C = A_CC^-1 (h J_C Mhat^-1 dR - dr)
 *
 * G has the rows' unit wrenches, or J^T / h. Ghat adds the bounded rows to their parents. In reverse
 *
 *   mu = A_CC^-T Ghat^T zbar,   lambda = -h Mhat^-1 J_C^T mu:   bar -= dR^T lambda + dr^T mu, bar += (dG f)^T zbar. */
#include "math/dense.h"
#include "math/scalar.h"
#include "contact/lcp/share.h"
#include "contact/lcp/step.h"
#include "smooth/turning.h"

#include <string.h>

/* --- Values ------------------------------------------------------------------------------------------------------- */

void tac_lcp_forces_on_dofs(const tacModel *m, const tacLcp *lcp, double *qfrc) {
    memset(qfrc, 0, (size_t)m->nv * sizeof *qfrc);
    tac_lcp_add_force(lcp, qfrc);
    for (int i = 0; i < m->nv; i++)
        qfrc[i] /= lcp->h;
}

/* The step's problem. Only a solved problem has forces. */
static tacStatus solve(tacContext *ctx, const double *x, const double *u, tacLcp *lcp) {
    tacStatus status = tac_lcp_advance(ctx, x, u, lcp);
    return tac_end_step(ctx, status, lcp->unsolved, NULL);
}

tacStatus tac_lcp_forces(tacContext *ctx, const double *x, const double *u, double *wrench, double *qfrc) {
    TAC_SCOPE(&ctx->arena);
    tacLcp lcp = {.unsolved = 0};
    TAC_TRY(solve(ctx, x, u, &lcp));
    tac_lcp_wrenches(ctx->model, &ctx->work, &lcp, wrench);
    tac_lcp_forces_on_dofs(ctx->model, &lcp, qfrc);
    return TAC_OK;
}

/* --- Contacts ----------------------------------------------------------------------------------------------------- */

static tacContactState state_of(const tacLcp *lcp, int k, int rows) {
    if (lcp->row_class[k] != TAC_ROW_FREE) return TAC_CONTACT_OPEN;
    for (int axis = 1; axis < rows; axis++)
        if (lcp->row_class[k + axis] != TAC_ROW_FREE) return TAC_CONTACT_SLIDING;
    return TAC_CONTACT_STICKING;
}

static int rows_of(const tacLcp *lcp, int contact) {
    int k = lcp->rows.first_row[contact];
    return k + 1 < lcp->rows.n && lcp->parent[k + 1] == k ? 3 : 1;
}

tacContactForce tac_lcp_describe(const tacLcp *lcp, int contact, const double *v_next) {
    int k = lcp->rows.first_row[contact], rows = rows_of(lcp, contact);
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
    TAC_SCOPE(&ctx->arena);
    tacLcp lcp = {.unsolved = 0};
    TAC_TRY(tac_lcp_advance(ctx, x, u, &lcp));
    *n = lcp.rows.ncontact;
    if (lcp.rows.ncontact > max) return TAC_ERR_CONTACTS;
    for (int c = 0; c < lcp.rows.ncontact; c++)
        out[c] = tac_lcp_describe(&lcp, c, ctx->work.next + ctx->model->nq);
    return tac_end_step(ctx, TAC_OK, lcp.unsolved, NULL);
}

tacFrictionEffect tac_lcp_friction(const tacContext *ctx, const tacContact *contact) {
    return tac_contact_has_friction(ctx->model, contact) ? TAC_FRICTION_BOUNDS : TAC_FRICTION_ABSENT;
}

/* --- Jacobian ----------------------------------------------------------------------------------------------------- */

/* Z += Ghat_k df on bodies, with f' = -df of free row k. */
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

/* Changes of R and the constraints' part of them. */
typedef struct Changes {
    double *W, *own; /* nv x c.n */
} Changes;

static int changes_layout(Changes *d, const tacModel *m, tacColumns c, tacArena *arena) {
    size_t numbers = (size_t)m->nv * (size_t)c.n;
    d->W = TAC_TAKE(arena, numbers, double);
    d->own = TAC_TAKE(arena, numbers, double);
    return d->W && d->own;
}

/* Changes of Z at fixed forces of the free rows, and f' = -df of every free row in dr. */
static tacStatus change_forces(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, int impact,
                               const tacLcpForceRows *forces, double *dqfrc, double *dr) {
    TAC_SCOPE(&ctx->arena);
    tacColumns c = tac_count_columns(ctx);
    const tacModel *m = ctx->model;
    size_t numbers = (size_t)m->nv * (size_t)c.n;
    Changes d;
    if (!changes_layout(&d, m, c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    memset(d.own, 0, numbers * sizeof *d.own);
    TAC_TRY(tac_lcp_smooth_jac(ctx, x, u, impact, c, d.W));
    TAC_TRY(tac_lcp_residuals_jac(ctx, x, u, lcp, c, d.own, dr, forces));
    tac_dense_axpy((int)numbers, 1, d.own, d.W);
    TAC_TRY(tac_lcp_share_jac(ctx, x, u, lcp, c, d.W, dr));
    if (dqfrc != NULL) tac_dense_axpy((int)numbers, -1, d.own, dqfrc); /* dR has -d(J^T f) / h */
    tacTree tree = tac_dof_tree(m);
    tac_tree_push_many(&tree, ctx->work.L, c.n, d.W);
    for (int i = 0; i < lcp->nisland; i++)
        TAC_TRY(tac_lcp_answer_island(ctx, lcp, i, c, dr, d.W));
    return TAC_OK;
}

/* Changes of all rows, and a line for those of one bound. */
typedef struct Lines {
    double *minus_df, *part; /* rows x c.n; rows x c.np */
    double *bound;           /* c.n: zero but for parameters */
} Lines;

static int lines_layout(Lines *l, int rows, tacColumns c, tacArena *arena) {
    l->minus_df = tac_lcp_dr_layout(rows, c, arena);
    l->part = TAC_TAKE(arena, (size_t)rows * (size_t)c.np, double);
    l->bound = TAC_TAKE(arena, c.n, double);
    return l->minus_df && l->part && l->bound;
}

void tac_lcp_measure_problem_forces_jac(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tacColumns c = tac_columns_of(m, options);
    Changes d;
    Lines l;
    lines_layout(&l, tac_lcp_deriv_rows(m, options), c, dry);
    changes_layout(&d, m, c, dry);
    tac_lcp_measure_smooth_jac(m, options, dry);
    tac_lcp_measure_residuals(m, options, dry);
    tac_lcp_measure_share(m, options, dry);
    tac_lcp_measure_respond(m, options, dry);
}

tacStatus tac_lcp_problem_forces_jac(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, int impact,
                                     double *dwrench, double *dqfrc) {
    TAC_SCOPE(&ctx->arena);
    TAC_TRY(tac_lcp_check_rows(lcp));
    tacColumns c = tac_count_columns(ctx);
    double *dr = tac_lcp_dr_layout(lcp->rows.n, c, &ctx->arena);
    if (dr == NULL) return TAC_ERR_ARENA_FULL;
    TAC_TRY(change_forces(ctx, x, u, lcp, impact, &(tacLcpForceRows){.wrench = dwrench}, dqfrc, dr));
    tac_lcp_add_force_changes(ctx, lcp, c, dr, dwrench, dqfrc);
    return TAC_OK;
}

tacStatus tac_lcp_forces_jac(tacContext *ctx, const double *x, const double *u, double *dwrench, double *dqfrc) {
    TAC_SCOPE(&ctx->arena);
    tacLcp lcp = {.unsolved = 0};
    TAC_TRY(solve(ctx, x, u, &lcp));
    return tac_lcp_problem_forces_jac(ctx, x, u, &lcp, 0, dwrench, dqfrc);
}

/* --- Contacts one by one ------------------------------------------------------------------------------------------ */

void tac_lcp_tell_contacts(const tacLcp *lcp, int first, const tacContactReader *reader) {
    for (int c = 0; c < lcp->rows.ncontact; c++) {
        double f[3] = {0};
        for (int axis = 0; axis < rows_of(lcp, c); axis++)
            f[axis] = lcp->f[lcp->rows.first_row[c] + axis] / lcp->h;
        reader->value(reader->of, first + c, &lcp->rows.contact[c], f);
    }
}

/* The free row whose change row k has a share of: a free row has its own, a bounded one its parent's. -1: none. */
static int moving_row(const tacLcp *lcp, int k, double *share) {
    int child[2], p = lcp->row_class[k] == TAC_ROW_FREE ? k : lcp->parent[k];
    double factor[2];
    *share = p == k;
    if (p < 0 || lcp->row_class[p] != TAC_ROW_FREE) return -1;
    for (int i = p == k ? 0 : tac_lcp_bounded_children(lcp, p, child, factor); i > 0; i--)
        if (child[i - 1] == k) *share = factor[i - 1];
    return p;
}

void tac_lcp_tell_changes(const tacLcp *lcp, tacColumns c, const double *minus_df, const tacContactReader *reader) {
    for (int k = 0; k < lcp->rows.n; k++) {
        const tacRow *row = &lcp->rows.row[k];
        double share;
        int p = row->kind == TAC_ROW_CONTACT ? moving_row(lcp, k, &share) : -1;
        if (p >= 0)
            reader->line(reader->of, row->id, &lcp->rows.contact[row->id], row->axis, -share / lcp->h,
                         minus_df + (size_t)p * (size_t)c.n);
    }
}

/* Bounded rows change with their bound, too. */
static void tell_bounds(const tacLcp *lcp, tacColumns c, const Lines *l, const tacContactReader *reader) {
    for (int k = 0; c.np > 0 && k < lcp->rows.n; k++) {
        const tacRow *row = &lcp->rows.row[k];
        double share;
        if (row->kind != TAC_ROW_CONTACT || moving_row(lcp, k, &share) < 0) continue;
        memcpy(l->bound + c.nx + c.nu, l->part + (size_t)k * (size_t)c.np, (size_t)c.np * sizeof *l->bound);
        reader->line(reader->of, row->id, &lcp->rows.contact[row->id], row->axis, 1 / lcp->h, l->bound);
    }
}

tacStatus tac_lcp_tell_lines(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, int impact,
                             const tacContactReader *reader) {
    TAC_SCOPE(&ctx->arena);
    tacColumns c = tac_count_columns(ctx);
    Lines l;
    TAC_TRY(tac_lcp_check_rows(lcp));
    if (!lines_layout(&l, lcp->rows.n, c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    memset(l.part, 0, (size_t)lcp->rows.n * (size_t)c.np * sizeof *l.part);
    memset(l.bound, 0, (size_t)c.n * sizeof *l.bound);
    TAC_TRY(change_forces(ctx, x, u, lcp, impact, &(tacLcpForceRows){.part = l.part}, NULL, l.minus_df));
    tac_lcp_tell_changes(lcp, c, l.minus_df, reader);
    tell_bounds(lcp, c, &l, reader);
    return TAC_OK;
}

tacStatus tac_lcp_contact_forces(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader) {
    TAC_SCOPE(&ctx->arena);
    tacLcp lcp = {.unsolved = 0};
    TAC_TRY(solve(ctx, x, u, &lcp));
    tac_lcp_tell_contacts(&lcp, 0, reader);
    return reader->line == NULL ? TAC_OK : tac_lcp_tell_lines(ctx, x, u, &lcp, 0, reader);
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

/* seed_k = G_k . zbar */
static void seed_rows(tacContext *ctx, const tacLcp *lcp, const tacLcpOutputBars *of, double *seed) {
    tacRowWrench unit;
    const tacVec6 *on_body = (const tacVec6 *)(const void *)of->wrench;
    for (int k = 0; k < lcp->rows.n; k++) {
        seed[k] = of->qfrc == NULL ? 0 : tac_row_velocity(&lcp->rows, k, of->qfrc) / lcp->h;
        if (of->wrench == NULL || !tac_lcp_row_wrench(ctx->model, &ctx->work, lcp, k, &unit)) continue;
        for (int side = 0; side < 2; side++)
            seed[k] += tac_dot6(unit.wrench[side], on_body[unit.body[side]]);
    }
}

/* part_k: the weight of row k of a contact, over h. */
static void weigh_contacts(const tacLcp *lcp, const tacContactReader *reader, double *part) {
    memset(part, 0, (size_t)lcp->rows.n * sizeof *part);
    for (int c = 0; c < lcp->rows.ncontact; c++) {
        double bar[3];
        int k = lcp->rows.first_row[c], wanted = reader->weigh(reader->of, c, &lcp->rows.contact[c], bar);
        for (int axis = 0; wanted && axis < rows_of(lcp, c); axis++)
            part[k + axis] = bar[axis] / lcp->h;
    }
}

/* Covectors of dR, of the constraints' part of dR, of row forces and of row velocities. */
typedef struct Pull {
    double *lambda, *own;     /* nv */
    double *seed, *mu, *part; /* rows */
    double *share;            /* islands */
} Pull;

static int pull_layout(Pull *p, const tacModel *m, int rows, tacArena *arena) {
    p->lambda = TAC_TAKE(arena, m->nv, double);
    p->own = TAC_TAKE(arena, m->nv, double);
    p->seed = TAC_TAKE(arena, rows, double);
    p->mu = TAC_TAKE(arena, rows, double);
    p->part = TAC_TAKE(arena, rows, double);
    p->share = TAC_TAKE(arena, rows, double);
    return p->lambda && p->own && p->seed && p->mu && p->part && p->share;
}

tacStatus tac_lcp_pull_forces(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp,
                              const tacLcpOutputBars *of, const tacGrad *bar) {
    TAC_SCOPE(&ctx->arena);
    const tacModel *m = ctx->model;
    Pull p;
    TAC_TRY(tac_lcp_check_rows(lcp));
    if (!pull_layout(&p, m, lcp->rows.n, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    memset(p.lambda, 0, (size_t)m->nv * sizeof *p.lambda);
    seed_rows(ctx, lcp, of, p.seed);
    if (of->reader != NULL) {
        weigh_contacts(lcp, of->reader, p.part);
        tac_dense_axpy(lcp->rows.n, 1, p.part, p.seed);
    }
    TAC_TRY(tac_lcp_answer_reverse(ctx, lcp, p.seed, p.lambda, p.mu, p.share));
    memcpy(p.own, p.lambda, (size_t)m->nv * sizeof *p.own);
    if (of->qfrc != NULL) tac_dense_axpy(m->nv, 1, of->qfrc, p.own); /* dR has -d(J^T f) / h */
    tacLcpForceBars forces = {of->wrench, of->reader == NULL ? NULL : p.part};
    TAC_TRY(tac_lcp_residuals_vjp(ctx, x, u, lcp, p.own, p.mu, p.share, &forces, bar));
    TAC_TRY(tac_turning_vjp(ctx, x, u, p.lambda, bar));
    tac_residual_vjp(ctx, x, u, tac_damping_span(ctx), p.lambda, bar);
    return TAC_OK;
}

void tac_lcp_measure_pull_forces(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    Pull p;
    pull_layout(&p, m, tac_lcp_deriv_rows(m, options), dry);
    tac_lcp_measure_answer_reverse(m, options, dry);
    tac_lcp_measure_residuals(m, options, dry);
    tac_turning_measure_deriv(m, options, dry);
}

tacStatus tac_lcp_forces_vjp(tacContext *ctx, const double *x, const double *u, const double *wrenchbar,
                             const double *qfrcbar, const tacGrad *bar) {
    TAC_SCOPE(&ctx->arena);
    tacLcp lcp = {.unsolved = 0};
    TAC_TRY(solve(ctx, x, u, &lcp));
    return tac_lcp_pull_forces(ctx, x, u, &lcp, &(tacLcpOutputBars){.wrench = wrenchbar, .qfrc = qfrcbar}, bar);
}

tacStatus tac_lcp_contact_forces_vjp(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader,
                                     const tacGrad *bar) {
    TAC_SCOPE(&ctx->arena);
    tacLcp lcp = {.unsolved = 0};
    TAC_TRY(solve(ctx, x, u, &lcp));
    return tac_lcp_pull_forces(ctx, x, u, &lcp, &(tacLcpOutputBars){.reader = reader}, bar);
}

void tac_lcp_measure_outputs(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tac_lcp_measure_advance(m, options, dry);
    tac_lcp_measure_problem_forces_jac(m, options, dry);
    tac_lcp_measure_pull_forces(m, options, dry);
}
