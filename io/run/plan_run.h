/* What a run of planning consists of. */
#pragma once

#include "io/run/folder.h"
#include "io/run/trail.h"
#include "io/task/build.h"

#include <pthread.h>

typedef enum { TAC_STAGE_WAITING, TAC_STAGE_COARSE, TAC_STAGE_FINE, TAC_STAGE_DONE } tacPlanStage;

/* One first guess, and how far it came. */
typedef struct tacPlanAttempt {
    tacPlanStage stage;
    unsigned char *bytes; /* its planner's place; NULL: there is none, or another attempt is better */
    size_t size;
    tacPlanOutcome outcome;
    tacTrail trail;
} tacPlanAttempt;

struct tacPlanRun {
    const tacTask *task;
    tacPlanRunOptions options;
    tacPlan *plan, *coarse; /* coarse: NULL where the task asks for none */
    int factor;             /* of the coarse time step */
    tacPlanOptions solver;
    tacPlanGuess guess;
    double *low, *high; /* ninput: of controls */
    int n, best;        /* attempts */
    tacPlanAttempt *attempt;
    tacPlanner *planner; /* of the best one */
    tacRunFolder *folder;
    pthread_mutex_t mutex; /* of all that follows, and of attempts, while they run */
    tacStatus status;      /* why it cannot go on */
    tacError err;
    char refused[TAC_ERROR_TEXT];
};

/* 1: a is better: it meets its constraints at less cost, or comes nearer to meeting them. */
int tac_plan_run_beats(const tacPlanRun *run, const tacPlanOutcome *a, const tacPlanOutcome *b);
/* Attempts -> bytes of a checkpoint, to be freed; NULL: no memory. */
unsigned char *tac_plan_run_pack(const tacPlanRun *run, size_t *size);
/* The same back. */
tacStatus tac_plan_run_unpack(tacPlanRun *run, const void *bytes, size_t size, tacError *err);
/* Runs all attempts that are not done. */
tacStatus tac_plan_run_attempts(tacPlanRun *run, tacError *err);
/* Results -> files of the folder. */
tacStatus tac_plan_run_write(tacPlanRun *run, tacError *err);
/* The model with the parameters that were found. */
tacStatus tac_plan_run_model(const tacPlanRun *run, tacModel **model, tacOptions *options, tacError *err);
/* The command that replays the plan -> text, cut to size. */
void tac_plan_run_replay_command(const tacPlanRun *run, char *text, size_t size);
/* The report page -> text, to be freed. */
tacStatus tac_plan_run_page(const tacPlanRun *run, char **text, tacError *err);
