/* One step's contact problem solved twice: by the interior point of the step, which has velocities, impulses and gaps
 * as unknowns, and by a barrier method that has velocities alone: impulses follow from gap and slip,
 *
 *   gamma = kappa U/phi,   eta_0^2 - (kappa U/T/(mu gamma)) eta_0 - |u|^2 = 0,   xi_t = -(mu gamma/eta_0) u
 *
 * (docs/theory/ncp.md, W9, W10), and kappa goes down by tens. Both end at the same point. */
#pragma once

#include "tactus/tactus.h"

enum { BARRIER_ROOM = 200 };

/* Condition numbers (of the one norm) of the linear systems, one an iteration. */
typedef struct tacBarrierRun {
    int count, solved;
    double condition[BARRIER_ROOM];
} tacBarrierRun;

typedef struct tacBarrierRuns {
    double kappa, tolerance; /* given */
    int contacts;            /* 0: nothing to compare */
    tacBarrierRun interior, primal;
} tacBarrierRuns;

/* The rest of *out is zero. TAC_ERR_UNSOLVED: the step itself is not solved there. */
tacStatus barrier_runs(tacSim *sim, const double *x, const double *u, tacBarrierRuns *out);
