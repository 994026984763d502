/* What both ways of interior.h share: one solve's iterate (the caller's arrays), its trial point, the best point so
 * far and directions. */
#pragma once

#include "solve/interior.h"
#include "solve/tuning.h"

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
    double past[TAC_STALL_WINDOW];                  /* progress before the last steps; a ring buffer by `steps` */
    double past_centring[TAC_STALL_WINDOW];         /* the same of the products */
    int steps;                                      /* of this way */
    double geometric_share, length;                 /* of the last systems; of the last step */
    /* Of steps along the path. */
    int on_path;
    double kappa, first_kappa; /* of the iterate; of the start */
    int again;                 /* 1: another step with the last system may be the last one */
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
/* Newton's direction of the last system for c. 0: there is none. */
int tac_run_find_direction(const tacInteriorRun *r);
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

/* --- Along the central path (interior_path.c) --------------------------------------------------------------------- */

/* Continues on the path, from kappa down. */
void tac_path_begin(tacInteriorRun *r, double kappa);
/* E and the distance of kappa from its target, each relative to the start. Newton's direction decreases both. */
double tac_path_merit(const tacInteriorRun *r, double kappa);
/* c of a step that aims at `to`. */
void tac_path_right_side(const tacInteriorRun *r, double to);
/* Length of the step to `to`, and the trial point there. 0: E is undefined at all trial points. */
double tac_path_line_search(tacInteriorRun *r, double to);
/* Notes a step from the violation `before`. */
void tac_path_note_step(tacInteriorRun *r, double length, double to, double before);
/* A step with the system of the last iteration. 0: it leads to no smaller E, and is not taken   (W14e). */
int tac_path_step_again(tacInteriorRun *r);
