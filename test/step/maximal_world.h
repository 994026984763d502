/* One model as joints and as bodies, and the maps between them along one column, for differences. */
#pragma once

#include "step/sim.h"

#define SPAN       0.05 /* s: of means */
#define STEP_APART 1e-4 /* of steps in contact, whose forces change over less than coordinates do */
enum { NSPAN = 2 };
extern const double SPANS[NSPAN];

/* A model, its simulation, one state of it, and its bodies. */
typedef struct World {
    tacModel *m;
    tacSim *sim;
    double *x, *u, *back; /* nx, ninput, nx */
    tacMaximal z;
    tacMinimal min;
} World;

/* Zeros, at least one. */
double *numbers(size_t n);
/* A world in the model's default state; it owns the model. */
World world_of(tacModel *m, tacContactModel contact, unsigned inputs);
World loaded(const char *path, tacContactModel contact);
void release(World *w);
/* The same model and simulation, other arrays. */
World trial_of(const World *w);
void release_trial(World *trial);
/* A mocap body with two stacks behind it; places as parameters. */
tacModel *carried(void);

enum { TO_BODIES, TO_JOINTS, STEP };

/* A map along one column of one of its blocks. */
typedef struct Along {
    World *w, *trial;  /* trial: of the same model and simulation, other arrays */
    const World *base; /* whose bodies displacements are taken from; of a step, those at its end */
    int map, block, column;
    const double *theta;
} Along;

/* The map at t along the column, as differences call it: context is an Along. */
int along(void *context, double t, double *out);
/* Largest |J - differences| of a block, of numbers over max(1, the column's largest); *most: the largest of all. */
double block_error(Along *a, int columns, const double *J, double *most);
