/* The gradient of a bounce as continuous time has it (docs/theory/contact.md, L8) [Werling2021, VI].
 *
 * A step that bounces has v+ = -e v along the contact's normal and continues from its old position: dq+/dq = 1 along
 * the normal. In continuous time a body that starts nearer to the surface turns earlier and ends farther away: -e. The
 * correction is the least change of the exact D = dq+/dq for which every bouncing row i has  J_i X J_i^T = -e_i
 * |J_i|^2:
 *
 *   X = D + sum_i k_i J_i^T J_i,      sum_j (J_i J_j^T)^2 k_j = -(e_i |J_i|^2 + J_i D J_i^T)
 *
 * Dependent rows are solved by least squares. One row: X = D - (e + J D J^+) J^+ J. */
#pragma once

#include "contact/lcp/problem.h"
#include "smooth/context.h"

typedef struct tacBounces {
    int n;
    double *J;    /* n x nv: rows that bounce */
    double *e;    /* n */
    double *k;    /* n */
    double *seen; /* n: J_i D J_i^T */
} tacBounces;

/* Collects the bouncing rows of a solved step, in the arena. The caller releases. */
tacStatus tac_bounces_find(tacContext *ctx, const tacLcp *lcp, tacBounces *b);
/* seen -> k. */
tacStatus tac_bounces_weigh(tacContext *ctx, tacBounces *b);
/* A (dq rows and columns first, ld apart): J_i D J_i^T -> seen. */
void tac_bounces_see(const tacBounces *b, int nv, int ld, const double *A, double *seen);
/* D += sum k J^T J, and its transpose on a covector: qbar += sum k J^T (J . ybar). */
void tac_bounces_jac(const tacBounces *b, int nv, int ld, double *A);
void tac_bounces_vjp(const tacBounces *b, int nv, const double *ybar, double *qbar);
/* Measures the first two functions on a dry arena, for at most `rows` rows. The arrays of the first stay taken. */
void tac_bounces_measure_find(const tacModel *m, int rows, tacArena *dry);
void tac_bounces_measure_weigh(int rows, tacArena *dry);
