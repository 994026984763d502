/* Distance of two convex cores by walking over simplices of their difference [Gilbert1988, Montanari2017].
 *
 * All of it is in the frame of shape 0, so that two shapes near each other and far from the world's origin lose no
 * digits. D = core 1 - core 0 is the difference; its point v nearest to the origin is x1 - x0 of the nearest points. */
#pragma once

#include "collide/touch.h"

/* Two shapes; shape 1 stands at `pose` in the frame of shape 0. */
typedef struct tacCores {
    const tacShape *shape[2];
    tacPose pose;
    double scale; /* largest coordinate of D that occurred: rounding errors are this times 2^-53 */
} tacCores;

/* A point of D with the two points whose difference it is. */
typedef struct tacSupport {
    tacVec3 w;    /* x[1] - x[0] */
    tacVec3 x[2]; /* in the frame of shape 0 */
    int id[2];    /* corners (tac_shape_support) */
} tacSupport;

typedef enum {
    TAC_GJK_APART,   /* v is right to the gap asked for */
    TAC_GJK_BEYOND,  /* further apart than `reach`: proved, and not looked further */
    TAC_GJK_OVERLAP, /* the simplex holds the origin, or comes as near as rounding can tell */
    TAC_GJK_STOPPED  /* the guard on iterations: v is the best so far. Or squares overflow, and upper is not finite */
} tacGjkStatus;

/* The simplex around v: v = sum weight_i corner_i.w. */
typedef struct tacGjk {
    tacGjkStatus status;
    int n, iterations;
    tacSupport corner[4];
    double weight[4];
    tacVec3 v;
    double upper, lower; /* of the distance of the cores */
    tacVec3 lead;        /* direction of the last support */
    int leads;           /* further supports that are not along v (G9) */
} tacGjk;

tacCores tac_cores(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B);
/* Point of D furthest along -v, that is with the least v . w. hint: corners to start from, and the ones found. */
tacSupport tac_cores_support(tacCores *c, tacVec3 v, int hint[2]);

/* Starts from nothing, or from the corners that a query of the same pair of polyhedra left (cache may be NULL). */
void tac_gjk_start(tacCores *c, const tacPairCache *cache, tacGjk *g);
/* Goes on until upper - lower <= gap * upper, or a corner of a polyhedron comes again (v is exact then), or lower >
 * reach. May be called again with a smaller gap. */
void tac_gjk(tacCores *c, double gap, double reach, tacGjk *g);
/* What tac_gjk_start wants next time; nothing of overlapping cores. */
void tac_gjk_keep(const tacCores *c, const tacGjk *g, tacPairCache *cache);
/* Nearest points of the cores, frame of shape 0. */
void tac_gjk_points(const tacGjk *g, tacVec3 x[2]);

/* Point of the simplex of 1 to 4 corners nearest to the origin, its weights, and the corners that carry it moved to the
 * front -> their number. 4: the simplex holds the origin, v = 0. 0: |v|^2 is not below `bound`, or is no number;
 * nothing is changed. */
int tac_simplex_nearest(int n, double bound, tacSupport *corner, double *weight, tacVec3 *v);
