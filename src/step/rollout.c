/* Many steps. */
#include "base/threads.h"
#include "step/call.h"
#include "step/step_jvp.h"

#include <string.h>

/* A rollout by the name of its call. along, dX: NULL without derivatives. */
typedef struct Rollout {
    const char *call;
    const double *x0, *U;
    int n;
    const tacTangent *along;
    double *X, *dX;
    const tacDrive *drive; /* NULL: U alone */
} Rollout;

/* Puts the number of the step before the text of its failure. */
static void name_step(tacSim *sim, const char *call, int k) {
    char text[TAC_ERROR_TEXT];
    memcpy(text, sim->error, sizeof text);
    tac_sim_fail(sim, TAC_OK, call, "step %d: %s", k, text);
}

static tacStatus check_rollout(tacSim *sim, const Rollout *r) {
    if (sim == NULL) return TAC_ERR_ARGUMENT;
    if (r->x0 == NULL || r->X == NULL) return tac_sim_null(sim, r->call, r->x0 == NULL ? "x0" : "X");
    if (r->n < 0) return tac_sim_fail(sim, TAC_ERR_ARGUMENT, r->call, "n is %d, expected a number of steps", r->n);
    int ninput = tac_ninput(sim->ctx.model, &sim->ctx.options);
    if (r->U == NULL && r->n > 0 && ninput > 0)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, r->call, "U is NULL, expected %d by %d numbers", r->n, ninput);
    return TAC_OK;
}

/* TAC_ERR_STOPPED, or the policy's controls of step k, in U. */
static tacStatus drive_step(const tacSim *sim, const Rollout *r, int k) {
    const tacDrive *d = r->drive;
    size_t nx = (size_t)tac_nx(sim->ctx.model), ninput = (size_t)tac_ninput(sim->ctx.model, &sim->ctx.options);
    if (tac_flag_read(sim->ctx.options.stop) != 0) return TAC_ERR_STOPPED;
    if (d == NULL) return TAC_OK;
    if (tac_flag_read(d->stop) != 0) return TAC_ERR_STOPPED;
    if (d->policy != NULL)
        d->policy(d->context, d->world, k, r->X + (size_t)k * nx, d->U == NULL ? NULL : d->U + (size_t)k * ninput);
    return TAC_OK;
}

static void take_step(tacSim *sim, const Rollout *r, int k, int told, tacStepInfo *info) {
    size_t nx = (size_t)tac_nx(sim->ctx.model), ndx = (size_t)tac_ndx(sim->ctx.model), i = (size_t)k;
    size_t ninput = (size_t)tac_ninput(sim->ctx.model, &sim->ctx.options);
    tacStepCall call = {r->X + i * nx, r->U == NULL ? NULL : r->U + i * ninput, r->X + (i + 1) * nx};
    if (r->dX == NULL) {
        tac_step_told(sim, "tac_step", &call, told, info);
        return;
    }
    tacTangent d = {r->dX + i * ndx, r->along->u == NULL ? NULL : r->along->u + i * ninput, r->along->theta};
    tac_step_jvp_told(sim, "tac_step_jvp", &call, &d, r->dX + (i + 1) * ndx, info);
}

static tacStatus roll(tacSim *sim, const Rollout *r, tacStepInfo *info) {
    tacStepInfo last = {.status = TAC_OK, .bad_index = -1, .first_unsolved = -1}, first = last, sum = last;
    last.status = check_rollout(sim, r);
    if (last.status == TAC_OK) {
        memmove(r->X, r->x0, (size_t)tac_nx(sim->ctx.model) * sizeof *r->X);
        tacStatus all = TAC_OK;
        for (int k = 0; k < r->n && tac_went_on(last.status); k++) {
            tacStatus driven = drive_step(sim, r, k);
            if (driven != TAC_OK) {
                last.status = driven;
                break;
            }
            take_step(sim, r, k, info != NULL, &last);
            if (last.status != TAC_OK && (all == TAC_OK || !tac_went_on(last.status))) name_step(sim, r->call, k);
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

tacStatus tac_rollout(tacSim *sim, const double *x0, const double *U, int n, double *X, tacStepInfo *info) {
    return roll(sim, &(Rollout){__func__, x0, U, n, NULL, X, NULL, NULL}, info);
}

tacStatus tac_rollout_driven(tacSim *sim, const tacDrive *drive, const double *x0, int n, double *X,
                             tacStepInfo *info) {
    return roll(sim, &(Rollout){"tac_rollout", x0, drive->U, n, NULL, X, NULL, drive}, info);
}

tacStatus tac_rollout_jvp(tacSim *sim, const double *x0, const double *U, int n, const tacTangent *along, double *X,
                          double *dX, tacStepInfo *info) {
    Rollout r = {__func__, x0, U, n, along, X, dX, NULL};
    tacStatus status = check_rollout(sim, &r);
    if (status == TAC_OK && (along == NULL || dX == NULL))
        status = tac_sim_null(sim, __func__, along == NULL ? "along" : "dX");
    if (status == TAC_OK) status = tac_check_direction(sim, __func__, &(tacTangent){along->x, NULL, along->theta});
    if (status != TAC_OK) {
        if (info != NULL) *info = (tacStepInfo){.status = status, .bad_index = -1, .first_unsolved = -1};
        return status;
    }
    tac_fill_direction((tacColumns){.nx = tac_ndx(sim->ctx.model)}, along, dX);
    return roll(sim, &r, info);
}
