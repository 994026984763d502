/* The public history of a step's searches: their iterations, and why they ended. */
#include "step/call.h"
#include "step/options.h"

static int tells_history(const tacStepper *stepper) { return stepper->history != NULL; }

tacStatus tac_step_history(tacSim *sim, const double *x, const double *u, tacIteration *out, int max, int *n) {
    int bad;
    TAC_TRY(tac_check_list(sim, __func__, out, max, n));
    TAC_TRY(tac_check_state(sim, __func__, x, u, &bad));
    tacContext *ctx = &sim->ctx;
    char has[TAC_CONTACT_WORDS];
    if (ctx->stepper->history == NULL)
        return tac_sim_fail(sim, TAC_ERR_UNSUPPORTED, __func__, "requires contact %s",
                            tac_contacts_with(tells_history, has));
    ctx->history = out;
    ctx->max_history = max;
    ctx->searches = 0;
    tacStatus status = ctx->stepper->history(ctx, x, u);
    ctx->history = NULL;
    *n = ctx->info.iterations;
    return tac_end_call(sim, __func__, status);
}
