/* The papers' experiments, each with one criterion that is computed: `tactus reproduce`. */
#pragma once

#include "measure/json_text.h"
#include "measure/progress.h"

#include "tactus/tactus.h"

#include <stdio.h>

/* What a part of an experiment returns: the next one may follow, or the run ends without an answer. */
enum { EXPERIMENT_GO_ON, EXPERIMENT_STOP };
enum { EXPERIMENT_FAILURE = 512 };

/* What a run of an experiment found. */
typedef struct tacFindings {
    int for_people;         /* 1: experiment_say prints */
    tacJson json;           /* refuses numbers that are not finite */
    json_t *paper, *tactus; /* objects: the paper's figures, ours */
    FILE *picture;          /* an SVG goes there; NULL: none is wanted */
    tacProgress progress;
    int pass;                         /* does the criterion hold? */
    char failure[EXPERIMENT_FAILURE]; /* why the run stopped; "" where it did not */
} tacFindings;

typedef struct tacExperiment {
    const char *name;      /* "nimble-bounce" */
    const char *source;    /* where it is from: "Werling et al. 2021, Fig. 6" */
    const char *shows;     /* one line */
    const char *criterion; /* what must hold */
    /* Fills in paper, tactus and pass, says what it found, and draws. EXPERIMENT_GO_ON, or EXPERIMENT_STOP with the
     * reason in `failure`. */
    int (*run)(tacFindings *found);
} tacExperiment;

extern const tacExperiment EXPERIMENTS[];
extern const int EXPERIMENT_COUNT;
/* name -> experiment, or a null pointer. */
const tacExperiment *experiment_find(const char *name);

/* The runs, one a file. */
int nimble_jacobians(tacFindings *found);
int nimble_lcp_guess(tacFindings *found);
int nimble_bounce(tacFindings *found);
int nimble_drone(tacFindings *found);
int nimble_mass_id(tacFindings *found);
int jade_sliding(tacFindings *found);
int jade_thin_plate(tacFindings *found);
int jade_dantzig(tacFindings *found);
int dojo_friction_cone(tacFindings *found);
int dojo_energy(tacFindings *found);
int dojo_dzhanibekov(tacFindings *found);
int dojo_tippe_top(tacFindings *found);
int dojo_gradients(tacFindings *found);
int dojo_atlas_drop(tacFindings *found);
int dojo_low_frequency(tacFindings *found);
int dojo_timing(tacFindings *found);
int dojo_convergence(tacFindings *found);
int dojo_push_box(tacFindings *found);
int dojo_plan_box_right(tacFindings *found);
int dojo_plan_box_up(tacFindings *found);
int dojo_plan_hopper(tacFindings *found);
int dojo_plan_quadruped(tacFindings *found);
int dojo_plan_cartpole(tacFindings *found);
int plan_minimum_time(tacFindings *found);
int plan_robust(tacFindings *found);
int diffmjx_point_mass(tacFindings *found);
int diffmjx_toss(tacFindings *found);
int diffmjx_cost(tacFindings *found);
int silico_contact_frames(tacFindings *found);

/* --- What they share --------------------------------------------------------------------------------------------- */

/* A line for people; nothing when programs read. */
void experiment_say(tacFindings *found, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* object[key] = value; a value that is not finite makes the document unprintable. */
void experiment_put(tacFindings *found, json_t *object, const char *key, double value);
/* Keeps the message as the reason why the run stops, unless there is one already; EXPERIMENT_STOP. */
int experiment_fail(tacFindings *found, const char *format, ...) __attribute__((format(printf, 2, 3)));
