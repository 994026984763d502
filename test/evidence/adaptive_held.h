/* A step with its inner steps held: their lengths, sets with features, and signs, and so the times of zone and feature
 * changes, are those of one run, and only onsets and ends of contacts move. It is what the derivative of a step is the
 * derivative of (docs/theory/adaptive.md). */
#pragma once

#include "smooth/adaptive.h"
#include "tactus/tactus.h"

typedef struct HeldStep {
    tacMarchStep step;
    unsigned char *sign; /* max_signals */
    double *f;           /* nd: rate at its start */
    int nsignal;
    tacContact *list; /* the set that acts: contacts with their features, limits */
    int nlist;
    unsigned char *joint, *tendon;
} HeldStep;

typedef struct HeldRun {
    int n, room;
    HeldStep *steps;
} HeldRun;

/* Runs contact soft's step from x and keeps its inner steps in `run`, which begins as zeros. y: the next state. */
tacStatus held_record(HeldRun *run, tacSim *sim, const double *x, const double *u, double *y);
/* The same inner steps from another x, u, or other parameters. TAC_ERR_DEGENERATE: another set acts there, so that
 * there are no such steps. */
tacStatus held_repeat(const HeldRun *run, tacSim *sim, const double *x, const double *u, double *y);
void held_free(HeldRun *run);
