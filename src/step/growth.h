/* Growth distances of a simulation's geoms, for the public functions and for outputs. */
#pragma once

#include "dynamics/growth_move.h"
#include "step/call.h"

/* Newton steps at the solution before derivatives are taken. */
enum { TAC_GROWTH_POLISH = 1 };

/* Sinks of the columns of each block. */
typedef struct tacGrowthSinks {
    tacSink q, u, theta;
} tacGrowthSinks;

/* Refuses what has no growth distance, by name. */
tacStatus tac_check_growth(tacSim *sim, const char *call, const int geom[2], double kappa);
/* Poses of both geoms and of those in their sums. Needs: position. */
tacStatus tac_place_growth(tacSim *sim, const int geom[2]);
/* Solves, and prepares the derivatives of all rows (bar NULL) or of their weighted sum. Needs: tac_place_growth. The
 * caller releases the arena. */
tacStatus tac_growth_derive(tacSim *sim, const int geom[2], double kappa, const double *bar, tacGrowthSystem *g);
/* Emits them from row `row` on. */
void tac_growth_emit(const tacSim *sim, const tacGrowthSystem *g, const tacSmoothPoint *x, int row,
                     const tacGrowthSinks *sinks);
