/* One frictional contact problem in Delassus form on Coulomb's cones   (docs/theory/ncp.md, W41-W46)
 *
 *   u = W r + q,   r = P(r - u - mu |u_t| e_n)   a contact
 *
 * An interior point (solve/interior.h) follows the central path towards the reactions, Newton's method on the natural
 * map (solve/coulomb.h) makes of them what the numbers of the problem allow. W is positive semidefinite in theory; it
 * may be singular and need not be symmetric. Contacts that do not touch cost nothing: W is looked at in 3 x 3
 * blocks. */
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
    int iterations;  /* systems factored: of the interior point and of Newton's method */
    double residual; /* of the natural map, over |q| */
} tacConeResult;

/* Lays out on a dry arena what a solve takes; the same in bytes. */
void tac_cone_contact_measure(int ncontact, tacArena *dry);
size_t tac_cone_contact_bytes(int ncontact);
/* problem -> r, u (n each): the best point found, finite for a finite problem. */
tacStatus tac_cone_contact_solve(const tacConeProblem *problem, tacArena *arena, double *r, double *u,
                                 tacConeResult *result);

/* --- Inside (cone_contact_path.c, cone_contact_newton.c) ---------------------------------------------------------- */

/* The problem in units of its own: with d the mean of a contact's three diagonal entries of W and c the root mean
 * square of q/sqrt(d),  r = c r'/sqrt(d),  u = c sqrt(d) u': W' has a diagonal of about one, q' numbers of about
 * one. */
typedef struct tacConeContacts {
    int ncontact, n;
    const double *mu;
    int *start, *column; /* blocks of a row of W' that are not zero; ncontact + 1; at most ncontact^2 */
    double *block;       /* 9 each, as the columns */
    double *q, *scale;   /* n; ncontact: r = scale r', u = u' c^2/scale */
    double unit;         /* c^2: of r . u */
    tacBlockLu lu;
    double *r, *u, *rhs;              /* n: iterate, W' r + q', scratch */
    double *f, *best, *anchor, *base; /* n: Newton's: natural map; reactions: best, before a proximal step, a step */
    /* The interior point's: contact i has cones from cone[i] on, numbers from adr[i] on. */
    int ncone, numbers;
    int *dim, *adr;
    double *weight, *a, *b; /* cones; numbers */
    tacFrictionPoint *point;
    tacFrictionRhs *sides;
} tacConeContacts;

/* y = W' x, y and x apart */
void tac_cone_contact_multiply(const tacConeContacts *p, const double *x, double *y);
/* Cone variables and their cones, at the start of the path. */
void tac_cone_contact_begin_path(tacConeContacts *p);
/* a, b -> the point kappa of the central path, or as near as it gets; r of it. */
tacStatus tac_cone_contact_path(tacConeContacts *p, double kappa, tacArena *arena, int *iterations);
/* Lays out on a dry arena what the path takes. */
void tac_cone_contact_measure_path(int ncontact, tacArena *dry);
/* r -> the best of Newton's iterates, by the natural map; u of it. */
double tac_cone_contact_newton(tacConeContacts *p, int *iterations);
/* r -> u, f and its norm over that of q, in the caller's units. */
double tac_cone_contact_residual(tacConeContacts *p);
