#include "cli/simulation/energy_watch.h"

#include <math.h>
#include <stdio.h>

tacEnergyWatch cli_energy_watch(const tacModel *model, double bound) {
    double mass = 0;
    for (int b = 1; b < model->nbody; b++)
        if (model->body_last_dof[b] >= 0) mass += model->body_mass[b];
    return (tacEnergyWatch){.bound = bound, .floor = TAC_ENERGY_FLOOR * mass, .first = -1};
}

void cli_energy_note(tacEnergyWatch *watch, long k, double gain, double kinetic) {
    watch->gain += gain;
    watch->had = fmax(watch->had, kinetic - watch->gain);
    double had = watch->had + watch->floor;
    watch->most = fmax(watch->most, watch->gain);
    watch->share = watch->gain > 0 ? fmax(watch->share, watch->gain / had) : watch->share;
    if (watch->first < 0 && watch->gain > watch->bound * had) watch->first = k;
}

void cli_energy_warn(const char *verb, const tacEnergyWatch *watch) {
    if (watch->first < 0) return;
    fprintf(stderr,
            "tactus %s: warning: energy grew by %.3g J without input, %.3g times the energy of the motion (bound %g), "
            "from step %ld on; use a shorter step, --integrator spin or coriolis (contact none), or --coriolis (lcp)\n",
            verb, watch->most, watch->share, watch->bound, watch->first);
}
