/* Forces of constraints in steps that stop at impacts, as outputs: impulses of the kick and of every impact over h,
 * each where its problem was, so that the sum is the mean over the step (docs/theory/contact.md, H5). */
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

/* --- Entries ------------------------------------------------------------------------------------------------------ */

/* The whole step; the workspace is left at (x, u), as outputs expect it. */
static tacStatus travel(tacContext *ctx, const double *x, const double *u, tacFlightTangent *d, tacFlightForces *z,
                        int *impacts) {
    TAC_SCOPE(&ctx->arena);
    tacFlight f;
    tacStatus status = tac_flight_travel(ctx, x, u, d, z, &f);
    *impacts = ctx->info.impacts;
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

tacStatus tac_toi_forces_jac(tacContext *ctx, const double *x, const double *u, double *dwrench, double *dqfrc) {
    tacFlightTangent d;
    tacFlightForces z = {.dwrench = dwrench, .dqfrc = dqfrc};
    int impacts;
    TAC_SCOPE(&ctx->arena);
    TAC_TRY(tac_flight_tangent(ctx, &d));
    z.local = matrix_layout(ctx->model, tac_count_columns(ctx), &ctx->arena);
    if (z.local == NULL) return TAC_ERR_ARENA_FULL;
    return travel(ctx, x, u, &d, &z, &impacts);
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
static tacStatus pull_one_problem(tacContext *ctx, const double *x, const double *u, const double *wrenchbar,
                                  const double *qfrcbar, const tacGrad *bar, int *done) {
    TAC_SCOPE(&ctx->arena);
    tacFlight f;
    tacLcp lcp = {.unsolved = 0};
    *done = 0;
    TAC_TRY(tac_flight_travel(ctx, x, u, NULL, NULL, &f));
    *done = ctx->info.impacts == 0;
    if (!*done) return TAC_OK;
    TAC_TRY(tac_flight_kick_again(&f, x, &lcp));
    return tac_lcp_pull_forces(ctx, x, u, &lcp, wrenchbar, qfrcbar, bar);
}

tacStatus tac_toi_forces_vjp(tacContext *ctx, const double *x, const double *u, const double *wrenchbar,
                             const double *qfrcbar, const tacGrad *bar) {
    int done;
    tacStatus status = pull_one_problem(ctx, x, u, wrenchbar, qfrcbar, bar, &done);
    if (done) return status;
    if (tac_went_on(status) && wrenchbar != NULL) status = pull_matrix(ctx, x, u, 1, wrenchbar, bar);
    if (tac_went_on(status) && qfrcbar != NULL) status = pull_matrix(ctx, x, u, 0, qfrcbar, bar);
    return status;
}

static void measure_matrix(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tacColumns c = tac_columns_of(m, options);
    matrix_layout(m, c, dry);
    tac_flight_measure_tangent(m, options, dry);
    matrix_layout(m, c, dry);
    tac_flight_measure_travel(m, options, 1, dry);
}

void tac_toi_measure_outputs(const tacModel *m, const tacOptions *options, tacArena *dry) {
    measure_matrix(m, options, dry);
    TAC_SCOPE(dry);
    tac_flight_measure_travel(m, options, 0, dry);
    tac_flight_measure_solve(m, options, dry);
    tac_lcp_measure_pull_forces(m, options, dry);
}
