/* Joint forces as a linear function of the bodies' inertial parameters, and momentum as one of velocities. */
#pragma once

#include "dynamics/work.h"

/* Y: nv x 10 nbody, with tau = Y pi for tau of tac_rnea without armature. Every entry is written; NULL: nothing is.
 * Returns 1 where all entries are finite. Needs: tac_rnea at the same (v, a) last, whose accelerations it reads. */
int tac_regressor(const tacModel *m, const tacWork *w, double *Y);
/* pi: 10 nbody: of each body mass, first moment (3) and inertia (xx yy zz xy xz yz) about its origin in its axes. */
void tac_inertial_parameters(const tacModel *m, double *pi);
/* A: 6 x nv, rows angular about the whole model's centre of mass, then linear: A v is tac_total_momentum. NULL:
 * nothing is written. Returns 1 where all entries are finite. Overwrites w->composite. Needs: position. */
int tac_momentum_columns(const tacModel *m, tacWork *w, double *A);
