/* Energy that a step adds without any input (step.md, ST19). */
#pragma once

#include "smooth/context.h"

/* Numbers saved at the beginning of a step, since y may be x. */
typedef struct tacEnergyStart {
    double energy, power; /* E(x); v . f(x, u) */
    double *force;        /* nv: f */
} tacEnergyStart;

/* (x, u) -> start, whose array is given. */
void tac_energy_begin(tacContext *ctx, const double *x, const double *u, tacEnergyStart *start);
/* y -> E(y) - E(x) - h (v + v+)/2 . f. It is infinite on overflow. y may be w->next. */
double tac_energy_gain(tacContext *ctx, const double *u, const double *y, const tacEnergyStart *start);
