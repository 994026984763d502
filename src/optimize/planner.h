/* A planner's memory and the sweeps that methods are made of. */
#pragma once

#include "base/threads.h"
#include "optimize/knot.h"

/* A path that is owned. */
typedef struct tacOwnPath {
    double *X, *U, *p, *K; /* (n+1) x nx, n x nu, nunknown, n x nu x ndx */
} tacOwnPath;

/* What a replay of controls found. */
typedef struct tacReplay {
    double cost, violation;
    tacStatus status;
    int unsolved, found; /* found: 0: there is none yet */
} tacReplay;

/* Sums over a path. */
typedef struct tacPathSum {
    double cost, merit, violation;
} tacPathSum;

/* All that a checkpoint has besides arrays. */
typedef struct tacPlannerCount {
    int iterations, begun;
    tacPlanEnd end;
    long nstep, njac;
    double seconds, step_seconds, jac_seconds, solve_seconds;
    tacReplay best;
} tacPlannerCount;

struct tacPlanner {
    const tacPlan *plan;
    tacPlanOptions options;
    tacPlanColumns col;
    tacPool *pool;
    int nworker;
    tacKnotWork *work;
    void *memory;
    tacOwnPath now, best;
    double *replay;     /* (n+1) x nx: scratch of replays */
    double *best_terms; /* nterm */
    double *g, *bar;    /* (n+1) x nw; scratch of gradients */
    tacSim *aware;      /* lcp: its reverse mode is complementarity-aware; NULL: not
                    asked for */
    double *theta;      /* nparam: that the simulations have */
    int theta_is_set;
    tacKnotValue *value; /* n+1, of the sweep in hand */
    double *parts;       /* (n+1) x nterm */
    tacStatus *status;   /* n+1 */
    tacPlanIteration *history;
    void *method;
    size_t method_bytes;
    tacPlannerCount count;
    double started;
    const struct tacSweep *sweep; /* in hand */
};

static inline int tac_went_on_planning(tacStatus status) {
    return status == TAC_OK || status == TAC_ERR_UNSOLVED || status == TAC_ERR_IMPACTS;
}
static inline const double *tac_row(const double *array, int k, int size) { return array + (size_t)k * (size_t)size; }
static inline double *tac_own_row(double *array, int k, int size) { return array + (size_t)k * (size_t)size; }

/* Seconds of the clock in the options; 0 without one. */
double tac_planner_clock(const tacPlanner *planner);
/* All simulations get these unknown parameters. */
tacStatus tac_planner_set_p(tacPlanner *planner, const double *p);
/* 1: somebody wants it to stop. */
int tac_planner_is_stopped(const tacPlanner *planner);
/* Cost, merit and violation of a path; terms: nterm, rows: nrow, g: (n+1) x nw,
 * H: (n+1) x nw x nw; NULL skips one. A term that cannot be evaluated makes the
 * sums infinite, and gives its status. */
tacStatus tac_planner_sum(tacPlanner *planner, const tacPlanPath *path, const tacMultipliers *multipliers,
                          double *terms, double *rows, double *g, double *H, tacPathSum *sum);
/* One hard step on the planner's first simulation, counted. */
tacStatus tac_planner_step(tacPlanner *planner, const double *x, const double *u, double *y);
/* x (+) d -> out; x may be out. */
void tac_state_add(const tacModel *m, const double *x, const double *d, double *out);
/* x (-) y -> d */
void tac_state_sub(const tacModel *m, const double *x, const double *y, double *d);
/* Gradient of the merit of a path of the dynamics by controls and parameters,
 * in reverse mode over steps of `sim`. */
tacStatus tac_planner_slope(tacPlanner *planner, tacSim *sim, const tacPlanPath *path,
                            const tacMultipliers *multipliers, double *gu, double *gp);
/* tac_planner_keep. replayed: 1: X is the replay of its controls, with
 * `unsolved` steps that are not solved. */
tacStatus tac_planner_hold(tacPlanner *planner, const tacPlanPath *path, const double *K, int replayed, int unsolved);
