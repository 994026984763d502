/* min 1/2 x' H x + g' x over a box, by projected Newton steps. */
#pragma once

#include "base/arena.h"

typedef struct tacBox {
    int n;
    const double *H, *g;      /* n x n symmetric, n */
    const double *low, *high; /* n; infinite where there is none */
    double *x;                /* in: a start; out: the solution */
    int *free;                /* out: n: 1: not at a bound that holds it */
    double *L;                /* out: n x n: Cholesky factor of the rows and columns that are
                free, packed in order */
    int nfree;                /* out */
    int iterations;           /* out */
} tacBox;

/* 1: solved. 0: H is not positive definite on the free coordinates. */
int tac_box_newton(tacBox *box, tacArena *arena);
void tac_box_newton_measure(int n, tacArena *dry);
