/* K = U^T D U of a symmetric positive definite matrix with mostly zero blocks. Pattern, order and memory are those of
 * block_lu.h; only entries on and above the diagonal are used. Row p of the factor holds d_p u_p, its diagonal
 * 1/d_p. */
#pragma once

#include "solve/block_lu.h"

/* Zeroes the possibly nonzero entries of K on and above the diagonal. */
void tac_block_ldl_clear(tacBlockLu *K);
/* Factors K in place. 0: K is not positive definite. */
int tac_block_ldl_factor(tacBlockLu *K);
/* x (n) <- K^-1 x */
void tac_block_ldl_solve(tacBlockLu *K, double *x);
/* X <- K^-1 X, n rows of k numbers. */
void tac_block_ldl_solve_many(tacBlockLu *K, int k, double *X);
