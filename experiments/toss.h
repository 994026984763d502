/* The tosses of DiffMJX, Figs. 5, S5 and S6: a body is thrown down on a plane, 0.2 m high, 0.1 m/s aside, and its place
 * aside after one second is the loss; what is varied is its vertical speed. */
#pragma once

#include "experiments/scene.h"

#include "measure/mujoco_peer.h"

#define TOSS_SPAN  1.0 /* s */
#define TOSS_ASIDE (-0.1)
/* The cube's loss and its derivative at -2 m/s, as two engines agree on them (facts of the paper, section 4). */
#define TOSS_CUBE_SPEED (-2.0)
#define TOSS_CUBE_LOSS  (-0.260896)
#define TOSS_CUBE_SLOPE 0.5758

/* How the motion is computed. */
typedef struct TossSetting {
    tacIntegrator integrator;
    double dt;        /* s: the outer step */
    double tolerance; /* rtol and atol */
    int event_max;    /* as in tacOptions */
} TossSetting;

typedef struct TossResult {
    double loss, slope;  /* m; m per m/s of vertical speed */
    double graze_margin; /* least of all steps */
    int ties, switches, events, inner;
} TossResult;

typedef struct Toss {
    tacScene scene;
    int steps;
    double *states, *move, *moved; /* 2 nx; ndx, 2 ndx: the state's derivative by the speed */
} Toss;

/* body: "cube", "sphere", "capsule", "cylinder", "ellipsoid". EXPERIMENT_GO_ON, or EXPERIMENT_STOP with the reason. */
int toss_open(tacFindings *found, const char *body, const TossSetting *setting, Toss *toss);
void toss_close(Toss *toss);
/* Thrown at this vertical speed -> loss, without slope. */
tacStatus toss_throw(Toss *toss, double speed, TossResult *result);
/* The same with the slope, in forward mode along the speed. */
tacStatus toss_slope(Toss *toss, double speed, TossResult *result);

/* The same body in MuJoCo; a null pointer with the reason where there is none. */
tacMujoco *toss_peer(tacFindings *found, const char *body, Toss *toss, char *reason, size_t size);
/* Loss and centred difference of width 1e-3 m/s with n steps of one of its integrators -> seconds of the two motions of
 * the difference. */
double toss_in_mujoco(tacMujoco *peer, Toss *toss, tacMujocoIntegrator integrator, int n, double speed,
                      TossResult *result);
