#include "cli/simulation/simulate.h"

#include "cli/cli.h"
#include "cli/input/project_start.h"
#include "measure/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int all_finite(int n, const double *values) {
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i])) return 0;
    return 1;
}

/* Adds the present state as a frame; the energies are the first numbers to overflow in a run that blows up. */
static tacStatus record(tacSim *sim, const tacRun *run, tacMotion *motion) {
    tacEnergy energy;
    tacStatus status = tac_energy(sim, run->x, run->x + run->model->nq, &energy);
    if (status != TAC_OK) return status;
    if (!isfinite(energy.kinetic) || !isfinite(energy.potential)) return TAC_ERR_NONFINITE;
    tacForceList forces = {.status = TAC_OK};
    if (motion->keep_forces && cli_forces_find(sim, run->x, run->u, &forces) != TAC_OK) return TAC_ERR_MEMORY;
    double time = (double)run->done * run->options.dt;
    return cli_motion_add(motion, time, run->x, run->u, energy, &forces) ? TAC_OK : TAC_ERR_MEMORY;
}

static void note_unsolved(tacRun *run, const tacStepInfo *info) {
    if (run->unsolved++ == 0) run->first_unsolved = run->done;
    run->why = info->status;
    run->reason = info->reason;
}

/* One step into y, taken over only when it is good. */
static tacStatus advance(tacSim *sim, tacRun *run, double *y) {
    int nx = tac_nx(run->model);
    tacStepInfo info;
    tacStatus status = tac_step(sim, run->x, run->u, y, &info);
    if (run->done == 0) {
        run->start = info.start;
        run->violation = info.violation;
    }
    if (status == TAC_ERR_UNSOLVED || status == TAC_ERR_IMPACTS) {
        note_unsolved(run, &info);
        status = TAC_OK;
    } /* y: the best state found */
    if (info.residual > run->worst_residual) run->worst_residual = info.residual;
    if (status == TAC_OK && !all_finite(nx, y)) status = TAC_ERR_NONFINITE;
    if (status != TAC_OK) return status;
    memcpy(run->x, y, (size_t)nx * sizeof *y);
    run->gained = info.energy_gain;
    run->done++;
    return TAC_OK;
}

/* Adds the energy gain of the last step. An energy that overflows counts as an infinite gain. */
static void watch_energy(tacSim *sim, tacRun *run) {
    tacEnergy energy;
    tacStatus status = tac_energy(sim, run->x, run->x + run->model->nq, &energy);
    cli_energy_note(&run->energy, run->done - 1, run->gained, status == TAC_OK ? energy.kinetic : 0);
}

/* The deepest overlap so far, that of the present state included. contact: room for options.max_contacts. */
static tacStatus measure(tacSim *sim, tacRun *run, tacContact *contact) {
    int n = 0;
    if (run->options.contact == TAC_CONTACT_MODEL_NONE) return TAC_OK;
    tacStatus status = tac_contacts(sim, run->x, run->u, contact, run->options.max_contacts, &n);
    if (status == TAC_ERR_UNSUPPORTED) return TAC_OK; /* pads and sums have no features */
    for (int i = 0; status == TAC_OK && i < n; i++)
        run->penetration = fmax(run->penetration, -contact[i].dist);
    return status;
}

static tacStatus run_steps(tacSim *sim, tacRun *run, tacMotion *motion, double *y, tacContact *contact) {
    tacProgress progress = measure_progress_begin("simulating");
    cli_controls_at(run->controls, 0, run->u);
    tacStatus status = record(sim, run, motion);
    run->seconds = run->gained = 0;
    run->energy = cli_energy_watch(run->model, run->energy_bound);
    watch_energy(sim, run);
    while (status == TAC_OK && run->done < run->steps) {
        double begin = measure_clock();
        status = advance(sim, run, y);
        run->seconds += measure_clock() - begin;
        if (status == TAC_OK) status = measure(sim, run, contact);
        if (status != TAC_OK) break;
        watch_energy(sim, run);
        if (run->done < run->steps) cli_controls_at(run->controls, run->done, run->u);
        if (run->done % run->every == 0 || run->done == run->steps) status = record(sim, run, motion);
        measure_progress_show(&progress, run->done, run->steps);
    }
    measure_progress_end(&progress);
    return status;
}

tacStatus cli_run_status(const tacRun *run) {
    return run->status == TAC_OK && run->unsolved > 0 ? run->why : run->status;
}

static void warn_unsolved(const char *verb, const tacRun *run) {
    fprintf(stderr, "tactus %s: warning: %ld of %ld steps were not solved (first: step %ld; largest residual %.3g): %s",
            verb, run->unsolved, run->done, run->first_unsolved, run->worst_residual, tac_status_text(run->why));
    if (run->reason != TAC_REASON_NONE) fprintf(stderr, "; last failure: %s", tac_reason_text(run->reason));
    fputc('\n', stderr);
}

int cli_run(const char *verb, tacRun *run, tacMotion *motion) {
    tacError err;
    tacSim *sim;
    run->done = run->unsolved = 0;
    run->first_unsolved = -1;
    run->worst_residual = 0;
    run->start = TAC_OK;
    run->violation = (tacViolation){0};
    run->penetration = 0;
    if (tac_sim_new(run->model, &run->options, &sim, &err) != TAC_OK) return cli_fail(verb, "%s", err.text);
    double *y = calloc((size_t)tac_nx(run->model) + 1, sizeof *y);
    tacContact *contact = malloc(((size_t)run->options.max_contacts + 1) * sizeof *contact);
    run->status = y != NULL && contact != NULL ? run_steps(sim, run, motion, y, contact) : TAC_ERR_MEMORY;
    free(y);
    free(contact);
    tac_sim_free(sim);
    if (run->start != TAC_OK) cli_warn_start(verb, run->model, &run->violation);
    if (run->unsolved > 0) warn_unsolved(verb, run);
    cli_energy_warn(verb, &run->energy);
    return run->status == TAC_ERR_MEMORY ? cli_fail(verb, "out of memory") : CLI_GO_ON;
}
