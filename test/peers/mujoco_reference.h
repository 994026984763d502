/* MuJoCo 2.2.2 with the reference acceleration of connects and welds that MuJoCo has since 3.7: less (dJ/dt) v. It is
 * put in by the control callback, which runs between the reference and the solver; (dJ/dt) v comes from differences of
 * MuJoCo's own Jacobian. */
#pragma once

#include <mujoco/mujoco.h>

/* For steps of m from now on; one model at a time, one thread. Actuation must be enabled. */
void reference_begin(const mjModel *m);
void reference_end(void);
