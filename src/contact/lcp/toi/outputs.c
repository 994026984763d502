/* Forces of constraints in steps that stop at impacts, as outputs: impulses of the kick and of every impact, divided by
 * h, each at the poses of its problem. Their sum is the mean force over the step (docs/theory/contact.md, H5). If the
 * first impact takes back a part of the kick, the sum does too (H10). */
#include "math/dense.h"
#include "math/scalar.h"
#include "contact/lcp/toi/step.h"

#include <string.h>

/* --- Sums --------------------------------------------------------------------------------------------------------- */

static tacStatus list_contacts(tacFlightForces *z, const tacLcp *lcp, const double *v_next) {
    for (int c = 0; c < lcp->rows.ncontact; c++, z->n++)
        if (z->n < z->max) z->contact[z->n] = tac_lcp_describe(lcp, c, v_next);
    return TAC_OK;
}

/* Forces of one problem. */
typedef struct Forces {
    double *wrench, *qfrc; /* 6 nbody, nv */
} Forces;

static int forces_layout(Forces *one, const tacModel *m, tacArena *arena) {
    one->wrench = TAC_TAKE(arena, 6 * (size_t)m->nbody, double);
    one->qfrc = TAC_TAKE(arena, m->nv, double);
    return one->wrench && one->qfrc;
}

tacStatus tac_flight_add_forces(tacFlight *f, const tacLcp *lcp) {
    tacContext *ctx = f->ctx;
    const tacModel *m = ctx->model;
    tacFlightForces *z = f->z;
    if (z == NULL) return TAC_OK;
    if (z->reader != NULL) {
        tac_lcp_tell_contacts(lcp, z->n, z->reader);
        z->n += lcp->rows.ncontact;
        return TAC_OK;
    }
    if (z->contact != NULL) return list_contacts(z, lcp, ctx->work.next + m->nq);
    TAC_SCOPE(&ctx->arena);
    Forces one;
    if (!forces_layout(&one, m, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    if (z->wrench != NULL) {
        tac_lcp_wrenches(m, &ctx->work, lcp, one.wrench);
        tac_dense_axpy(6 * m->nbody, 1, one.wrench, z->wrench);
    }
    if (z->qfrc != NULL) {
        tac_lcp_forces_on_dofs(m, lcp, one.qfrc);
        tac_dense_axpy(m->nv, 1, one.qfrc, z->qfrc);
    }
    return TAC_OK;
}

void tac_flight_measure_add_forces(const tacModel *m, tacArena *dry) {
    TAC_SCOPE(dry);
    Forces one;
    forces_layout(&one, m, dry);
}

/* --- What the first impact takes back (H10) ----------------------------------------------------------------------- */

static int *undo_layout(const tacModel *m, tacArena *arena) { return TAC_TAKE(arena, m->nv, int); }

static int is_undone(const tacFlightForces *z, const tacLcp *lcp, int k) {
    const tacRow *row = &lcp->rows.row[k];
    return row->num > 0 && z->undo[lcp->rows.dof[row->adr]];
}

/* Keeps only the forces of the kick that are taken back. No force acts between their bodies and others. */
static void keep_undone(const tacFlightForces *z, tacLcp *lcp) {
    for (int k = 0; k < lcp->rows.n; k++) {
        if (is_undone(z, lcp, k)) continue;
        lcp->f[k] = 0;
        lcp->row_class[k] = TAC_ROW_OFF;
    }
}

/* dZ += share dK + K dshare, K forces of the kick, dK by rows of c.n numbers. */
static void take_back_jac(const tacFlightForces *z, size_t rows, size_t n, const double *K, double *dZ) {
    tac_dense_axpy((int)(rows * n), z->share, z->local, dZ);
    for (size_t i = 0; i < rows; i++)
        tac_dense_axpy((int)n, K[i], z->dshare, dZ + i * n);
}

static tacStatus take_back_forces(tacContext *ctx, const double *x, const double *u, const tacFlightForces *z,
                                  const tacLcp *kick) {
    const tacModel *m = ctx->model;
    size_t n = (size_t)tac_count_columns(ctx).n, rows[2] = {6 * (size_t)m->nbody, (size_t)m->nv};
    double *values[2] = {z->wrench, z->qfrc}, *sums[2] = {z->dwrench, z->dqfrc};
    Forces one;
    if (!forces_layout(&one, m, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    tac_lcp_wrenches(m, &ctx->work, kick, one.wrench);
    tac_lcp_forces_on_dofs(m, kick, one.qfrc);
    for (int k = 0; k < 2; k++) {
        const double *K = k == 0 ? one.wrench : one.qfrc;
        if (values[k] != NULL) tac_dense_axpy((int)rows[k], z->share, K, values[k]);
        if (sums[k] == NULL) continue;
        memset(z->local, 0, rows[k] * n * sizeof(double));
        TAC_TRY(tac_lcp_problem_forces_jac(ctx, x, u, kick, 0, k == 0 ? z->local : NULL, k == 1 ? z->local : NULL));
        take_back_jac(z, rows[k], n, K, sums[k]);
    }
    return TAC_OK;
}

/* The contacts of the kick are the first of the list. */
static void take_back_contacts(const tacFlightForces *z, const tacLcp *kick) {
    for (int c = 0; c < kick->rows.ncontact && c < z->max; c++)
        for (int k = 0; k < 3 && is_undone(z, kick, kick->rows.first_row[c]); k++)
            z->contact[c].force[k] *= 1 + z->share;
}

/* The same for values. The part taken back is one more term. */
static void tell_taken_back(const tacFlightForces *z, tacLcp *kick) {
    keep_undone(z, kick);
    for (int k = 0; k < kick->rows.n; k++)
        kick->f[k] *= z->share;
    tac_lcp_tell_contacts(kick, 0, z->reader);
}

/* The same for derivatives: share dK + K dshare. */
static void tell_share(void *of, int k, const tacContact *c, const double f[3]) {
    const tacFlightForces *z = of;
    for (int axis = 0; axis < 3; axis++)
        if (f[axis] != 0) z->reader->line(z->reader->of, k, c, axis, f[axis], z->dshare);
}

static void tell_scaled(void *of, int k, const tacContact *c, int axis, double factor, const double *df) {
    const tacFlightForces *z = of;
    z->reader->line(z->reader->of, k, c, axis, z->share * factor, df);
}

static tacStatus tell_lines_taken_back(tacContext *ctx, const double *x, const double *u, tacFlightForces *z,
                                       tacLcp *kick) {
    keep_undone(z, kick);
    tac_lcp_tell_contacts(kick, 0, &(tacContactReader){.of = z, .value = tell_share});
    return tac_lcp_tell_lines(ctx, x, u, kick, 0, &(tacContactReader){.of = z, .line = tell_scaled});
}

/* Solves the kick again and subtracts the part taken back. Its memory stays in the arena. */
static tacStatus take_back(tacFlight *f, const double *x, const double *u) {
    tacFlightForces *z = f->z;
    tacLcp kick = {.unsolved = 0};
    if (!z->undone) return TAC_OK;
    TAC_TRY(tac_flight_kick_again(f, x, &kick));
    if (z->contact != NULL) {
        take_back_contacts(z, &kick);
        return TAC_OK;
    }
    if (z->reader != NULL && z->reader->line != NULL) return tell_lines_taken_back(f->ctx, x, u, z, &kick);
    if (z->reader != NULL) {
        tell_taken_back(z, &kick);
        return TAC_OK;
    }
    keep_undone(z, &kick);
    return take_back_forces(f->ctx, x, u, z, &kick);
}

static void measure_take_back(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    Forces one;
    tac_flight_measure_solve(m, options, dry);
    forces_layout(&one, m, dry);
    tac_lcp_measure_problem_forces_jac(m, options, dry);
}

/* --- Entries ------------------------------------------------------------------------------------------------------ */

/* Runs the whole step. Then the workspace is at (x, u) again, as outputs expect. */
static tacStatus travel(tacContext *ctx, const double *x, const double *u, tacFlightTangent *d, tacFlightForces *z,
                        int *impacts) {
    TAC_SCOPE(&ctx->arena);
    tacFlight f;
    if ((z->undo = undo_layout(ctx->model, &ctx->arena)) == NULL) return TAC_ERR_ARENA_FULL;
    memset(z->undo, 0, (size_t)ctx->model->nv * sizeof *z->undo);
    tacStatus status = tac_flight_travel(ctx, x, u, d, z, &f);
    *impacts = ctx->info.impacts;
    if (tac_went_on(status)) {
        tacStepInfo info = ctx->info;
        tacStatus taken = take_back(&f, x, u);
        ctx->info = info;
        if (taken != TAC_OK) status = taken;
    }
    tac_evaluate(ctx, x, u);
    return status;
}

tacStatus tac_toi_forces(tacContext *ctx, const double *x, const double *u, double *wrench, double *qfrc) {
    const tacModel *m = ctx->model;
    tacFlightForces z = {.wrench = wrench, .qfrc = qfrc};
    int impacts;
    memset(wrench, 0, 6 * (size_t)m->nbody * sizeof *wrench);
    memset(qfrc, 0, (size_t)m->nv * sizeof *qfrc);
    return travel(ctx, x, u, NULL, &z, &impacts);
}

tacStatus tac_toi_contacts(tacContext *ctx, const double *x, const double *u, tacContactForce *out, int max, int *n) {
    tacContactForce none;
    tacFlightForces z = {.contact = out == NULL ? &none : out, .max = out == NULL ? 0 : max};
    int impacts;
    tacStatus status = travel(ctx, x, u, NULL, &z, &impacts);
    if (tac_went_on(status)) *n = z.n;
    return status == TAC_OK && z.n > max ? TAC_ERR_CONTACTS : status;
}

/* Derivatives of one kind of forces: six rows a body, or one a dof. */
static double *matrix_layout(const tacModel *m, tacColumns c, tacArena *arena) {
    size_t wrenches = 6 * (size_t)m->nbody, nv = (size_t)m->nv;
    return TAC_TAKE(arena, (wrenches > nv ? wrenches : nv) * (size_t)c.n, double);
}

/* Takes the arrays of z that only derivatives use. */
static int changes_layout(tacFlightForces *z, const tacModel *m, tacColumns c, tacArena *arena) {
    z->local = matrix_layout(m, c, arena);
    z->dshare = TAC_TAKE(arena, c.n, double);
    return z->local && z->dshare;
}

tacStatus tac_toi_forces_jac(tacContext *ctx, const double *x, const double *u, double *dwrench, double *dqfrc) {
    tacFlightTangent d;
    tacFlightForces z = {.dwrench = dwrench, .dqfrc = dqfrc};
    int impacts;
    TAC_SCOPE(&ctx->arena);
    TAC_TRY(tac_flight_tangent(ctx, &d));
    if (!changes_layout(&z, ctx->model, tac_count_columns(ctx), &ctx->arena)) return TAC_ERR_ARENA_FULL;
    return travel(ctx, x, u, &d, &z, &impacts);
}

/* --- Contacts one by one ------------------------------------------------------------------------------------------ */

static void drop_value(void *of, int k, const tacContact *c, const double f[3]) { (void)of, (void)k, (void)c, (void)f; }

/* Derivatives need a second flight, because the values of all contacts come before the first derivative. */
tacStatus tac_toi_contact_forces(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader) {
    const tacContactReader values = {.of = reader->of, .value = reader->value};
    const tacContactReader lines = {.of = reader->of, .value = drop_value, .line = reader->line};
    tacFlightForces z = {.reader = &values}, dz = {.reader = &lines};
    tacFlightTangent d;
    int impacts;
    TAC_TRY(travel(ctx, x, u, NULL, &z, &impacts));
    if (reader->line == NULL) return TAC_OK;
    TAC_SCOPE(&ctx->arena);
    TAC_TRY(tac_flight_tangent(ctx, &d));
    if (!changes_layout(&dz, ctx->model, tac_count_columns(ctx), &ctx->arena)) return TAC_ERR_ARENA_FULL;
    return travel(ctx, x, u, &d, &dz, &impacts);
}

/* bar += weights . derivatives, for a reader that only has weights. */
typedef struct Weighed {
    const tacContactReader *reader;
    const tacGrad *bar;
    tacColumns c;
} Weighed;

static void pull_line(void *of, int k, const tacContact *c, int axis, double factor, const double *df) {
    const Weighed *w = of;
    double weight[3];
    if (!w->reader->weigh(w->reader->of, k, c, weight)) return;
    factor *= weight[axis];
    tac_dense_axpy(w->c.nx, factor, df, w->bar->x);
    tac_dense_axpy(w->c.nu, factor, df + w->c.nx, w->bar->u);
    if (w->bar->theta != NULL) tac_dense_axpy(w->c.np, factor, df + w->c.nx + w->c.nu, w->bar->theta);
}

/* bar += Z^T zbar, Z rows by the columns of [x | u | theta] */
static void pull_rows(tacColumns c, size_t rows, const double *Z, const double *zbar, const tacGrad *bar) {
    for (size_t i = 0; i < rows; i++) {
        const double *row = Z + i * (size_t)c.n;
        tac_dense_axpy(c.nx, zbar[i], row, bar->x);
        tac_dense_axpy(c.nu, zbar[i], row + c.nx, bar->u);
        if (bar->theta != NULL) tac_dense_axpy(c.np, zbar[i], row + c.nx + c.nu, bar->theta);
    }
}

/* Reverse mode through the whole matrix of one kind of forces. */
static tacStatus pull_matrix(tacContext *ctx, const double *x, const double *u, int wrenches, const double *zbar,
                             const tacGrad *bar) {
    TAC_SCOPE(&ctx->arena);
    tacColumns c = tac_count_columns(ctx);
    size_t rows = wrenches ? 6 * (size_t)ctx->model->nbody : (size_t)ctx->model->nv;
    double *Z = matrix_layout(ctx->model, c, &ctx->arena);
    if (Z == NULL) return TAC_ERR_ARENA_FULL;
    memset(Z, 0, rows * (size_t)c.n * sizeof *Z);
    tacStatus status = tac_toi_forces_jac(ctx, x, u, wrenches ? Z : NULL, wrenches ? NULL : Z);
    if (tac_went_on(status)) pull_rows(c, rows, Z, zbar, bar);
    return status;
}

/* A step without impacts is one problem: *done is 1. */
static tacStatus pull_one_problem(tacContext *ctx, const double *x, const double *u, const tacLcpOutputBars *of,
                                  const tacGrad *bar, int *done) {
    TAC_SCOPE(&ctx->arena);
    tacFlight f;
    tacLcp lcp = {.unsolved = 0};
    *done = 0;
    TAC_TRY(tac_flight_travel(ctx, x, u, NULL, NULL, &f));
    *done = ctx->info.impacts == 0;
    if (!*done) return TAC_OK;
    TAC_TRY(tac_flight_kick_again(&f, x, &lcp));
    return tac_lcp_pull_forces(ctx, x, u, &lcp, of, bar);
}

tacStatus tac_toi_contact_forces_vjp(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader,
                                     const tacGrad *bar) {
    int done;
    tacStatus status = pull_one_problem(ctx, x, u, &(tacLcpOutputBars){.reader = reader}, bar, &done);
    if (done || !tac_went_on(status)) return status;
    Weighed weighed = {reader, bar, tac_count_columns(ctx)};
    return tac_toi_contact_forces(ctx, x, u, &(tacContactReader){&weighed, drop_value, pull_line, NULL});
}

tacStatus tac_toi_forces_vjp(tacContext *ctx, const double *x, const double *u, const double *wrenchbar,
                             const double *qfrcbar, const tacGrad *bar) {
    int done;
    const tacLcpOutputBars of = {.wrench = wrenchbar, .qfrc = qfrcbar};
    tacStatus status = pull_one_problem(ctx, x, u, &of, bar, &done);
    if (done) return status;
    if (tac_went_on(status) && wrenchbar != NULL) status = pull_matrix(ctx, x, u, 1, wrenchbar, bar);
    if (tac_went_on(status) && qfrcbar != NULL) status = pull_matrix(ctx, x, u, 0, qfrcbar, bar);
    return status;
}

static void measure_travel(const tacModel *m, const tacOptions *options, int derivatives, tacArena *dry) {
    TAC_SCOPE(dry);
    undo_layout(m, dry);
    tac_flight_measure_travel(m, options, derivatives, dry);
    measure_take_back(m, options, dry);
}

static void measure_matrix(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tacColumns c = tac_columns_of(m, options);
    tacFlightForces z;
    matrix_layout(m, c, dry);
    tac_flight_measure_tangent(m, options, dry);
    changes_layout(&z, m, c, dry);
    measure_travel(m, options, 1, dry);
}

void tac_toi_measure_outputs(const tacModel *m, const tacOptions *options, tacArena *dry) {
    measure_matrix(m, options, dry);
    measure_travel(m, options, 0, dry);
    TAC_SCOPE(dry);
    tac_flight_measure_travel(m, options, 0, dry);
    tac_flight_measure_solve(m, options, dry);
    tac_lcp_measure_pull_forces(m, options, dry);
}
