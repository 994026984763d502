/* Broad phase: all pairs of overlapping boxes.
 *
 * The boxes are held by a binary tree of bounds. Each node splits its boxes in the middle of the axis along which their
 * centres are spread most. The tree is rebuilt each time, so that the pairs depend on the boxes alone. For n boxes of
 * similar size, at a density that does not grow with n, the work grows as n log n (docs/theory/collision.md). */
#pragma once

#include "base/arena.h"
#include "tactus/vec.h"

typedef struct tacBox {
    tacVec3 low, high;
} tacBox;

/* A node of the tree. Nodes are in preorder: children follow their parent, the left one first. */
typedef struct tacBroadNode {
    tacBox bounds;
    int skip;         /* the node after its subtree */
    int first, count; /* a leaf's boxes; count 0: not a leaf */
} tacBroadNode;

/* A box's centre, in single precision, which is enough for sorting. */
typedef struct tacBroadPoint {
    float x[3];
    int id;
} tacBroadPoint;

typedef struct tacBroad {
    tacBroadPoint *point; /* n: in the order of the leaves */
    tacBox *box;          /* n: likewise */
    tacBroadNode *node;   /* nnode, at most 2 n */
    int n, nnode;
} tacBroad;

/* Called once for each overlapping pair, in no particular order. i and j are the caller's indices. */
typedef void (*tacPairVisit)(void *user, int i, int j);

/* Takes the arrays for n boxes from the arena; false: it is too small. */
int tac_broad_layout(tacBroad *b, int n, tacArena *arena);
/* Finite boxes -> all pairs that overlap or touch: low_i <= high_j and low_j <= high_i on each axis. n is at most the
 * number laid out. Box k has the index which[k] (NULL: k) in `boxes` and in the visit. */
void tac_broad_pairs(tacBroad *b, int n, const int *which, const tacBox *boxes, tacPairVisit visit, void *user);

static inline int tac_box_overlaps(const tacBox *a, const tacBox *b) {
    return (a->low.x <= b->high.x) & (b->low.x <= a->high.x) & (a->low.y <= b->high.y) & (b->low.y <= a->high.y) &
           (a->low.z <= b->high.z) & (b->low.z <= a->high.z);
}
