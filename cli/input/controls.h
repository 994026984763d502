/* Controls of a run: constant (the state's), from a file, or random. */
#pragma once

#include "cli/options.h"

#include "tactus/tactus.h"

typedef struct tacControlArgs {
    const char *file;
    tacArgSeed random;
    double period; /* s between random values; 0: fresh ones every step */
    double share;  /* of the way from the start's controls to the random ones */
} tacControlArgs;

extern const tacArg CLI_CONTROL_OPTIONS[];

typedef struct tacControls {
    const tacModel *model;
    double *rows; /* nrow x nu of a file, or a null pointer */
    long nrow;
    int random;
    uint64_t seed;
    double period, share, dt;
    double *start; /* nu: the state's controls */
} tacControls;

/* start[nu]: the state's controls, copied. CLI_GO_ON, or CLI_CANNOT after a message that names file, row, what was got
 * and what was expected. */
int cli_controls_load(const char *verb, const tacModel *model, const tacControlArgs *args, double dt,
                      const double *start, tacControls *controls);
void cli_controls_free(tacControls *controls);

/* Writes the controls of step k to ctrl[nu]; leaves it alone when they are constant.
 * File: row k; the last row repeats. Random: uniform in the control range (in [-1, 1] where there is none), actuator i
 * drawing from stream i; with a period, values are drawn once a period and joined by a smooth curve that stays between
 * them; with a share below 1, only that share of the way from the start's controls is gone. */
void cli_controls_at(const tacControls *controls, long k, double *ctrl);
