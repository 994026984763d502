/* Forces of constraints in steps that stop at impacts, as outputs: impulses of the kick and of every impact over h,
 * each where its problem was, so that the sum is the mean over the step (docs/theory/contact.md, H5). */
#include "math/dense.h"
#include "math/scalar.h"
#include "contact/lcp/toi/flight.h"

#include <string.h>

/* --- Sums --------------------------------------------------------------------------------------------------------- */

static tacStatus list_contacts(tacFlightForces *z, const tacLcp *lcp, const double *v_next) {
    for (int c = 0; c < lcp->rows.ncontact; c++, z->n++)
        if (z->n < z->max) z->contact[z->n] = tac_lcp_describe(lcp, c, v_next);
    return TAC_OK;
}

tacStatus tac_flight_add_forces(tacFlight *f, const tacLcp *lcp) {
    tacContext *ctx = f->ctx;
    const tacModel *m = ctx->model;
    tacFlightForces *z = f->z;
    if (z == NULL) return TAC_OK;
    if (z->contact != NULL) return list_contacts(z, lcp, ctx->work.next + m->nq);
    size_t mark = tac_arena_mark(&ctx->arena);
    double *wrench = TAC_TAKE(&ctx->arena, 6 * (size_t)m->nbody, double), *qfrc = TAC_TAKE(&ctx->arena, m->nv, double);
    if (wrench == NULL || qfrc == NULL) return TAC_ERR_ARENA_FULL;
    if (z->wrench != NULL) {
        tac_lcp_wrenches(m, &ctx->work, lcp, wrench);
        tac_dense_axpy(6 * m->nbody, 1, wrench, z->wrench);
    }
    if (z->qfrc != NULL) {
        tac_lcp_forces_on_dofs(m, lcp, qfrc);
        tac_dense_axpy(m->nv, 1, qfrc, z->qfrc);
    }
    tac_arena_release(&ctx->arena, mark);
    return TAC_OK;
}

/* --- Entries ------------------------------------------------------------------------------------------------------ */

/* The whole step; the workspace is left at (x, u), as outputs expect it. */
static tacStatus travel(tacContext *ctx, const double *x, const double *u, tacFlightTangent *d, tacFlightForces *z,
                        int *impacts) {
    tacFlight f;
    size_t mark = tac_arena_mark(&ctx->arena);
    tacStatus status = tac_flight_travel(ctx, x, u, d, z, &f);
    *impacts = ctx->info.impacts;
    tac_arena_release(&ctx->arena, mark);
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

tacStatus tac_toi_forces_jac(tacContext *ctx, const double *x, const double *u, double *dwrench, double *dqfrc) {
    tacFlightTangent d;
    tacFlightForces z = {.dwrench = dwrench, .dqfrc = dqfrc};
    int impacts;
    size_t mark = tac_arena_mark(&ctx->arena), columns = (size_t)tac_count_columns(ctx).n;
    tacStatus status = tac_flight_tangent(ctx, &d);
    size_t rows = 6 * (size_t)ctx->model->nbody, nv = (size_t)ctx->model->nv;
    z.local = TAC_TAKE(&ctx->arena, (rows > nv ? rows : nv) * columns, double);
    if (status == TAC_OK && z.local == NULL) status = TAC_ERR_ARENA_FULL;
    if (status == TAC_OK) status = travel(ctx, x, u, &d, &z, &impacts);
    tac_arena_release(&ctx->arena, mark);
    return status;
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

/* By the matrix of one kind of forces. */
static tacStatus pull_matrix(tacContext *ctx, const double *x, const double *u, int wrenches, const double *zbar,
                             const tacGrad *bar) {
    tacColumns c = tac_count_columns(ctx);
    size_t mark = tac_arena_mark(&ctx->arena);
    size_t rows = wrenches ? 6 * (size_t)ctx->model->nbody : (size_t)ctx->model->nv;
    double *Z = TAC_TAKE(&ctx->arena, rows * (size_t)c.n, double);
    if (Z == NULL) return TAC_ERR_ARENA_FULL;
    memset(Z, 0, rows * (size_t)c.n * sizeof *Z);
    tacStatus status = tac_toi_forces_jac(ctx, x, u, wrenches ? Z : NULL, wrenches ? NULL : Z);
    if (tac_went_on(status)) pull_rows(c, rows, Z, zbar, bar);
    tac_arena_release(&ctx->arena, mark);
    return status;
}

/* A step without impacts is one problem. */
tacStatus tac_toi_forces_vjp(tacContext *ctx, const double *x, const double *u, const double *wrenchbar,
                             const double *qfrcbar, const tacGrad *bar) {
    tacFlight f;
    size_t mark = tac_arena_mark(&ctx->arena);
    tacStatus status = tac_flight_travel(ctx, x, u, NULL, NULL, &f);
    if (status == TAC_OK && ctx->info.impacts == 0) {
        tacLcp lcp = {.unsolved = 0};
        status = tac_flight_kick_again(&f, x, &lcp);
        if (status == TAC_OK) status = tac_lcp_pull_forces(ctx, x, u, &lcp, wrenchbar, qfrcbar, bar);
        tac_arena_release(&ctx->arena, mark);
        return status;
    }
    tac_arena_release(&ctx->arena, mark);
    if (tac_went_on(status) && wrenchbar != NULL) status = pull_matrix(ctx, x, u, 1, wrenchbar, bar);
    if (tac_went_on(status) && qfrcbar != NULL) status = pull_matrix(ctx, x, u, 0, qfrcbar, bar);
    return status;
}

/* Sums of one problem, its derivatives, and a matrix in reverse; wrenches have six rows a body. */
size_t tac_toi_forces_bytes(const tacModel *m, const tacOptions *options) {
    size_t rows = 6 * (size_t)m->nbody, n = (size_t)tac_columns_of(m, options).n;
    if (rows < (size_t)m->nv) rows = (size_t)m->nv;
    return 2 * tac_room(rows * n) + tac_room(6 * (size_t)m->nbody) + tac_room((size_t)m->nv);
}
