/* Inverse dynamics, recursive Newton-Euler. */
#pragma once

#include "dynamics/work.h"

/* (v, a) -> tau = M a + c without armature terms when a is NULL (a = 0): bias; with armature when a is given.
 * Needs: position, velocity. */
void tac_rnea(const tacModel *m, tacWork *w, const double *v, const double *a, double *tau);
