/* The public derivatives of a step: arguments checked, outputs written on success only. */
#include "step/call.h"

tacStatus tac_step_jac(tacSim *sim, const double *x, const double *u, double *y, const tacJac *jac, tacStepInfo *info) {
    int bad;
    tacStatus status = tac_check_state(sim, __func__, x, u, &bad);
    if (status == TAC_OK && jac == NULL) status = tac_sim_null(sim, __func__, "jac");
    int began = status == TAC_OK;
    if (began) {
        sim->work.ties = 0, sim->work.count_ties = info != NULL;
        sim->margins = info != NULL;
        status = tac_end_call(sim, __func__, sim->stepper->jac(sim, x, u, y, jac));
        sim->margins = 0;
    }
    tac_report(began ? sim : NULL, status, bad, info);
    return status;
}

tacStatus tac_step_vjp(tacSim *sim, const double *x, const double *u, const double *ybar, const tacGrad *grad,
                       tacStepInfo *info) {
    int bad;
    tacStatus status = tac_check_state(sim, __func__, x, u, &bad);
    if (status == TAC_OK && grad == NULL) status = tac_sim_null(sim, __func__, "grad");
    if (status == TAC_OK) status = tac_check_array(sim, __func__, "ybar", tac_ndx(sim->model), ybar);
    int began = status == TAC_OK;
    if (began) {
        sim->work.ties = 0, sim->work.count_ties = info != NULL;
        status = tac_end_call(sim, __func__, sim->stepper->vjp(sim, x, u, ybar, grad));
    }
    tac_report(began ? sim : NULL, status, bad, info);
    return status;
}
