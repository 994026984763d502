/* The public derivatives of a step: arguments checked, outputs written on success only. */
#include "step/sim.h"

tacStatus tac_step_jac(tacSim *sim, const double *x, const double *u, double *y, const tacJac *jac, tacStepInfo *info) {
    int bad;
    tacStatus status = tac_check_state(sim, x, u, &bad);
    if (status == TAC_OK && jac == NULL) status = TAC_ERR_ARGUMENT;
    int began = status == TAC_OK;
    if (began) {
        sim->work.ties = 0;
        sim->margins = info != NULL;
        status = sim->stepper->jac(sim, x, u, y, jac);
        sim->margins = 0;
    }
    tac_report(began ? sim : NULL, status, bad, info);
    return status;
}

tacStatus tac_step_vjp(tacSim *sim, const double *x, const double *u, const double *ybar, const tacGrad *grad,
                       tacStepInfo *info) {
    int bad;
    tacStatus status = tac_check_state(sim, x, u, &bad);
    if (status == TAC_OK && (grad == NULL || ybar == NULL)) status = TAC_ERR_ARGUMENT;
    if (status == TAC_OK && tac_first_nonfinite(tac_ndx(sim->model), ybar) >= 0) status = TAC_ERR_NONFINITE;
    int began = status == TAC_OK;
    if (began) {
        sim->work.ties = 0;
        status = sim->stepper->vjp(sim, x, u, ybar, grad);
    }
    tac_report(began ? sim : NULL, status, bad, info);
    return status;
}
