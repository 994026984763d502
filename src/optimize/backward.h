/* The backward pass: gains of a linear-quadratic problem with gaps, control
 * bounds and constant unknown parameters. */
#pragma once

#include "optimize/box_newton.h"
#include "optimize/problem.h"

/* One problem. z = [x | p | c]: deviations of the state, of the unknown
 * parameters, and of the controls before. */
typedef struct tacBackward {
    const tacPlan *plan;
    const double *A, *B, *P, *D; /* n blocks: step derivatives, gaps f(x_k, u_k) (-) x_{k+1} */
    const double *g, *H;         /* (n+1) x nw, (n+1) x nw x nw */
    const double *U, *p;         /* about which it is linear */
    double regularization;       /* share of the diagonal that is added to it */
    double *k, *K, *dp;          /* out: n x nu, n x nu x nz, nunknown */
    double linear, quadratic;    /* out: change of the cost by a step of length a is
                               a linear + a^2 quadratic */
    double largest_costate;      /* out: largest |dV/dx| of knots 1 to n */
} tacBackward;

/* nz = ndx + nunknown + nchange */
int tac_backward_nz(const tacPlan *plan);
/* 1: solved. 0: not positive definite somewhere: more regularization is needed.
 * -1: the arena is full. */
int tac_backward(tacBackward *b, tacArena *arena);
void tac_backward_measure(const tacPlan *plan, tacArena *dry);
