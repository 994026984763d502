/* The first impact of a motion: the public call. */
#include "smooth/first_impact.h"

#include "collide/filter.h"
#include "math/scalar.h"
#include "step/call.h"

static tacStatus check(tacSim *sim, const char *call, const double *q, const double *v, const double *u, double h,
                       const tacImpact *out) {
    if (sim == NULL) return TAC_ERR_ARGUMENT;
    if (out == NULL) return tac_sim_null(sim, call, "out");
    if (!(h >= 0) || !tac_finite(h))
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "h is %g, expected a finite time", h);
    if (!tac_finite(out->gap))
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "out->gap is %g, expected a finite distance", out->gap);
    if (out->max_pairs < 0)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "out->max_pairs is %d, expected at least 0", out->max_pairs);
    if (out->max_pairs > 0 && out->pair == NULL) return tac_sim_null(sim, call, "out->pair");
    TAC_TRY(tac_check_entries(sim, call, "q", TAC_OF_QPOS, q));
    TAC_TRY(tac_check_entries(sim, call, "v", TAC_OF_DOFS, v));
    return u == NULL ? TAC_OK : tac_check_entries(sim, call, "u", TAC_OF_INPUT, u);
}

tacStatus tac_first_impact(tacSim *sim, const double *q, const double *v, const double *u, double h, tacImpact *out) {
    TAC_TRY(check(sim, __func__, q, v, u, h, out));
    TAC_TRY(tac_refuse_growing(sim, __func__, tac_first_growing(sim->ctx.model)));
    return tac_end_call(sim, __func__, tac_find_first_impact(&sim->ctx, q, v, u, h, out));
}
