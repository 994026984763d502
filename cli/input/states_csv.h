/* States of a motion from comma-separated text, as `sim -o motion.csv` writes them.
 *
 * With a header, columns go by their names: time, qpos:JOINT, qvel:JOINT, act:MOTOR, ctrl:MOTOR, or qpos[0], qpos[1],
 * ...; others are left out. All of qpos are needed; what else is missing is zero, times are dt apart. Without a header
 * a row is [time] qpos [qvel act]. */
#pragma once

#include "tactus/tactus.h"

typedef struct tacStates {
    int nframe;
    double *time; /* nframe; NULL: the file has none */
    double *x;    /* nframe x nx */
    double *u;    /* nframe x ninput; NULL: the file has no controls */
} tacStates;

/* CLI_GO_ON, or CLI_CANNOT after a message that names file, line and column. */
int cli_states_read(const char *verb, const char *path, const tacModel *model, const tacOptions *options,
                    tacStates *states);
void cli_states_free(tacStates *states);
