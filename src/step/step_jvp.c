/* Forward mode of a step: one column of its linearization (tacColumns.along), or the product with a formed Jacobian
 * where the stepper has no cheaper way. */
#include "step/step_jvp.h"

#include "math/dense.h"
#include "step/call.h"

#include <string.h>

/* The direction [dx | du | dtheta], the result, and a Jacobian. */
typedef struct Room {
    double *along, *dy, *J; /* nx + nu + np, nx, nx x (nx + nu + np) where it is formed */
} Room;

/* Models with fewer degrees of freedom have a Jacobian that costs less than one direction: measured with contact none,
 * lcp and soft, whose costs cross between 4 and 9. Range: at least 0. */
enum { LEAST_DOFS = 6 };

/* Gradient mode `bounce` corrects A as a whole; so do implicit Coriolis forces. */
static int forms_jacobian(const tacModel *m, const tacStepper *stepper, const tacOptions *options) {
    int coriolis = options->lcp_coriolis || options->integrator == TAC_INTEGRATOR_CORIOLIS;
    int small = m->nv < LEAST_DOFS && m->nparam == 0;
    return stepper->jvp == NULL || coriolis || small || options->gradient == TAC_GRADIENT_BOUNCE;
}

static int layout(const tacModel *m, const tacOptions *options, const tacStepper *stepper, tacArena *arena, Room *r) {
    tacColumns c = tac_columns_of(m, options);
    size_t numbers = forms_jacobian(m, stepper, options) ? (size_t)c.nx * (size_t)c.n : 0;
    r->along = TAC_TAKE(arena, c.n, double);
    r->dy = TAC_TAKE(arena, c.nx, double);
    r->J = TAC_TAKE(arena, numbers, double);
    return r->along != NULL && r->dy != NULL && r->J != NULL;
}

static void set_part(double *to, int n, const double *from) {
    if (from != NULL)
        memcpy(to, from, (size_t)n * sizeof *to);
    else
        memset(to, 0, (size_t)n * sizeof *to);
}

/* dy = A dx + B du + P dtheta */
static void multiply(tacColumns c, const tacJac *J, const double *along, double *dy) {
    for (int i = 0; i < c.nx; i++) {
        size_t row = (size_t)i;
        dy[i] = tac_dense_dot(c.nx, J->A + row * (size_t)c.nx, along) +
                tac_dense_dot(c.nu, J->B + row * (size_t)c.nu, along + c.nx) +
                tac_dense_dot(c.np, J->P + row * (size_t)c.np, along + c.nx + c.nu);
    }
}

static tacStatus formed(tacContext *ctx, const double *x, const double *u, tacColumns c, const Room *r, double *y) {
    size_t nx = (size_t)c.nx;
    tacJac J = {r->J, r->J + nx * nx, r->J + nx * (size_t)(c.nx + c.nu)};
    tacStatus status = ctx->stepper->jac(ctx, x, u, y, &J);
    if (tac_went_on(status)) multiply(c, &J, r->along, r->dy);
    return status;
}

void tac_fill_direction(tacColumns c, const tacTangent *along, double *out) {
    set_part(out, c.nx, along->x);
    set_part(out + c.nx, c.nu, along->u);
    set_part(out + c.nx + c.nu, c.np, along->theta);
}

static tacStatus run(tacSim *sim, const tacStepCall *call, const tacTangent *along, double *dy) {
    tacContext *ctx = &sim->ctx;
    TAC_SCOPE(&ctx->arena);
    tacColumns c = tac_count_columns(ctx);
    Room r;
    if (!layout(ctx->model, &ctx->options, ctx->stepper, &ctx->arena, &r)) return TAC_ERR_ARENA_FULL;
    tac_fill_direction(c, along, r.along);
    tacColumns one = {1, c.nx, c.nu, c.np, r.along};
    tacStatus status = forms_jacobian(ctx->model, ctx->stepper, &ctx->options)
                           ? formed(ctx, call->x, call->u, c, &r, call->y)
                           : ctx->stepper->jvp(ctx, call->x, call->u, one, call->y, r.dy);
    if (tac_went_on(status) && tac_first_nonfinite(c.nx, r.dy) >= 0) return TAC_ERR_NONFINITE;
    if (tac_went_on(status)) memcpy(dy, r.dy, (size_t)c.nx * sizeof *dy);
    return status;
}

tacStatus tac_check_direction(tacSim *sim, const char *call, const tacTangent *along) {
    if (along == NULL) return tac_sim_null(sim, call, "along");
    tacColumns n = tac_count_columns(&sim->ctx);
    if (along->x != NULL) TAC_TRY(tac_check_array(sim, call, "dx", n.nx, along->x));
    if (along->u != NULL) TAC_TRY(tac_check_array(sim, call, "du", n.nu, along->u));
    return along->theta == NULL ? TAC_OK : tac_check_array(sim, call, "dtheta", n.np, along->theta);
}

tacStatus tac_step_jvp_told(tacSim *sim, const char *call, const tacStepCall *c, const tacTangent *along, double *dy,
                            tacStepInfo *info) {
    int bad;
    tacStatus status = tac_check_state(sim, call, c->x, c->u, &bad);
    if (status == TAC_OK && dy == NULL) status = tac_sim_null(sim, call, "dy");
    if (status == TAC_OK) status = tac_check_direction(sim, call, along);
    int began = status == TAC_OK;
    if (began) {
        sim->ctx.work.ties = 0;
        sim->ctx.work.count_ties = info != NULL;
        status = tac_end_call(sim, call, run(sim, c, along, dy));
        sim->ctx.info.energy_gain = 0;
    }
    tac_report(began ? sim : NULL, status, bad, info);
    return status;
}

tacStatus tac_step_jvp(tacSim *sim, const double *x, const double *u, const double *dx, const double *du,
                       const double *dtheta, double *dy, tacStepInfo *info) {
    return tac_step_jvp_told(sim, __func__, &(tacStepCall){x, u, NULL}, &(tacTangent){dx, du, dtheta}, dy, info);
}

void tac_step_jvp_measure(const tacModel *m, const tacOptions *options, const tacStepper *stepper, tacArena *dry) {
    TAC_SCOPE(dry);
    Room r;
    layout(m, options, stepper, dry, &r);
    stepper->measure(m, options, dry);
}
