/* sim --gradient WHAT[=VALUE]: how the last place of a body moves with a number of the model or of the start velocity,
 * and the motions at five values of it.
 *
 * WHAT is qvel:JOINT, as columns of CSV are called, or paths of parameters with commas between and wildcards * and ?,
 * which are then one parameter. The derivative is the reverse mode of the whole rollout, not a difference. */
#pragma once

#include "cli/simulation/simulate.h"
#include "measure/json_text.h"

#include "tactus/io.h"

typedef struct tacSweepArgs {
    const char *what; /* NULL: none is asked for */
    const char *body; /* its name; NULL: that of the first free joint, or the last body */
    double range;     /* largest change of the value; NAN: a fifth of it */
} tacSweepArgs;

enum { CLI_SWEEP_MOTIONS = 5, CLI_SWEEP_OWN = 2, CLI_SWEEP_NAME = 256 };

typedef struct tacSweep {
    char name[CLI_SWEEP_NAME], path[CLI_SWEEP_NAME]; /* path: of the parameter, or its first; "": a start velocity */
    int dof;                                         /* of a start velocity; -1: a parameter */
    int body;
    double given, range; /* value asked for, or NAN */
    double value[CLI_SWEEP_MOTIONS];
    double place[CLI_SWEEP_MOTIONS][3]; /* last places of the body */
    tacModel *model[CLI_SWEEP_MOTIONS]; /* copies; NULL for the run's own */
    const tacModel *shown[CLI_SWEEP_MOTIONS];
    tacMotion motion[CLI_SWEEP_MOTIONS];
    const double *x[CLI_SWEEP_MOTIONS];
    tacPageGradient gradient; /* what the page takes; points into this */
} tacSweep;

/* Finds what is meant, sets the value and registers the parameter: before simulations and starts are made. CLI_GO_ON,
 * or CLI_CANNOT after a message. */
int cli_sweep_begin(const char *verb, tacModel *model, const tacSweepArgs *args, tacSweep *sweep);
/* Sets a start velocity that was asked for. */
void cli_sweep_start(const tacSweep *sweep, double *qvel);
/* Derivative and motions. run: as it was before it ran, with start x, u; motion: what came of it. */
int cli_sweep_run(const char *verb, const tacRun *run, const tacMotion *motion, tacSweep *sweep);
/* {"name", "body", "values", "places", "derivative"} */
json_t *cli_sweep_json(tacJson *json, const tacModel *model, const tacSweep *sweep);
/* Unit of what is changed: "m/s", "rad/s"; NULL where it is not known. */
const char *cli_sweep_unit(const tacModel *model, const tacSweep *sweep);
void cli_sweep_free(tacSweep *sweep);
