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
    TAC_INPUT_XFRC = 1 << 1, /* xfrc_applied, 6 nbody: force(3) then torque(3) per body at its centre of mass, world axes */
    TAC_INPUT_MOCAP = 1 << 2 /* per mocap body position(3) then quaternion(4) */
};

typedef struct tacOptions {
    uint32_t cookie;          /* set by tac_default_options; an uninitialised struct is refused */
    tacContactModel contact;  /* TAC_NONE: no constraint of any kind */
    tacIntegrator integrator; /* default: the model's */
    double dt;                /* s; default: the model's timestep */
    unsigned inputs;          /* TAC_INPUT_* bits; default 0 */
} tacOptions;

/* What happened in a step. */
typedef struct tacStepInfo {
    tacStatus status;
    int bad_index; /* TAC_ERR_NONFINITE: of the first non-finite entry of [x | u], or -1 where the result overflows; else -1 */
} tacStepInfo;

/* One simulation's workspace; opaque; one thread at a time. Nothing in it changes a result. */
typedef struct tacSim tacSim;

#ifdef __cplusplus
}
#endif
