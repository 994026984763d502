/* The Hessian H = M + J^T K J of the soft problem, assembled and factored.
 *
 * Where every row runs along one path to the root, H has the places of M, and is factored along the tree without fill.
 * Else it is kept by trees: dense inside one, and between two that a row joins (solve/block_lu.h). */
#pragma once

#include "contact/soft/soft.h"
#include "solve/block_lu.h"

typedef struct tacSoftHessian {
    int along_tree; /* 1: H and L below, else lu */
    double *H, *L;  /* nM */
    tacBlockLu lu;
    int *place; /* nv: a dof's number in lu */
    double *x;  /* nv: scratch of solves */
} tacSoftHessian;

size_t tac_soft_hessian_bytes(const tacModel *m);
/* Rows -> how H is kept. 0: the arena is too small. */
int tac_soft_hessian_begin(tacSoftHessian *h, const tacModel *m, const tacRows *rows, tacArena *arena);
/* Factor at the present y. 0: not positive definite. Needs: mass. */
int tac_soft_hessian_factor(tacSoftHessian *h, const tacModel *m, const tacWork *w, const tacSoft *soft);
/* x <- H^-1 x */
void tac_soft_hessian_solve(tacSoftHessian *h, const tacModel *m, double *x);
/* X <- H^-1 X, nv rows of k numbers. */
void tac_soft_hessian_solve_many(tacSoftHessian *h, const tacModel *m, int k, double *X);
