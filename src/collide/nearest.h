/* From what a search found to the features that touch, and from these to the touch itself. */
#pragma once

#include "collide/gjk.h"

/* What a search knows, in the frame of shape 0. */
typedef struct tacGuess {
    tacVec3 n;           /* unit, from shape 0 to shape 1 */
    tacVec3 x[2];        /* on the cores, x[1] - x[0] about along n */
    double lower, upper; /* bounds of the cores' signed distance */
    double turn;         /* error of n, rad */
    int rough;           /* 1: the search ended early, and directions far from n may be as good */
    int ncorner;         /* of the simplex around x[1] - x[0] */
    int id[2][3];        /* their numbers on the two shapes */
} tacGuess;

/* Box, mesh, sphere and capsule have cores of corners, edges and faces. */
int tac_core_is_straight(const tacShape *s);

/* The features whose own touch (rule NEAREST, touch.h) lies in their ranges and their cones of normals -> that touch,
 * in the frame of shape 0, margin left at zero. It is the nearest one where the cores are apart, and where they overlap
 * the least translation among all directions near n: (G14) of docs/theory/collision.md. 0: none was found, the guess is
 * too rough; `out` is the guess itself then. thorough: look at every feature within the guess's error. */
int tac_nearest_features(const tacCores *c, const tacGuess *g, int thorough, tacTouch *out);

/* The same by steps of least length, for features whose touch is not alone (parallel edges, a point on the axis of a
 * round shape): the touch nearest to the one given, frame of shape 0. 0: none. */
int tac_nearest_family(const tacCores *c, tacTouch *touch);

/* Other guesses for overlapping shapes that are round, i = 0, 1, ...: the normal turned about the axis of either shape,
 * with what the cores have furthest along it. -1: there are no more; 0: none with this number. */
int tac_guess_turned(const tacCores *c, const tacGuess *from, int i, tacGuess *out);
/* The two places (i = 0, 1) where the sides of two cones have a common normal, as a touch to start from. 0: none. */
int tac_guess_sides(const tacCores *c, int i, tacTouch *touch);
