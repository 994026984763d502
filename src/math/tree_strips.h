/* X <- M^-1 X for many right sides, by strips of columns held in registers: twice the same code (strip_passes.h), for
 * 128-bit registers and for 256-bit ones. The bits are the same. */
#pragma once

#include "math/tree.h"

/* X <- L^-T X, and X <- L^-1 D^-1 X. */
enum { TAC_PASS_PUSH = 1, TAC_PASS_PULL = 2, TAC_PASS_BOTH = 3 };

typedef struct tacStrips {
    double *X; /* n rows of k numbers, ld apart */
    int ld, k;
    int upper;  /* 1: X is upper triangular and only its upper triangle is wanted */
    int passes; /* TAC_PASS_PUSH, TAC_PASS_PULL or both */
} tacStrips;

void tac_tree_strips_narrow(const tacTree *tree, const double *L, tacStrips job);
/* The processor must have wide registers (base/lanes.h). */
void tac_tree_strips_wide(const tacTree *tree, const double *L, tacStrips job);

/* Rows in the block that ends with row `last`. */
static inline int tac_tree_rows_ending(const tacTree *tree, int last) {
    if (last < 1 || tree->parent[last] != last - 1) return 1;
    return last < 2 || tree->parent[last - 1] != last - 2 ? 2 : 3;
}

/* Rows in the block that begins with row `first`. */
static inline int tac_tree_rows_beginning(const tacTree *tree, int first) {
    if (first + 1 >= tree->n || tree->parent[first + 1] != first) return 1;
    return first + 2 >= tree->n || tree->parent[first + 2] != first + 1 ? 2 : 3;
}
