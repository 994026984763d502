/* Registered numbers of geoms that count by half. A contact takes the larger friction and restitution of its two geoms,
 * and the smaller of two negative solref; where the two are equal the step has a kink, and each gets half. */
#pragma once

#include "cli/derivatives/derivative.h"
#include "cli/input/parameters.h"
#include "measure/json_text.h"

/* A parameter and the number that shares with it. */
typedef struct tacShared {
    int param; /* column of P */
    char path[CLI_PARAMETER_PATH], with[CLI_PARAMETER_PATH];
} tacShared;

enum { CLI_SHARED = 8 };
/* The first few of them, and how many there are. */
typedef struct tacSharedList {
    tacShared item[CLI_SHARED];
    int count;
} tacSharedList;

/* Those of the step at (x, u) whose columns of P are not zero. */
void cli_shared_find(tacSim *sim, const tacModel *m, const double *x, const double *u, const tacDerivative *d,
                     tacSharedList *list);
json_t *cli_shared_json(const tacSharedList *list);
/* Says so for people, and what to do about it. */
void cli_shared_print(const tacSharedList *list);
