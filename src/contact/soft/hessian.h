/* The Hessian H = M + J^T K J of the soft problem, assembled and factored.
 *
 * Where every row runs along one path to the root, H has the places of M, and is factored along the tree without fill.
 * Else it is kept by trees: dense inside one, and between two that a row joins (solve/block_ldl.h). */
#pragma once

#include "contact/soft/soft.h"
#include "solve/block_ldl.h"

/* Rows that are summed at once. */
enum { TAC_HESSIAN_ROWS = 24 };

typedef struct tacSoftHessian {
    int along_tree; /* 1: H and L below, else K */
    double *H, *L;  /* nM */
    tacBlockLu K;
    int *place; /* nv: a dof's number in K */
    double *x;  /* nv: scratch of solves */
    double *KJ; /* TAC_HESSIAN_ROWS nv: scratch of sums */
} tacSoftHessian;

size_t tac_soft_hessian_bytes(const tacModel *m);
/* Rows -> how H is kept. 0: the arena is too small. */
int tac_soft_hessian_begin(tacSoftHessian *h, const tacModel *m, const tacRows *rows, tacArena *arena);
/* How stiff a block is at its y: tac_soft_force, or tac_soft_hold. */
typedef int (*tacSoftLaw)(const tacSoftBlock *block, const double *D, const double *y, double *f, double *K);
/* Factor at the present y. 0: not positive definite. Needs: mass. */
int tac_soft_hessian_factor(tacSoftHessian *h, const tacModel *m, const tacWork *w, const tacSoft *soft);
/* The same by another law -> f (rows) and zones (blocks) by it; NULL skips one. */
int tac_soft_hessian_factor_by(tacSoftHessian *h, const tacModel *m, const tacWork *w, const tacSoft *soft,
                               tacSoftLaw law, double *f, int *zones);
/* Largest over smallest pivot of the factor. */
double tac_soft_hessian_conditioning(const tacSoftHessian *h, const tacModel *m);
/* x <- H^-1 x */
void tac_soft_hessian_solve(tacSoftHessian *h, const tacModel *m, double *x);
/* X <- H^-1 X, nv rows of k numbers. */
void tac_soft_hessian_solve_many(tacSoftHessian *h, const tacModel *m, int k, double *X);
