/* Many steps. */
#include "step/call.h"

#include <string.h>

/* Puts the number of the step before the text of its failure. */
static void name_step(tacSim *sim, int k) {
    char text[TAC_ERROR_TEXT];
    memcpy(text, sim->error, sizeof text);
    tac_sim_fail(sim, TAC_OK, "tac_rollout", "step %d: %s", k, text);
}

static tacStatus check_rollout(tacSim *sim, const double *x0, const double *U, int n, const double *X) {
    static const char call[] = "tac_rollout";
    if (sim == NULL) return TAC_ERR_ARGUMENT;
    if (x0 == NULL || X == NULL) return tac_sim_null(sim, call, x0 == NULL ? "x0" : "X");
    if (n < 0) return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "n is %d, expected a number of steps", n);
    int ninput = tac_ninput(sim->ctx.model, &sim->ctx.options);
    if (U == NULL && n > 0 && ninput > 0)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "U is NULL, expected %d by %d numbers", n, ninput);
    return TAC_OK;
}

tacStatus tac_rollout(tacSim *sim, const double *x0, const double *U, int n, double *X, tacStepInfo *info) {
    tacStepInfo last = {.status = TAC_OK, .bad_index = -1, .first_unsolved = -1}, first = last, sum = last;
    last.status = check_rollout(sim, x0, U, n, X);
    if (last.status == TAC_OK) {
        size_t nx = (size_t)tac_nx(sim->ctx.model), ninput = (size_t)tac_ninput(sim->ctx.model, &sim->ctx.options);
        memmove(X, x0, nx * sizeof *X);
        tacStatus all = TAC_OK;
        for (int k = 0; k < n && tac_went_on(last.status); k++) {
            const double *u = U == NULL ? NULL : U + (size_t)k * ninput;
            tacStepCall call = {X + (size_t)k * nx, u, X + (size_t)(k + 1) * nx};
            tac_step_told(sim, "tac_step", &call, info != NULL, &last);
            if (last.status != TAC_OK && (all == TAC_OK || !tac_went_on(last.status))) name_step(sim, k);
            all = tac_first_of(all, last.status);
            if (k == 0) first = last;
            if (tac_went_on(last.status)) tac_count_step(&sum, k, last.status, last.residual);
            sum.energy_gain += last.energy_gain;
        }
        if (tac_went_on(last.status)) last.status = all;
        last.energy_gain = sum.energy_gain;
        last.start = first.start;
        last.violation = first.violation;
        tac_take_count(&last, &sum);
    }
    if (info != NULL) *info = last;
    return last.status;
}
