/* Penetration depth of two overlapping cores by the expanding polytope algorithm (EPA) [VanDenBergen2001].
 *
 * D is the Minkowski difference of the cores and s(n) = min over w in D of n . w. The signed distance of the cores is
 * the maximum of s(n) over unit n. It is negative when D contains the origin. Every s(n) is a lower bound. A polytope
 * inside D that contains the origin gives an upper bound: the greatest n . w over its faces, n inwards. (G10)-(G13) of
 * docs/theory/collision.md. */
#pragma once

#include "collide/gjk.h"

/* Maximum corners of the polytope. It has at most twice as many faces and takes 70 kB of stack. Polyhedra need a few
 * dozen. A curved pair needs all only where infinitely many directions are equally good (concentric balls). */
#define TAC_EPA_CORNERS 256

typedef enum {
    TAC_EPA_DONE, /* the bounds meet */
    TAC_EPA_FLAT, /* D has no volume; n is across it */
    TAC_EPA_FULL  /* out of capacity or no progress; the best face so far */
} tacEpaStatus;

typedef struct tacEpa {
    tacEpaStatus status;
    int iterations;
    tacVec3 n;           /* from shape 0 to shape 1, frame of shape 0 */
    double lower, upper; /* bounds of the signed distance; lower = s(n) */
    double normal_error; /* rad: rounding error of n */
    tacSupport corner[3];
    double weight[3]; /* of the point of the face nearest to the origin */
    double next;      /* upper bound of s over all faces in other planes than this one; -INFINITY: none */
} tacEpa;

/* Starts from the simplex of a GJK that ended in TAC_GJK_OVERLAP. Ends when upper - lower <= gap * scale, or when the
 * face is a face of a polyhedral D. */
void tac_epa(tacCores *c, const tacGjk *start, double gap, tacEpa *out);
