/* Many steps. */
#include "base/threads.h"
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

/* TAC_ERR_STOPPED, or the policy's controls of step k. */
static tacStatus drive_step(const tacDrive *drive, int k, const double *x, double *u) {
    if (tac_flag_read(drive->stop) != 0) return TAC_ERR_STOPPED;
    if (drive->policy != NULL) drive->policy(drive->context, drive->world, k, x, u);
    return TAC_OK;
}

/* Sums and statuses of the steps of a rollout. */
typedef struct Tally {
    tacStepInfo first, last, sum;
    tacStatus all;
} Tally;

static void roll_step(tacSim *sim, int k, const double *u, double *X, int energy, Tally *t) {
    size_t nx = (size_t)tac_nx(sim->ctx.model);
    tacStepCall call = {X + (size_t)k * nx, u, X + (size_t)(k + 1) * nx};
    tac_step_told(sim, "tac_step", &call, energy, &t->last);
    if (t->last.status != TAC_OK && (t->all == TAC_OK || !tac_went_on(t->last.status))) name_step(sim, k);
    t->all = tac_first_of(t->all, t->last.status);
    if (k == 0) t->first = t->last;
    if (tac_went_on(t->last.status)) tac_count_step(&t->sum, k, t->last.status, t->last.residual);
    t->sum.energy_gain += t->last.energy_gain;
}

static void roll(tacSim *sim, const tacDrive *drive, const double *x0, double *U, int n, double *X, int energy,
                 Tally *t) {
    size_t nx = (size_t)tac_nx(sim->ctx.model), ninput = (size_t)tac_ninput(sim->ctx.model, &sim->ctx.options);
    memmove(X, x0, nx * sizeof *X);
    for (int k = 0; k < n && tac_went_on(t->last.status); k++) {
        double *u = U == NULL ? NULL : U + (size_t)k * ninput;
        tacStatus status = drive_step(drive, k, X + (size_t)k * nx, u);
        if (status != TAC_OK) {
            t->last.status = status;
            break;
        }
        roll_step(sim, k, u, X, energy, t);
    }
    if (tac_went_on(t->last.status)) t->last.status = t->all;
    t->last.energy_gain = t->sum.energy_gain;
    t->last.start = t->first.start;
    t->last.violation = t->first.violation;
    tac_take_count(&t->last, &t->sum);
}

tacStatus tac_rollout_driven(tacSim *sim, const tacDrive *drive, const double *x0, double *U, int n, double *X,
                             tacStepInfo *info) {
    tacStepInfo none = {.status = TAC_OK, .bad_index = -1, .first_unsolved = -1};
    Tally t = {none, none, none, TAC_OK};
    t.last.status = check_rollout(sim, x0, U, n, X);
    if (t.last.status == TAC_OK) roll(sim, drive, x0, U, n, X, info != NULL, &t);
    if (info != NULL) *info = t.last;
    return t.last.status;
}

tacStatus tac_rollout(tacSim *sim, const double *x0, const double *U, int n, double *X, tacStepInfo *info) {
    static const tacDrive controls = {.policy = NULL};
    return tac_rollout_driven(sim, &controls, x0, (double *)U, n, X, info); /* without a policy U is read alone */
}
