/* Energies and momentum. */
#pragma once

#include "dynamics/work.h"

/* 1/2 v . M v, armature included. Needs: mass (tac_crba). */
double tac_kinetic_energy(const tacModel *m, tacWork *w, const double *v);
/* Gravity, joint springs, tendon springs. Needs: position, tendon lengths. */
double tac_potential_energy(const tacModel *m, const tacWork *w, const double *q);
/* Linear momentum, and angular momentum about the whole model's mass centre; armature carries none. Needs: velocity. */
tacVec6 tac_total_momentum(const tacModel *m, const tacWork *w);
