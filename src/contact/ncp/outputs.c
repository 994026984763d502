/* Forces of constraints in the step with contact ncp as outputs, with their derivatives (docs/theory/ncp.md, W27, W28):
 * of contacts on bodies, at q+, and of all constraints on dofs, which are what the balance without them is off by.
 * Each row of a Jacobian is the transposed answer to one number of them. */
#include "math/dense.h"
#include "contact/ncp/step.h"

#include <string.h>

tacStatus tac_ncp_forces_out(tacContext *ctx, const double *x, const double *u, double *wrench, double *qfrc) {
    tacNcp p;
    size_t mark = tac_arena_mark(&ctx->arena);
    tacStatus status = tac_ncp_go(ctx, x, u, ctx->options.ncp_kappa, &p);
    if (status == TAC_OK) tac_ncp_forces(&p, wrench, qfrc);
    tac_arena_release(&ctx->arena, mark);
    return status;
}

tacStatus tac_ncp_contacts(tacContext *ctx, const double *x, const double *u, tacContactForce *out, int max, int *n) {
    tacNcp p;
    size_t mark = tac_arena_mark(&ctx->arena);
    tacStatus status = tac_ncp_go(ctx, x, u, ctx->options.ncp_kappa, &p);
    if (tac_went_on(status)) *n = p.ncontact;
    if (tac_went_on(status) && p.ncontact > max) status = TAC_ERR_CONTACTS;
    if (tac_went_on(status)) tac_ncp_contact_forces(&p, out);
    tac_arena_release(&ctx->arena, mark);
    return status;
}

/* Two derivatives of one step: of all its equations, and of the balance without constraints. */
typedef struct Forces {
    tacNcp p;
    tacNcpDeriv d, free; /* free: as d, its wrenches without those of contacts */
    tacVec6 *zbar;       /* nbody: weights of the poses at q+ */
    double *vbar;        /* nv */
    tacNcpPull pull;
} Forces;

static tacStatus begin(tacContext *ctx, const double *x, const double *u, Forces *f) {
    const tacModel *m = ctx->model;
    tacStatus status = tac_ncp_prepare(ctx, x, u, &f->p, &f->d);
    if (status != TAC_OK) return status;
    f->free = f->d;
    f->free.wrench = TAC_TAKE(&ctx->arena, m->nbody, tacVec6);
    f->zbar = TAC_TAKE(&ctx->arena, m->nbody, tacVec6);
    f->vbar = TAC_TAKE(&ctx->arena, m->nv, double);
    f->pull = (tacNcpPull){.lambda = TAC_TAKE(&ctx->arena, m->nv, double),
                           .mu = TAC_TAKE(&ctx->arena, tac_ncp_inputs(&f->p), double)};
    if (!f->free.wrench || !f->zbar || !f->vbar || !f->pull.lambda || !f->pull.mu) return TAC_ERR_ARENA_FULL;
    tac_ncp_free_wrenches(&f->p, f->free.wrench);
    return TAC_OK;
}

/* Weights of outputs -> of the equations. Either NULL: none. */
static void answer(Forces *f, const double *wrenchbar, const double *qfrcbar) {
    memset(f->zbar, 0, (size_t)f->p.m->nbody * sizeof *f->zbar);
    memset(f->vbar, 0, (size_t)f->p.m->nv * sizeof *f->vbar);
    memset(f->pull.mu, 0, (size_t)tac_ncp_inputs(&f->p) * sizeof *f->pull.mu);
    if (wrenchbar != NULL) tac_ncp_wrench_weights(&f->p, &f->d, wrenchbar, f->zbar, f->pull.mu);
    if (qfrcbar != NULL) tac_ncp_free_weights(&f->p, &f->d, qfrcbar, f->zbar, f->vbar);
    tac_ncp_pose_weights(&f->p, f->zbar, f->vbar);
    tac_ncp_adjoint(&f->p, &f->d, f->vbar, f->pull.lambda, f->pull.mu);
}

/* --- Jacobian ----------------------------------------------------------------------------------------------------- */

static int any_force(const tacNcp *p, int body) {
    for (int i = 0; i < p->ncontact; i++)
        if (p->contact[i].body[0] == body || p->contact[i].body[1] == body) return 1;
    return 0;
}

/* The answer to number i of one of the outputs. */
static void add_row(Forces *f, tacNcpChanges *all, int i, int on_dofs, double *seed, double *out) {
    seed[i] = 1;
    answer(f, on_dofs ? NULL : seed, on_dofs ? seed : NULL);
    seed[i] = 0;
    tac_ncp_add_products(all, f->p.m->nv, f->pull.lambda, f->pull.mu, 1, out);
}

/* qfrc = R_free / h moves with h itself by -qfrc/h: qfrc in vbar, overwritten as zbar is. */
static const double *forces_on_dofs(Forces *f) {
    tac_ncp_forces(&f->p, &f->zbar[0].ang.x, f->vbar);
    return f->vbar;
}

/* dqfrc += d(R_free / h) */
static tacStatus free_rows(tacContext *ctx, const double *x, const double *u, Forces *f, tacNcpChanges *all,
                           double *dqfrc) {
    size_t n = (size_t)ctx->model->nv * (size_t)all->c.n;
    tacStatus status = tac_ncp_residual_jac(ctx, x, u, &f->p, &f->free, all->c, all->R, NULL, NULL);
    if (status == TAC_OK) tac_dense_axpy((int)n, 1 / f->p.h, all->R, dqfrc);
    int time = tac_param_of_time(ctx->model), column = all->c.nx + all->c.nu + time;
    const double *qfrc = time < 0 ? NULL : forces_on_dofs(f);
    for (int i = 0; qfrc != NULL && i < ctx->model->nv; i++)
        dqfrc[(size_t)i * (size_t)all->c.n + (size_t)column] -= qfrc[i] / f->p.h;
    return status;
}

static tacStatus rows(tacContext *ctx, const double *x, const double *u, Forces *f, double *dwrench, double *dqfrc) {
    const tacModel *m = ctx->model;
    tacNcpChanges all = {.c = tac_count_columns(ctx)};
    size_t n = (size_t)all.c.n;
    int most = 6 * m->nbody > m->nv ? 6 * m->nbody : m->nv;
    double *seed = TAC_TAKE(&ctx->arena, most, double);
    if (seed == NULL || !tac_ncp_take_changes(ctx, &f->p, &all)) return TAC_ERR_ARENA_FULL;
    memset(seed, 0, (size_t)most * sizeof *seed);
    tacStatus status = dqfrc != NULL ? free_rows(ctx, x, u, f, &all, dqfrc) : TAC_OK;
    if (status == TAC_OK) status = tac_ncp_residual_jac(ctx, x, u, &f->p, &f->d, all.c, all.R, all.r, dwrench);
    if (status != TAC_OK) return status;
    tac_ncp_find_rows(&f->p, &all);
    for (int b = 0; dwrench != NULL && b < m->nbody; b++)
        for (int i = 6 * b; i < 6 * b + 6 && any_force(&f->p, b); i++)
            add_row(f, &all, i, 0, seed, dwrench + (size_t)i * n);
    for (int i = 0; dqfrc != NULL && i < m->nv; i++)
        add_row(f, &all, i, 1, seed, dqfrc + (size_t)i * n);
    return TAC_OK;
}

tacStatus tac_ncp_forces_jac(tacContext *ctx, const double *x, const double *u, double *dwrench, double *dqfrc) {
    Forces f;
    size_t mark = tac_arena_mark(&ctx->arena);
    tacStatus status = begin(ctx, x, u, &f);
    if (status == TAC_OK) status = rows(ctx, x, u, &f, dwrench, dqfrc);
    tac_arena_release(&ctx->arena, mark);
    return status;
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

static tacStatus pull(tacContext *ctx, const double *x, const double *u, Forces *f, const double *wrenchbar,
                      const double *qfrcbar, const tacGrad *bar) {
    answer(f, wrenchbar, qfrcbar);
    f->pull.wrench = wrenchbar;
    tacStatus status = tac_ncp_residual_vjp(ctx, x, u, &f->p, &f->d, &f->pull, bar);
    if (status != TAC_OK || qfrcbar == NULL) return status;
    int time = bar->theta == NULL ? -1 : tac_param_of_time(ctx->model);
    if (time >= 0) bar->theta[time] -= tac_dense_dot(ctx->model->nv, qfrcbar, forces_on_dofs(f)) / f->p.h;
    for (int i = 0; i < ctx->model->nv; i++)
        f->pull.lambda[i] = -qfrcbar[i] / f->p.h;
    f->pull.mu = NULL, f->pull.wrench = NULL;
    return tac_ncp_residual_vjp(ctx, x, u, &f->p, &f->free, &f->pull, bar);
}

tacStatus tac_ncp_forces_vjp(tacContext *ctx, const double *x, const double *u, const double *wrenchbar,
                             const double *qfrcbar, const tacGrad *bar) {
    Forces f;
    size_t mark = tac_arena_mark(&ctx->arena);
    tacStatus status = begin(ctx, x, u, &f);
    if (status == TAC_OK) status = pull(ctx, x, u, &f, wrenchbar, qfrcbar, bar);
    tac_arena_release(&ctx->arena, mark);
    return status;
}

size_t tac_ncp_forces_scratch(const tacModel *m) {
    size_t nb = (size_t)m->nbody, nv = (size_t)m->nv;
    return 2 * tac_arena_round(nb * sizeof(tacVec6)) + tac_room(nv) + tac_room(6 * nb > nv ? 6 * nb : nv);
}
