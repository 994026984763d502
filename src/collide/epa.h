/* Least translation of two overlapping cores by growing a polytope inside their difference D [VanDenBergen2001].
 *
 * With s(n) = min over w in D of n . w, the signed distance of the cores is max over unit n of s(n): negative when D
 * holds the origin. Every s(n) is a lower bound; for a polytope inside D that holds the origin, the greatest of n . w
 * over its faces (n inwards) is an upper one. (G10)-(G13) of docs/theory/collision.md. */
#pragma once

#include "collide/gjk.h"

/* Corners of the polytope; it has at most twice as many faces. 70 kB of stack. Polyhedra need a few dozen; a curved
 * pair reaches this only where infinitely many directions are equally good (concentric balls). */
#define TAC_EPA_CORNERS 256

typedef enum {
    TAC_EPA_DONE, /* the bounds meet */
    TAC_EPA_FLAT, /* D has no volume: n is across it */
    TAC_EPA_FULL  /* no room or no progress: the best so far */
} tacEpaStatus;

typedef struct tacEpa {
    tacEpaStatus status;
    int iterations;
    tacVec3 n;           /* from shape 0 to shape 1, frame of shape 0 */
    double lower, upper; /* of the signed distance; lower = s(n) */
    double turn;         /* rounding error of n, rad */
    tacSupport corner[3];
    double weight[3]; /* of the point of that face nearest to the origin */
    double next;      /* upper bound of s over all faces that are not in the plane of this one; -INFINITY: none */
} tacEpa;

/* From the simplex of a GJK that ended in TAC_GJK_OVERLAP, until upper - lower <= gap * scale, or the face is one of a
 * polyhedral D. */
void tac_epa(tacCores *c, const tacGjk *start, double gap, tacEpa *out);
