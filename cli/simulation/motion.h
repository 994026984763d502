/* A recorded motion: frames of state, controls and energies. */
#pragma once

#include "cli/input/state_columns.h"
#include "cli/simulation/force_list.h"

typedef struct tacMotion {
    const tacModel *model;
    int nx, ninput;
    int nframe, capacity;
    double *time;                /* nframe */
    double *x;                   /* nframe x nx, or a null pointer when states are not kept */
    double *u;                   /* nframe x ninput, likewise */
    double *kinetic, *potential; /* nframe */
    tacForceList *forces;        /* nframe: in the step that starts there; NULL when they are not kept */
    int keep_states, keep_forces;
} tacMotion;

/* An empty one. keep_states 0: only times and energies are kept. */
tacMotion cli_motion_begin(const tacModel *model, int ninput, int keep_states);
/* Adds a frame; 0 when memory is short. The motion owns what `forces` holds, also then; NULL: not kept. */
int cli_motion_add(tacMotion *motion, double time, const double *x, const double *u, tacEnergy energy,
                   tacForceList *forces);
void cli_motion_free(tacMotion *motion);

/* Pairs of geoms that have contacts in any frame: *pair in memory to be freed. -1: memory is short. */
int cli_motion_pairs(const tacMotion *motion, tacPairSum **pair);

/* Values of a kind at a frame. */
const double *cli_column_values(const tacMotion *motion, tacColumn kind, int frame);
