/* Everything `eval` prints, computed once at a state. */
#pragma once

#include "cli/input/state_file.h"
#include "cli/simulation/contact_list.h"

typedef struct tacQuantities {
    tacKinematics frames;                          /* xpos, xipos, xquat, site_pos, site_mat, subtree_com */
    double *mass_matrix;                           /* nv x nv */
    double *bias, *passive, *qfrc_actuator, *qacc; /* nv */
    double *length, *velocity, *force;             /* nu */
    double *act_dot;                               /* na */
    double *tendon_length, *tendon_velocity;       /* ntendon */
    tacEnergy energy;
    tacVec6 momentum;
    tacContactList contacts;
    tacStatus qacc_status; /* why qacc could not be computed, or TAC_OK */
    void *memory;          /* what all of them live in */
} tacQuantities;

/* Says that a quantity overflows at a state of finite numbers, naming the state's file if there is one; CLI_NO. */
int cli_not_finite(const char *verb, const tacStateArgs *state, const char *name);
/* (x, u) -> quantities; `state`: where they were asked for. CLI_GO_ON, or an exit code after a message. Free with
 * cli_quantities_free. */
int cli_quantities(const char *verb, const tacModel *model, const tacOptions *options, const tacStateArgs *state,
                   const tacStart *start, tacQuantities *out);
void cli_quantities_free(tacQuantities *quantities);
