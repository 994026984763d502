/* Iterations of the searches of a step. */
#include "contact/ncp/step.h"

void tac_ncp_history_begin(const tacContext *ctx, tacInterior *point) {
    int used = ctx->info.iterations;
    if (ctx->history == NULL || used >= ctx->max_history) return;
    point->trace = ctx->history + used;
    point->max_trace = ctx->max_history - used;
}

void tac_ncp_history_end(tacContext *ctx, const tacInterior *point) {
    for (int i = 0; i < point->iterations && i < point->max_trace; i++)
        point->trace[i].search = ctx->searches;
    ctx->searches++;
}

tacStatus tac_ncp_history(tacContext *ctx, const double *x, const double *u) {
    tacNcp p;
    TAC_SCOPE(&ctx->arena);
    return tac_ncp_solve_step(ctx, x, u, ctx->options.ncp_kappa, &p);
}
