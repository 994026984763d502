/* Shared by the public functions of a simulation: checks of arguments, and the text of a failure (tac_sim_error). Texts
 * are written on failure alone; a call that succeeds pays nothing for them. */
#pragma once

#include "base/platform.h"
#include "step/sim.h"

/* Elements that the numbers of an array belong to. */
typedef enum {
    TAC_OF_STATE, /* x: nx */
    TAC_OF_INPUT, /* u: ninput */
    TAC_OF_QPOS,  /* nq */
    TAC_OF_DOFS   /* nv */
} tacEntries;

/* Writes the text of a failure, "call: ...", and returns its status. sim may be NULL. */
tacStatus tac_sim_fail(tacSim *sim, tacStatus status, const char *call, const char *format, ...) TAC_FORMAT(4, 5);
/* TAC_ERR_ARGUMENT: the argument of this name is NULL. sim may be NULL. */
tacStatus tac_sim_null(tacSim *sim, const char *call, const char *argument);
/* TAC_OK; TAC_ERR_ARGUMENT where x or sim is NULL; TAC_ERR_NONFINITE where one of the n numbers is not finite. */
tacStatus tac_check_array(tacSim *sim, const char *call, const char *name, int n, const double *x);
/* The same of numbers that belong to elements, which the text names. */
tacStatus tac_check_entries(tacSim *sim, const char *call, const char *name, tacEntries of, const double *x);
/* The same of a state and its input, which may be NULL where it has no numbers; *bad: the entry of [x | u] that is not
 * finite, else -1. */
tacStatus tac_check_state(tacSim *sim, const char *call, const double *x, const double *u, int *bad);
/* out has room for max, and *n takes how many there are. */
tacStatus tac_check_list(tacSim *sim, const char *call, const void *out, int max, const int *n);
/* TAC_ERR_UNSUPPORTED for a geom with a pad or a sum, which shapes of distances, contacts and rays do not have. -1:
 * fine */
tacStatus tac_refuse_growing(tacSim *sim, const char *call, int geom);
/* The end of a call that filled such a list with *n of them. */
tacStatus tac_end_list(tacSim *sim, const char *call, tacStatus status, int max, int n);
/* Writes the text of a status that the work itself ended with. */
tacStatus tac_sim_tell(tacSim *sim, const char *call, tacStatus status);

/* The end of a call: its status, with a text where that is a failure. */
static inline tacStatus tac_end_call(tacSim *sim, const char *call, tacStatus status) {
    return status == TAC_OK ? TAC_OK : tac_sim_tell(sim, call, status);
}
