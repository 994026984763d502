/* The stages of a Runge-Kutta step, which its derivatives share (rk4.c, rk4_jvp.c). */
#pragma once

#include "smooth/linearize.h"

enum { TAC_RK4_STAGES = 4 };
/* c and b of the method. */
extern const double TAC_RK4_SPAN[TAC_RK4_STAGES], TAC_RK4_WEIGHT[TAC_RK4_STAGES];

/* The stages' states (x), their moves from the start (hv: h c w), and their rates: of the position (w), of the
 * velocity, of the activations. hv[TAC_RK4_STAGES] and the mean rates belong to the whole step. */
typedef struct tacRk4Stages {
    double *x[TAC_RK4_STAGES], *hv[TAC_RK4_STAGES + 1], *w[TAC_RK4_STAGES], *acc[TAC_RK4_STAGES], *rate[TAC_RK4_STAGES];
    double *mean_acc, *mean_rate;
} tacRk4Stages;

/* 1: w = u', with the rotations' correction. */
static inline int tac_rk4_corrects_rotations(const tacContext *ctx) {
    return ctx->options.integrator == TAC_INTEGRATOR_RKMK4;
}
/* All stages, and the new state in w->next. Takes from the arena. */
tacStatus tac_rk4_advance(tacContext *ctx, const double *x, const double *u, tacRk4Stages *s);
/* Emits d(next activation)/dtheta at the start's activation and the mean rate. */
void tac_rk4_emit_spans(const tacContext *ctx, const double *x, const tacRk4Stages *s, const tacSink *sink);
/* Derivatives solve the stages again, which is no further part of the step. The report stays that of the step, with the
 * fields that only derivatives know. */
void tac_rk4_keep_info(tacContext *ctx, tacStepInfo *step);
/* The memory of a direction through the stages; NULL: the arena is too small. */
double *tac_rk4_layout_along(const tacModel *m, tacColumns c, tacArena *arena);
