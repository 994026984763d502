/* The Hessian H = M + J^T K J of the soft problem, assembled and factored.
 *
 * The rows merge paths of the model's tree into the elimination tree of H. Every row runs along one path of it. H has
 * the pattern of that tree and is factored along it (math/tree.h). If nothing is merged, the pattern is that of M. A
 * pile would fill it. Beyond a bound, H is stored by trees instead: dense inside a tree, and between two trees that a
 * row joins (solve/block_ldl.h). */
#pragma once

#include "contact/rows.h"
#include "solve/block_ldl.h"

typedef struct tacSoft tacSoft;
typedef struct tacSoftBlock tacSoftBlock;
typedef struct tacSoftIsland tacSoftIsland;

/* Rows that are summed at once. */
enum { TAC_HESSIAN_ROWS = 24 };

typedef struct tacSoftHessian {
    int along_tree; /* 1: H and L below, else K */
    int own;        /* 1: the tree is the model's */
    tacTree tree;
    double *H, *L; /* with the places of the tree */
    tacBlockLu K;
    int *place; /* nv: a dof's number in K */
    double *x;  /* CHUNK nv: scratch of solves */
    double *J, *KJ,
        *line; /* scratch of sums: TAC_HESSIAN_ROWS rows of nv numbers and up to seven more; two such rows */
} tacSoftHessian;

/* Takes from a dry arena the memory of tac_soft_hessian_begin. */
void tac_soft_measure_hessian(const tacModel *m, tacArena *dry);
/* Rows -> the layout of H. 0: the arena is too small. */
int tac_soft_hessian_begin(tacSoftHessian *h, const tacModel *m, const tacRows *rows, tacArena *arena);
/* Force and stiffness of a block at its y: tac_soft_force or tac_soft_sticking_force. */
typedef int (*tacSoftLaw)(const tacSoftBlock *block, const double *D, const double *y, double *f, double *K);
/* Factor at the present y. 0: not positive definite. Needs: mass. */
int tac_soft_hessian_factor(tacSoftHessian *h, const tacModel *m, const tacWork *w, const tacSoft *soft);
/* The same by another law, which also gives f (rows) and zones (blocks). NULL skips either. */
int tac_soft_hessian_factor_by(tacSoftHessian *h, const tacModel *m, const tacWork *w, const tacSoft *soft,
                               tacSoftLaw law, double *f, int *zones);
/* The same for one island. The rest of the factor stays. Needs: a factor of all; along_tree. */
int tac_soft_hessian_factor_island(tacSoftHessian *h, const tacModel *m, const tacWork *w, const tacSoft *soft,
                                   const tacSoftIsland *island);
/* Largest over smallest pivot of the factor. */
double tac_soft_hessian_conditioning(const tacSoftHessian *h, const tacModel *m);
/* x <- H^-1 x */
void tac_soft_hessian_solve(tacSoftHessian *h, const tacModel *m, double *x);
/* X <- H^-1 X, nv rows of k numbers. */
void tac_soft_hessian_solve_many(tacSoftHessian *h, const tacModel *m, int k, double *X);
