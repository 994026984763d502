/* Restitution that gives no energy (docs/theory/contact.md, L17 to L19).
 *
 * Newton's law of restitution may give energy where friction reverses the slip, or where several contacts are hit at
 * once. The restitutions of an island are then multiplied by the largest share theta in [0, 1] at which its impulses
 * give none:
 *
 *   E(theta) = -(v + v+)/2 . Q - l . Q + sum_N f_k J_k v+ >= 0,      Q = J^T f of the island                     (L17)
 *
 * l is the lag of an impact within a step (H4). The rows N do not bounce and push while they open: overlap that goes
 * away, equalities that close. Their work is intended. */
#pragma once

#include "contact/lcp/step.h"

/* Least share: a row that bounces keeps its kind. */
#define TAC_LCP_LEAST_SHARE 1e-9

/* Finds the share of one island, and solves it. unsolved: lcp->unsolved before the island's last solve. Needs: the
 * island is solved with whole restitutions. */
tacStatus tac_lcp_limit_bounce(const tacModel *m, tacLcp *lcp, int island, int unsolved, tacArena *arena);
/* 1: theta of the island is below 1. */
int tac_lcp_is_limited(const tacLcp *lcp, int island);
/* ds/dtheta of row k: e J (v + l); 0 where it does not bounce. */
double tac_lcp_share_rate(const tacLcp *lcp, int k);

/* --- Derivatives (share_deriv.c) ---------------------------------------------------------------------------------- */

/* The gradient of all shares by the equations. theta moves by (dE - lambda . dR - mu . dr) / scale of its island, with
 * dE at fixed motion, forces and share (L18). */
typedef struct tacLcpShare {
    double *lambda, *mu; /* nv, rows + 1 */
    double *scale;       /* islands: mu . ds/dtheta; 0: the share is 1 */
    int *island, nv;     /* nv: the island of a dof; -1: none */
} tacLcpShare;
int tac_lcp_share_layout(tacLcpShare *s, const tacModel *m, int rows, tacArena *arena);
/* Needs: a solved problem with lcp->limited > 0, v+ in w->next. */
tacStatus tac_lcp_share_adjoint(tacContext *ctx, const tacLcp *lcp, tacLcpShare *s);
/* dr += ds/dtheta dtheta of all shares, from the columns of dR and dr. */
tacStatus tac_lcp_share_jac(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, tacColumns c,
                            const double *dR, double *dr);
/* The same for one island. change holds dE and is overwritten by dtheta. dR NULL: zero. */
void tac_lcp_share_change(const tacLcp *lcp, const tacLcpShare *s, int island, tacColumns c, const double *dR,
                          double *dr, double *change);
/* Reverse: lambda and mu of (L6) -> lambda and mu with dtheta in them. weight (islands): weight of dE of each share. */
tacStatus tac_lcp_share_reverse(tacContext *ctx, const tacLcp *lcp, double *lambda, double *mu, double *weight);
/* out (nv) += scale Q of an island; with less_meant, scale (Q - Q_N). */
void tac_lcp_share_impulse(const tacContext *ctx, const tacLcp *lcp, int island, double scale, int less_meant,
                           double *out);
/* 1: row k is in N. */
int tac_lcp_is_meant(const tacContext *ctx, const tacLcp *lcp, int k);
void tac_lcp_measure_share(const tacModel *m, const tacOptions *options, tacArena *dry);
