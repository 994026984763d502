/* All forces but those of constraints, in one call. */
#pragma once

#include "dynamics/work.h"

/* The blocks of u; NULL where the options do not ask for one. */
typedef struct tacInputs {
    const double *ctrl;  /* nu */
    const double *qfrc;  /* nv: generalized forces */
    const double *xfrc;  /* 6 nbody: force, torque at the centre of mass, world axes */
    const double *mocap; /* 7 nmocap */
} tacInputs;

/* (q, v, mocap) -> position and velocity stages, tendons, transmissions, w->qfrc_passive. */
void tac_smooth_motion(const tacModel *m, tacWork *w, const double *q, const double *v, const double *mocap);
/* (q, v, act, u) -> the above, w->force, w->act_dot, w->bias, and w->qfrc = passive + actuators - bias + applied.
 * h is the step that an actuator with early activation looks ahead. */
void tac_smooth_forces(const tacModel *m, tacWork *w, const double *q, const double *v, const double *act, tacInputs u,
                       double h);
