/* One step and many. */
#include "step/sim.h"

#include <string.h>

void tac_report(const tacSim *sim, tacStatus status, int bad, tacStepInfo *info) {
    if (info == NULL) return;
    *info = sim == NULL ? (tacStepInfo){0} : sim->info;
    if (sim != NULL) info->ties += sim->work.ties;
    info->status = status;
    info->bad_index = bad;
}

tacStatus tac_step(tacSim *sim, const double *x, const double *u, double *y, tacStepInfo *info) {
    int bad;
    tacStatus status = tac_check_state(sim, x, u, &bad);
    if (status == TAC_OK && y == NULL) status = TAC_ERR_ARGUMENT;
    int began = status == TAC_OK;
    if (began) {
        sim->work.ties = 0;
        status = sim->stepper->step(sim, x, u, y);
    }
    tac_report(began ? sim : NULL, status, bad, info);
    return status;
}

tacStatus tac_rollout(tacSim *sim, const double *x0, const double *U, int n, double *X, tacStepInfo *info) {
    tacStepInfo last = {.status = TAC_OK, .bad_index = -1}, first = last;
    if (sim == NULL || n < 0 || x0 == NULL || X == NULL) {
        last.status = TAC_ERR_ARGUMENT;
    } else {
        size_t nx = (size_t)tac_nx(sim->model), ninput = (size_t)tac_ninput(sim->model, &sim->options);
        memmove(X, x0, nx * sizeof *X);
        tacStatus all = TAC_OK;
        for (int k = 0; k < n && tac_went_on(last.status); k++) {
            const double *u = U == NULL ? NULL : U + (size_t)k * ninput;
            tac_step(sim, X + (size_t)k * nx, u, X + (size_t)(k + 1) * nx, &last);
            all = tac_first_of(all, last.status);
            if (k == 0) first = last;
        }
        if (tac_went_on(last.status)) last.status = all;
        last.start = first.start, last.violation = first.violation;
    }
    if (info != NULL) *info = last;
    return last.status;
}
