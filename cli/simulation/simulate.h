/* One run of `sim`: steps, records, and says how it ended. */
#pragma once

#include "cli/input/controls.h"
#include "cli/input/state_file.h"
#include "cli/simulation/energy_watch.h"
#include "cli/simulation/motion.h"

typedef struct tacRun {
    const tacModel *model;
    tacOptions options;
    const tacControls *controls;
    long steps;          /* asked for */
    long every;          /* steps between two recorded frames; the last state is recorded too */
    double *x, *u;       /* start in, final state and last input out */
    double energy_bound; /* energy may grow by this share of its own before a warning */
    /* out */
    tacStatus status;
    long done;             /* steps made */
    long unsolved;         /* of them: with the best state that was found, not the one asked for */
    long first_unsolved;   /* number of the first such step, from 0; -1: none */
    double worst_residual; /* largest residual of all steps */
    tacStatus why;         /* of the last such step */
    tacReason reason;      /* of its failure */
    tacStatus start;       /* of the start: TAC_ERR_INCONSISTENT, and what it breaks most (tacStepInfo) */
    tacViolation violation;
    double penetration; /* m: deepest overlap after any step; 0 without contact model */
    tacEnergyWatch energy;
    double gained;  /* J: energy_gain of the last step */
    double seconds; /* of wall clock, in stepping */
} tacRun;

/* Runs until `steps` are made or a step fails; x is then the last good state. CLI_GO_ON, or CLI_CANNOT after a message
 * when it could not begin. */
int cli_run(const char *verb, tacRun *run, tacMotion *motion);
/* Status of the whole run: the reason why it stopped; else that steps were not solved; else success. */
tacStatus cli_run_status(const tacRun *run);
