/* The step with contact soft in its parts: acceleration and the steps that stand on it (soft.c). */
#pragma once

#include "contact/soft/soft.h"
#include "step/smooth_step.h"

/* (x, u) -> w->qacc with constraints, in continuous time, and w->qfrc, what constraints add included; soft is laid out
 * in the arena: the caller releases. w->L has the factor of M. */
tacStatus tac_soft_accelerate(tacSim *sim, const double *x, const double *u, tacSoft *soft);
/* A next state was found, if not by a solution. */
static inline tacStatus tac_soft_judge(const tacSoft *soft, tacStatus status) {
    return status == TAC_OK && soft->unsolved ? TAC_ERR_UNSOLVED : status;
}

/* An Euler step, laid out in the arena: the caller releases. */
typedef struct tacSoftMotion {
    tacSoft soft;
    double *a;      /* nv: in continuous time */
    double *damped; /* nv: with the joints' damping taken implicitly; NULL: the model has none */
    double *hv;     /* nv: h v+ */
} tacSoftMotion;
/* (x, u) -> w->next */
tacStatus tac_soft_advance(tacSim *sim, const double *x, const double *u, tacSoftMotion *move);
/* soft_jac.c */
tacStatus tac_soft_jac(tacSim *sim, const double *x, const double *u, double *y, const tacJac *J);
tacStatus tac_soft_vjp(tacSim *sim, const double *x, const double *u, const double *ybar, const tacGrad *g);
/* The stepper's entries for outputs (soft_forces.c); the derivatives say that they are not there. */
tacStatus tac_soft_forces(tacSim *sim, const double *x, const double *u, double *wrench, double *qfrc);
tacStatus tac_soft_forces_jac(tacSim *sim, const double *x, const double *u, double *dwrench, double *dqfrc);
tacStatus tac_soft_forces_vjp(tacSim *sim, const double *x, const double *u, const double *wrenchbar,
                              const double *qfrcbar, const tacGrad *bar);
tacStatus tac_soft_contacts(tacSim *sim, const double *x, const double *u, tacContactForce *out, int max, int *n);
