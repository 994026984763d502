/* What both searches of interior.h share: one solve's iterate (the caller's arrays), its trial point, the best point so
 * far and directions. */
#pragma once

#include "solve/interior.h"

/* A search ends as stalled if E, or the merit, has not fallen by the factor TAC_RUN_STALL in TAC_STALL_WINDOW steps. */
enum { TAC_STALL_WINDOW = 4 };
#define TAC_RUN_STALL 0.5
/* A step that makes nothing smaller is shortened by this factor, at most so often. */
#define TAC_RUN_SHORTEN         0.5
#define TAC_RUN_MAX_SHORTENINGS 10
/* E may grow below this share of that at the start: stiff pairs leave as much of a step to rounding, and the next step
 * removes it. */
#define TAC_RUN_SMALL 1e-6
/* After a step shorter than TAC_RUN_BLOCKED the next one aims at TAC_RUN_RAISE times the mean product (or kappa), away
 * from the borders. */
#define TAC_RUN_BLOCKED 0.1
#define TAC_RUN_RAISE   3.0

typedef struct tacInteriorRun {
    const tacInteriorProblem *p;
    const tacInteriorSettings *s;
    tacInterior *at;
    int numbers;
    double *trial_x, *trial_a, *trial_b, *best_x, *best_a, *best_b;
    double *dx, *da, *db, *c;
    double best; /* relative error of the best point */
    double best_violation, best_centring;
    double norm;                                    /* of E at the last residual */
    double first_violation, first_norm, first_mean; /* at the start */
    double past[TAC_STALL_WINDOW];                  /* violations before the last steps; a ring buffer by iteration */
    double past_centring[TAC_STALL_WINDOW];         /* the same of the products */
    double geometric_share, length;                 /* of the last systems; of the last step */
} tacInteriorRun;

/* Takes the arrays of n numbers of x and `numbers` of a. 0: the arena is too small. */
int tac_run_layout(tacInteriorRun *r, int n, int numbers, tacArena *arena);
/* max_c |a o b - kappa unit e| / unit */
double tac_run_off_centre(const tacInteriorRun *r, const double *a, const double *b);
/* mean over cones of (a + alpha da) . (b + alpha db) / unit; with alpha 0 directions are not read */
double tac_run_mean_product(const tacInteriorRun *r, double alpha);
/* c = kappa unit e - a o b, and with `second` Mehrotra's - da o db of the predictor. */
void tac_run_right_side(const tacInteriorRun *r, double kappa, int second);
/* Factors the system at the iterate, with the current geometric share. */
tacStatus tac_run_factor(const tacInteriorRun *r);
/* Notes the last residual: at->violation, norm. */
void tac_run_note_residual(tacInteriorRun *r, double violation);
/* The geometric share of the next systems, after a step of this length from the violation `before`. */
double tac_run_next_geometric_share(const tacInteriorRun *r, double length, double before);
/* Sets the trial point to the iterate plus alpha times the direction. Makes the trial point the iterate. */
void tac_run_set_trial(const tacInteriorRun *r, double alpha);
void tac_run_accept(const tacInteriorRun *r);
/* The larger of both violations relative to their tolerances; at most 1 at a solution. */
double tac_run_relative_error(const tacInteriorRun *r);
void tac_run_keep_best(tacInteriorRun *r);
/* Counts a factored system and records it already: no step may follow. */
void tac_run_count(const tacInteriorRun *r);
void tac_run_record(const tacInteriorRun *r, double kappa, double violation, double centring, double length);
/* Ends the search. Returns 0. */
int tac_run_stop(tacInteriorRun *r, tacInteriorEnd why);
/* Restores the best point and evaluates the residual there. */
tacStatus tac_run_restore_best(tacInteriorRun *r);
/* Full Newton steps from within the tolerances towards the same point, while each is at most half the last. Sets
 * at->polished. */
tacStatus tac_run_polish(tacInteriorRun *r);
/* Newton steps on the central path from kappa down, with exact products at every iterate   (interior_path.c). */
tacStatus tac_run_follow_path(tacInteriorRun *r, double kappa, int careful);
