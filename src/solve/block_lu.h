/* K = L U of a matrix whose blocks are mostly zero, the places of blocks symmetric, the numbers not.
 *
 * Blocks are eliminated in an order that keeps others zero: always the one with the fewest numbers beside it that are
 * not [minimum degree; Davis2006, ch. 7], the first of equals, so that the order is a function of the places alone. K
 * is kept as a full n x n array in that order of which only blocks that fill are looked at. No exchanges: for matrices
 * whose diagonal blocks stay regular; who uses it refines. */
#pragma once

#include "base/arena.h"

#include <stdint.h>

typedef struct tacBlockLu {
    int nblock, n;
    int words;      /* of a row of link */
    int *size;      /* nblock: numbers of a block */
    int *order;     /* nblock: block that is eliminated k-th */
    int *first;     /* nblock: first number of a block, in that order */
    uint64_t *link; /* nblock x words: bit j of row i: block (i, j) is not zero; after ordering, bit l: the block
                       eliminated l-th, later than i */
    uint64_t *left; /* words: blocks not yet eliminated */
    int *run;       /* 2 nblock: stretches of numbers beside the pivot: first, count */
    double *K;      /* n x n */
} tacBlockLu;

/* Takes the arrays of nblock blocks with n numbers in all. 0: the arena is too small. */
int tac_block_lu_layout(tacBlockLu *lu, int nblock, int n, tacArena *arena);
/* Bytes that the layout takes. */
size_t tac_block_lu_bytes(int nblock, int n);
/* The layout of blocks with these sizes; no blocks are linked yet. 0: the arena is too small. */
int tac_block_lu_begin(tacBlockLu *lu, int nblock, const int *size, tacArena *arena);
/* Blocks (i, j) and (j, i) may be other than zero. */
void tac_block_lu_link(tacBlockLu *lu, int i, int j);
/* Links -> order, first; places that fill are linked. */
void tac_block_lu_order(tacBlockLu *lu);
/* Stretches of numbers beside the block eliminated k-th, in order -> run, and their number. */
int tac_block_lu_beside(const tacBlockLu *lu, int k);
/* K = 0 where it may be other than zero. */
void tac_block_lu_clear(tacBlockLu *lu);
/* Number i of K's order, j likewise. Needs: its blocks linked. */
static inline double *tac_block_lu_at(const tacBlockLu *lu, int i, int j) {
    return lu->K + (size_t)i * (size_t)lu->n + (size_t)j;
}
/* K -> L, U in its place. 0: a pivot is zero. */
int tac_block_lu_factor(tacBlockLu *lu);
/* x (n) <- K^-1 x */
void tac_block_lu_solve(tacBlockLu *lu, double *x);
