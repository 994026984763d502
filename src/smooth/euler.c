/* Contact none with semi-implicit Euler, and integrators `spin` and `coriolis`, which keep turning bodies from gaining
 * energy (smooth/turning.h). */
#include "smooth/turning.h"

#include "dynamics/mass.h"

#include <string.h>

static int is_turning(const tacContext *ctx) { return ctx->options.integrator != TAC_INTEGRATOR_EULER; }

/* (M + h D) a = passive + actuators - bias + applied,  v+ = v + h a,  q+ = q (+) h v+. D is the joints' damping, and
 * passive includes -D v. Activations take their own explicit (or exact) step. w->qacc = a. w->L holds the factor of
 * M + h D. */
static tacStatus accelerate(tacContext *ctx, const double *x, const double *u, int *unsolved) {
    tac_evaluate(ctx, x, u);
    const double *extra = tac_implicit_damping(ctx, ctx->work.vec[1]);
    if (!is_turning(ctx)) return tac_accelerate(ctx, extra);
    TAC_TRY(tac_turning_accelerate(ctx, x, u, extra, unsolved));
    ctx->info.reason = *unsolved ? TAC_REASON_SPIN : TAC_REASON_NONE;
    return TAC_OK;
}

/* The new state goes to w->next, h v+ to w->vec[0]. */
static tacStatus advance(tacContext *ctx, const double *x, const double *u, int *unsolved) {
    tacStatus status = accelerate(ctx, x, u, unsolved);
    return status == TAC_OK ? tac_advance(ctx, x) : status;
}

static tacStatus step(tacContext *ctx, const double *x, const double *u, double *y) {
    int unsolved = 0;
    tacStatus status = advance(ctx, x, u, &unsolved);
    return tac_end_step(ctx, status, unsolved, y);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* R = ID(q, v, a) + h D a - tau = 0 defines a, so da = -(M + h D)^-1 dR. M + h D is symmetric. advance left its
 * factor. */
static tacStatus fill_jac(tacContext *ctx, const double *x, const double *u, const tacJac *J) {
    const tacModel *m = ctx->model;
    tacColumns c = tac_count_columns(ctx);
    tacTree tree = tac_dof_tree(m);
    tacJacRows rows;
    if (!tac_jac_layout(m, c, &ctx->arena, &rows)) return TAC_ERR_ARENA_FULL;
    memcpy(rows.hv, ctx->work.vec[0], (size_t)m->nv * sizeof *rows.hv);
    tac_residual_jac(ctx, x, u, tac_damping_span(ctx), c, rows.W);
    if (is_turning(ctx)) TAC_TRY(tac_turning_jac(ctx, x, u, c, rows.W));
    tac_tree_solve_many(&tree, ctx->work.L, c.n, rows.W);
    return tac_assemble_jac(ctx, x, u, rows.hv, c, rows.W, J);
}

static tacStatus jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J) {
    TAC_SCOPE(&ctx->arena);
    int unsolved = 0;
    tacStatus status = advance(ctx, x, u, &unsolved);
    if (status == TAC_OK) status = fill_jac(ctx, x, u, J);
    return tac_end_step(ctx, status, unsolved, y);
}

static tacStatus fill_jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, double *dy) {
    const tacModel *m = ctx->model;
    tacTree tree = tac_dof_tree(m);
    tacJacRows rows;
    if (!tac_jac_layout(m, c, &ctx->arena, &rows)) return TAC_ERR_ARENA_FULL;
    memcpy(rows.hv, ctx->work.vec[0], (size_t)m->nv * sizeof *rows.hv);
    tac_residual_jac(ctx, x, u, tac_damping_span(ctx), c, rows.W);
    if (is_turning(ctx)) TAC_TRY(tac_turning_jac(ctx, x, u, c, rows.W));
    tac_tree_solve_many(&tree, ctx->work.L, 1, rows.W);
    return tac_assemble_jvp(ctx, x, u, rows.hv, c, rows.W, dy);
}

static tacStatus jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, double *y, double *dy) {
    TAC_SCOPE(&ctx->arena);
    int unsolved = 0;
    tacStatus status = advance(ctx, x, u, &unsolved);
    if (status == TAC_OK) status = fill_jvp(ctx, x, u, c, dy);
    return tac_end_step(ctx, status, unsolved, y);
}

static tacStatus pull(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    tacAdjoint adjoint;
    TAC_TRY(tac_advance_velocity(ctx, x));
    TAC_TRY(tac_adjoint_begin(ctx, ybar, g->theta != NULL, &adjoint)); /* lambda = h vbar+ */
    tac_solve(ctx->model, &ctx->work, adjoint.lambda);
    if (is_turning(ctx)) TAC_TRY(tac_turning_vjp(ctx, x, u, adjoint.lambda, &adjoint.bar));
    return tac_adjoint_end(ctx, x, u, tac_damping_span(ctx), &adjoint, g);
}

static tacStatus vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    TAC_SCOPE(&ctx->arena);
    int unsolved = 0;
    tacStatus status = accelerate(ctx, x, u, &unsolved);
    if (status == TAC_OK) status = pull(ctx, x, u, ybar, g);
    return tac_end_step(ctx, status, unsolved, NULL);
}

static void measure(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tac_smooth_measure(m, options, dry);
    if (options->integrator == TAC_INTEGRATOR_EULER) return;
    TAC_SCOPE(dry);
    tacColumns c = tac_columns_of(m, options);
    tacJacRows rows;
    tacAdjoint adjoint;
    tac_turning_measure(m, options, dry);
    tac_jac_layout(m, c, dry, &rows);
    tac_adjoint_layout(m, c, dry, &adjoint);
    tac_turning_measure_deriv(m, options, dry);
}

const tacStepper TAC_STEPPER_EULER = {.integrators = TAC_HAS(TAC_INTEGRATOR_EULER) | TAC_HAS(TAC_INTEGRATOR_SPIN) |
                                                     TAC_HAS(TAC_INTEGRATOR_CORIOLIS),
                                      .step = step,
                                      .jac = jac,
                                      .jvp = jvp,
                                      .vjp = vjp,
                                      TAC_SMOOTH_ACCELERATION,
                                      .measure = measure};
