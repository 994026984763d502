/* A recorded motion: frames of state, controls and energies, and the names of their columns. */
#pragma once

#include "tactus/tactus.h"

#include <stddef.h>

typedef struct tacMotion {
    const tacModel *model;
    int nx, ninput;
    int nframe, capacity;
    double *time;                /* nframe */
    double *x;                   /* nframe x nx, or a null pointer when states are not kept */
    double *u;                   /* nframe x ninput, likewise */
    double *kinetic, *potential; /* nframe */
    int keep_states;
} tacMotion;

/* An empty one. keep_states 0: only times and energies are kept. */
tacMotion cli_motion_begin(const tacModel *model, int ninput, int keep_states);
/* Adds a frame; 0 when memory is short. */
int cli_motion_add(tacMotion *motion, double time, const double *x, const double *u, tacEnergy energy);
void cli_motion_free(tacMotion *motion);

typedef enum { TAC_COLUMN_QPOS, TAC_COLUMN_QVEL, TAC_COLUMN_ACT, TAC_COLUMN_CTRL } tacColumn;

/* Number of columns of a kind: nq, nv, na, nu. */
int cli_column_count(const tacModel *model, tacColumn kind);
/* Name of one: "qpos:elbow", "qpos:root.x", "qvel:root.wz", "act:muscle", "ctrl:motor"; an unnamed
 * joint goes by its body's name where that has no other, any other unnamed element is "#3". */
void cli_column_name(const tacModel *model, tacColumn kind, int i, char *text, size_t size);
/* Values of a kind at a frame. */
const double *cli_column_values(const tacMotion *motion, tacColumn kind, int frame);
