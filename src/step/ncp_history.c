/* How the searches of a step went, and why they ended. */
#include "step/ncp_step.h"

#include "step/call.h"

const char *tac_reason_text(tacReason reason) {
    static const char *const text[] = {
#define X(name, meaning) [name] = meaning,
        TAC_REASON_LIST(X)
#undef X
    };
    return (unsigned)reason < TAC_REASON_COUNT ? text[reason] : "unknown reason";
}

void tac_ncp_history_begin(const tacSim *sim, tacInterior *point) {
    int used = sim->info.iterations;
    if (sim->history == NULL || used >= sim->max_history) return;
    point->trace = sim->history + used;
    point->max_trace = sim->max_history - used;
}

void tac_ncp_history_end(tacSim *sim, const tacInterior *point) {
    for (int i = 0; i < point->iterations && i < point->max_trace; i++)
        point->trace[i].search = sim->searches;
    sim->searches++;
}

tacStatus tac_step_history(tacSim *sim, const double *x, const double *u, tacIteration *out, int max, int *n) {
    int bad;
    tacStatus status = tac_check_list(sim, __func__, out, max, n);
    if (status == TAC_OK) status = tac_check_state(sim, __func__, x, u, &bad);
    if (status != TAC_OK) return status;
    if (sim->options.contact != TAC_NCP)
        return tac_sim_fail(sim, TAC_ERR_UNSUPPORTED, __func__, "expected contact ncp, whose search it tells of");
    tacNcp p;
    size_t mark = tac_arena_mark(&sim->arena);
    sim->history = out, sim->max_history = max, sim->searches = 0;
    status = tac_ncp_go(sim, x, u, sim->options.ncp_kappa, &p);
    sim->history = NULL;
    *n = sim->info.iterations;
    tac_arena_release(&sim->arena, mark);
    return tac_end_call(sim, __func__, status);
}
