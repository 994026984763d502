/* One step and its derivatives: arguments checked, the stepper called, outputs written on success only. */
#include "step/call.h"

void tac_report(const tacSim *sim, tacStatus status, int bad, tacStepInfo *info) {
    if (info == NULL) return;
    *info = sim == NULL ? (tacStepInfo){0} : sim->ctx.info;
    if (sim != NULL) info->ties += sim->ctx.work.ties;
    info->status = status;
    info->bad_index = bad;
    info->steps = info->unsolved = 0, info->first_unsolved = -1, info->worst_residual = 0;
    if (tac_went_on(status)) tac_count_step(info, 0, status, info->residual);
}

void tac_count_step(tacStepInfo *sum, int k, tacStatus status, double residual) {
    int unsolved = status != TAC_OK;
    if (unsolved && (sum->first_unsolved < 0 || k < sum->first_unsolved)) sum->first_unsolved = k;
    sum->steps++, sum->unsolved += unsolved;
    sum->worst_residual = residual > sum->worst_residual ? residual : sum->worst_residual;
}

void tac_take_count(tacStepInfo *info, const tacStepInfo *sum) {
    info->steps = sum->steps, info->unsolved = sum->unsolved;
    info->first_unsolved = sum->first_unsolved, info->worst_residual = sum->worst_residual;
}

tacStatus tac_step(tacSim *sim, const double *x, const double *u, double *y, tacStepInfo *info) {
    int bad;
    tacStatus status = tac_check_state(sim, __func__, x, u, &bad);
    if (status == TAC_OK && y == NULL) status = tac_sim_null(sim, __func__, "y");
    int began = status == TAC_OK;
    if (began) {
        sim->ctx.work.ties = 0, sim->ctx.work.count_ties = info != NULL;
        status = tac_end_call(sim, __func__, sim->ctx.stepper->step(&sim->ctx, x, u, y));
    }
    tac_report(began ? sim : NULL, status, bad, info);
    return status;
}

tacStatus tac_step_jac(tacSim *sim, const double *x, const double *u, double *y, const tacJac *jac, tacStepInfo *info) {
    int bad;
    tacStatus status = tac_check_state(sim, __func__, x, u, &bad);
    if (status == TAC_OK && jac == NULL) status = tac_sim_null(sim, __func__, "jac");
    int began = status == TAC_OK;
    if (began) {
        sim->ctx.work.ties = 0, sim->ctx.work.count_ties = info != NULL;
        sim->ctx.margins = info != NULL;
        status = tac_end_call(sim, __func__, sim->ctx.stepper->jac(&sim->ctx, x, u, y, jac));
        sim->ctx.margins = 0;
    }
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
        sim->ctx.work.ties = 0, sim->ctx.work.count_ties = info != NULL;
        status = tac_end_call(sim, __func__, sim->ctx.stepper->vjp(&sim->ctx, x, u, ybar, grad));
    }
    tac_report(began ? sim : NULL, status, bad, info);
    return status;
}
