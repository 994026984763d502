/* Dojo, Table V: how long 1000 steps of 0.01 s with gradients take, four robots under random actions; beside MuJoCo's
 * own differences, on the same robots under the same actions in the same run. */
#include "experiments/experiment.h"
#include "experiments/plot.h"
#include "experiments/scene.h"

#include "measure/mujoco_peer.h"
#include "measure/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIMES_FASTER 5.0 /* than the paper's seconds for Dojo */
#define TIME_STEP    0.01
/* Both engines in turn, a part of the motion each. */
enum { NROBOT = 4, STEPS = 1000, PART = 50, SEED = 1 };

typedef struct Robot {
    const char *scene, *name, *label;
    double dojo, mujoco; /* s: the paper's */
} Robot;

static const Robot ROBOTS[NROBOT] = {{"timing_humanoid", "humanoid", "humanoid", 1.750, 1.512},
                                     {"timing_a1", "a1", "Unitree A1", 5.235, 1.114},
                                     {"timing_panda", "panda", "Franka Panda", 1.159, 0.335},
                                     {"timing_x2", "x2", "Skydio X2", 0.807, 0.047}};

typedef struct Measured {
    double seconds, mujoco; /* mujoco: 0 where it is not installed */
    double iterations, contacts, residual;
    int unsolved;
} Measured;

/* One robot, its actions and where its derivatives go. */
typedef struct Work {
    tacScene scene;
    tacMujoco *peer;
    double *U, *A, *B;
} Work;

/* --- The motion -------------------------------------------------------------------------------------------------- */

/* Uniform in the range of each actuator. */
static void draw_actions(const tacModel *m, double *U) {
    for (int k = 0; k < STEPS; k++)
        for (int a = 0; a < m->nu; a++) {
            const double *range = m->actuator_ctrlrange + 2 * a;
            double share = tac_random_uniform(SEED, (uint64_t)k, (uint64_t)a);
            U[(size_t)k * (size_t)m->nu + (size_t)a] = range[0] + share * (range[1] - range[0]);
        }
}

static tacStatus move_part(Work *w, int first, Measured *m) {
    tacScene *s = &w->scene;
    double start = bench_now();
    for (int k = first; k < first + PART; k++) {
        tacStepInfo info;
        const double *u = w->U + (size_t)k * (size_t)s->nu;
        tacStatus status = tac_step_jac(s->sim, s->x, u, s->y, &(tacJac){w->A, w->B, NULL}, &info);
        if (status != TAC_OK && status != TAC_ERR_UNSOLVED) return status;
        m->unsolved += status != TAC_OK;
        m->residual = fmax(m->residual, info.residual);
        m->iterations += (double)info.iterations / STEPS;
        m->contacts += (double)info.contacts / STEPS;
        memcpy(s->x, s->y, (size_t)s->nx * sizeof(double));
    }
    m->seconds += bench_now() - start;
    return TAC_OK;
}

static int move_all(tacFindings *found, const Robot *robot, Work *w, Measured *m) {
    for (int first = 0; first < STEPS; first += PART) {
        tacStatus status = move_part(w, first, m);
        if (status != TAC_OK) return experiment_fail(found, "%s: %s", robot->label, tac_status_text(status));
        if (w->peer != NULL)
            m->mujoco += measure_mujoco_drive(w->peer, w->U + (size_t)first * (size_t)w->scene.nu, PART, 0);
    }
    return EXPERIMENT_GO_ON;
}

/* --- One robot --------------------------------------------------------------------------------------------------- */

static int open_peer(tacFindings *found, const Robot *robot, Work *w) {
    char path[SCENE_PATH], reason[256] = "";
    int result = scene_file(found, robot->scene, path);
    if (result != EXPERIMENT_GO_ON) return result;
    w->peer = measure_mujoco_open(path, w->scene.model, TIME_STEP, 1, reason, sizeof reason);
    unlink(path);
    if (w->peer == NULL) experiment_say(found, "  without MuJoCo: %s", reason);
    if (w->peer != NULL && !measure_mujoco_set(w->peer, w->scene.x, w->U))
        return experiment_fail(found, "out of memory");
    return EXPERIMENT_GO_ON;
}

static int open_work(tacFindings *found, const Robot *robot, Work *w) {
    int result = scene_load(found, robot->scene, &w->scene);
    if (result != EXPERIMENT_GO_ON) return result;
    w->scene.options.contact = TAC_CONTACT_MODEL_NCP;
    w->scene.options.dt = TIME_STEP;
    w->scene.options.inputs = 0;
    result = scene_start(found, &w->scene);
    if (result != EXPERIMENT_GO_ON) return result;
    size_t ndx = (size_t)w->scene.ndx, nu = (size_t)w->scene.nu;
    w->U = calloc(STEPS * nu, sizeof(double));
    w->A = calloc(ndx * ndx, sizeof(double));
    w->B = calloc(ndx * nu, sizeof(double));
    if (w->U == NULL || w->A == NULL || w->B == NULL) return experiment_fail(found, "out of memory");
    draw_actions(w->scene.model, w->U);
    return open_peer(found, robot, w);
}

static void close_work(Work *w) {
    measure_mujoco_close(w->peer);
    free(w->U);
    free(w->A);
    free(w->B);
    scene_close(&w->scene);
}

static void report(tacFindings *found, const Robot *robot, const Measured *m) {
    json_t *ours = json_object(), *paper = json_object();
    experiment_put(found, paper, "dojo_seconds", robot->dojo);
    experiment_put(found, paper, "mujoco_seconds", robot->mujoco);
    experiment_put(found, ours, "seconds", m->seconds);
    experiment_put(found, ours, "mujoco_seconds", m->mujoco);
    experiment_put(found, ours, "times_dojo", robot->dojo / m->seconds);
    experiment_put(found, ours, "times_mujoco", m->mujoco / m->seconds);
    experiment_put(found, ours, "iterations", m->iterations);
    experiment_put(found, ours, "contacts", m->contacts);
    experiment_put(found, ours, "residual", m->residual);
    json_object_set_new(ours, "unsolved", json_integer(m->unsolved));
    json_object_set_new(found->paper, robot->name, paper);
    json_object_set_new(found->tactus, robot->name, ours);
    experiment_say(found,
                   "  %-12s %.3f s, %.1f times as fast as Dojo in the paper; MuJoCo's differences %.3f s; %.1f "
                   "contacts, %.1f iterations a step, residual at most %.0e",
                   robot->label, m->seconds, robot->dojo / m->seconds, m->mujoco, m->contacts, m->iterations,
                   m->residual);
}

static void draw(FILE *file, const Measured *m) {
    tacPlot plot = {.file = file,
                    .title = "1000 steps of 0.01 s with gradients",
                    .subtitle = "random controls; seconds of one run",
                    .x0 = 0.01,
                    .x1 = 10,
                    .y1 = NROBOT,
                    .log_x = 1,
                    .left = 110,
                    .nkey = 3};
    plot_begin(&plot);
    plot_key(&plot, "own", "Tactus");
    plot_key(&plot, "two", "MuJoCo, by finite differences, in the same run");
    plot_key(&plot, "soft", "Dojo, in the paper");
    plot_axes(&plot, "seconds", NULL);
    for (int i = 0; i < NROBOT; i++) {
        const char *const colour[] = {"soft", "two", "own"};
        double y = NROBOT - 1 - i, seconds[] = {ROBOTS[i].dojo, m[i].mujoco, m[i].seconds};
        for (int k = 0; k < 3; k++) {
            double low = y + 0.15 + 0.25 * k;
            if (!(seconds[k] > 0)) continue;
            plot_bar(&plot, colour[k], plot.x0, low, seconds[k], low + 0.2);
            plot_note(&plot, (tacPlotNote){colour[k], "start", seconds[k], low, 6, -2}, "%.3f", seconds[k]);
        }
        plot_note(&plot, (tacPlotNote){"ink", "end", plot.x0, y + 0.5, -10, 0}, "%s", ROBOTS[i].label);
    }
    plot_end(&plot);
}

int dojo_timing(tacFindings *found) {
    Measured measured[NROBOT] = {0};
    found->pass = 1;
    for (int i = 0; i < NROBOT; i++) {
        Work w = {0};
        Measured *m = &measured[i];
        measure_progress_show(&found->progress, i, NROBOT);
        int result = open_work(found, &ROBOTS[i], &w);
        if (result == EXPERIMENT_GO_ON) result = move_all(found, &ROBOTS[i], &w, m);
        close_work(&w);
        if (result != EXPERIMENT_GO_ON) return result;
        report(found, &ROBOTS[i], m);
        int faster = TIMES_FASTER * m->seconds <= ROBOTS[i].dojo && m->seconds < m->mujoco;
        if (!faster || m->unsolved > 0) found->pass = 0;
    }
    if (found->picture != NULL) draw(found->picture, measured);
    return EXPERIMENT_GO_ON;
}
