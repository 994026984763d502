/* Contact none, semi-implicit Euler. */
#include "smooth/smooth_step.h"

#include "dynamics/mass.h"

#include <string.h>

/* (M + h D) a = passive + actuators - bias + applied,  v+ = v + h a,  q+ = q (+) h v+, where D is the joints'
 * damping and passive includes -D v. Activations take their own explicit (or exact) step. w->qacc = a; w->L is left as
 * the factor of M + h D. */
static tacStatus accelerate(tacContext *ctx, const double *x, const double *u) {
    tac_evaluate(ctx, x, u);
    return tac_accelerate(ctx, tac_implicit_damping(ctx, ctx->work.vec[1]));
}

/* The new state goes to w->next, h v+ to w->vec[0]. */
static tacStatus advance(tacContext *ctx, const double *x, const double *u) {
    tacStatus status = accelerate(ctx, x, u);
    return status == TAC_OK ? tac_advance(ctx, x) : status;
}

static tacStatus step(tacContext *ctx, const double *x, const double *u, double *y) {
    tacStatus status = advance(ctx, x, u);
    return tac_end_step(ctx, status, 0, y);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* R = ID(q, v, a) + h D a - tau = 0 defines a: da = -(M + h D)^-1 dR. M + h D is symmetric; advance left its factor. */
static tacStatus fill_jac(tacContext *ctx, const double *x, const double *u, const tacJac *J) {
    const tacModel *m = ctx->model;
    tacColumns c = tac_count_columns(ctx);
    tacTree tree = tac_dof_tree(m);
    tacJacRows rows;
    if (!tac_jac_layout(m, c, &ctx->arena, &rows)) return TAC_ERR_ARENA_FULL;
    memcpy(rows.hv, ctx->work.vec[0], (size_t)m->nv * sizeof *rows.hv);
    tac_residual_jac(ctx, x, u, tac_damping_span(ctx), c, rows.W);
    tac_tree_solve_many(&tree, ctx->work.L, c.n, rows.W);
    return tac_assemble_jac(ctx, x, u, rows.hv, c, rows.W, J);
}

static tacStatus jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J) {
    TAC_SCOPE(&ctx->arena);
    tacStatus status = advance(ctx, x, u);
    if (status == TAC_OK) status = fill_jac(ctx, x, u, J);
    return tac_end_step(ctx, status, 0, y);
}

static tacStatus vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    TAC_SCOPE(&ctx->arena);
    tacAdjoint adjoint;
    tacStatus status = accelerate(ctx, x, u);
    if (status == TAC_OK) status = tac_advance_velocity(ctx, x);
    if (status == TAC_OK) status = tac_adjoint_begin(ctx, ybar, g->theta != NULL, &adjoint); /* lambda = h vbar+ */
    if (status == TAC_OK) {
        tac_solve(ctx->model, &ctx->work, adjoint.lambda);
        status = tac_adjoint_end(ctx, x, u, tac_damping_span(ctx), &adjoint, g);
    }
    return tac_end_step(ctx, status, 0, NULL);
}

const tacStepper TAC_STEPPER_EULER = {.integrators = TAC_HAS(TAC_EULER),
                                      .step = step,
                                      .jac = jac,
                                      .vjp = vjp,
                                      TAC_SMOOTH_ACCELERATION,
                                      .measure = tac_smooth_measure};
