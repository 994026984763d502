/* Scenes whose steps have error-controlled inner steps: what the evidence programs of such steps share. */
#pragma once

#include "scene.h"

/* The model in contact soft with this integrator, outer step (0: the model's) and tolerance, rtol and atol. The scene
 * owns the model. Ends the program with a message when it cannot. */
Scene adaptive_scene(const char *path, tacModel *model, tacIntegrator integrator, double dt, double tolerance);
/* The same for a file. */
Scene adaptive_scene_load(const char *path, tacIntegrator integrator, double dt, double tolerance);
/* The model of a text in MJCF. */
tacModel *adaptive_model(const char *text);
/* The simulation anew with another tolerance. */
void adaptive_set_tolerance(Scene *s, double tolerance);

/* What the steps of a motion report, taken together. */
typedef struct AdaptiveReport {
    double graze_margin, error_estimate; /* least, largest */
    long inner, rejected, events, ties, switches;
} AdaptiveReport;
AdaptiveReport adaptive_report(void);
void adaptive_note(AdaptiveReport *report, const tacStepInfo *info);
/* s->x after n steps; the first status that is not TAC_OK ends it. report may be NULL. */
tacStatus adaptive_move(Scene *s, int n, AdaptiveReport *report);
/* The same with move[ndx] <- A move in every step. largest (may be NULL): the largest entry of it on the way. work:
 * ndx (ndx + 1) numbers. */
tacStatus adaptive_push(Scene *s, int n, double *move, double *largest, double *work, AdaptiveReport *report);
