/* One frictional contact problem in Delassus form on Coulomb's cones   (docs/theory/ncp.md, W41-W46)
 *
 *   u = W r + q,   r = P(r - u - mu |u_t| e_n)   a contact
 *
 * An interior point (solve/interior.h) follows the central path towards the reactions. Newton's method on the natural
 * map (solve/coulomb.h) then refines them to the accuracy that the numbers allow. In theory W is positive semidefinite;
 * it may be singular and need not be symmetric. W is read in 3 x 3 blocks, and pairs of contacts with a zero block cost
 * nothing. */
#pragma once

#include "base/arena.h"
#include "solve/block_lu.h"
#include "solve/friction_cone.h"
#include "tactus/status.h"

typedef struct tacConeProblem {
    int ncontact;
    const double *W, *q, *mu; /* n x n, n, ncontact; n = 3 ncontact */
} tacConeProblem;

typedef struct tacConeResult {
    int iterations;  /* systems factored by the interior point and by Newton's method */
    double residual; /* of the natural map, relative to |q| */
} tacConeResult;

/* Lays out the memory of a solve on a dry arena; the same in bytes. */
void tac_cone_contact_measure(int ncontact, tacArena *dry);
size_t tac_cone_contact_bytes(int ncontact);
/* Solves the problem for r, u (n each): the best point found, finite for a finite problem. */
tacStatus tac_cone_contact_solve(const tacConeProblem *problem, tacArena *arena, double *r, double *u,
                                 tacConeResult *result);

/* --- Inside (cone_contact_path.c, cone_contact_newton.c) ---------------------------------------------------------- */

/* The problem in its own units. With d the mean of a contact's three diagonal entries of W, and c the root mean square
 * of q/sqrt(d),  r = c r'/sqrt(d),  u = c sqrt(d) u'. So the diagonal of W' and the numbers of q' are about one. */
typedef struct tacConeContacts {
    int ncontact, n;
    const double *mu;
    int *start, *column; /* nonzero blocks of a row of W'; ncontact + 1; at most ncontact^2 */
    double *block;       /* 9 numbers for each of column */
    double *q, *scale;   /* n; ncontact: r = scale r', u = u' c^2/scale */
    double unit;         /* c^2: unit of r . u */
    tacBlockLu lu;
    double *r, *u, *rhs;              /* n: iterate, W' r + q', scratch */
    double *f, *best, *anchor, *base; /* n: natural map; reactions: best, before a proximal step, before Newton's */
    /* Variables of the interior point. Contact i has the numbers from adr[i] on. */
    int ncone, numbers;
    int *dim, *adr;
    double *weight, *a, *b; /* cones; numbers */
    tacFrictionPoint *point;
    tacFrictionRhs *rhs_friction;
} tacConeContacts;

/* y = W' x; y is not x */
void tac_cone_contact_multiply(const tacConeContacts *p, const double *x, double *y);
/* Sets cones and cone variables at the start of the path. */
void tac_cone_contact_begin_path(tacConeContacts *p);
/* Moves a and b to the point kappa of the central path, or as near as possible. Sets r. */
tacStatus tac_cone_contact_path(tacConeContacts *p, double kappa, tacArena *arena, int *iterations);
/* Lays out the memory of the path on a dry arena. */
void tac_cone_contact_measure_path(int ncontact, tacArena *dry);
/* Refines r to the best iterate of Newton's method on the natural map. Sets u. Returns the residual. */
double tac_cone_contact_newton(tacConeContacts *p, int *iterations);
/* Evaluates u and the natural map at r. Returns its norm relative to that of q, in the caller's units. */
double tac_cone_contact_residual(tacConeContacts *p);
