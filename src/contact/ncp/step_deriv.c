/* Derivatives of the step with contact ncp: implicit, at the point of the central path that the options name, with the
 * factors of the step's own system   (docs/theory/ncp.md, W20-W26)
 *
 *   R(v+; q, v, act, u, theta) = 0 with cone variables eliminated:   dv+ = w - A^-1 dR,   w = dv+ and dR at fixed q+
 *
 * In reverse mode one transposed solve, with refinement, gives the weights of R and of the inputs of impulses. */
#include "contact/ncp/step_deriv.h"

#include "contact/ncp/adjoint.h"
#include "contact/ncp/damping.h"
#include "contact/ncp/rows_deriv.h"
#include "contact/ncp/share.h"
#include "dynamics/actuator.h"
#include "dynamics/passive.h"
#include "math/dense.h"
#include "smooth/tangent.h"

#include <string.h>

/* How much softer than contact the geometry is. */
static double geometry_softness(const tacContext *ctx) {
    return ctx->options.ncp_collision == TAC_NCP_FEATURES ? 1 : ctx->options.ncp_geometry_softness;
}

tacStatus tac_ncp_prepare(tacContext *ctx, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d) {
    double kappa = ctx->options.ncp_kappa, smooth = ctx->options.ncp_gradient_kappa;
    if (smooth > kappa) kappa = smooth;
    tacStatus solved = tac_ncp_solve_softened(ctx, x, u, kappa, geometry_softness(ctx), p);
    if (!tac_went_on(solved)) return solved;
    if (!tac_ncp_deriv_layout(d, ctx->model, ctx->options.max_contacts, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    if (solved == TAC_OK) TAC_TRY(tac_ncp_refine(ctx, kappa, p));
    TAC_TRY(tac_ncp_differentiate(p, d, kappa));
    return solved;
}

void tac_ncp_measure_prepare(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tacNcpDeriv d;
    int max_contacts = options->max_contacts;
    tac_ncp_measure_solve(m, options, dry);
    tac_ncp_deriv_layout(&d, m, max_contacts, dry);
    tac_interior_measure(tac_ncp_max_unknowns(m, max_contacts, options->ncp_collision),
                         tac_ncp_max_numbers(m, max_contacts, options->ncp_collision), dry); /* tac_ncp_refine */
}

/* --- Columns ------------------------------------------------------------------------------------------------------ */

static tacSink at(tacSink like, int column, double *bar) {
    if (like.along != NULL)
        like.along += column;
    else if (like.matrix != NULL)
        like.matrix += column;
    else
        like.bar = bar;
    return like;
}

/* Where all columns go: sinks of matrices begin at the first column; those of a reverse pass share bar. */
typedef struct Target {
    tacSink balance, inputs, wrench;
    tacGrad bar;
    tacColumns c;
} Target;

static tacNcpSink sinks_at(const Target *t, int column, double *bar) {
    return (tacNcpSink){at(t->balance, column, bar), at(t->inputs, column, bar), at(t->wrench, column, bar)};
}

/* Emits d(joint forces) to a sink. Forces that are implicit in velocity are differentiated at fixed v+ - v. bar NULL: a
 * matrix. */
static void emit_forces(tacContext *ctx, const double *x, const double *u, const tacNcp *p, tacSink like, tacColumns c,
                        const tacGrad *bar) {
    const tacModel *m = ctx->model;
    const tacInputLayout *b = &ctx->inputs;
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    double *x_bar = bar == NULL ? NULL : bar->x, *u_bar = bar == NULL ? NULL : bar->u;
#define U_SINK(block) at(like, c.nx + (block), u_bar == NULL ? NULL : u_bar + (block))
#define X_SINK(block) at(like, (block), x_bar == NULL ? NULL : x_bar + (block))
    tacForceSink state = {.q = X_SINK(0), .v = X_SINK(m->nv), .act = X_SINK(2 * m->nv), .ctrl = U_SINK(0)};
    tacSink qfrc = U_SINK(b->qfrc < 0 ? 0 : b->qfrc), xfrc = U_SINK(b->xfrc < 0 ? 0 : b->xfrc);
    tac_joint_force_jac(m, &ctx->work, &point, &state, b->qfrc < 0 ? NULL : &qfrc, b->xfrc < 0 ? NULL : &xfrc);
    tac_ncp_damping_jac(p, &ctx->work, &state);
    tacSink mocap = U_SINK(b->mocap < 0 ? 0 : b->mocap), theta = at(like, c.nx + c.nu, bar == NULL ? NULL : bar->theta);
#undef U_SINK
#undef X_SINK
    for (int i = 0; b->mocap >= 0 && i < ctx->inputs.nmocap; i++) {
        tacMover mover;
        tac_mocap_mover(m, &ctx->work, i, point.u.mocap, &mover);
        tac_force_move(m, &ctx->work, &point, &mover, i, &(tacForceParts){mocap, mocap});
        tac_ncp_damping_move(p, &ctx->work, &mover, i, &mocap);
    }
    for (int i = 0; i < m->nmember && (bar == NULL || bar->theta != NULL); i++) {
        const tacParamTangent *t = &ctx->tangents[i];
        tac_param_force_jac(m, &ctx->work, &point, t, t->column, &(tacForceParts){theta, theta});
        tac_ncp_damping_param(p, &ctx->work, t, t->column, &theta);
    }
}

/* Emits all other changes. */
static tacStatus emit_all(tacContext *ctx, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d,
                          const Target *t) {
    const tacModel *m = ctx->model;
    const tacInputLayout *b = &ctx->inputs;
    int first = b->mocap < 0 ? 0 : b->mocap;
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    double *x_bar = t->bar.x, *u_bar = t->bar.u, *theta_bar = t->bar.theta;
    tacNcpSink q = sinks_at(t, 0, x_bar), v = sinks_at(t, m->nv, x_bar == NULL ? NULL : x_bar + m->nv);
    tacNcpSink mocap = sinks_at(t, t->c.nx + first, u_bar == NULL ? NULL : u_bar + first);
    tacNcpSink theta = sinks_at(t, t->c.nx + t->c.nu, theta_bar);
    tac_world_force_jac(m, &ctx->work, d->wrench, &q.balance);
    tac_ncp_state_jac(p, d, &q, &v);
    int params = t->c.np > 0 && (t->balance.matrix != NULL || theta_bar != NULL);
    int free = tac_sink_is_empty(&t->inputs);
    return tac_ncp_param_jac(&(tacNcpView){p, d, &point, free}, ctx->tangents, b->mocap < 0 ? NULL : &mocap,
                             params ? &theta : NULL);
}

/* --- Jacobian ----------------------------------------------------------------------------------------------------- */

/* Inputs whose changes may be other than zero: numbers of rows' laws, the last, change with parameters alone. */
static int changing_inputs(const tacNcp *p, tacColumns c) {
    return c.np > 0 ? tac_ncp_inputs(p) : tac_ncp_value_input(p, p->rows.n);
}

tacStatus tac_ncp_residual_jac(tacContext *ctx, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d,
                               tacColumns c, double *W, double *r, double *wrench) {
    const tacModel *m = ctx->model;
    Target t = {.balance = tac_columns_sink(c, W, 0), .inputs = tac_columns_sink(c, r, 0), .c = c};
    if (wrench != NULL) t.wrench = tac_columns_sink(c, wrench, 0);
    tacSink forces = t.balance;
    forces.negate = 1;
    memset(W, 0, (size_t)m->nv * (size_t)c.n * sizeof *W);
    if (r != NULL) memset(r, 0, (size_t)changing_inputs(p, c) * (size_t)c.n * sizeof *r);
    emit_forces(ctx, x, u, p, forces, c, NULL);
    for (size_t i = 0; i < (size_t)m->nv * (size_t)c.n; i++)
        W[i] *= p->h;
    return emit_all(ctx, x, u, p, d, &t);
}

int tac_ncp_changes_layout(tacNcpChanges *all, int nv, tacColumns c, int inputs, tacArena *arena) {
    size_t n = (size_t)c.n;
    int most = nv > inputs ? nv : inputs;
    *all = (tacNcpChanges){.c = c};
    all->R = TAC_TAKE(arena, (size_t)nv * n, double);
    all->r = TAC_TAKE(arena, (size_t)inputs * n, double);
    all->row = TAC_TAKE(arena, most, int);
    all->weight = TAC_TAKE(arena, TAC_NCP_LANES * most, double);
    all->used = TAC_TAKE(arena, most, int);
    return all->R && all->r && all->row && all->weight && all->used;
}

/* Columns of a row up to the last that is not zero. */
static int used_columns(int n, const double *row) {
    int zero = n > 0 && row[0] == 0 && memcmp(row, row + 1, (size_t)(n - 1) * sizeof *row) == 0; /* most rows are */
    while (n > 0 && (zero || row[n - 1] == 0))
        n = zero ? 0 : n - 1;
    return n;
}

void tac_ncp_pack_inputs(const tacNcp *p, tacNcpChanges *all) {
    size_t n = (size_t)all->c.n;
    int inputs = changing_inputs(p, all->c);
    all->nrow = all->width = 0;
    for (int i = 0; i < inputs; i++) {
        int used = used_columns(all->c.n, all->r + (size_t)i * n);
        if (used > 0) all->row[all->nrow++] = i;
        all->width = used > all->width ? used : all->width;
    }
    for (int k = 0; k < all->nrow; k++)
        memmove(all->r + (size_t)k * (size_t)all->width, all->r + (size_t)all->row[k] * n,
                (size_t)all->width * sizeof *all->r);
}

void tac_ncp_add_products(const tacNcpChanges *all, int nv, const double *lambda, const double *mu, double scale,
                          double *out) {
    int count = 0;
    for (int k = 0; k < all->nrow; k++)
        if (mu[all->row[k]] != 0) {
            all->weight[count] = mu[all->row[k]];
            all->used[count++] = k;
        }
    tac_dense_add_rows(all->width, count, all->weight, all->used, all->r, 1, out);
    count = 0;
    for (int i = 0; i < nv; i++)
        if (lambda[i] != 0) {
            all->weight[count] = -lambda[i];
            all->used[count++] = i;
        }
    tac_dense_add_rows(all->c.n, count, all->weight, all->used, all->R, scale, out);
}

/* W += w/h, where w is the change of v+ that keeps q+ fixed; also by the time step, where W is -da, a = (v+ - v)/h. */
static void add_hold(const tacNcp *p, tacColumns c, double *W) {
    int time = tac_param_of_time(p->m);
    tacSink sink = tac_columns_sink(c, W, 0);
    for (int i = 0; time >= 0 && i < p->m->nv; i++) {
        double gained = (p->x[i] - p->v[i]) / p->h;
        tac_emit(&sink, i, c.nx + c.nu + time, -(tac_ncp_hold_time(p, i) - gained) / p->h);
    }
    for (int j = 0; j < p->m->nv; j++) {
        double hold[3];
        int first, count = tac_ncp_hold(p, j, hold, &first);
        for (int k = 0; k < count; k++)
            tac_emit(&sink, first + k, j, -hold[k] / p->h);
    }
}

/* 1: derivatives are those of a softer step, and y is that of the step itself. */
static int is_smoothed(const tacContext *ctx) {
    return ctx->options.ncp_gradient_kappa > ctx->options.ncp_kappa || geometry_softness(ctx) > 1;
}

/* What a Jacobian takes besides the solved step and its derivative. */
typedef struct Jacobian {
    double *W, *hv; /* nv (rounded up to whole strips) x c.n, nv */
    tacNcpPull pull;
    tacNcpChanges all;
    tacNcpShares shares;            /* a line for each dof */
    int *balance_rows, *input_rows; /* rows of R and r that blocks of columns have */
} Jacobian;

static int layout_jac(Jacobian *j, int nv, tacColumns c, int inputs, tacArena *arena) {
    size_t rows = (size_t)(nv + TAC_NCP_LANES - 1);
    *j = (Jacobian){.W = TAC_TAKE(arena, rows * (size_t)c.n, double)};
    j->hv = TAC_TAKE(arena, nv, double);
    j->balance_rows = TAC_TAKE(arena, tac_dense_block_rows_size(c.n, nv), int);
    j->input_rows = TAC_TAKE(arena, tac_dense_block_rows_size(c.n, inputs), int);
    return j->W && j->hv && j->balance_rows && j->input_rows && tac_ncp_pull_layout(&j->pull, nv, inputs, arena) &&
           tac_ncp_changes_layout(&j->all, nv, c, inputs, arena);
}

/* Weights of the packed inputs, those of each right side times `scale`. */
static void pack_weights(const tacNcpChanges *all, const double *mu, double scale, double *weight) {
    for (int k = 0; k < all->nrow; k++)
        for (int lane = 0; lane < TAC_NCP_LANES; lane++)
            weight[TAC_NCP_LANES * k + lane] = scale * mu[TAC_NCP_LANES * all->row[k] + lane];
}

/* Rows `first` on of W = -(dv+ - dv)/h, as tac_assemble_jac takes it, at fixed shares of restitution: from the
 * transposed solves for v+_i. So the contacts' stiffness does not multiply rounding. W has room for all lanes. */
static void put_strip(const tacNcp *p, tacNcpDeriv *d, Jacobian *j, int first, int count) {
    int nv = p->m->nv, n = j->all.c.n, inputs = tac_ncp_inputs(p);
    double *W = j->W + (size_t)first * (size_t)n, *lambda = d->strip.lambda;
    tac_ncp_adjoint_of_dofs(p, d, first, count);
    memset(W, 0, TAC_NCP_LANES * (size_t)n * sizeof *W);
    for (int lane = 0; lane < count && j->shares.n > 0; lane++) {
        tac_ncp_get_lane(inputs, d->strip.mu, lane, j->pull.mu);
        tac_ncp_note_share(p, &j->shares, first + lane, j->pull.mu);
    }
    pack_weights(&j->all, d->strip.mu, -1 / p->h, j->all.weight);
    tac_dense_add_to_four(j->all.width, j->all.nrow, j->input_rows, j->all.weight, j->all.r, W, n);
    for (int i = 0; i < TAC_NCP_LANES * nv; i++)
        lambda[i] /= p->h;
    tac_dense_add_to_four(n, nv, j->balance_rows, lambda, j->all.R, W, n);
    tacSink own = tac_columns_sink(j->all.c, W, nv + first);
    for (int lane = 0; lane < count; lane++)
        tac_emit(&own, lane, lane, 1 / p->h);
}

/* Columns and where their derivatives go: dy where they are along a direction, J otherwise. */
typedef struct Wanted {
    tacColumns c;
    const tacJac *J;
    double *dy;
} Wanted;

static tacStatus jac(tacContext *ctx, const double *x, const double *u, double *next, const Wanted *wanted) {
    const tacModel *m = ctx->model;
    tacColumns c = wanted->c;
    tacNcp p;
    tacNcpDeriv d;
    Jacobian j;
    tacStatus solved = tac_ncp_prepare(ctx, x, u, &p, &d);
    if (!tac_went_on(solved)) return solved;
    if (!layout_jac(&j, m->nv, c, tac_ncp_inputs(&p), &ctx->arena) ||
        !tac_ncp_shares_layout(&j.shares, &p, c, m->nv, &ctx->arena))
        return TAC_ERR_ARENA_FULL;
    if (next != NULL) memcpy(next, ctx->work.next, (size_t)tac_nx(m) * sizeof *next);
    memcpy(j.hv, p.hv, (size_t)m->nv * sizeof *j.hv);
    TAC_TRY(tac_ncp_residual_jac(ctx, x, u, &p, &d, c, j.all.R, j.all.r, NULL));
    tac_ncp_pack_inputs(&p, &j.all);
    tac_dense_block_rows(c.n, m->nv, j.all.R, j.balance_rows);
    tac_dense_block_rows(j.all.width, j.all.nrow, j.all.r, j.input_rows);
    for (int i = 0; i < m->nv; i += TAC_NCP_LANES)
        put_strip(&p, &d, &j, i, m->nv - i < TAC_NCP_LANES ? m->nv - i : TAC_NCP_LANES);
    ctx->info.conditioning = d.conditioning;
    TAC_TRY(tac_ncp_add_shares(ctx, x, u, &p, &d, &j.shares, c, m->nv, -1 / p.h, j.W));
    add_hold(&p, c, j.W);
    tacStatus status = wanted->dy != NULL ? tac_assemble_jvp(ctx, x, u, j.hv, c, j.W, wanted->dy)
                                          : tac_assemble_jac(ctx, x, u, j.hv, c, j.W, wanted->J);
    return status == TAC_OK ? solved : status;
}

/* Solves the step at its own kappa: next, own. */
static tacStatus own_step(tacContext *ctx, const double *x, const double *u, double *next, tacStepInfo *own) {
    tacNcp p;
    TAC_SCOPE(&ctx->arena);
    tacStatus status = tac_ncp_solve_step(ctx, x, u, ctx->options.ncp_kappa, &p);
    memcpy(next, ctx->work.next, (size_t)tac_nx(ctx->model) * sizeof *next);
    *own = ctx->info;
    return status;
}

static tacStatus forward(tacContext *ctx, const double *x, const double *u, double *y, const Wanted *wanted) {
    TAC_SCOPE(&ctx->arena);
    size_t nx = (size_t)tac_nx(ctx->model);
    tacStepInfo own = {0};
    double *next = TAC_TAKE(&ctx->arena, nx, double);
    if (next == NULL) return TAC_ERR_ARENA_FULL;
    int apart = y != NULL && is_smoothed(ctx);
    tacStatus status = apart ? own_step(ctx, x, u, next, &own) : TAC_OK;
    tacStatus solved = tac_went_on(status) ? jac(ctx, x, u, apart ? NULL : next, wanted) : status;
    if (tac_went_on(solved) && y != NULL) memcpy(y, next, nx * sizeof *y);
    if (!tac_went_on(solved) || status != TAC_ERR_UNSOLVED) return solved;
    tac_restore_solve(&ctx->info, &own);
    return status;
}

tacStatus tac_ncp_jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J) {
    return forward(ctx, x, u, y, &(Wanted){.c = tac_count_columns(ctx), .J = J});
}

tacStatus tac_ncp_jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, double *y, double *dy) {
    return forward(ctx, x, u, y, &(Wanted){.c = c, .dy = dy});
}

void tac_ncp_measure_jac(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    Jacobian j;
    TAC_TAKE(dry, tac_nx(m), double); /* the next state */
    tac_ncp_measure_prepare(m, options, dry);
    layout_jac(&j, m->nv, tac_columns_of(m, options), tac_ncp_max_inputs(m, options->max_contacts), dry);
    tac_ncp_measure_shares(m, options, m->nv, dry);
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

int tac_ncp_pull_layout(tacNcpPull *pull, int nv, int inputs, tacArena *arena) {
    *pull = (tacNcpPull){.lambda = TAC_TAKE(arena, nv, double), .mu = TAC_TAKE(arena, inputs, double)};
    return pull->lambda && pull->mu;
}

tacStatus tac_ncp_residual_vjp(tacContext *ctx, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d,
                               const tacNcpPull *pull, const tacGrad *bar) {
    Target t = {.balance = {.lambda = pull->lambda, .negate = 1},
                .inputs = {.lambda = pull->mu},
                .wrench = {.lambda = pull->wrench},
                .bar = *bar,
                .c = tac_count_columns(ctx)};
    double *scaled = p->g_rhs;
    for (int i = 0; i < ctx->model->nv; i++)
        scaled[i] = p->h * pull->lambda[i];
    emit_forces(ctx, x, u, p, (tacSink){.lambda = scaled}, t.c, bar);
    return emit_all(ctx, x, u, p, d, &t);
}

/* Activations advance by themselves. */
static void activations_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *bar) {
    const tacModel *m = ctx->model;
    const double *actbar = ybar + 2 * m->nv;
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    tacSink act = {.lambda = actbar, .bar = bar->x + 2 * m->nv}, ctrl = {.lambda = actbar, .bar = bar->u};
    tacSink theta = {.lambda = actbar, .bar = bar->theta};
    tac_advance_activations_jac(m, &ctx->work, u, x + m->nq + m->nv, ctx->options.dt, &act, &ctrl);
    for (int i = 0; bar->theta != NULL && i < m->nmember; i++)
        tac_param_activation_jac(m, &ctx->work, &point, &ctx->tangents[i], ctx->tangents[i].column, &theta);
}

static tacStatus vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    const tacModel *m = ctx->model;
    tacNcp p;
    tacNcpDeriv d;
    tacAdjoint adjoint;
    tacNcpPull pull;
    tacNcpShares shares;
    tacStatus solved = tac_ncp_prepare(ctx, x, u, &p, &d);
    if (!tac_went_on(solved)) return solved;
    memcpy(ctx->work.vec[0], p.hv, (size_t)m->nv * sizeof(double));
    TAC_TRY(tac_adjoint_begin_velocity(ctx, ybar, g->theta != NULL, &adjoint));
    if (!tac_ncp_pull_layout(&pull, m->nv, tac_ncp_inputs(&p), &ctx->arena) ||
        !tac_ncp_shares_layout(&shares, &p, tac_count_columns(ctx), 1, &ctx->arena))
        return TAC_ERR_ARENA_FULL;
    memset(pull.mu, 0, (size_t)tac_ncp_inputs(&p) * sizeof *pull.mu);
    tac_ncp_adjoint(&p, &d, adjoint.lambda, pull.lambda, pull.mu);
    tac_ncp_note_share(&p, &shares, 0, pull.mu);
    ctx->info.conditioning = d.conditioning;
    tac_ncp_hold_vjp(&p, adjoint.lambda, &adjoint.bar);
    TAC_TRY(tac_ncp_residual_vjp(ctx, x, u, &p, &d, &pull, &adjoint.bar));
    TAC_TRY(tac_ncp_pull_shares(ctx, x, u, &p, &d, &shares, &adjoint.bar));
    activations_vjp(ctx, x, u, ybar, &adjoint.bar);
    TAC_TRY(tac_copy_grad(&adjoint.bar, tac_count_columns(ctx), g));
    return solved;
}

tacStatus tac_ncp_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    TAC_SCOPE(&ctx->arena);
    return vjp(ctx, x, u, ybar, g);
}

void tac_ncp_measure_vjp(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tacNcpPull pull;
    tac_ncp_measure_prepare(m, options, dry);
    tacAdjoint adjoint;
    tac_adjoint_layout(m, tac_columns_of(m, options), dry, &adjoint);
    tac_ncp_pull_layout(&pull, m->nv, tac_ncp_max_inputs(m, options->max_contacts), dry);
    tac_ncp_measure_shares(m, options, 1, dry);
}
