/* The planning problems of the experiments. */
#pragma once

#include "experiments/scene.h"

#include "tactus/optimize.h"

/* A problem with the guess and the options that its experiment gives it. */
typedef struct tacPlanned {
    tacScene scene;
    tacPlan *plan;
    tacPlanOptions options;
    tacPlanGuess guess;
    double noise[3]; /* of seeded guesses */
    double *states;  /* of a guess, or of a reference; NULL: none */
} tacPlanned;

/* Each opens one problem: EXPERIMENT_GO_ON, or EXPERIMENT_STOP with the reason. */
int planned_box_right(tacFindings *found, tacPlanned *p);
int planned_box_up(tacFindings *found, tacPlanned *p);
int planned_hopper(tacFindings *found, tacPlanned *p);
int planned_quadruped(tacFindings *found, tacPlanned *p);
int planned_cartpole(tacFindings *found, tacPlanned *p);
/* A block with this friction, 1 m from rest to rest in the least time: the time step is unknown. */
int planned_block(tacFindings *found, tacPlanned *p, double friction);
void planned_close(tacPlanned *p);
/* Plans, and says what came. The planner is freed by the caller, and is NULL after EXPERIMENT_STOP. */
int planned_run(tacFindings *found, const tacPlanned *p, tacPlanner **planner, tacPlanResult *result);
