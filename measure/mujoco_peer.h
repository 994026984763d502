/* MuJoCo beside us, where it is installed: found at run time, so that the binary does not depend on it. */
#pragma once

#include "tactus/tactus.h"

/* One model in MuJoCo, at one state; opaque. */
typedef struct tacMujoco tacMujoco;

/* Loads the library and the file. Sensors are switched off, constraints too unless `constraints`; the integrator is
 * Euler, the step dt.
 * A null pointer, with the reason written to `reason`, where MuJoCo is not installed, is another version than the one
 * whose headers this was compiled with, or cannot read the file or has other sizes than ours. */
tacMujoco *measure_mujoco_open(const char *path, const tacModel *model, double dt, int constraints, char *reason,
                               size_t size);
void measure_mujoco_close(tacMujoco *peer);
/* "2.2.2" */
const char *measure_mujoco_version(const tacMujoco *peer);
/* The state that every call below starts from. */
int measure_mujoco_set(tacMujoco *peer, const double *x, const double *ctrl);
/* The same for n states in turn: those of MuJoCo's own motion from x, after `skipped` steps. 0: out of memory. */
int measure_mujoco_move(tacMujoco *peer, const double *x, const double *ctrl, int skipped, int n);
/* Contacts of these states, on average. */
double measure_mujoco_contacts(const tacMujoco *peer);
/* benchWork: one step; A and B by centred differences. The context is the peer. */
void measure_mujoco_step(void *peer);
void measure_mujoco_differences(void *peer);
/* The same: mj_forward, all that an acceleration needs. */
void measure_mujoco_forward(void *peer);
/* From the state of the last set or drive on, n steps under the controls of U (n rows), before each A and B by
 * differences, centred or to one side: -> seconds of CPU time. */
double measure_mujoco_drive(tacMujoco *peer, const double *U, int n, int centred);
/* MuJoCo's integrators. implicit: of 2.2.2, which has no implicitfast yet. */
typedef enum { MEASURE_MUJOCO_EULER, MEASURE_MUJOCO_RK4, MEASURE_MUJOCO_IMPLICIT } tacMujocoIntegrator;
/* Steps from now on. */
void measure_mujoco_use(tacMujoco *peer, tacMujocoIntegrator integrator);
/* A motion of n steps dt from x under zero controls, forgetting what came before, its solver down to rounding: y is the
 * state after it (y may be x) -> seconds of CPU time. The integrator stays with the peer. */
double measure_mujoco_run(tacMujoco *peer, tacMujocoIntegrator integrator, double dt, const double *x, int n,
                          double *y);
/* The last step's result: qpos, qvel. */
void measure_mujoco_result(const tacMujoco *peer, double *qpos, double *qvel);
