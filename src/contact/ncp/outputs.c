/* Forces of constraints in the step with contact ncp as outputs, with their derivatives (docs/theory/ncp.md, W27, W28):
 * of contacts on bodies, at q+, and of all constraints on dofs. The latter are the residual of the balance without
 * constraints. Each row of a Jacobian is the transposed solve for one output. */
#include "contact/ncp/step_deriv.h"

#include "contact/ncp/adjoint.h"
#include "contact/ncp/report.h"
#include "contact/ncp/share.h"
#include "contact/ncp/wrench.h"
#include "math/dense.h"

#include <string.h>

tacStatus tac_ncp_forces_out(tacContext *ctx, const double *x, const double *u, double *wrench, double *qfrc) {
    tacNcp p;
    TAC_SCOPE(&ctx->arena);
    TAC_TRY(tac_ncp_solve_step(ctx, x, u, ctx->options.ncp_kappa, &p));
    tac_ncp_forces(&p, wrench, qfrc);
    return TAC_OK;
}

tacStatus tac_ncp_contacts(tacContext *ctx, const double *x, const double *u, tacContactForce *out, int max, int *n) {
    tacNcp p;
    TAC_SCOPE(&ctx->arena);
    tacStatus status = tac_ncp_solve_step(ctx, x, u, ctx->options.ncp_kappa, &p);
    if (!tac_went_on(status)) return status;
    *n = p.ncontact;
    if (p.ncontact > max) return TAC_ERR_CONTACTS;
    tac_ncp_contact_forces(&p, out);
    return status;
}

tacFrictionEffect tac_ncp_friction(const tacContext *ctx, const tacContact *contact) {
    int rubs = ctx->options.ncp_friction != TAC_NCP_FRICTIONLESS && tac_contact_has_friction(ctx->model, contact);
    return rubs ? TAC_FRICTION_BOUNDS : TAC_FRICTION_ABSENT;
}

/* Two derivatives of one step: of all its equations, and of the balance without constraints. */
typedef struct Forces {
    tacNcp p;
    tacNcpDeriv d, free; /* free: as d, with wrenches without those of contacts */
    tacVec6 *zbar;       /* nbody: weights of the poses at q+ */
    double *vbar;        /* nv */
    tacNcpPull pull;
} Forces;

static int layout(Forces *f, const tacModel *m, int inputs, tacArena *arena) {
    f->free.wrench = TAC_TAKE(arena, m->nbody, tacVec6);
    f->zbar = TAC_TAKE(arena, m->nbody, tacVec6);
    f->vbar = TAC_TAKE(arena, m->nv, double);
    return f->free.wrench && f->zbar && f->vbar && tac_ncp_pull_layout(&f->pull, m->nv, inputs, arena);
}

static tacStatus begin(tacContext *ctx, const double *x, const double *u, Forces *f) {
    TAC_TRY(tac_ncp_prepare(ctx, x, u, &f->p, &f->d));
    f->free = f->d;
    if (!layout(f, ctx->model, tac_ncp_inputs(&f->p), &ctx->arena)) return TAC_ERR_ARENA_FULL;
    tac_ncp_free_wrenches(&f->p, f->free.wrench);
    return TAC_OK;
}

/* Weights of outputs to weights of the equations. Either may be NULL. */
static void solve_transposed(Forces *f, const double *wrenchbar, const double *qfrcbar) {
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

/* Adds the row of output number i, at fixed shares of restitution, and notes what they add. */
static void add_row(Forces *f, tacNcpChanges *all, const tacNcpShares *shares, int i, int on_dofs, double *seed,
                    double *out) {
    seed[i] = 1;
    solve_transposed(f, on_dofs ? NULL : seed, on_dofs ? seed : NULL);
    seed[i] = 0;
    tac_ncp_note_share(&f->p, shares, i, f->pull.mu);
    tac_ncp_add_products(all, f->p.m->nv, f->pull.lambda, f->pull.mu, 1, out);
}

/* qfrc = R_free / h also depends on h itself, by -qfrc/h. Returns qfrc in vbar; overwrites zbar. */
static const double *forces_on_dofs(Forces *f) {
    tac_ncp_forces(&f->p, &f->zbar[0].ang.x, f->vbar);
    return f->vbar;
}

/* dqfrc += d(R_free / h) */
static tacStatus free_rows(tacContext *ctx, const double *x, const double *u, Forces *f, tacNcpChanges *all,
                           double *dqfrc) {
    size_t n = (size_t)ctx->model->nv * (size_t)all->c.n;
    TAC_TRY(tac_ncp_residual_jac(ctx, x, u, &f->p, &f->free, all->c, all->R, NULL, NULL));
    tac_dense_axpy((int)n, 1 / f->p.h, all->R, dqfrc);
    int time = tac_param_of_time(ctx->model), column = all->c.nx + all->c.nu + time;
    const double *qfrc = time < 0 ? NULL : forces_on_dofs(f);
    for (int i = 0; qfrc != NULL && i < ctx->model->nv; i++)
        dqfrc[(size_t)i * (size_t)all->c.n + (size_t)column] -= qfrc[i] / f->p.h;
    return TAC_OK;
}

/* What the Jacobian takes besides Forces. */
typedef struct Jacobian {
    double *seed; /* the larger of 6 nbody and nv: weights of outputs, all zero but for one */
    tacNcpChanges all;
    tacNcpShares shares; /* a line for each output */
} Jacobian;

static int most_outputs(const tacModel *m) { return 6 * m->nbody > m->nv ? 6 * m->nbody : m->nv; }

static int layout_jac(Jacobian *j, const tacModel *m, tacColumns c, int inputs, tacArena *arena) {
    j->seed = TAC_TAKE(arena, most_outputs(m), double);
    return j->seed && tac_ncp_changes_layout(&j->all, m->nv, c, inputs, arena);
}

/* Bodies that nothing touches have no line of their own. */
static void clear_shares(const tacNcpShares *s, int lines) {
    if (s->n > 0) memset(s->weight, 0, (size_t)s->n * (size_t)lines * sizeof *s->weight);
}

static tacStatus rows(tacContext *ctx, const double *x, const double *u, Forces *f, double *dwrench, double *dqfrc) {
    const tacModel *m = ctx->model;
    tacColumns c = tac_count_columns(ctx);
    size_t n = (size_t)c.n;
    Jacobian j;
    if (!layout_jac(&j, m, c, tac_ncp_inputs(&f->p), &ctx->arena) ||
        !tac_ncp_shares_layout(&j.shares, &f->p, c, most_outputs(m), &ctx->arena))
        return TAC_ERR_ARENA_FULL;
    memset(j.seed, 0, (size_t)most_outputs(m) * sizeof *j.seed);
    if (dqfrc != NULL) TAC_TRY(free_rows(ctx, x, u, f, &j.all, dqfrc));
    TAC_TRY(tac_ncp_residual_jac(ctx, x, u, &f->p, &f->d, c, j.all.R, j.all.r, dwrench));
    tac_ncp_pack_inputs(&f->p, &j.all);
    clear_shares(&j.shares, most_outputs(m));
    for (int b = 0; dwrench != NULL && b < m->nbody; b++)
        for (int i = 6 * b; i < 6 * b + 6 && any_force(&f->p, b); i++)
            add_row(f, &j.all, &j.shares, i, 0, j.seed, dwrench + (size_t)i * n);
    if (dwrench != NULL) TAC_TRY(tac_ncp_add_shares(ctx, x, u, &f->p, &f->d, &j.shares, c, 6 * m->nbody, 1, dwrench));
    for (int i = 0; dqfrc != NULL && i < m->nv; i++)
        add_row(f, &j.all, &j.shares, i, 1, j.seed, dqfrc + (size_t)i * n);
    return dqfrc == NULL ? TAC_OK : tac_ncp_add_shares(ctx, x, u, &f->p, &f->d, &j.shares, c, m->nv, 1, dqfrc);
}

tacStatus tac_ncp_forces_jac(tacContext *ctx, const double *x, const double *u, double *dwrench, double *dqfrc) {
    Forces f;
    TAC_SCOPE(&ctx->arena);
    TAC_TRY(begin(ctx, x, u, &f));
    return rows(ctx, x, u, &f, dwrench, dqfrc);
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

static tacStatus pull(tacContext *ctx, const double *x, const double *u, Forces *f, const double *wrenchbar,
                      const double *qfrcbar, const tacGrad *bar) {
    tacNcpShares shares;
    if (!tac_ncp_shares_layout(&shares, &f->p, tac_count_columns(ctx), 1, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    solve_transposed(f, wrenchbar, qfrcbar);
    tac_ncp_note_share(&f->p, &shares, 0, f->pull.mu);
    f->pull.wrench = wrenchbar;
    TAC_TRY(tac_ncp_residual_vjp(ctx, x, u, &f->p, &f->d, &f->pull, bar));
    TAC_TRY(tac_ncp_pull_shares(ctx, x, u, &f->p, &f->d, &shares, bar));
    if (qfrcbar == NULL) return TAC_OK;
    int time = bar->theta == NULL ? -1 : tac_param_of_time(ctx->model);
    if (time >= 0) bar->theta[time] -= tac_dense_dot(ctx->model->nv, qfrcbar, forces_on_dofs(f)) / f->p.h;
    for (int i = 0; i < ctx->model->nv; i++)
        f->pull.lambda[i] = -qfrcbar[i] / f->p.h;
    f->pull.mu = NULL;
    f->pull.wrench = NULL;
    return tac_ncp_residual_vjp(ctx, x, u, &f->p, &f->free, &f->pull, bar);
}

tacStatus tac_ncp_forces_vjp(tacContext *ctx, const double *x, const double *u, const double *wrenchbar,
                             const double *qfrcbar, const tacGrad *bar) {
    Forces f;
    TAC_SCOPE(&ctx->arena);
    TAC_TRY(begin(ctx, x, u, &f));
    return pull(ctx, x, u, &f, wrenchbar, qfrcbar, bar);
}

/* --- Contacts one by one ------------------------------------------------------------------------------------------ */

/* f = (gamma, s_1 xi_1, s_2 xi_2)/h along unit tangents, s_k the scale of tangent k. */
static int components(const tacNcp *p, int i, double of_impulse[3]) {
    const tacNcpContact *c = &p->contact[i];
    of_impulse[0] = 1 / p->h;
    for (int k = 0; k < 2; k++)
        of_impulse[1 + k] = c->law.tangent_scale[k] / p->h;
    return c->friction.mu > 0 ? 3 : 1;
}

/* The contact as the list has it. */
static const tacContact *listed(const tacNcpContact *c) { return c->now.touches ? &c->now.contact : &c->next.contact; }

static void values_of(const tacNcp *p, int i, double f[3]) {
    const tacFrictionPoint *at = &p->contact[i].friction;
    const double impulse[3] = {at->gamma, at->xi[1], at->xi[2]};
    double by[3];
    int n = components(p, i, by);
    for (int k = 0; k < 3; k++)
        f[k] = k < n ? by[k] * impulse[k] : 0;
}

static void tell_values(const tacNcp *p, const tacContactReader *reader) {
    for (int i = 0; i < p->ncontact; i++) {
        double f[3];
        values_of(p, i, f);
        reader->value(reader->of, i, listed(&p->contact[i]), f);
    }
}

/* Adds the weights of a contact's force to those of its inputs: df = s dp/h, dp = -K d(gap, slip) + ...   (W12) */
static void weigh_inputs(Forces *f, int i, const double bar[3]) {
    double by[3];
    int n = components(&f->p, i, by);
    for (int k = 0; k < n; k++)
        tac_dense_axpy(TAC_NCP_INPUTS, bar[k] * by[k], f->d.response[i].to[k], f->pull.mu + TAC_NCP_INPUTS * i);
}

/* theta += bar . df at fixed impulses: the time step, and the scales of the tangents (W34). */
static void add_own(const tacContext *ctx, const tacNcp *p, int i, const double bar[3], double *theta) {
    const tacNcpContact *c = &p->contact[i];
    int time = tac_param_of_time(ctx->model), n = components(p, i, (double[3]){0});
    double f[3];
    values_of(p, i, f);
    if (time >= 0) theta[time] -= tac_dense_dot(3, bar, f) / p->h;
    for (int j = 0; n == 3 && j < ctx->model->nmember; j++)
        for (int k = 0; k < 2; k++)
            theta[ctx->tangents[j].column] +=
                bar[1 + k] * tac_ncp_scale_param(ctx->model, c, &ctx->tangents[j], k) * c->friction.xi[1 + k] / p->h;
}

static void clear_weights(Forces *f) {
    memset(f->vbar, 0, (size_t)f->p.m->nv * sizeof *f->vbar);
    memset(f->pull.mu, 0, (size_t)tac_ncp_inputs(&f->p) * sizeof *f->pull.mu);
}

/* What the lines of a contact take: three of them. */
typedef struct Lines {
    double *line; /* 3 c.n */
    tacNcpChanges all;
    tacNcpShares shares;
} Lines;

static int lines_layout(Lines *l, const tacModel *m, tacColumns c, int inputs, tacArena *arena) {
    l->line = TAC_TAKE(arena, 3 * (size_t)c.n, double);
    return l->line && tac_ncp_changes_layout(&l->all, m->nv, c, inputs, arena);
}

static tacStatus tell_contact(tacContext *ctx, const double *x, const double *u, Forces *f, Lines *l, int i,
                              const tacContactReader *reader) {
    tacColumns c = l->all.c;
    double by[3];
    int n = components(&f->p, i, by);
    memset(l->line, 0, 3 * (size_t)c.n * sizeof *l->line);
    clear_shares(&l->shares, 3);
    for (int k = 0; k < n; k++) {
        double bar[3] = {k == 0, k == 1, k == 2}, *line = l->line + (size_t)k * (size_t)c.n;
        clear_weights(f);
        weigh_inputs(f, i, bar);
        tac_ncp_adjoint(&f->p, &f->d, f->vbar, f->pull.lambda, f->pull.mu);
        tac_ncp_note_share(&f->p, &l->shares, k, f->pull.mu);
        tac_ncp_add_products(&l->all, f->p.m->nv, f->pull.lambda, f->pull.mu, 1, line);
        if (c.np > 0) add_own(ctx, &f->p, i, bar, line + c.nx + c.nu);
    }
    TAC_TRY(tac_ncp_add_shares(ctx, x, u, &f->p, &f->d, &l->shares, c, 3, 1, l->line));
    for (int k = 0; k < n; k++)
        reader->line(reader->of, i, listed(&f->p.contact[i]), k, 1, l->line + (size_t)k * (size_t)c.n);
    return TAC_OK;
}

static tacStatus tell_lines(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader) {
    tacColumns c = tac_count_columns(ctx);
    Forces f;
    Lines l;
    double bar[3];
    TAC_TRY(begin(ctx, x, u, &f));
    if (!lines_layout(&l, ctx->model, c, tac_ncp_inputs(&f.p), &ctx->arena) ||
        !tac_ncp_shares_layout(&l.shares, &f.p, c, 3, &ctx->arena))
        return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_ncp_residual_jac(ctx, x, u, &f.p, &f.d, c, l.all.R, l.all.r, NULL));
    tac_ncp_pack_inputs(&f.p, &l.all);
    tell_values(&f.p, reader);
    for (int i = 0; i < f.p.ncontact; i++)
        if (reader->weigh(reader->of, i, listed(&f.p.contact[i]), bar))
            TAC_TRY(tell_contact(ctx, x, u, &f, &l, i, reader));
    return TAC_OK;
}

tacStatus tac_ncp_forces_of_contacts(tacContext *ctx, const double *x, const double *u,
                                     const tacContactReader *reader) {
    TAC_SCOPE(&ctx->arena);
    if (reader->line != NULL) return tell_lines(ctx, x, u, reader);
    tacNcp p;
    TAC_TRY(tac_ncp_solve_step(ctx, x, u, ctx->options.ncp_kappa, &p));
    tell_values(&p, reader);
    return TAC_OK;
}

tacStatus tac_ncp_contact_forces_vjp(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader,
                                     const tacGrad *bar) {
    TAC_SCOPE(&ctx->arena);
    Forces f;
    tacNcpShares shares;
    double of[3];
    TAC_TRY(begin(ctx, x, u, &f));
    if (!tac_ncp_shares_layout(&shares, &f.p, tac_count_columns(ctx), 1, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    clear_weights(&f);
    for (int i = 0; i < f.p.ncontact; i++) {
        if (!reader->weigh(reader->of, i, listed(&f.p.contact[i]), of)) continue;
        weigh_inputs(&f, i, of);
        if (bar->theta != NULL) add_own(ctx, &f.p, i, of, bar->theta);
    }
    tac_ncp_adjoint(&f.p, &f.d, f.vbar, f.pull.lambda, f.pull.mu);
    tac_ncp_note_share(&f.p, &shares, 0, f.pull.mu);
    f.pull.wrench = NULL;
    TAC_TRY(tac_ncp_residual_vjp(ctx, x, u, &f.p, &f.d, &f.pull, bar));
    return tac_ncp_pull_shares(ctx, x, u, &f.p, &f.d, &shares, bar);
}

void tac_ncp_measure_forces(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    int inputs = tac_ncp_max_inputs(m, options->max_contacts);
    Forces f;
    Jacobian j;
    tac_ncp_measure_prepare(m, options, dry);
    layout(&f, m, inputs, dry);
    layout_jac(&j, m, tac_columns_of(m, options), inputs, dry);
    Lines l;
    lines_layout(&l, m, tac_columns_of(m, options), inputs, dry);
    tac_ncp_measure_shares(m, options, most_outputs(m), dry);
}
