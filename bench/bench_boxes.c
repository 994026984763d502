/* Steps of boxes on a floor, contact lcp (or with the first argument `ncp` or `soft` that) beside mj_step, the same
 * model, in one run, interleaved: boxes apart, in stacks of four, in a pile. Each engine steps from a state of its own
 * motion, where it has come to rest. CSV:
 *   scene,boxes,contacts,contacts_peer,us_tactus,us_peer,ratio,status,residual
 * Boxes that are thrown on a heap are timed while they move, step by step: times are means, contacts those of the last
 * step, status the number of steps that were not solved, and residual the largest of those. */
#include "floor_boxes.h"
#include "measure/timing.h"
#include "motion_states.h"

#include "tactus/io.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCHES = 21, SETTLING = 150, MOVING = 300 };
#define BATCH_SECONDS 2e-3

static const char *const NAMES[BENCH_ARRANGEMENTS] = {"apart", "stacks", "pile", "heap"};

typedef struct Scene {
    tacModel *m;
    tacSim *sim;
    double *x, *y;
    tacStepInfo info;
    mjModel *mj;
    mjData *d;
    double *qpos, *qvel, *warm; /* where MuJoCo's steps begin */
} Scene;

static void run_ours(void *context) {
    Scene *s = context;
    tac_step(s->sim, s->x, NULL, s->y, &s->info);
}

static void run_peer(void *context) {
    Scene *s = context;
    memcpy(s->d->qpos, s->qpos, (size_t)s->mj->nq * sizeof(double));
    memcpy(s->d->qvel, s->qvel, (size_t)s->mj->nv * sizeof(double));
    memcpy(s->d->qacc_warmstart, s->warm, (size_t)s->mj->nv * sizeof(double));
    mj_step(s->mj, s->d);
}

static double *copy(const double *from, int n) {
    double *to = malloc((size_t)n * sizeof *to);
    if (to != NULL) memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

static int open_ours(Scene *s, const char *path, tacContactModel contact, int settling) {
    tacError err;
    if (tac_load(path, &s->m, &err) != TAC_OK) return fprintf(stderr, "%s\n", err.text);
    tacOptions options = tac_default_options(s->m);
    options.contact = contact;
    options.integrator = TAC_INTEGRATOR_EULER;
    if (tac_sim_new(s->m, &options, &s->sim, &err) != TAC_OK) return fprintf(stderr, "%s\n", err.text);
    size_t nx = (size_t)tac_nx(s->m);
    s->x = calloc(nx, sizeof *s->x), s->y = calloc(nx, sizeof *s->y);
    if (s->x == NULL || s->y == NULL) return fprintf(stderr, "out of memory\n");
    tac_default_state(s->m, s->x);
    for (int k = 0; k < settling; k++) {
        run_ours(s);
        if (s->info.status != TAC_OK && s->info.status != TAC_ERR_UNSOLVED)
            return fprintf(stderr, "step %d: %s\n", k, tac_status_text(s->info.status));
        memcpy(s->x, s->y, nx * sizeof *s->x);
    }
    return 0;
}

static int open_peer(Scene *s, const char *path, int settling) {
    char text[1024];
    s->mj = mj_loadXML(path, NULL, text, sizeof text);
    if (s->mj == NULL) return fprintf(stderr, "MuJoCo: %s\n", text);
    s->d = mj_makeData(s->mj);
    for (int k = 0; k < settling; k++)
        mj_step(s->mj, s->d);
    s->qpos = copy(s->d->qpos, s->mj->nq), s->qvel = copy(s->d->qvel, s->mj->nv);
    s->warm = copy(s->d->qacc_warmstart, s->mj->nv);
    return s->qpos == NULL || s->qvel == NULL || s->warm == NULL ? fprintf(stderr, "out of memory\n") : 0;
}

static void close_scene(Scene *s) {
    free(s->x), free(s->y), free(s->qpos), free(s->qvel), free(s->warm);
    tac_sim_free(s->sim);
    tac_model_free(s->m);
    if (s->d != NULL) mj_deleteData(s->d);
    if (s->mj != NULL) mj_deleteModel(s->mj);
}

/* From a state of its own motion. */
static void time_rest(Scene *s, benchArrangement how, int n) {
    benchTime t[2];
    bench_interleaved(2, (benchWork[]){run_ours, run_peer}, (void *[]){s, s}, BATCHES, BATCH_SECONDS, t);
    printf("%s,%d,%d,%d,%.3f,%.3f,%.3f,%d,%.3g\n", NAMES[how], n, s->info.contacts, s->d->ncon, 1e6 * t[0].median,
           1e6 * t[1].median, t[0].median / t[1].median, (int)s->info.status, s->info.residual);
}

/* Along the motion, a step of each in turn. */
static void time_motion(Scene *s, benchArrangement how, int n) {
    double ours = 0, peer = 0, worst = 0;
    int unsolved = 0;
    for (int k = 0; k < MOVING; k++) {
        double begin = bench_now();
        run_ours(s);
        double between = bench_now();
        mj_step(s->mj, s->d);
        ours += between - begin, peer += bench_now() - between;
        unsolved += s->info.status != TAC_OK;
        if (s->info.status != TAC_OK) worst = fmax(worst, s->info.residual);
        memcpy(s->x, s->y, (size_t)tac_nx(s->m) * sizeof *s->x);
    }
    printf("%s,%d,%d,%d,%.3f,%.3f,%.3f,%d,%.3g\n", NAMES[how], n, s->info.contacts, s->d->ncon, 1e6 * ours / MOVING,
           1e6 * peer / MOVING, ours / peer, unsolved, worst);
}

static int run_scene(tacContactModel contact, benchArrangement how, int n) {
    char path[BENCH_PATH];
    int settling = how == BENCH_HEAP ? 0 : SETTLING;
    Scene s = {0};
    if (bench_write_scene(bench_floor_boxes(how, n), path)) return 2;
    int code = open_ours(&s, path, contact, settling) != 0 || open_peer(&s, path, settling) != 0 ? 2 : 0;
    unlink(path);
    if (code == 0) {
        if (how == BENCH_HEAP)
            time_motion(&s, how, n);
        else
            time_rest(&s, how, n);
        fflush(stdout);
    }
    close_scene(&s);
    return code;
}

/* usage: bench_boxes [lcp|ncp|soft] [apart|stacks|pile|heap [MOST]] */
int main(int argc, char **argv) {
    enum { SIZES = 6 };
    const int sizes[SIZES] = {1, 4, 16, 32, 64, 256};
    tacContactModel contact = TAC_CONTACT_MODEL_LCP;
    int code = 0, named = argc > 1 && bench_contact_named(argv[1], &contact);
    argc -= named, argv += named;
    int most = argc > 2 ? atoi(argv[2]) : sizes[SIZES - 1];
    printf("scene,boxes,contacts,contacts_peer,us_tactus,us_peer,ratio,status,residual\n");
    for (int how = BENCH_APART; how <= BENCH_HEAP; how++)
        for (int k = 0; k < SIZES && code == 0; k++)
            if ((argc < 2 || strcmp(argv[1], NAMES[how]) == 0) && sizes[k] <= most)
                code = run_scene(contact, (benchArrangement)how, sizes[k]);
    return code;
}
