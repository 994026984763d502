/* K = U^T D U of a symmetric positive definite matrix whose blocks are mostly zero: places, order and memory of
 * block_lu.h, and of K the part on and above the diagonal alone. Row p of the factor has d_p u_p; its diagonal
 * 1/d_p. */
#pragma once

#include "solve/block_lu.h"

/* K = 0 on and above the diagonal, where it may be other than zero. */
void tac_block_ldl_clear(tacBlockLu *K);
/* K -> factor in its place. 0: not positive definite. */
int tac_block_ldl_factor(tacBlockLu *K);
/* x (n) <- K^-1 x */
void tac_block_ldl_solve(tacBlockLu *K, double *x);
/* X <- K^-1 X, n rows of k numbers. */
void tac_block_ldl_solve_many(tacBlockLu *K, int k, double *X);
