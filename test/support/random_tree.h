/* Random trees of bodies for tests, made with the public builder. */
#pragma once

#include "tactus/tactus.h"

/* A model of `nbody` moving bodies: the first on a free joint, the others on zero to two joints of any kind, parents
 * drawn at random, so that degrees of freedom are not numbered depth first. */
tacModel *random_tree(uint64_t seed, int nbody);
/* Random state: q away from the reference pose, v of order one. */
void random_state(const tacModel *m, uint64_t seed, double *q, double *v);
