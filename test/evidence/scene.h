/* What the evidence programs share: a loaded model with a simulation, and random states. */
#pragma once

#include "measure/agreement.h"
#include "tactus/io.h"

typedef struct Scene {
    const char *path;
    tacModel *model;
    tacOptions options;
    tacSim *sim;
    int nx, nu;
    double *x, *u, *y; /* state, input, next state */
} Scene;

/* Loads the file and makes a simulation with semi-implicit Euler. Ends the program with a message when it cannot. */
Scene scene_load(const char *path);
/* The same for a model that is already there; the scene then owns it. */
Scene scene_make(const char *path, tacModel *model);
/* The same with options of one's own. */
Scene scene_with(const char *path, tacModel *model, const tacOptions *options);
void scene_free(Scene *s);
/* lcp, ncp or soft; ends the program at another word. */
tacContactModel scene_contact_named(const char *word);
/* The simulation anew with this contact model; a model that it refuses leaves none, and says why in err (may be
 * NULL). */
tacStatus scene_set_contact(Scene *s, tacContactModel contact, tacError *err);
/* Draw k of a stream for actuator i: over its whole range, or in [-1, 1] where it has none. */
double scene_control(const Scene *s, uint64_t stream, uint64_t k, int i);
/* Random state number k: positions about qpos_0, velocities of 1, activations and controls in [-1, 1] cut to range. */
void scene_randomize(Scene *s, uint64_t k);
/* Zeroed doubles; ends the program when there are none. */
double *scene_doubles(size_t n);
/* Ends the program with exit code 1 and a message when `what` did not succeed. */
void scene_require(const Scene *s, const char *what, tacStatus status);
/* *worst = worse(*worst, error) */
static inline void scene_grow(double *worst, double error) { *worst = worse(*worst, error); }
/* Prints ,"key":value (the comma unless it is the first); null when the value is not finite: JSON has no other. */
void scene_print(int first, const char *key, double value);
