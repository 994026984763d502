/* The step of contact ncp: one problem, solved by searches. */
#pragma once

#include "contact/ncp/problem.h"
#include "smooth/smooth_step.h"

/* Solves the step for kappa: p at the solution (p->x is v+, ldu not built), ctx->work.next, ctx->info.
 * TAC_ERR_UNSOLVED: the best point that was found. Takes from the arena; the caller releases. */
tacStatus tac_ncp_solve_step(tacContext *ctx, const double *x, const double *u, double kappa, tacNcp *p);
/* The same with the geometry of pairs `soft` times as soft as contact. */
tacStatus tac_ncp_solve_softened(tacContext *ctx, const double *x, const double *u, double kappa, double soft,
                                 tacNcp *p);
/* Lays out on a dry arena what it takes. The problem stays laid out; the caller's scope releases it. */
void tac_ncp_measure_solve(const tacModel *m, const tacOptions *options, tacArena *dry);

/* --- Solving (solve.c) -------------------------------------------------------------------------------------------- */

/* Solves the problem as it is set up: p at the solution, ctx->info. TAC_ERR_UNSOLVED: p at the best end of its
 * searches, shortened until it does no harm (fallback.h). */
tacStatus tac_ncp_solve(tacContext *ctx, double kappa, tacNcp *p);
/* Lays out on a dry arena what it takes. */
void tac_ncp_measure_searches(const tacModel *m, const tacOptions *options, tacArena *dry);
/* Moves p from a solution nearer to the point of the central path, for derivatives; ctx->work.next and ctx->info
 * stay. */
tacStatus tac_ncp_refine(tacContext *ctx, double kappa, tacNcp *p);

/* --- Finding features (find_features.c) --------------------------------------------------------------------------- */

/* Contacts at the poses of w; with `ahead`, also those reachable within the step: p->found. */
tacStatus tac_ncp_find_contacts(tacContext *ctx, const tacWork *w, int ahead, tacNcp *p, int *nfound);
/* Finds the largest overlap at the poses of p. With may_change, adds the overlapping features that p does not have;
 * *added: how many. */
tacStatus tac_ncp_find_overlap(tacContext *ctx, tacNcp *p, double tolerance, int may_change, int *added,
                               double *overlap);
/* Predicts features where two geoms have more of them in reach than collision keeps: adds those that the motion v
 * penetrates. If they were found after a search, another search would be needed. */
tacStatus tac_ncp_predict_features(tacContext *ctx, tacNcp *p);
/* Replaces the features by those within reach at the poses of p. *changed: how many. */
tacStatus tac_ncp_find_features_ahead(tacContext *ctx, tacNcp *p, int *changed);

/* --- History (history.c) ------------------------------------------------------------------------------------------ */

/* Gives a search the place to record its iterations; numbers them after it. Nothing where none are asked for. */
void tac_ncp_history_begin(const tacContext *ctx, tacInterior *point);
void tac_ncp_history_end(tacContext *ctx, const tacInterior *point);
/* Entry of the stepper's table. */
tacStatus tac_ncp_history(tacContext *ctx, const double *x, const double *u);
