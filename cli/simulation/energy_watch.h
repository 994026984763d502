/* Energy that no input gave, over a run (tacStepInfo.energy_gain). Of each step it is told; over many it is a sign that
 * a motion is not what was asked for, though every step was solved.
 *
 *   gain after k steps        G = sum of energy_gain
 *   what the motion had       H = largest of (kinetic energy - G) so far, and TAC_ENERGY_FLOOR of each kilogram
 *   a run that is to be told  G > bound H
 *
 * Kinetic energy less G is what start, potential and inputs gave, and what was lost. The default bound is what Euler's
 * semi-implicit step makes of an oscillation with h omega = 1, the fastest that a step shows at all: its energy moves
 * by a factor (1 + h omega / 2)/(1 - h omega / 2) = 3 and comes back (step.md, ST20). */
#pragma once

#include "tactus/tactus.h"

#define TAC_ENERGY_BOUND 2.0
#define TAC_ENERGY_FLOOR 0.1 /* J/kg: of a fall by 1 cm, as when contacts push an overlap out */

typedef struct tacEnergyWatch {
    double bound, floor; /* of G / H; J */
    double gain, had;    /* J: G and H so far */
    double most, share;  /* J: largest G; largest G / H */
    long first;          /* number of the first step with G above the bound, from 0; -1: none */
} tacEnergyWatch;

tacEnergyWatch cli_energy_watch(const tacModel *model, double bound);
/* After step number k: its gain, and the kinetic energy it came to; at the start gain 0 and k -1. */
void cli_energy_note(tacEnergyWatch *watch, long k, double gain, double kinetic);
/* One line to standard error where the bound was passed. */
void cli_energy_warn(const char *verb, const tacEnergyWatch *watch);
