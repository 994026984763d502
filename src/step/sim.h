/* One simulation: a model, options, a stepper chosen by them, and scratch. */
#pragma once

#include "smooth/context.h"
#include "tactus/batch.h"

/* The cookie of an option struct made by tac_default_options. */
#define TAC_OPTIONS_COOKIE 0x7ac70501u

struct tacSim {
    tacContext ctx;             /* what steppers see */
    tacModel view;              /* the caller's arrays, and none of the parameters that are registered later */
    tacModel *origin;           /* the model as it was at creation; NULL where no parameter is registered */
    void *slot[2];              /* room for two copies: one in use, one to try new parameters in */
    tacArena tangent_rows;      /* what they point to */
    tacArena scene_rows;        /* the lasting part of the scene */
    double *force;              /* nv: tacEnergyStart */
    char error[TAC_ERROR_TEXT]; /* of the last call that failed */
};

/* Arguments of a step. */
typedef struct tacStepCall {
    const double *x, *u;
    double *y;
} tacStepCall;
/* tac_step by the name of the call that texts of failures begin with; energy: 1: the report tells what it gained. */
tacStatus tac_step_told(tacSim *sim, const char *call, const tacStepCall *c, int energy, tacStepInfo *info);
/* tac_step_jvp likewise. y (may be NULL) is c->y. */
tacStatus tac_step_jvp_told(tacSim *sim, const char *call, const tacStepCall *c, const tacTangent *along, double *dy,
                            tacStepInfo *info);

/* Input of a rollout besides its controls. */
typedef struct tacDrive {
    tacPolicy policy; /* NULL: none */
    void *context;
    int world;
    double *U;                /* n by ninput */
    const volatile int *stop; /* tac_flag_read before each step */
} tacDrive;
/* tac_rollout, driven; the policy writes U. */
tacStatus tac_rollout_driven(tacSim *sim, const tacDrive *drive, const double *x0, int n, double *X, tacStepInfo *info);

/* 1: tac_default_options made them. */
static inline int tac_options_are_set(const tacOptions *options) {
    return options != NULL && options->cookie == TAC_OPTIONS_COOKIE;
}
/* Reports a call's step: the stepper's own report with the call's status. sim and info may be NULL. */
void tac_report(const tacSim *sim, tacStatus status, int bad, tacStepInfo *info);
/* Counts step number k, which has a next state, into the sums of a rollout; they start with first_unsolved = -1. */
void tac_count_step(tacStepInfo *sum, int k, tacStatus status, double residual);
/* The sums of a rollout, into the info that is reported. */
void tac_take_count(tacStepInfo *info, const tacStepInfo *sum);
/* Status of many steps: the first that is not TAC_OK. */
static inline tacStatus tac_first_of(tacStatus before, tacStatus now) { return before == TAC_OK ? now : before; }
/* Fills all scratch with NaNs: results must not change. For tests. */
void tac_sim_poison(tacSim *sim);
