/* Nimble, identification of a mass: a box is pushed by a known force, and its mass is found from its motion. Two runs:
 * 2 N for 0.3 s in steps of 0.01 s, from 0.2 kg; and the published program's 0.1 N, 12 steps of 0.1 s, from 0.5 kg. */
#include "experiments/plot.h"
#include "experiments/scene.h"

#include "tactus/fit.h"

#include <math.h>

#define TRUTH 2.5 /* kg */
#define BAR   1e-7
enum { MOST_ITERATIONS = 20, MOST_FRAMES = 64, NRUN = 2 };

/* One run, and the mass after each iteration. */
typedef struct Run {
    const char *name;
    double force, dt, guess;
    int steps;
    double mass[MOST_ITERATIONS + 1];
    int iterations, solved;
} Run;

typedef struct Recorded {
    double x[2 * MOST_FRAMES], u[MOST_FRAMES];
} Recorded;

/* The motion of the true mass from rest. */
static int record(tacFindings *found, const Run *run, tacScene *s, Recorded *r) {
    r->x[0] = r->x[1] = 0;
    for (int k = 0; k < run->steps; k++) {
        r->u[k] = run->force;
        tacStatus status = tac_step(s->sim, r->x + 2 * k, r->u + k, r->x + 2 * (k + 1), NULL);
        if (status != TAC_OK) return experiment_fail(found, "%s", tac_status_text(status));
    }
    return EXPERIMENT_GO_ON;
}

static void iterate(Run *run, tacFitter *fitter) {
    tacFitResult result;
    tacFitEnd end = TAC_FIT_RUNNING;
    run->mass[0] = run->guess;
    for (run->iterations = 0; end == TAC_FIT_RUNNING && run->iterations < MOST_ITERATIONS;) {
        end = tac_fitter_iterate(fitter);
        if (tac_fitter_result(fitter, &result) == TAC_OK) run->mass[++run->iterations] = result.theta[0];
    }
    run->solved = end == TAC_FIT_SOLVED;
}

static int fit(tacFindings *found, Run *run, const tacScene *s, const Recorded *r, int param) {
    static const double deviation[2] = {1e-3, 1e-2}; /* m, m/s */
    tacFit *problem = NULL;
    tacFitter *fitter = NULL;
    tacError err;
    tacFitOptions options = tac_default_fit_options();
    tacFitParam unknown = tac_default_fit_param();
    tacFitRecording recording = tac_default_fit_recording();
    options.deviation = deviation;
    options.horizon = 0;
    unknown.param = param;
    unknown.move = TAC_MOVE_LOG;
    unknown.start = run->guess;
    recording.frames = run->steps + 1;
    recording.x = r->x;
    recording.u = r->u;
    tacStatus status = tac_fit_new(s->model, &s->options, &options, &problem, &err);
    if (status == TAC_OK) status = tac_fit_add_param(problem, &unknown, &err);
    if (status == TAC_OK) status = tac_fit_add_recording(problem, &recording, NULL, &err);
    if (status == TAC_OK) status = tac_fitter_new(problem, &fitter, &err);
    if (status == TAC_OK) iterate(run, fitter);
    tac_fitter_free(fitter);
    tac_fit_free(problem);
    return status == TAC_OK ? EXPERIMENT_GO_ON : experiment_fail(found, "%s", err.text);
}

static int solve(tacFindings *found, Run *run) {
    tacScene s;
    Recorded recorded;
    int param;
    tacError err;
    int result = scene_load(found, "pushed_box", &s);
    if (result != EXPERIMENT_GO_ON) return result;
    s.options.contact = TAC_CONTACT_MODEL_NONE;
    s.options.dt = run->dt;
    s.options.inputs = 0; /* controls alone */
    if (tac_param_register(s.model, "body/box.mass", &param, &err) != TAC_OK)
        result = experiment_fail(found, "%s", err.text);
    if (result == EXPERIMENT_GO_ON) result = scene_start(found, &s);
    if (result == EXPERIMENT_GO_ON) result = record(found, run, &s, &recorded);
    if (result == EXPERIMENT_GO_ON) result = fit(found, run, &s, &recorded, param);
    scene_close(&s);
    return result;
}

static void draw(const tacFindings *found, const Run *run) {
    static const char *const colours[NRUN] = {"own", "one"};
    double x[MOST_ITERATIONS + 1];
    if (found->picture == NULL) return;
    tacPlot plot = {.file = found->picture,
                    .title = "The mass of a pushed box",
                    .subtitle = "from its motion under a known force",
                    .x1 = MOST_ITERATIONS,
                    .y1 = 2 * TRUTH,
                    .nkey = NRUN};
    plot_begin(&plot);
    for (int i = 0; i < NRUN; i++)
        plot_key(&plot, colours[i], "%s", run[i].name);
    plot_axes(&plot, "iteration", "mass, kg");
    for (int k = 0; k <= MOST_ITERATIONS; k++)
        x[k] = k;
    for (int i = 0; i < NRUN; i++)
        plot_curve(&plot, colours[i], run[i].iterations + 1, x, run[i].mass);
    plot_end(&plot);
}

int nimble_mass_id(tacFindings *found) {
    Run run[NRUN] = {{"2 N", 2, 0.01, 0.2, 30, {0}, 0, 0}, {"0.1 N", 0.1, 0.1, 0.5, 12, {0}, 0, 0}};
    double worst = 0;
    int most = 0, result = EXPERIMENT_GO_ON;
    found->pass = 1;
    for (int i = 0; i < NRUN && result == EXPERIMENT_GO_ON; i++) {
        result = solve(found, &run[i]);
        double mass = run[i].mass[run[i].iterations];
        found->pass = found->pass && run[i].solved;
        worst = fmax(worst, fabs(mass - TRUTH));
        most = run[i].iterations > most ? run[i].iterations : most;
        experiment_say(found, "%s from %g kg: %.10g kg after %d iterations", run[i].name, run[i].guess, mass,
                       run[i].iterations);
    }
    if (result != EXPERIMENT_GO_ON) return result;
    found->pass = found->pass && worst <= BAR;
    experiment_put(found, found->paper, "mass", TRUTH);
    experiment_put(found, found->tactus, "worst", worst);
    experiment_put(found, found->tactus, "iterations", most);
    draw(found, run);
    return EXPERIMENT_GO_ON;
}
