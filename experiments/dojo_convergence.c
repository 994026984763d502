/* Dojo, Figs. 9 and 10: how many iterations the interior point needs, and how well its systems are conditioned, beside
 * a barrier method that has velocities as its only unknowns. */
#include "experiments/barrier.h"
#include "experiments/experiment.h"
#include "experiments/plot.h"
#include "experiments/scene.h"

#include <stdlib.h>

#define TOLERANCE 1e-8
#define KAPPA     1e-8
enum { NROBOT = 3, STEPS = 500, EVERY = 10, SEED = 1, MOST_MEAN = 15, MOST_WORST = 30 };

static const struct {
    const char *scene, *name, *label;
    int driven; /* under random actions */
} ROBOTS[NROBOT] = {
    {"atlas_drop", "atlas", "Atlas", 0}, {"timing_a1", "a1", "A1", 1}, {"timing_humanoid", "humanoid", "humanoid", 1}};

/* One robot. */
typedef struct Found {
    double iterations;           /* a step, mean */
    double ratio[STEPS / EVERY]; /* of the last systems' conditions, primal over ours; sorted at the end */
    double primal_iterations;    /* mean */
    int most, samples, better, primal_unsolved;
    tacBarrierRuns worst; /* of the state where our last system is worst */
} Found;

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(const Found *f) { return f->ratio[f->samples / 2]; }

static double last_of(const tacBarrierRun *run) { return run->count > 0 ? run->condition[run->count - 1] : 0; }

/* Both methods on the step at hand. */
static tacStatus compare_methods(tacScene *s, Found *f) {
    tacBarrierRuns runs = {.kappa = KAPPA, .tolerance = TOLERANCE};
    tacStatus status = barrier_runs(s->sim, s->x, s->u, &runs);
    if (status != TAC_OK || runs.contacts == 0 || !runs.interior.solved) return status;
    double ratio = last_of(&runs.primal) / last_of(&runs.interior);
    f->ratio[f->samples++] = ratio;
    f->better += ratio > 1;
    f->primal_iterations += runs.primal.count;
    f->primal_unsolved += !runs.primal.solved;
    if (last_of(&runs.interior) > last_of(&f->worst.interior)) f->worst = runs;
    return TAC_OK;
}

static tacStatus move(tacScene *s, int driven, Found *f) {
    for (int k = 0; k < STEPS; k++) {
        tacStepInfo info;
        for (int a = 0; driven && a < s->model->nu; a++) {
            const double *range = s->model->actuator_ctrlrange + 2 * a;
            s->u[a] = range[0] + (range[1] - range[0]) * tac_random_uniform(SEED, (uint64_t)k, (uint64_t)a);
        }
        if (k % EVERY == EVERY - 1) {
            tacStatus status = compare_methods(s, f);
            if (status != TAC_OK) return status;
        }
        tacStatus status = scene_move(s, 1, &info);
        if (status != TAC_OK) return status;
        f->iterations += (double)info.iterations / STEPS;
        if (info.iterations > f->most) f->most = info.iterations;
    }
    return TAC_OK;
}

static int run_robot(tacFindings *found, int robot, Found *f) {
    tacScene s;
    int result = scene_load(found, ROBOTS[robot].scene, &s);
    if (result != EXPERIMENT_GO_ON) return result;
    s.options.contact = TAC_CONTACT_MODEL_NCP;
    s.options.ncp_kappa = KAPPA;
    s.options.ncp_tolerance = TOLERANCE;
    s.options.inputs = 0;
    result = scene_start(found, &s);
    if (result != EXPERIMENT_GO_ON) return result;
    tacStatus status = move(&s, ROBOTS[robot].driven, f);
    scene_close(&s);
    if (status != TAC_OK) return experiment_fail(found, "%s: %s", ROBOTS[robot].label, tac_status_text(status));
    qsort(f->ratio, (size_t)f->samples, sizeof *f->ratio, by_size);
    return f->samples > 0 ? EXPERIMENT_GO_ON : experiment_fail(found, "%s: nothing to compare", ROBOTS[robot].label);
}

static void report(tacFindings *found, int robot, const Found *f) {
    json_t *ours = json_object();
    experiment_put(found, ours, "iterations", f->iterations);
    json_object_set_new(ours, "most_iterations", json_integer(f->most));
    json_object_set_new(ours, "samples", json_integer(f->samples));
    experiment_put(found, ours, "primal_iterations", f->primal_iterations / f->samples);
    json_object_set_new(ours, "primal_unsolved", json_integer(f->primal_unsolved));
    experiment_put(found, ours, "condition", last_of(&f->worst.interior));
    experiment_put(found, ours, "condition_primal", last_of(&f->worst.primal));
    experiment_put(found, ours, "ratio", median_of(f));
    json_object_set_new(ours, "better", json_integer(f->better));
    json_object_set_new(found->tactus, ROBOTS[robot].name, ours);
    experiment_say(
        found,
        "  %-8s %.1f iterations a step, at most %d. Of %d states, at the last iteration: the primal method's "
        "system is conditioned %.0f times as badly (median; worse in %d), worst of ours %.0e. It takes %.0f "
        "iterations and does not reach the tolerance in %d",
        ROBOTS[robot].label, f->iterations, f->most, f->samples, median_of(f), f->better, last_of(&f->worst.interior),
        f->primal_iterations / f->samples, f->primal_unsolved);
}

static void draw(FILE *file, const Found *f) {
    static const char *const COLOUR[NROBOT] = {"own", "one", "two"};
    tacPlot plot = {.file = file,
                    .title = "Convergence of the interior point",
                    .subtitle = "condition of its systems, worst state of each robot; dots: the primal method's",
                    .x1 = 50,
                    .y0 = 1,
                    .y1 = 1e16,
                    .log_y = 1,
                    .nkey = NROBOT};
    plot_begin(&plot);
    plot_axes(&plot, "iteration", "condition number");
    for (int r = 0; r < NROBOT; r++) {
        const tacBarrierRuns *runs = &f[r].worst;
        double at[BARRIER_ROOM];
        for (int i = 0; i < BARRIER_ROOM; i++)
            at[i] = i + 1;
        plot_curve(&plot, COLOUR[r], runs->interior.count, at, runs->interior.condition);
        for (int i = 0; i < runs->primal.count && at[i] <= plot.x1; i++)
            plot_dot(&plot, COLOUR[r], at[i], runs->primal.condition[i]);
        plot_key(&plot, COLOUR[r], "%s: %.1f iterations a step, at most %d", ROBOTS[r].label, f[r].iterations,
                 f[r].most);
    }
    plot_end(&plot);
}

int dojo_convergence(tacFindings *found) {
    Found *f = calloc(NROBOT, sizeof *f);
    if (f == NULL) return experiment_fail(found, "out of memory");
    int result = EXPERIMENT_GO_ON;
    found->pass = 1;
    json_object_set_new(found->paper, "iterations", json_string("within 15"));
    json_object_set_new(found->paper, "condition", json_string("below 1e9; primal 2 to 1e4 times as large"));
    for (int r = 0; r < NROBOT && result == EXPERIMENT_GO_ON; r++) {
        measure_progress_show(&found->progress, r, NROBOT);
        result = run_robot(found, r, &f[r]);
        if (result != EXPERIMENT_GO_ON) break;
        report(found, r, &f[r]);
        if (!(f[r].iterations <= MOST_MEAN && f[r].most <= MOST_WORST && median_of(&f[r]) > 1)) found->pass = 0;
    }
    if (result == EXPERIMENT_GO_ON && found->picture != NULL) draw(found->picture, f);
    free(f);
    return result;
}
