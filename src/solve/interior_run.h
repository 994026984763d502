/* What the two searches of interior.h have in common: one solve's iterate (the caller's arrays), its trial, the best
 * point so far, directions. */
#pragma once

#include "solve/interior.h"

enum { TAC_STALL_WINDOW = 4 };

typedef struct tacInteriorRun {
    const tacInteriorProblem *p;
    const tacInteriorSettings *s;
    tacInterior *at;
    int numbers;
    double *trial_x, *trial_a, *trial_b, *best_x, *best_a, *best_b;
    double *dx, *da, *db, *c;
    double best; /* larger of both violations over their tolerances */
    double best_violation, best_centring;
    double norm;                                                    /* of E, at the last residual */
    int nshort;                                                     /* short steps in a row */
    double first_violation, first_norm, first_mean;                 /* at the start */
    double past[TAC_STALL_WINDOW], past_centring[TAC_STALL_WINDOW]; /* before the last steps: rings by iteration */
    double geometric_share, length; /* of the bending in the last systems; of the last step */
} tacInteriorRun;

/* Takes the arrays of n numbers of x and `numbers` of a. 0: the arena is too small. */
int tac_run_layout(tacInteriorRun *r, int n, int numbers, tacArena *arena);
/* max_c |a o b - kappa unit e| / unit */
double tac_run_off_centre(const tacInteriorRun *r, const double *a, const double *b);
/* mean over cones of (a + alpha da) . (b + alpha db) / unit; with alpha 0 directions are not read */
double tac_run_mean_product(const tacInteriorRun *r, double alpha);
/* c = kappa unit e - a o b, and with `second` Mehrotra's - da o db of the predictor. */
void tac_run_right_side(const tacInteriorRun *r, double kappa, int second);
/* The systems at the iterate, with the share of the bending that is due. */
tacStatus tac_run_factor(const tacInteriorRun *r);
/* The last residual -> at->violation, size. */
void tac_run_note_residual(tacInteriorRun *r, double violation);
/* Share of the bending in the next systems, after a step of this length from `before`. */
double tac_run_next_geometric_share(const tacInteriorRun *r, double length, double before);
/* The iterate and a share of the direction -> trial; trial -> iterate. */
void tac_run_set_trial(const tacInteriorRun *r, double alpha);
void tac_run_accept(const tacInteriorRun *r);
/* Larger of both violations in units of their tolerances; at most 1 at a solution. */
double tac_run_relative_error(const tacInteriorRun *r);
void tac_run_keep_best(tacInteriorRun *r);
/* One more system, at the iterate; what a search has of it so far is recorded, as no step need come of it. */
void tac_run_count(const tacInteriorRun *r);
void tac_run_record(const tacInteriorRun *r, double kappa, double violation, double centring, double length);
/* The search ends here -> 0. */
int tac_run_stop(tacInteriorRun *r, tacInteriorEnd why);
/* Back to the best point, with the caller's residual there. */
tacStatus tac_run_restore_best(tacInteriorRun *r);
/* Newton's steps towards the same point from within the tolerances, while E or the products are halved. */
tacStatus tac_run_polish(tacInteriorRun *r);
/* Newton's steps on the central path from kappa down, products exact at every iterate   (interior_path.c). */
tacStatus tac_run_follow_path(tacInteriorRun *r, double kappa, int careful);
