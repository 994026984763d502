/* Actuators: control -> activation -> force -> joint forces. */
#pragma once

#include "dynamics/work.h"

/* (ctrl, act) -> w->force, w->act_dot, w->qfrc_actuator, all clamps applied; h is the step that an actuator with early
 * activation looks ahead. Needs: tac_transmission_q, tac_transmission_v, tac_passive_forces. */
void tac_actuator_forces(const tacModel *m, tacWork *w, const double *ctrl, const double *act, double h);
/* Activation j of an actuator after a step h: explicit Euler, or exact for TAC_DYN_FILTER_EXACT; then its range. */
double tac_next_activation(const tacModel *m, int actuator, double act, double act_dot, double h);
/* act -> next[na] after a step h. Needs: tac_actuator_forces. */
void tac_advance_activations(const tacModel *m, const tacWork *w, const double *act, double h, double *next);
