/* Models and states for tests: random trees of bodies, balls over a floor, made with the public builder. */
#pragma once

#include "tactus/tactus.h"

/* A model of `nbody` moving bodies: the first on a free joint, the others on zero to two joints of any kind, parents
 * drawn at random, so that degrees of freedom are not numbered depth first. */
tacModel *random_tree(uint64_t seed, int nbody);
/* Random state: q away from the reference pose, v of order one. */
void random_state(const tacModel *m, uint64_t seed, double *q, double *v);
/* Random state and input near the reference: positions by 0.4, velocities of order one, activations of 0.3, inputs 0.3
 * off their defaults; quaternions of mocap poses are left as they come, not of unit length. */
void random_point(const tacModel *m, const tacOptions *options, uint64_t seed, double *x, double *u);
/* Balls of radius 0.1 on free bodies at these places over a floor, geom 0; all geoms with this margin and gap. */
tacModel *balls_over_floor(int n, const tacVec3 *at, double margin, double gap);
