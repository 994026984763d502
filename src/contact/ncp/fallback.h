/* The state of a step whose searches found no solution (docs/theory/ncp.md, W15a). */
#pragma once

#include "contact/ncp/step.h"

/* The best end of a search so far. Ends are compared by harm, those without harm by their residual. */
typedef struct tacNcpBest {
    double *at;  /* x, a, b one after another */
    double harm; /* m/s: how fast it violates limits and contacts, and how much too fast it is */
    double residual;
    int numbers; /* of a; -1: none yet */
    tacReason reason;
} tacNcpBest;
/* Takes room for any end of the problem. 0: the arena is too small. */
int tac_ncp_best_layout(tacNcpBest *best, const tacModel *m, int max_contacts, tacNcpCollision collision,
                        tacArena *arena);
/* Keeps p and ctx->info at the end of a search, if it is better. */
void tac_ncp_keep_best(const tacContext *ctx, const tacNcp *p, tacNcpBest *best);
/* Restores p and ctx->info: TAC_ERR_UNSOLVED. */
tacStatus tac_ncp_restore_best(tacContext *ctx, tacNcp *p, const tacNcpBest *best);
/* The same, then shortens the motion until it does no harm: TAC_ERR_UNSOLVED. */
tacStatus tac_ncp_fall_back(tacContext *ctx, tacNcp *p, const tacNcpBest *best);
