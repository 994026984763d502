/* Where a run starts: the model's default, a keyframe (--key), a state file (--state), in that order of weakness.
 *
 *   {"qpos": [], "qvel": [], "act": [], "ctrl": [],
 *    "mocap_pos": [], "mocap_quat": [], "qfrc_applied": [], "xfrc_applied": []} */
#pragma once

#include "cli/options.h"

#include "tactus/tactus.h"

typedef struct tacStateArgs {
    const char *state; /* path, "-" for standard input, or a null pointer */
    const char *key;   /* keyframe's name or number, or a null pointer */
    int project;       /* 1: moved to the nearest state that satisfies the constraints */
} tacStateArgs;

extern const tacArg CLI_STATE_OPTIONS[];

/* A state and a constant input, as the library wants them. Free with cli_start_free. */
typedef struct tacStart {
    double *x; /* nx: qpos, qvel, act */
    double *u; /* ninput of the options: ctrl, then the blocks that `inputs` says */
    unsigned inputs;
} tacStart;

/* Fills start, sets options->inputs to the blocks the state needs, and puts the model's mocap bodies where the state
 * has them. CLI_GO_ON, or CLI_CANNOT after a message that
 * names the field, what was got and what was expected. */
int cli_start_load(const char *verb, tacModel *model, const tacStateArgs *args, tacOptions *options, tacStart *start);
void cli_start_free(tacStart *start);
