/* The Hessian H = M + J^T K J of the soft problem, assembled and factored.
 *
 * Every row runs along one path of the tree that the rows make of the model's own by merging paths, the elimination
 * tree of H: H has the places of that tree and is factored along it (math/tree.h). Where nothing is merged they are
 * M's. A pile would fill it: beyond a bound H is kept by trees instead, dense inside one, and between two that a row
 * joins (solve/block_ldl.h). */
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

/* Takes from a dry arena what tac_soft_hessian_begin takes. */
void tac_soft_measure_hessian(const tacModel *m, tacArena *dry);
/* Rows -> how H is kept. 0: the arena is too small. */
int tac_soft_hessian_begin(tacSoftHessian *h, const tacModel *m, const tacRows *rows, tacArena *arena);
/* Law of a block at its y: force and stiffness, tac_soft_force or tac_soft_sticking_force. */
typedef int (*tacSoftLaw)(const tacSoftBlock *block, const double *D, const double *y, double *f, double *K);
/* Factor at the present y. 0: not positive definite. Needs: mass. */
int tac_soft_hessian_factor(tacSoftHessian *h, const tacModel *m, const tacWork *w, const tacSoft *soft);
/* The same by another law -> f (rows) and zones (blocks) by it; NULL skips one. */
int tac_soft_hessian_factor_by(tacSoftHessian *h, const tacModel *m, const tacWork *w, const tacSoft *soft,
                               tacSoftLaw law, double *f, int *zones);
/* The same of one island; what the others have stays. Needs: a factor of all; along_tree. */
int tac_soft_hessian_factor_island(tacSoftHessian *h, const tacModel *m, const tacWork *w, const tacSoft *soft,
                                   const tacSoftIsland *island);
/* Largest over smallest pivot of the factor. */
double tac_soft_hessian_conditioning(const tacSoftHessian *h, const tacModel *m);
/* x <- H^-1 x */
void tac_soft_hessian_solve(tacSoftHessian *h, const tacModel *m, double *x);
/* X <- H^-1 X, nv rows of k numbers. */
void tac_soft_hessian_solve_many(tacSoftHessian *h, const tacModel *m, int k, double *X);
