/* Forces of contacts in the step that starts at a state: by contact, and summed by pair of geoms. */
#pragma once

#include "cli/simulation/contact_list.h"

/* The sum of a pair's contacts, each in its own frame, as TAC_OUT_PAIR_FORCE has it. */
typedef struct tacPairSum {
    int geom[2];
    double force[3]; /* N, on geom[1]: normal, two of friction */
} tacPairSum;

typedef struct tacForceList {
    tacStatus status;         /* of the step; without a next state there are no forces */
    tacContactForce *contact; /* as tac_step_contacts lists them */
    tacPairSum *pair;
    int n, npair;
} tacForceList;

/* (x, u) -> forces, in memory to be freed. TAC_ERR_MEMORY, else TAC_OK: how the step went is in out->status. */
tacStatus cli_forces_find(tacSim *sim, const double *x, const double *u, tacForceList *out);
/* The same in a simulation of its own. */
tacStatus cli_forces_at(const tacModel *model, const tacOptions *options, const double *x, const double *u,
                        tacForceList *out);
void cli_forces_free(tacForceList *list);

/* {"status", "pairs", "contacts"}; `name` is what the refusal of a number that is not finite calls it. */
json_t *cli_forces_json(tacJson *json, const tacModel *model, const char *name, const tacForceList *list);
