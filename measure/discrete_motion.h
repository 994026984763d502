/* Momentum and energy of a motion that is known by its poses at two times: what a variational integrator keeps. */
#pragma once

#include "tactus/tactus.h"

/* Poses of all bodies at one state. */
typedef struct tacPoses {
    int nbody;
    double *com, *turn; /* 3 nbody: centres of mass; 9 nbody: orientations, row major */
} tacPoses;

/* 0: no memory. */
int measure_poses_new(const tacModel *model, tacPoses *poses);
void measure_poses_free(tacPoses *poses);
tacStatus measure_poses(tacSim *sim, const double *x, const double *u, tacPoses *poses);

/* Between two poses, h apart: linear momentum m (x+ - x)/h, and angular momentum about the world's origin, of each body
 * x cross that and R Jr^-1(phi) J phi/h, phi = log F, F = R^T R+: the same as docs/theory/ncp.md, W2. */
tacVec6 discrete_momentum(const tacModel *model, const tacPoses *first, const tacPoses *second, double h);
/* The second of these alone: of one body about its centre of mass, world axes. */
tacVec3 discrete_spin_momentum(const tacModel *model, const tacPoses *first, const tacPoses *second, double h,
                               int body);
/* Kinetic energy of the velocities (x+ - x)/h and log(F)/h, of one body; of all. */
double discrete_kinetic_of(const tacModel *model, const tacPoses *first, const tacPoses *second, double h, int body);
double discrete_kinetic(const tacModel *model, const tacPoses *first, const tacPoses *second, double h);
