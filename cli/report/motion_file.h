/* A recorded motion as a file: CSV, JSON, or a page to look at, by the ending of the name. */
#pragma once

#include "cli/report/output_file.h"
#include "cli/simulation/motion.h"
#include "cli/simulation/simulate.h"
#include "measure/json_text.h"

typedef enum { TAC_MOTION_NONE, TAC_MOTION_CSV, TAC_MOTION_JSON, TAC_MOTION_HTML } tacMotionFormat;

/* Format by the ending of a path; TAC_MOTION_NONE when it is none of the three. */
tacMotionFormat cli_motion_format(const char *path);

/* The keys of `sim --json`: final steps seconds penetration_max energy status, unsolved first_unsolved worst_residual,
 * those of cli_start_json, and contact integrator kinetic potential time dt. */
void cli_run_json(tacJson *json, const tacRun *run, const tacMotion *motion);

/* Each writes the whole file to its stream; CLI_GO_ON, or an exit code after a message. */
int cli_write_csv(const char *verb, const tacMotion *motion, FILE *stream);
/* The keys of `sim --json` and `trajectory`: columns{qpos,qvel,act,ctrl}, time, and qpos, qvel, act, ctrl by rows,
 * forces by frame. */
int cli_write_json(const char *verb, const tacRun *run, const tacMotion *motion, FILE *stream);
