/* K = L U of a matrix with mostly zero blocks. The pattern of blocks is symmetric, the numbers are not.
 *
 * Blocks are eliminated in an order that limits fill. The next block is the one with the fewest nonzero numbers beside
 * it [minimum degree; Davis2006, ch. 7]. Ties go to the first, so the order is a function of the pattern alone. K is
 * stored as a full n x n array in that order. Only nonzero blocks of it are used. There is no pivoting: diagonal blocks
 * must stay regular, and callers refine. */
#pragma once

#include "base/arena.h"

#include <stdint.h>

typedef struct tacBlockLu {
    int nblock, n;
    int words;      /* words of 64 bits in a row of link */
    int *size;      /* nblock: size of a block */
    int *order;     /* nblock: block that is eliminated k-th */
    int *first;     /* nblock: first index of a block, in that order */
    uint64_t *link; /* nblock x words: bit j of row i: block (i, j) is nonzero. After ordering, bit l: the block
                     * eliminated l-th, later than i, is nonzero */
    uint64_t *left; /* words: blocks not yet eliminated */
    int *run;       /* 2 nblock: runs of indices beside the pivot: first, count */
    double *K;      /* n x n */
} tacBlockLu;

/* Takes the arrays of nblock blocks with n numbers in all. 0: the arena is too small. */
int tac_block_lu_layout(tacBlockLu *lu, int nblock, int n, tacArena *arena);
/* Bytes of the layout. */
size_t tac_block_lu_bytes(int nblock, int n);
/* The layout of blocks with these sizes; no blocks are linked yet. 0: the arena is too small. */
int tac_block_lu_begin(tacBlockLu *lu, int nblock, const int *size, tacArena *arena);
/* Marks blocks (i, j) and (j, i) as nonzero. */
void tac_block_lu_link(tacBlockLu *lu, int i, int j);
/* Orders the elimination: sets order and first, and links the blocks that fill. */
void tac_block_lu_order(tacBlockLu *lu);
/* Sets run to the indices beside the block eliminated k-th, in order. Returns the number of runs. */
int tac_block_lu_beside(const tacBlockLu *lu, int k);
/* Zeroes the possibly nonzero entries of K. */
void tac_block_lu_clear(tacBlockLu *lu);
/* Entry (i, j) of K, in its order. Needs: its block linked. */
static inline double *tac_block_lu_at(const tacBlockLu *lu, int i, int j) {
    return lu->K + (size_t)i * (size_t)lu->n + (size_t)j;
}
/* Factors K in place. 0: a pivot is zero. */
int tac_block_lu_factor(tacBlockLu *lu);
/* x (n) <- K^-1 x */
void tac_block_lu_solve(tacBlockLu *lu, double *x);
