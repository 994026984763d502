/* How to simulate: plain struct, from tac_default_options. */
#pragma once

#include "tactus/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { TAC_NONE, TAC_LCP, TAC_NCP, TAC_SOFT } tacContactModel;

/* Blocks of u after ctrl, in this order, present when asked for. */
enum {
    TAC_INPUT_QFRC = 1 << 0, /* qfrc_applied, nv: generalized forces */
    TAC_INPUT_XFRC = 1 << 1, /* xfrc_applied, 6 nbody: force, torque per body at its centre of mass, world axes */
    TAC_INPUT_MOCAP = 1 << 2 /* per mocap body position(3) then quaternion(4) */
};

typedef struct tacOptions {
    uint32_t cookie;          /* set by tac_default_options; an uninitialised struct is refused */
    tacContactModel contact;  /* TAC_NONE: no constraint of any kind */
    tacIntegrator integrator; /* default: the model's */
    double dt;                /* s; default: the model's timestep */
    unsigned inputs;          /* TAC_INPUT_* bits; default 0 */
    int max_contacts;         /* contacts there is room for; default tac_max_contacts */
} tacOptions;

/* What happened in a step. */
typedef struct tacStepInfo {
    tacStatus status;
    int bad_index; /* TAC_ERR_NONFINITE: the first such entry of [x | u], or -1 where the result overflows; else -1 */
} tacStepInfo;

/* Derivatives of a step y = f(x, u; theta) in tangent coordinates: ndx = 2 nv + na (tac_ndx), rows and columns dq, dv,
 * da. Row major, caller-owned; NULL skips one. */
typedef struct tacJac {
    double *A; /* ndx x ndx: dy/dx */
    double *B; /* ndx x ninput: dy/du, u's numbers as they are */
    double *P; /* ndx x nparam: dy/dtheta, the registered parameters */
} tacJac;

/* What the reverse mode returns for a covector ybar: the gradient of ybar . y. Overwritten; NULL skips one. */
typedef struct tacGrad {
    double *x;     /* ndx */
    double *u;     /* ninput */
    double *theta; /* nparam */
} tacGrad;

/* A rollout of n steps, and the gradient of a loss with respect to its states, for the reverse mode. */
typedef struct tacTrajectory {
    int n;
    const double *x0;   /* nx */
    const double *U;    /* n by ninput */
    const double *X;    /* (n+1) by nx, the states that tac_rollout gave; NULL: they are stepped again */
    const double *Xbar; /* (n+1) by ndx, dloss/dX[k]; NULL: zero */
    const double *xbar; /* ndx, added to the last row of it; NULL: zero */
} tacTrajectory;

/* Memory in which the reverse mode of a rollout keeps `count` states beside x0 (none is needed where X is given). */
typedef struct tacCheckpoints {
    int count;
    void *memory; /* 64-byte aligned */
    size_t bytes; /* at least tac_rollout_vjp_bytes */
} tacCheckpoints;

/* One simulation's workspace; opaque; one thread at a time. Nothing in it changes a result. */
typedef struct tacSim tacSim;

#ifdef __cplusplus
}
#endif
