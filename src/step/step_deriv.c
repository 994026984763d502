/* The public derivatives of a step: arguments checked, outputs written on success only. */
#include "step/call.h"

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
