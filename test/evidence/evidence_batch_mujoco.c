/* evidence_batch_mujoco THREADS
 *
 * Rollouts of many humanoids with contact soft on a batch, and mj_step of the same states and controls on a pool of as
 * many threads, in turn: wall time of each, median of their ratios, as one JSON line. */
#define _POSIX_C_SOURCE 200809L
#include "base/threads.h"
#include "scene.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORLDS = 64, STEPS = 100, ROUNDS = 9, MESSAGE = 1024 };

static const char MODEL[] = "models/humanoid.xml";

/* Both sides; world i starts from start + i nx. */
typedef struct Race {
    Scene scene;
    tacBatch *batch;
    tacPool *pool;
    mjModel *mj;
    mjData *data[WORLDS];
    double *start, *X, *U;
} Race;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void require(int good, const char *what) {
    if (good) return;
    fprintf(stderr, "evidence_batch_mujoco: %s\n", what);
    exit(2);
}

/* The keyframe, each world a little higher than the one before, so that they land at different times. */
static void place(Race *r) {
    const tacModel *m = r->scene.model;
    size_t nx = (size_t)r->scene.nx;
    for (int i = 0; i < WORLDS; i++) {
        double *x = r->start + (size_t)i * nx;
        tac_default_state(m, x);
        if (m->nkey > 0) memcpy(x, m->key_qpos, (size_t)m->nq * sizeof *x);
        x[2] += 1e-3 * i;
    }
}

static void open_race(Race *r, int threads) {
    char message[MESSAGE];
    tacError err;
    r->scene = scene_load(MODEL);
    require(scene_set_contact(&r->scene, TAC_CONTACT_MODEL_SOFT, &err) == TAC_OK, err.text);
    tacBatchOptions o = tac_default_batch_options();
    o.worlds = WORLDS;
    o.threads = threads;
    require(tac_batch_new(r->scene.model, &r->scene.options, &o, &r->batch, &err) == TAC_OK, err.text);
    require(tac_pool_new(threads, &r->pool, &err) == TAC_OK, err.text);
    r->mj = mj_loadXML(MODEL, NULL, message, sizeof message);
    require(r->mj != NULL, message);
    for (int i = 0; i < WORLDS; i++)
        require((r->data[i] = mj_makeData(r->mj)) != NULL, "no mjData");
    size_t nx = (size_t)r->scene.nx, nu = (size_t)r->scene.nu;
    r->start = scene_doubles(WORLDS * nx);
    r->X = scene_doubles(WORLDS * (STEPS + 1) * nx);
    r->U = scene_doubles(WORLDS * STEPS * nu + 1);
    place(r);
}

static double time_ours(Race *r) {
    size_t nx = (size_t)r->scene.nx;
    for (size_t i = 0; i < WORLDS; i++)
        memcpy(r->X + i * (STEPS + 1) * nx, r->start + i * nx, nx * sizeof *r->X);
    double begin = now();
    require(tac_batch_run_rollout(r->batch, STEPS, r->X, r->U, NULL) == TAC_OK, "a world fails");
    return now() - begin;
}

static void step_peer(void *context, int i, int worker) {
    const Race *r = context;
    (void)worker;
    for (int k = 0; k < STEPS; k++)
        mj_step(r->mj, r->data[i]);
}

static double time_peer(Race *r) {
    const tacModel *m = r->scene.model;
    for (int i = 0; i < WORLDS; i++) {
        const double *x = r->start + (size_t)i * (size_t)r->scene.nx;
        mj_resetData(r->mj, r->data[i]);
        memcpy(r->data[i]->qpos, x, (size_t)m->nq * sizeof *x);
        memcpy(r->data[i]->qvel, x + m->nq, (size_t)m->nv * sizeof *x);
    }
    double begin = now();
    tac_pool_run(r->pool, WORLDS, 1, step_peer, r);
    return now() - begin;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    static Race r;
    require(argc == 2, "expected THREADS");
    int threads = atoi(argv[1]);
    double ratio[ROUNDS], ours[ROUNDS], peer[ROUNDS], apart = 0;
    open_race(&r, threads);
    for (int k = 0; k < ROUNDS; k++) {
        ours[k] = time_ours(&r);
        peer[k] = time_peer(&r);
        ratio[k] = ours[k] / peer[k];
    }
    size_t nx = (size_t)r.scene.nx;
    int contacts = 0;
    for (int i = 0; i < WORLDS; i++)
        contacts += r.data[i]->ncon;
    for (int i = 0; i < WORLDS; i++) /* both did the same work: heights after the last step */
        apart = worse(apart, fabs(r.X[((size_t)i * (STEPS + 1) + STEPS) * nx + 2] - r.data[i]->qpos[2]));
    qsort(ratio, ROUNDS, sizeof *ratio, ascending);
    qsort(ours, ROUNDS, sizeof *ours, ascending);
    qsort(peer, ROUNDS, sizeof *peer, ascending);
    printf("{\"threads\":%d,\"ratio\":%.4f,\"ours\":%.5f,\"peer\":%.5f,\"apart\":%.3e,\"contacts\":%d,\"version\":\"%"
           "s\"}\n",
           threads, ratio[ROUNDS / 2], ours[ROUNDS / 2], peer[ROUNDS / 2], apart, contacts, mj_versionString());
    return 0;
}
