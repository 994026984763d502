/* Forces of constraints of contact soft as outputs, at the start of the step (docs/theory/soft.md, Z13): of contacts on
 * bodies, of all on dofs, by contact; with derivatives. With G the unit wrenches of contacts' rows,
 *
 *   qfrc = ID(q, v, a) - tau,   d(qfrc) = dR + M da          R without constraints, at fixed a
 *   wrench = G f,               d(wrench) = dG f + G df,      -df = K (dy + J da) + c dr
 *
 * and in reverse  lambda = H^-1 (M qfrcbar - J^T K G^T wrenchbar). */
#include "math/dense.h"
#include "contact/soft/step.h"

#include <string.h>

static int is_contact(const tacSoft *soft, const tacSoftBlock *b) {
    return soft->rows.row[b->row].kind == TAC_ROW_CONTACT;
}

/* --- Values ------------------------------------------------------------------------------------------------------- */

static void add_wrenches(const tacModel *m, const tacWork *w, const tacSoft *soft, double *wrench) {
    tacVec6 *sum = (tacVec6 *)(void *)wrench;
    tacRowWrench unit;
    for (int k = 0; k < soft->rows.n; k++) {
        if (soft->f[k] == 0 || !tac_row_wrench(m, w, &soft->rows, k, &unit)) continue;
        for (int side = 0; side < 2; side++)
            sum[unit.body[side]] = tac_madd6(sum[unit.body[side]], soft->f[k], unit.wrench[side]);
    }
}

tacStatus tac_soft_forces(tacContext *ctx, const double *x, const double *u, double *wrench, double *qfrc) {
    const tacModel *m = ctx->model;
    tacSoft soft = {.unsolved = 0};
    size_t mark = tac_arena_mark(&ctx->arena);
    tacStatus status = tac_soft_accelerate(ctx, x, u, &soft);
    if (status == TAC_OK) {
        memset(wrench, 0, 6 * (size_t)m->nbody * sizeof *wrench);
        memset(qfrc, 0, (size_t)m->nv * sizeof *qfrc);
        add_wrenches(m, &ctx->work, &soft, wrench);
        for (int k = 0; k < soft.rows.n; k++)
            tac_row_add_force(&soft.rows, k, soft.f[k], qfrc);
    }
    tac_arena_release(&ctx->arena, mark);
    return tac_soft_judge(&soft, status);
}

/* --- Contacts ----------------------------------------------------------------------------------------------------- */

static tacContactState state_of(const tacSoftBlock *b) {
    if (tac_soft_is_idle(b)) return TAC_CONTACT_OPEN;
    return tac_soft_zone(b) == TAC_ZONE_CONE ? TAC_CONTACT_SLIDING : TAC_CONTACT_STICKING;
}

static tacContactForce describe(const tacContext *ctx, const tacSoft *soft, const tacSoftBlock *b,
                                const double *v_next) {
    tacContactForce out = {.contact = soft->rows.contact[soft->rows.row[b->row].id], .state = state_of(b)};
    out.margin = ctx->options.dt * tac_soft_margin(b, soft->D + b->row, soft->y + b->row);
    for (int axis = 0; axis < 3 && axis < b->n; axis++) {
        out.force[axis] = soft->f[b->row + axis];
        out.velocity[axis] = tac_row_velocity(&soft->rows, b->row + axis, v_next);
    }
    return out;
}

tacStatus tac_soft_contacts(tacContext *ctx, const double *x, const double *u, tacContactForce *out, int max, int *n) {
    tacSoft soft = {.unsolved = 0};
    size_t mark = tac_arena_mark(&ctx->arena);
    double *y = TAC_TAKE(&ctx->arena, tac_nx(ctx->model), double);
    tacStatus found = y == NULL ? TAC_ERR_ARENA_FULL : ctx->stepper->step(ctx, x, u, y);
    tacStatus status = tac_went_on(found) ? tac_soft_accelerate(ctx, x, u, &soft) : found;
    if (status == TAC_OK) *n = soft.rows.ncontact;
    if (status == TAC_OK && soft.rows.ncontact > max) status = TAC_ERR_CONTACTS;
    for (int k = 0; status == TAC_OK && k < soft.nblock; k++)
        if (is_contact(&soft, &soft.block[k]))
            out[soft.rows.row[soft.block[k].row].id] = describe(ctx, &soft, &soft.block[k], y + ctx->model->nq);
    tac_arena_release(&ctx->arena, mark);
    return status == TAC_OK ? found : status;
}

/* --- Constraints -------------------------------------------------------------------------------------------------- */

static tacConstraint tell(const tacContext *ctx, const tacSoft *soft, const tacSoftBlock *b) {
    static const tacConstraintKind kinds[] = {[TAC_ROW_CONTACT] = TAC_CONSTRAINT_CONTACT,
                                              [TAC_ROW_JOINT_LIMIT] = TAC_CONSTRAINT_JOINT_LIMIT,
                                              [TAC_ROW_TENDON_LIMIT] = TAC_CONSTRAINT_TENDON_LIMIT,
                                              [TAC_ROW_JOINT_FRICTION] = TAC_CONSTRAINT_JOINT_FRICTION,
                                              [TAC_ROW_TENDON_FRICTION] = TAC_CONSTRAINT_TENDON_FRICTION,
                                              [TAC_ROW_EQUALITY] = TAC_CONSTRAINT_EQUALITY};
    const tacModel *m = ctx->model;
    const tacRow *row = &soft->rows.row[b->row];
    tacConstraint out = {.kind = kinds[row->kind], .id = row->id, .zone = tac_soft_zone(b), .n = b->n};
    if (row->kind == TAC_ROW_JOINT_LIMIT || row->kind == TAC_ROW_TENDON_LIMIT) out.part = row->axis;
    if (row->kind == TAC_ROW_JOINT_FRICTION)
        out.id = m->dof_joint[row->id], out.part = row->id - m->joint_dof_adr[out.id];
    out.margin = ctx->options.dt * tac_soft_margin(b, soft->D + b->row, soft->y + b->row);
    out.impedance = b->z.d, out.piece_margin = b->z.next;
    memcpy(out.force, soft->f + b->row, (size_t)b->n * sizeof *out.force);
    return out;
}

tacStatus tac_soft_constraints(tacContext *ctx, const double *x, const double *u, tacConstraint *out, int max, int *n) {
    tacSoft soft = {.unsolved = 0};
    size_t mark = tac_arena_mark(&ctx->arena);
    tacStatus status = tac_soft_accelerate(ctx, x, u, &soft);
    if (status == TAC_OK) *n = soft.nblock;
    if (status == TAC_OK && soft.nblock > max) status = TAC_ERR_CONTACTS;
    for (int k = 0; status == TAC_OK && k < soft.nblock; k++)
        out[k] = tell(ctx, &soft, &soft.block[k]);
    tac_arena_release(&ctx->arena, mark);
    return tac_soft_judge(&soft, status);
}

/* --- Jacobian ----------------------------------------------------------------------------------------------------- */

/* dy <- dy + J da of a block, da = -W. */
static void follow(const tacSoft *soft, const tacSoftBlock *b, tacColumns c, const tacSoftChanges *d) {
    size_t n = (size_t)c.n;
    for (int k = b->row; k < b->row + b->n; k++) {
        const tacRow *row = &soft->rows.row[k];
        for (int e = row->adr; e < row->adr + row->num; e++)
            if (soft->rows.J[e] != 0)
                tac_dense_axpy(c.n, -soft->rows.J[e], d->W + (size_t)soft->rows.dof[e] * n, d->dy + (size_t)k * n);
    }
}

/* d.wrench += G df */
static tacStatus change_wrenches(tacContext *ctx, const tacSoft *soft, tacColumns c, const tacSoftChanges *d) {
    size_t n = (size_t)c.n;
    double *minus_df = TAC_TAKE(&ctx->arena, TAC_SOFT_MOST_ROWS * n, double);
    tacRowWrench unit;
    if (minus_df == NULL) return TAC_ERR_ARENA_FULL;
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        if (!is_contact(soft, b) || tac_soft_is_idle(b)) continue;
        follow(soft, b, c, d);
        tac_soft_respond(soft, b, c.n, c.n, d->dy, d->dr, minus_df);
        for (int i = 0; i < 2 * b->n; i++) { /* rows, two bodies each */
            tac_row_wrench(ctx->model, &ctx->work, &soft->rows, b->row + i / 2, &unit);
            const double *wrench = &unit.wrench[i % 2].ang.x;
            for (int r = 0; r < 6; r++)
                tac_dense_axpy(c.n, -wrench[r], minus_df + (size_t)(i / 2) * n,
                               d->wrench + (size_t)(6 * unit.body[i % 2] + r) * n);
        }
    }
    return TAC_OK;
}

/* dqfrc += dR + M da, da = -W; dR is overwritten. */
static void change_dof_forces(tacContext *ctx, tacColumns c, const tacSoftChanges *d, double *dqfrc) {
    int n = ctx->model->nv * c.n;
    tacTree tree = tac_dof_tree(ctx->model);
    tac_dense_axpy(n, 1, d->smooth, dqfrc);
    tac_tree_mul_many(&tree, ctx->work.M, c.n, d->W, d->smooth);
    tac_dense_axpy(n, -1, d->smooth, dqfrc);
}

/* W, a of their own, and the problem. */
static tacStatus open_forces(tacContext *ctx, const double *x, const double *u, tacSoft *soft, double **a) {
    *a = TAC_TAKE(&ctx->arena, ctx->model->nv, double);
    if (*a == NULL) return TAC_ERR_ARENA_FULL;
    tacStatus status = tac_soft_judge(soft, tac_soft_accelerate(ctx, x, u, soft));
    memcpy(*a, ctx->work.qacc, (size_t)ctx->model->nv * sizeof **a);
    return status;
}

tacStatus tac_soft_forces_jac(tacContext *ctx, const double *x, const double *u, double *dwrench, double *dqfrc) {
    tacSoft soft = {.unsolved = 0};
    tacColumns c = tac_count_columns(ctx);
    size_t mark = tac_arena_mark(&ctx->arena);
    double *a;
    size_t numbers = (size_t)ctx->model->nv * (size_t)c.n;
    tacSoftChanges d = {.W = TAC_TAKE(&ctx->arena, numbers, double),
                        .smooth = TAC_TAKE(&ctx->arena, numbers, double),
                        .wrench = dwrench};
    tacStatus status = d.smooth == NULL ? TAC_ERR_ARENA_FULL : open_forces(ctx, x, u, &soft, &a);
    if (status == TAC_OK && !tac_soft_take_changes(ctx, &soft, c, &d)) status = TAC_ERR_ARENA_FULL;
    if (status == TAC_OK) status = tac_soft_linearize(ctx, x, u, &soft, a, c, &d);
    if (status == TAC_OK && dwrench != NULL) status = change_wrenches(ctx, &soft, c, &d);
    if (status == TAC_OK && dqfrc != NULL) change_dof_forces(ctx, c, &d, dqfrc);
    tac_arena_release(&ctx->arena, mark);
    return status;
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

/* seed = G^T wrenchbar;  abar -= J^T K seed */
static void seed_rows(tacContext *ctx, const tacSoft *soft, const double *wrenchbar, double *seed, double *abar) {
    const tacVec6 *on_body = (const tacVec6 *)(const void *)wrenchbar;
    tacRowWrench unit;
    memset(seed, 0, (size_t)soft->rows.n * sizeof *seed);
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        double K[TAC_SOFT_MOST_ROWS * TAC_SOFT_MOST_ROWS], f[TAC_SOFT_MOST_ROWS];
        if (!is_contact(soft, b) || tac_soft_is_idle(b)) continue;
        tac_soft_force(b, soft->D + b->row, soft->y + b->row, f, K);
        for (int i = 0; i < 2 * b->n; i++) {
            tac_row_wrench(ctx->model, &ctx->work, &soft->rows, b->row + i / 2, &unit);
            seed[b->row + i / 2] += tac_dot6(unit.wrench[i % 2], on_body[unit.body[i % 2]]);
        }
        for (int i = 0; i < b->n * b->n; i++)
            if (K[i] != 0) tac_row_add_force(&soft->rows, b->row + i / b->n, -K[i] * seed[b->row + i % b->n], abar);
    }
}

static tacStatus pull_forces(tacContext *ctx, const double *x, const double *u, const tacSoft *soft, const double *a,
                             const double *wrenchbar, const double *qfrcbar, const tacGrad *bar) {
    int nv = ctx->model->nv;
    double *lambda = TAC_TAKE(&ctx->arena, nv, double), *seed = TAC_TAKE(&ctx->arena, soft->rows.n, double);
    if (lambda == NULL || seed == NULL) return TAC_ERR_ARENA_FULL;
    memset(lambda, 0, (size_t)nv * sizeof *lambda);
    if (qfrcbar != NULL) tac_mass_mul(ctx->model, &ctx->work, qfrcbar, lambda);
    if (wrenchbar != NULL) seed_rows(ctx, soft, wrenchbar, seed, lambda);
    tacSoftDual dual = {lambda, wrenchbar == NULL ? NULL : seed, wrenchbar};
    tacStatus status = tac_soft_solve_hessian(ctx, soft, lambda);
    if (status == TAC_OK) status = tac_soft_residuals_vjp(ctx, x, u, soft, a, &dual, bar);
    if (status != TAC_OK) return status;
    if (qfrcbar != NULL) tac_dense_axpy(nv, -1, qfrcbar, lambda);
    memcpy(ctx->work.qacc, a, (size_t)nv * sizeof *a);
    tac_residual_vjp(ctx, x, u, 0, lambda, bar);
    return TAC_OK;
}

tacStatus tac_soft_forces_vjp(tacContext *ctx, const double *x, const double *u, const double *wrenchbar,
                              const double *qfrcbar, const tacGrad *bar) {
    tacSoft soft = {.unsolved = 0};
    size_t mark = tac_arena_mark(&ctx->arena);
    double *a;
    tacStatus status = open_forces(ctx, x, u, &soft, &a);
    if (status == TAC_OK) status = pull_forces(ctx, x, u, &soft, a, wrenchbar, qfrcbar, bar);
    tac_arena_release(&ctx->arena, mark);
    return status;
}
