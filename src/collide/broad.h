/* Broad phase: all pairs of overlapping boxes.
 *
 * The boxes are put in the order of a curve through space that keeps neighbours together (Morton's), cut into short
 * runs of equal length, and the runs are the leaves of a balanced binary tree of bounds. Made anew each time, so that
 * the pairs depend on the boxes alone. For boxes of similar size scattered at any density that does not grow with their
 * number, the work grows as n log n (docs/theory/collision.md). */
#pragma once

#include "base/arena.h"
#include "base/sort.h"
#include "tactus/vec.h"

typedef struct tacBox {
    tacVec3 low, high;
} tacBox;

typedef struct tacBroad {
    int n, leaves;          /* leaves: a power of two */
    tacKeyed *order, *rows; /* n: boxes along the curve; both are scratch of the sort */
    tacKeyed *sorted;       /* whichever of the two holds the result */
    tacBox *box;            /* n: along the curve */
    tacBox *node;           /* 2 leaves: 1 is the root, 2 k and 2 k + 1 are the children of k, leaves at the end */
} tacBroad;

/* Called for each overlapping pair once, in no particular order: i and j as numbered by the caller. */
typedef void (*tacPairVisit)(void *user, int i, int j);

/* Bytes tac_broad_layout takes from the arena. */
size_t tac_broad_bytes(int n);
/* Room for n boxes; false: the arena is too small. */
int tac_broad_layout(tacBroad *b, int n, tacArena *arena);
/* Finite boxes -> all pairs that overlap or touch: low_i <= high_j and low_j <= high_i on each
 * axis. n boxes, at most as many as laid out; box k is which[k] (NULL: k) in `boxes` and in what is visited. */
void tac_broad_pairs(tacBroad *b, int n, const int *which, const tacBox *boxes, tacPairVisit visit, void *user);

static inline int tac_box_overlaps(const tacBox *a, const tacBox *b) {
    return (a->low.x <= b->high.x) & (b->low.x <= a->high.x) & (a->low.y <= b->high.y) & (b->low.y <= a->high.y) &
           (a->low.z <= b->high.z) & (b->low.z <= a->high.z);
}
