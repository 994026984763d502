/* From the result of a search to the features that touch, and from the features to the touch. */
#pragma once

#include "collide/gjk.h"

/* Result of a search (GJK or EPA), in the frame of shape 0. */
typedef struct tacGuess {
    tacVec3 n;           /* unit, from shape 0 to shape 1 */
    tacVec3 x[2];        /* witness points on the cores; x[1] - x[0] is nearly along n */
    double lower, upper; /* bounds of the cores' signed distance */
    double normal_error; /* rad: bound of the error of n */
    int rough;           /* 1: the search ended early; directions far from n may be as good */
    int ncorner;         /* corners of the simplex that holds x[1] - x[0] */
    int id[2][3];        /* indices of these corners on the two shapes */
} tacGuess;

/* Finds the pair of features whose own touch (rule NEAREST, touch.h) lies in their ranges and in their cones of normals
 * -> that touch, in the frame of shape 0, with margin 0. Where the cores are apart it is the nearest touch. Where they
 * overlap it is the least translation among all directions near n: (G14) of docs/theory/collision.md. Returns 0 where
 * no pair fits because the guess is too rough; `out` is then the guess itself. thorough: tries every feature within the
 * error of the guess. */
int tac_nearest_features(const tacCores *c, const tacGuess *g, int thorough, tacTouch *out);

/* The same for degenerate pairs, whose touch is not isolated (parallel edges, a point on the axis of a round shape):
 * the touch nearest to the given one, in the frame of shape 0. It takes minimum-norm steps. Returns 0 where it finds
 * none. */
int tac_nearest_degenerate(const tacCores *c, tacTouch *touch);

/* Restarts for overlapping round shapes, i = 0, 1, ...: the guess with its normal rotated about the axis of either
 * shape, and the support points along the new normal. Returns 0: no guess with this number; -1: no more guesses. */
int tac_guess_rotated(const tacCores *c, const tacGuess *from, int i, tacGuess *out);
/* The two places (i = 0, 1) where the sides of two cones have a common normal, as a touch to start from. 0: none. */
int tac_guess_cone_sides(const tacCores *c, int i, tacTouch *touch);
