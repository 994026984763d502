/* Steps from the states of a motion, in turn: what benchmarks of contact models time. */
#pragma once

#include "tactus/tactus.h"

typedef struct benchMotion {
    const tacModel *m;
    tacSim *sim;
    int nstate, at;              /* states, and the next one's number */
    double *states, *u;          /* nstate x nx, the first the start of the motion until it is run; the input */
    double *y, *A, *B, *gx, *gu; /* where steps and derivatives go; A and B are NULL where they are too large */
    double contacts, iterations; /* means over the states */
    int iterations_most;         /* the most of one */
    double residual;             /* the largest */
    int unsolved;                /* steps */
} benchMotion;

/* A simulation at the default state and input. No Jacobian for more than most_columns columns of A. 0: done; else a
 * message was written. */
int bench_motion_open(benchMotion *s, const tacModel *m, const tacOptions *options, int nstate, int most_columns);
/* Steps from the start, `skipped` before the first state that is kept; likewise. */
int bench_motion_run(benchMotion *s, int skipped);
void bench_motion_free(benchMotion *s);

/* The pieces of work: a step, a Jacobian, a reverse mode from the next state. */
void bench_motion_step(void *motion);
void bench_motion_jac(void *motion);
void bench_motion_vjp(void *motion);

/* "lcp", "ncp", "soft" -> the contact model; 0: another word. And back. */
int bench_contact_named(const char *word, tacContactModel *contact);
const char *bench_contact_word(tacContactModel contact);
