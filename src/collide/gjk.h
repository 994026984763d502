/* Distance of two convex cores by the GJK algorithm [Gilbert1988, Montanari2017].
 *
 * Everything is in the frame of shape 0, so that shapes near each other and far from the world's origin lose no
 * digits. D = core 1 - core 0 is the Minkowski difference. Its point v nearest to the origin is x1 - x0 of the
 * witness points. */
#pragma once

#include "collide/touch.h"

/* Two shapes. `pose` is that of shape 1 in the frame of shape 0. */
typedef struct tacCores {
    const tacShape *shape[2];
    tacPose pose;
    double scale; /* largest coordinate of D seen so far; rounding errors are this times 2^-53 */
} tacCores;

/* A point of D and the two points whose difference it is. */
typedef struct tacSupport {
    tacVec3 w;    /* x[1] - x[0] */
    tacVec3 x[2]; /* in the frame of shape 0 */
    int id[2];    /* indices of the corners (tac_shape_support) */
} tacSupport;

typedef enum {
    TAC_GJK_APART,   /* v has the accuracy asked for */
    TAC_GJK_BEYOND,  /* the distance exceeds `reach`: proved, and the search stopped there */
    TAC_GJK_OVERLAP, /* the simplex contains the origin, or is as near to it as rounding can tell */
    TAC_GJK_STOPPED  /* iteration limit: v is the best so far; or squares overflow, and upper is not finite */
} tacGjkStatus;

/* The simplex of v: v = sum weight_i corner_i.w. */
typedef struct tacGjk {
    tacGjkStatus status;
    int n, iterations;
    tacSupport corner[4];
    double weight[4];
    tacVec3 v;
    double upper, lower; /* bounds of the distance of the cores */
    tacVec3 momentum;    /* direction of the last support */
    int momentum_left;   /* number of further supports with momentum, not along v (G9) */
} tacGjk;

tacCores tac_cores(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B);
/* Support point of D along -v: the least v . w. hint: corners to start from, and those found. */
tacSupport tac_cores_support(tacCores *c, tacVec3 v, int hint[2]);

/* Starts cold, or from the corners that the last query of the same pair of polyhedra stored (cache may be NULL). */
void tac_gjk_start(tacCores *c, const tacPairCache *cache, tacGjk *g);
/* Iterates until upper - lower <= gap * upper, or a corner of a polyhedron repeats (v is then exact), or lower > reach.
 * May be called again with a smaller gap. */
void tac_gjk(tacCores *c, double gap, double reach, tacGjk *g);
/* Stores the corners for tac_gjk_start. Overlapping cores store nothing. */
void tac_gjk_store(const tacCores *c, const tacGjk *g, tacPairCache *cache);
/* Witness points of the cores, frame of shape 0. */
void tac_gjk_points(const tacGjk *g, tacVec3 x[2]);

/* Point of a simplex of 1 to 4 corners nearest to the origin, and its barycentric weights. The corners with a weight
 * move to the front -> their number. 4: the simplex contains the origin, and v = 0. 0: |v|^2 is not below `bound` or is
 * NaN, and nothing changes. */
int tac_simplex_nearest(int n, double bound, tacSupport *corner, double *weight, tacVec3 *v);
