/* Shared by the maps between joint coordinates and bodies (docs/theory/maximal.md). */
#pragma once

#include "contact/rows.h"
#include "step/sim.h"

/* Displacements of one body's pose, and of pose and twist. */
enum { TAC_POSE_MOVE = 6, TAC_BODY_MOVE = 12 };

/* A twist of a body about the origin of its tree -> its free coordinates: position, world axes; turn, body axes. */
static inline void tac_free_move(const tacWork *w, int body, tacVec6 X, double out[6]) {
    tac_store3(out, tac_velocity_at(w, body, X, w->xpos[body]));
    tac_store3(out + 3, tac_mulmtv3(w->xmat[body], X.ang));
}

/* A turn (world axes) and a force that weigh how a body turns and how its origin moves -> what weighs its twists about
 * the origin of its tree. */
static inline tacVec6 tac_free_weights(const tacWork *w, int body, tacVec3 turn, tacVec3 force) {
    tacVec3 arm = tac_sub3(w->xpos[body], w->origin[body]);
    return (tacVec6){tac_add3(turn, tac_cross3(arm, force)), force};
}

/* tac_to_maximal along a direction of x, u and theta (NULL: zero) -> dz[12 nbody]; to minimal, of the bodies of (x, u)
 * along dz -> dx[2 nv]. */
tacStatus tac_to_maximal_jvp(tacSim *sim, const double *x, const double *u, double span, const tacTangent *along,
                             double *dz);
tacStatus tac_to_minimal_jvp(tacSim *sim, const double *x, const double *u, double span, const double *dz, double *dx);
/* Reverse mode of tac_to_maximal at (x, u): weights of bodies, zbar[12 nbody] -> gradients by x (activations: 0), u and
 * theta, overwritten; u and theta may be NULL   (X10, X11) */
tacStatus tac_to_maximal_vjp(tacSim *sim, const double *x, const double *u, double span, const double *zbar,
                             const tacGrad *grad);
/* Reverse mode of tac_to_minimal at the bodies of (x, u): weights of joints, bar[2 nv] -> zbar[12 nbody]
 * (X12, X13) */
tacStatus tac_to_minimal_vjp(tacSim *sim, const double *x, const double *u, double span, const double *bar,
                             double *zbar);

/* Lay out on a dry arena: what the maps take, and the reverse mode of a step, with what the step takes. */
void tac_to_maximal_measure(const tacModel *m, tacArena *dry);
void tac_to_minimal_measure(const tacModel *m, tacArena *dry);
void tac_step_maximal_measure_jvp(const tacModel *m, const tacOptions *options, const tacStepper *stepper,
                                  tacArena *dry);
void tac_step_maximal_measure(const tacModel *m, const tacOptions *options, tacMeasure step, tacArena *dry);
