/* Derivatives of pairs at the solution (docs/theory/ncp_pairs.md, SL11). Memory is p->pairs.arena's; the caller's scope
 * releases it. */
#pragma once

#include "contact/ncp/problem.h"
#include "dynamics/growth_move.h"

/* A pair prepared at q+; where its bound follows the overlap at q, there too. */
typedef struct tacNcpPairSystem {
    tacGrowthSystem next, now;
    double follows, bound; /* d(bound)/d(gap at q); the bound */
} tacNcpPairSystem;

tacStatus tac_ncp_pair_prepare(tacNcp *p, const tacNcpContact *c, double follows, tacNcpPairSystem *out);
/* Change of the contact at q+, with tangents of unit length, and of the bound: along movers at q+ and at q; with a
 * parameter. */
tacContactTangent tac_ncp_pair_along(tacNcp *p, const tacNcpContact *c, const tacNcpPairSystem *s, const tacMover *next,
                                     const tacMover *now, double *rest);
tacContactTangent tac_ncp_pair_param(tacNcp *p, const tacNcpContact *c, const tacNcpPairSystem *s,
                                     const tacParamTangent *t, const tacSmoothPoint *next, const tacSmoothPoint *now,
                                     double *rest);
/* row (12) -= d(bound)/d(poses at q) */
tacStatus tac_ncp_pair_bound_by_q(tacNcp *p, const tacNcpContact *c, double follows, double *row);
