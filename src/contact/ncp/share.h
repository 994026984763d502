/* Restitution that gives no energy, as in contact lcp (docs/theory/ncp.md, W51, W52). Where friction turns the slip
 * round, (W35) may give energy. The restitutions of bodies that touch, at first or second hand, are then multiplied by
 * the largest share theta in [0, 1] at which
 *
 *   E(theta) = -((v + v+)/2 + slack v) . Q >= 0,     Q = h qfrc, what constraints exert on their dofs         (W51) */
#pragma once

#include "contact/ncp/step_deriv.h"

/* The relative gain of energy that is let pass: products of the central path give as much at a restitution of 1, and
 * velocities of joints differ from those of chords by as much. */
#define TAC_NCP_SLACK       1e-7
#define TAC_NCP_LEAST_SHARE 1e-9 /* a contact that bounces keeps its law */

/* First of the trees that touch that of a body, and those of a contact, at first or second hand. */
int tac_ncp_tree(const tacNcp *p, int body);
int tac_ncp_contact_tree(const tacNcp *p, const tacNcpContact *c);
/* Finds the shares, and solves the problem with them. Needs: p is solved for kappa. */
tacStatus tac_ncp_limit_bounces(tacContext *ctx, double kappa, tacNcp *p);
void tac_ncp_measure_limit_bounces(const tacModel *m, tacArena *dry);

/* --- Derivatives (share_deriv.c) ---------------------------------------------------------------------------------- */

/* Shares below 1, and what weights of the equations' inputs make of them: one line of n numbers for each answer. */
typedef struct tacNcpShares {
    int n;
    int *root;      /* n: the first tree of the bodies that touch */
    double *weight; /* lines x n: mu . d(inputs)/dtheta */
    tacGrad grad;   /* of E, at a fixed share */
} tacNcpShares;
/* Takes the arrays. 0: the arena is too small. */
int tac_ncp_shares_layout(tacNcpShares *s, const tacNcp *p, tacColumns c, int lines, tacArena *arena);
/* Notes an answer mu of the reverse mode as line number `line`. */
void tac_ncp_note_share(const tacNcp *p, const tacNcpShares *s, int line, const double *mu);
/* rows (lines x c.n, first the state's, then u's, theta's) += scale dtheta's part: what the answers lack at fixed
 * shares. */
tacStatus tac_ncp_add_shares(tacContext *ctx, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d,
                             const tacNcpShares *s, tacColumns c, int lines, double scale, double *rows);
/* The same of one line into a gradient. */
tacStatus tac_ncp_pull_shares(tacContext *ctx, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d,
                              const tacNcpShares *s, const tacGrad *bar);
void tac_ncp_measure_shares(const tacModel *m, const tacOptions *options, int lines, tacArena *dry);
