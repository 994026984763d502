/* Dojo, Table II: Atlas falls to the ground. How deep do its contact points get into it, at three time steps? */
#include "experiments/experiment.h"
#include "experiments/plot.h"
#include "experiments/scene.h"

#include <math.h>
#include <stdlib.h>

#define BAR       1e-9  /* m */
#define TOLERANCE 1e-10 /* N s: of the step's balances */
#define SECONDS   5.0
enum { NRATE = 3, SAMPLES = 51, ITERATIONS = 150 };

static const double DT[NRATE] = {0.1, 0.01, 0.001};
static const char *const DOJO_MM[NRATE] = {"+1e-12", "+1e-7", "+8e-6"}, *const MUJOCO_MM[NRATE] = {"failure", "-28",
                                                                                                   "-46"};

typedef struct Drop {
    double dt, penetration; /* m: deepest of all balls at all steps; negative: none ever touched */
    double lowest[SAMPLES]; /* m: of all balls over the ground, every 0.1 s */
    double iterations;      /* a step, mean */
    int most_iterations;
} Drop;

/* The lowest ball's gap. */
static tacStatus lowest_gap(tacScene *s, double *places, double *gap) {
    static const tacOutput ALL = {TAC_OUT_GEOM_POS, TAC_OUT_ALL};
    tacStatus status = tac_outputs(s->sim, s->x, s->u, &(tacOutputs){1, &ALL}, places);
    *gap = (double)INFINITY;
    for (int g = 0; g < s->model->ngeom; g++)
        if (s->model->geom_type[g] == TAC_GEOM_SPHERE)
            *gap = fmin(*gap, places[3 * g + 2] - s->model->geom_size[3 * g]);
    return status;
}

static tacStatus fall(tacScene *s, double *places, Drop *d) {
    int steps = (int)lround(SECONDS / d->dt), every = steps / (SAMPLES - 1);
    double gap;
    tacStatus status = lowest_gap(s, places, &gap);
    d->lowest[0] = gap;
    d->penetration = -gap;
    for (int k = 1; k <= steps && status == TAC_OK; k++) {
        tacStepInfo info;
        status = scene_move(s, 1, &info);
        if (status == TAC_OK) status = lowest_gap(s, places, &gap);
        d->penetration = fmax(d->penetration, -gap);
        d->iterations += (double)info.iterations / steps;
        if (info.iterations > d->most_iterations) d->most_iterations = info.iterations;
        if (k % every == 0) d->lowest[k / every] = gap;
    }
    return status;
}

static int run_drop(tacFindings *found, Drop *d) {
    tacScene s;
    int result = scene_load(found, "atlas_drop", &s);
    if (result != EXPERIMENT_GO_ON) return result;
    s.options.contact = TAC_CONTACT_MODEL_NCP;
    s.options.dt = d->dt;
    s.options.ncp_tolerance = TOLERANCE;
    s.options.ncp_iterations = ITERATIONS;
    result = scene_start(found, &s);
    if (result != EXPERIMENT_GO_ON) return result;
    double *places = calloc(3 * (size_t)s.model->ngeom, sizeof *places);
    tacStatus status = places != NULL ? fall(&s, places, d) : TAC_ERR_MEMORY;
    free(places);
    scene_close(&s);
    return status == TAC_OK ? EXPERIMENT_GO_ON : experiment_fail(found, "dt %g: %s", d->dt, tac_status_text(status));
}

static void draw(FILE *file, const Drop *drop) {
    static const char *const COLOUR[NRATE] = {"one", "two", "own"};
    double time[SAMPLES];
    for (int k = 0; k < SAMPLES; k++)
        time[k] = k * SECONDS / (SAMPLES - 1);
    tacPlot plot = {.file = file,
                    .title = "Atlas falls to the ground",
                    .subtitle = "height of its lowest contact point",
                    .x1 = SECONDS,
                    .y0 = -0.1,
                    .y1 = 0.6,
                    .nkey = NRATE};
    plot_begin(&plot);
    plot_axes(&plot, "time, s", "gap, m");
    for (int i = 0; i < NRATE; i++) {
        plot_curve(&plot, COLOUR[i], SAMPLES, time, drop[i].lowest);
        plot_key(&plot, COLOUR[i], "steps of %g s: deepest %.0e m, %.1f iterations a step", drop[i].dt,
                 fmax(drop[i].penetration, 0), drop[i].iterations);
    }
    plot_end(&plot);
}

static void report(tacFindings *found, int i, const Drop *d) {
    json_t *ours = json_object(), *paper = json_object();
    char key[16];
    snprintf(key, sizeof key, "dt_%g", d->dt);
    experiment_put(found, ours, "penetration", d->penetration);
    experiment_put(found, ours, "iterations", d->iterations);
    experiment_put(found, ours, "most_iterations", d->most_iterations);
    json_object_set_new(paper, "dojo_gap_mm", json_string(DOJO_MM[i]));
    json_object_set_new(paper, "mujoco_gap_mm", json_string(MUJOCO_MM[i]));
    json_object_set_new(found->tactus, key, ours);
    json_object_set_new(found->paper, key, paper);
    experiment_say(
        found, "  dt %-5g gap at least %+.1e m; %.1f iterations a step, at most %d (paper: Dojo %s mm, MuJoCo %s mm)",
        d->dt, -d->penetration, d->iterations, d->most_iterations, DOJO_MM[i], MUJOCO_MM[i]);
}

int dojo_atlas_drop(tacFindings *found) {
    Drop drop[NRATE] = {0};
    found->pass = 1;
    for (int i = 0; i < NRATE; i++) {
        drop[i].dt = DT[i];
        int result = run_drop(found, &drop[i]);
        if (result != EXPERIMENT_GO_ON) return result;
        report(found, i, &drop[i]);
        found->pass = found->pass && drop[i].penetration <= BAR;
    }
    if (found->picture != NULL) draw(found->picture, drop);
    return EXPERIMENT_GO_ON;
}
