/* One step and its derivatives: arguments checked, the stepper called, outputs written on success only. */
#include "step/call.h"

#include "smooth/energy_gain.h"

void tac_report(const tacSim *sim, tacStatus status, int bad, tacStepInfo *info) {
    if (info == NULL) return;
    *info = sim == NULL ? (tacStepInfo){0} : sim->ctx.info;
    if (sim != NULL) info->ties += sim->ctx.work.ties;
    info->status = status;
    info->bad_index = bad;
    info->steps = info->unsolved = 0;
    info->first_unsolved = -1;
    info->worst_residual = 0;
    if (tac_went_on(status)) tac_count_step(info, 0, status, info->residual);
}

void tac_count_step(tacStepInfo *sum, int k, tacStatus status, double residual) {
    int unsolved = status != TAC_OK;
    if (unsolved && (sum->first_unsolved < 0 || k < sum->first_unsolved)) sum->first_unsolved = k;
    sum->steps++;
    sum->unsolved += unsolved;
    sum->worst_residual = residual > sum->worst_residual ? residual : sum->worst_residual;
}

void tac_take_count(tacStepInfo *info, const tacStepInfo *sum) {
    info->steps = sum->steps;
    info->unsolved = sum->unsolved;
    info->first_unsolved = sum->first_unsolved;
    info->worst_residual = sum->worst_residual;
}

/* Reports the energy gain. A step without a next state has none. */
static void tell_energy(tacSim *sim, tacStatus status, const double *u, const double *y, const tacEnergyStart *start) {
    if (tac_went_on(status)) sim->ctx.info.energy_gain = tac_energy_gain(&sim->ctx, u, y, start);
}

tacStatus tac_step_told(tacSim *sim, const char *call, const tacStepCall *c, int energy, tacStepInfo *info) {
    int bad;
    tacStatus status = tac_check_state(sim, call, c->x, c->u, &bad);
    if (status == TAC_OK && c->y == NULL) status = tac_sim_null(sim, call, "y");
    int began = status == TAC_OK;
    if (began) {
        tacEnergyStart start = {.force = sim->force};
        sim->ctx.work.count_ties = 0;
        if (energy) tac_energy_begin(&sim->ctx, c->x, c->u, &start);
        sim->ctx.work.ties = 0;
        sim->ctx.work.count_ties = info != NULL;
        sim->ctx.quiet = info == NULL;
        status = tac_end_call(sim, call, sim->ctx.stepper->step(&sim->ctx, c->x, c->u, c->y));
        sim->ctx.quiet = 0;
        sim->ctx.info.energy_gain = 0;
        if (energy) tell_energy(sim, status, c->u, c->y, &start);
    }
    tac_report(began ? sim : NULL, status, bad, info);
    return status;
}

tacStatus tac_step(tacSim *sim, const double *x, const double *u, double *y, tacStepInfo *info) {
    return tac_step_told(sim, __func__, &(tacStepCall){x, u, y}, info != NULL, info);
}

/* The stepper's Jacobian, and what the report tells of the step. */
static tacStatus run_jac(tacSim *sim, const double *x, const double *u, double *y, const tacJac *jac, int told) {
    tacEnergyStart start = {.force = sim->force};
    tacContext *ctx = &sim->ctx;
    ctx->work.count_ties = 0;
    if (told) tac_energy_begin(ctx, x, u, &start);
    ctx->work.ties = 0;
    ctx->work.count_ties = told;
    ctx->margins = told;
    ctx->quiet = !told;
    tacStatus status = ctx->stepper->jac(ctx, x, u, y, jac);
    ctx->margins = ctx->quiet = 0;
    ctx->info.energy_gain = 0;
    if (told) tell_energy(sim, status, u, y != NULL ? y : ctx->work.next, &start);
    return status;
}

tacStatus tac_step_jac(tacSim *sim, const double *x, const double *u, double *y, const tacJac *jac, tacStepInfo *info) {
    int bad;
    tacStatus status = tac_check_state(sim, __func__, x, u, &bad);
    if (status == TAC_OK && jac == NULL) status = tac_sim_null(sim, __func__, "jac");
    int began = status == TAC_OK;
    if (began) status = tac_end_call(sim, __func__, run_jac(sim, x, u, y, jac, info != NULL));
    tac_report(began ? sim : NULL, status, bad, info);
    return status;
}

tacStatus tac_step_vjp(tacSim *sim, const double *x, const double *u, const double *ybar, const tacGrad *grad,
                       tacStepInfo *info) {
    int bad;
    tacStatus status = tac_check_state(sim, __func__, x, u, &bad);
    if (status == TAC_OK && grad == NULL) status = tac_sim_null(sim, __func__, "grad");
    if (status == TAC_OK) status = tac_check_array(sim, __func__, "ybar", tac_ndx(sim->ctx.model), ybar);
    int began = status == TAC_OK;
    if (began) {
        sim->ctx.work.ties = 0;
        sim->ctx.work.count_ties = info != NULL;
        sim->ctx.quiet = info == NULL;
        status = tac_end_call(sim, __func__, sim->ctx.stepper->vjp(&sim->ctx, x, u, ybar, grad));
        sim->ctx.quiet = 0;
        sim->ctx.info.energy_gain = 0;
    }
    tac_report(began ? sim : NULL, status, bad, info);
    return status;
}
