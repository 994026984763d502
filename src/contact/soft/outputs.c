/* Forces of constraints of contact soft as outputs, at the start of the step (docs/theory/soft.md, Z13): of contacts on
 * bodies, of all constraints on dofs, and by contact. Derivatives are included. G has the unit wrenches of contacts'
 * rows:
 *
 *   qfrc = ID(q, v, a) - tau,   d(qfrc) = dR + M da          R without constraints, at fixed a
 *   wrench = G f,               d(wrench) = dG f + G df,      -df = K (dy + J da) + c dr
 *
 * and in reverse  lambda = H^-1 (M qfrcbar - J^T K G^T wrenchbar). */
#include "math/dense.h"
#include "contact/soft/step.h"
#include "smooth/rk4.h"

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
    TAC_SCOPE(&ctx->arena);
    tacSoft soft = {.unsolved = 0};
    TAC_TRY(tac_soft_accelerate(ctx, x, u, &soft));
    memset(wrench, 0, 6 * (size_t)m->nbody * sizeof *wrench);
    memset(qfrc, 0, (size_t)m->nv * sizeof *qfrc);
    add_wrenches(m, &ctx->work, &soft, wrench);
    for (int k = 0; k < soft.rows.n; k++)
        tac_row_add_force(&soft.rows, k, soft.f[k], qfrc);
    return tac_end_step(ctx, TAC_OK, soft.unsolved, NULL);
}

/* --- Contacts ----------------------------------------------------------------------------------------------------- */

static tacContactState state_of(const tacSoftBlock *b) {
    if (tac_soft_is_idle(b)) return TAC_CONTACT_OPEN;
    return tac_soft_zone(b) == TAC_ZONE_CONE ? TAC_CONTACT_SLIDING : TAC_CONTACT_STICKING;
}

static tacContactForce describe_contact(const tacContext *ctx, const tacSoft *soft, const tacSoftBlock *b,
                                        const double *v_next) {
    tacContactForce out = {.contact = soft->rows.contact[soft->rows.row[b->row].id], .state = state_of(b)};
    out.margin = ctx->options.dt * tac_soft_margin(b, soft->D + b->row, soft->y + b->row);
    for (int axis = 0; axis < 3 && axis < b->n; axis++) {
        out.force[axis] = soft->f[b->row + axis];
        out.velocity[axis] = tac_row_velocity(&soft->rows, b->row + axis, v_next);
    }
    return out;
}

static double *state_layout(const tacModel *m, tacArena *arena) { return TAC_TAKE(arena, tac_nx(m), double); }

tacStatus tac_soft_contacts(tacContext *ctx, const double *x, const double *u, tacContactForce *out, int max, int *n) {
    TAC_SCOPE(&ctx->arena);
    tacSoft soft = {.unsolved = 0};
    double *y = state_layout(ctx->model, &ctx->arena);
    if (y == NULL) return TAC_ERR_ARENA_FULL;
    tacStatus found = ctx->stepper->step(ctx, x, u, y);
    if (!tac_went_on(found)) return found;
    TAC_TRY(tac_soft_accelerate(ctx, x, u, &soft));
    *n = soft.rows.ncontact;
    if (soft.rows.ncontact > max) return TAC_ERR_CONTACTS;
    for (int k = 0; k < soft.nblock; k++)
        if (is_contact(&soft, &soft.block[k]))
            out[soft.rows.row[soft.block[k].row].id] = describe_contact(ctx, &soft, &soft.block[k], y + ctx->model->nq);
    return found;
}

static void measure_contacts(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    state_layout(m, dry);
    if (options->integrator == TAC_INTEGRATOR_RK4 || options->integrator == TAC_INTEGRATOR_RKMK4)
        tac_rk4_measure(m, options, tac_soft_measure_accelerations, dry);
    tac_soft_measure_advance(m, options, dry);
}

/* The stiffness of a pyramid's rows depends on the coefficients. So does that of a cone's rows if its coefficients
 * differ by row (torsion, rolling, explicit pairs)   (docs/theory/soft.md, Z6, Z11). */
tacFrictionEffect tac_soft_friction(const tacContext *ctx, const tacContact *contact) {
    const tacModel *m = ctx->model;
    if (!tac_contact_has_friction(m, contact)) return TAC_FRICTION_ABSENT;
    int pyramid = *m->option_cone == TAC_CONE_PYRAMIDAL;
    int differ = tac_contact_dimension(m, contact) > 3 || contact->pair >= 0;
    return pyramid || differ ? TAC_FRICTION_STIFFENS : TAC_FRICTION_BOUNDS;
}

/* --- Constraints -------------------------------------------------------------------------------------------------- */

static tacConstraint describe_constraint(const tacContext *ctx, const tacSoft *soft, const tacSoftBlock *b) {
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
    if (row->kind == TAC_ROW_JOINT_FRICTION) {
        out.id = m->dof_joint[row->id];
        out.part = row->id - m->joint_dof_adr[out.id];
    }
    out.margin = ctx->options.dt * tac_soft_margin(b, soft->D + b->row, soft->y + b->row);
    out.impedance = b->z.d;
    out.piece_margin = b->z.next;
    memcpy(out.force, soft->f + b->row, (size_t)b->n * sizeof *out.force);
    return out;
}

tacStatus tac_soft_constraints(tacContext *ctx, const double *x, const double *u, tacConstraint *out, int max, int *n) {
    TAC_SCOPE(&ctx->arena);
    tacSoft soft = {.unsolved = 0};
    TAC_TRY(tac_soft_accelerate(ctx, x, u, &soft));
    *n = soft.nblock;
    if (soft.nblock > max) return TAC_ERR_CONTACTS;
    for (int k = 0; k < soft.nblock; k++)
        out[k] = describe_constraint(ctx, &soft, &soft.block[k]);
    return tac_end_step(ctx, TAC_OK, soft.unsolved, NULL);
}

/* One for each block. */
int tac_soft_max_constraints(const tacModel *m, const tacOptions *options) {
    return m->neq + m->nv + 2 * m->njnt + 3 * m->ntendon + options->max_contacts;
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

/* -df of a block's rows. */
static double *block_layout(tacColumns c, tacArena *arena) {
    return TAC_TAKE(arena, TAC_SOFT_MOST_ROWS * (size_t)c.n, double);
}

/* d.wrench += G df */
static tacStatus change_wrenches(tacContext *ctx, const tacSoft *soft, tacColumns c, const tacSoftChanges *d) {
    TAC_SCOPE(&ctx->arena);
    size_t n = (size_t)c.n;
    double *minus_df = block_layout(c, &ctx->arena);
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

/* The problem, and its acceleration in an array of its own. Only a solved problem has derivatives of forces. */
static tacStatus solve(tacContext *ctx, const double *x, const double *u, tacSoft *soft, double **a) {
    tacStatus status = tac_soft_accelerate_apart(ctx, x, u, soft, a);
    return tac_end_step(ctx, status, soft->unsolved, NULL);
}

tacStatus tac_soft_forces_jac(tacContext *ctx, const double *x, const double *u, double *dwrench, double *dqfrc) {
    TAC_SCOPE(&ctx->arena);
    tacSoft soft = {.unsolved = 0};
    tacColumns c = tac_count_columns(ctx);
    double *a;
    tacSoftChanges d = {.wrench = dwrench};
    if (!tac_soft_matrices_layout(&d, ctx->model, c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(solve(ctx, x, u, &soft, &a));
    if (!tac_soft_changes_layout(&d, soft.rows.n, c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_soft_linearize(ctx, x, u, &soft, a, c, &d));
    if (dwrench != NULL) TAC_TRY(change_wrenches(ctx, &soft, c, &d));
    if (dqfrc != NULL) change_dof_forces(ctx, c, &d, dqfrc);
    return TAC_OK;
}

/* Rows of a contact that are along its normal and its tangents. */
static int force_rows(const tacSoftBlock *b) { return b->n < 3 ? b->n : 3; }

static void tell_values(const tacSoft *soft, const tacContactReader *reader) {
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        double f[3] = {0};
        if (!is_contact(soft, b)) continue;
        memcpy(f, soft->f + b->row, (size_t)force_rows(b) * sizeof *f);
        int id = soft->rows.row[b->row].id;
        reader->value(reader->of, id, &soft->rows.contact[id], f);
    }
}

/* Lines of one block: minus_df of its rows, and what parameters add to them (part); line: c.n zeros. */
typedef struct Lines {
    double *minus_df, *part, *line;
} Lines;

static int lines_layout(Lines *l, int rows, tacColumns c, tacArena *arena) {
    l->minus_df = block_layout(c, arena);
    l->part = TAC_TAKE(arena, (size_t)rows * (size_t)c.np, double);
    l->line = TAC_TAKE(arena, c.n, double);
    return l->minus_df && l->part && l->line;
}

static void tell_block(const tacSoft *soft, const tacSoftBlock *b, tacColumns c, const tacSoftChanges *d,
                       const Lines *l, const tacContactReader *reader) {
    int id = soft->rows.row[b->row].id;
    const tacContact *contact = &soft->rows.contact[id];
    follow(soft, b, c, d);
    tac_soft_respond(soft, b, c.n, c.n, d->dy, d->dr, l->minus_df);
    for (int i = 0; i < force_rows(b); i++) {
        reader->line(reader->of, id, contact, i, -1, l->minus_df + (size_t)i * (size_t)c.n);
        memcpy(l->line + c.nx + c.nu, d->part + (size_t)(b->row + i) * (size_t)c.np, (size_t)c.np * sizeof *l->line);
        if (c.np > 0) reader->line(reader->of, id, contact, i, 1, l->line);
    }
}

static tacStatus tell_lines(tacContext *ctx, const double *x, const double *u, const tacSoft *soft, const double *a,
                            tacSoftChanges *d, const tacContactReader *reader) {
    tacColumns c = tac_count_columns(ctx);
    Lines l;
    if (!tac_soft_changes_layout(d, soft->rows.n, c, &ctx->arena) || !lines_layout(&l, soft->rows.n, c, &ctx->arena))
        return TAC_ERR_ARENA_FULL;
    d->part = l.part;
    memset(l.part, 0, (size_t)soft->rows.n * (size_t)c.np * sizeof *l.part);
    memset(l.line, 0, (size_t)c.n * sizeof *l.line);
    TAC_TRY(tac_soft_linearize(ctx, x, u, soft, a, c, d));
    for (int k = 0; k < soft->nblock; k++)
        if (is_contact(soft, &soft->block[k]) && !tac_soft_is_idle(&soft->block[k]))
            tell_block(soft, &soft->block[k], c, d, &l, reader);
    return TAC_OK;
}

tacStatus tac_soft_contact_forces(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader) {
    TAC_SCOPE(&ctx->arena);
    tacSoft soft = {.unsolved = 0};
    double *a;
    tacSoftChanges d = {.wrench = NULL};
    if (!tac_soft_matrices_layout(&d, ctx->model, tac_count_columns(ctx), &ctx->arena)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(solve(ctx, x, u, &soft, &a));
    tell_values(&soft, reader);
    return reader->line == NULL ? TAC_OK : tell_lines(ctx, x, u, &soft, a, &d, reader);
}

static void measure_forces_jac(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tacColumns c = tac_columns_of(m, options);
    tacSoftChanges d;
    tac_soft_matrices_layout(&d, m, c, dry);
    tac_soft_acceleration_layout(m, dry);
    tac_soft_measure_accelerate(m, options, dry);
    tac_soft_changes_layout(&d, tac_rows_max(m, options->max_contacts), c, dry);
    Lines l;
    lines_layout(&l, tac_rows_max(m, options->max_contacts), c, dry);
    tac_soft_measure_linearize(m, options, dry);
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

/* seed += G^T wrenchbar */
static void seed_wrenches(tacContext *ctx, const tacSoft *soft, const double *wrenchbar, double *seed) {
    const tacVec6 *on_body = (const tacVec6 *)(const void *)wrenchbar;
    tacRowWrench unit;
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        if (!is_contact(soft, b) || tac_soft_is_idle(b)) continue;
        for (int i = 0; i < 2 * b->n; i++) {
            tac_row_wrench(ctx->model, &ctx->work, &soft->rows, b->row + i / 2, &unit);
            seed[b->row + i / 2] += tac_dot6(unit.wrench[i % 2], on_body[unit.body[i % 2]]);
        }
    }
}

/* part: weights of the contacts' rows */
static void weigh_contacts(const tacSoft *soft, const tacContactReader *reader, double *part) {
    memset(part, 0, (size_t)soft->rows.n * sizeof *part);
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        double bar[3];
        if (!is_contact(soft, b) || tac_soft_is_idle(b)) continue;
        int id = soft->rows.row[b->row].id;
        if (reader->weigh(reader->of, id, &soft->rows.contact[id], bar))
            memcpy(part + b->row, bar, (size_t)force_rows(b) * sizeof *bar);
    }
}

/* abar -= J^T K seed */
static void pull_seed(const tacSoft *soft, const double *seed, double *abar) {
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        double K[TAC_SOFT_MOST_ROWS * TAC_SOFT_MOST_ROWS], f[TAC_SOFT_MOST_ROWS];
        if (!is_contact(soft, b) || tac_soft_is_idle(b)) continue;
        tac_soft_force(b, soft->D + b->row, soft->y + b->row, f, K);
        for (int i = 0; i < b->n * b->n; i++)
            if (K[i] != 0) tac_row_add_force(&soft->rows, b->row + i / b->n, -K[i] * seed[b->row + i % b->n], abar);
    }
}

/* Covectors of dG and of the rows' forces. */
typedef struct Pull {
    double *lambda, *seed, *part; /* nv, rows, rows */
} Pull;

static int pull_layout(Pull *p, const tacModel *m, int rows, tacArena *arena) {
    p->lambda = TAC_TAKE(arena, m->nv, double);
    p->seed = TAC_TAKE(arena, rows, double);
    p->part = TAC_TAKE(arena, rows, double);
    return p->lambda && p->seed && p->part;
}

/* Weights of outputs; NULL: zero. */
typedef struct Bars {
    const double *wrench, *qfrc;
    const tacContactReader *reader;
} Bars;

static void seed_rows(tacContext *ctx, const tacSoft *soft, const Bars *of, const Pull *p) {
    memset(p->seed, 0, (size_t)soft->rows.n * sizeof *p->seed);
    if (of->wrench != NULL) seed_wrenches(ctx, soft, of->wrench, p->seed);
    if (of->reader != NULL) {
        weigh_contacts(soft, of->reader, p->part);
        tac_dense_axpy(soft->rows.n, 1, p->part, p->seed);
    }
    pull_seed(soft, p->seed, p->lambda);
}

static tacStatus pull_forces(tacContext *ctx, const double *x, const double *u, const tacSoft *soft, const double *a,
                             const Bars *of, const tacGrad *bar) {
    int nv = ctx->model->nv, rows = of->wrench != NULL || of->reader != NULL;
    Pull p;
    if (!pull_layout(&p, ctx->model, soft->rows.n, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    memset(p.lambda, 0, (size_t)nv * sizeof *p.lambda);
    if (of->qfrc != NULL) tac_mass_mul(ctx->model, &ctx->work, of->qfrc, p.lambda);
    if (rows) seed_rows(ctx, soft, of, &p);
    tacSoftDual dual = {p.lambda, rows ? p.seed : NULL, of->wrench, of->reader == NULL ? NULL : p.part};
    TAC_TRY(tac_soft_solve_hessian(ctx, soft, p.lambda));
    TAC_TRY(tac_soft_residuals_vjp(ctx, x, u, soft, a, &dual, bar));
    if (of->qfrc != NULL) tac_dense_axpy(nv, -1, of->qfrc, p.lambda);
    memcpy(ctx->work.qacc, a, (size_t)nv * sizeof *a);
    tac_residual_vjp(ctx, x, u, 0, p.lambda, bar);
    return TAC_OK;
}

static tacStatus pull(tacContext *ctx, const double *x, const double *u, const Bars *of, const tacGrad *bar) {
    TAC_SCOPE(&ctx->arena);
    tacSoft soft = {.unsolved = 0};
    double *a;
    TAC_TRY(solve(ctx, x, u, &soft, &a));
    return pull_forces(ctx, x, u, &soft, a, of, bar);
}

tacStatus tac_soft_forces_vjp(tacContext *ctx, const double *x, const double *u, const double *wrenchbar,
                              const double *qfrcbar, const tacGrad *bar) {
    return pull(ctx, x, u, &(Bars){.wrench = wrenchbar, .qfrc = qfrcbar}, bar);
}

tacStatus tac_soft_contact_forces_vjp(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader,
                                      const tacGrad *bar) {
    return pull(ctx, x, u, &(Bars){.reader = reader}, bar);
}

static void measure_forces_vjp(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    Pull p;
    tac_soft_acceleration_layout(m, dry);
    tac_soft_measure_accelerate(m, options, dry);
    pull_layout(&p, m, tac_rows_max(m, options->max_contacts), dry);
    tac_soft_measure_solve_hessian(m, options, dry);
    tac_soft_measure_residuals_vjp(m, options, dry);
}

void tac_soft_measure_outputs(const tacModel *m, const tacOptions *options, tacArena *dry) {
    measure_contacts(m, options, dry);
    measure_forces_jac(m, options, dry);
    measure_forces_vjp(m, options, dry);
}
