/* The reverse mode of a rollout of a thousand steps: its time over that of the rollout with all states kept, memory,
 * and whether ten kept states give the same bits as a thousand. One JSON line per model:
 *   {"model":..., "us_forward":t, "us_reverse":t, "ratio":r, "bytes_10":n, "bytes_1000":n, "same_bits":0|1} */
#include "measure/timing.h"
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 1000, FEW = 10, BATCHES = 21 };

typedef struct Work {
    Scene *s;
    double *U, *X, *xbar, *gx, *gU;
    void *memory;
} Work;

static void run_forward(void *context) {
    Work *w = context;
    scene_require(w->s, "rollout", tac_rollout(w->s->sim, w->s->x, w->U, STEPS, w->X, NULL));
}

static void run_back(Work *w, int count) {
    tacTrajectory path = {.n = STEPS, .x0 = w->s->x, .U = w->U, .xbar = w->xbar};
    tacCheckpoints memory = {count, w->memory, tac_rollout_vjp_bytes(w->s->model, STEPS, count)};
    scene_require(w->s, "reverse mode",
                  tac_rollout_vjp(w->s->sim, &path, &memory, &(tacGrad){w->gx, w->gU, NULL}, NULL));
}

static void run_reverse(void *context) { run_back(context, STEPS); }

static uint64_t hash_gradient(const Work *w, int ndx) {
    uint64_t hash = tac_hash(w->gx, (size_t)ndx * sizeof(double), 0);
    return tac_hash(w->gU, STEPS * (size_t)w->s->nu * sizeof(double), hash);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        Scene s = scene_load(argv[i]);
        int ndx = tac_ndx(s.model);
        size_t most = tac_rollout_vjp_bytes(s.model, STEPS, STEPS), few = tac_rollout_vjp_bytes(s.model, STEPS, FEW);
        Work w = {.s = &s, .U = scene_doubles(STEPS * (size_t)s.nu), .X = scene_doubles((STEPS + 1) * (size_t)s.nx)};
        w.xbar = scene_doubles((size_t)ndx), w.gx = scene_doubles((size_t)ndx);
        w.gU = scene_doubles(STEPS * (size_t)s.nu), w.memory = aligned_alloc(64, (most + 63) / 64 * 64);
        if (w.memory == NULL) return 2;
        scene_randomize(&s, 1);
        for (int k = 0; k < STEPS * s.nu; k++)
            w.U[k] = 0.05 * tac_random_normal(2, 0, (uint64_t)k);
        for (int k = 0; k < ndx; k++)
            w.xbar[k] = tac_random_normal(2, 1, (uint64_t)k);
        run_back(&w, STEPS);
        uint64_t all = hash_gradient(&w, ndx);
        run_back(&w, FEW);
        int same = hash_gradient(&w, ndx) == all;
        benchTime t[2];
        bench_interleaved(2, (benchWork[]){run_forward, run_reverse}, (void *[]){&w, &w}, BATCHES, 2e-3, t);
        printf("{\"model\":\"%s\",\"us_forward\":%.1f,\"us_reverse\":%.1f,\"ratio\":%.3f,\"bytes_10\":%zu,"
               "\"bytes_1000\":%zu,\"same_bits\":%d}\n",
               argv[i], 1e6 * t[0].median, 1e6 * t[1].median, t[1].median / t[0].median, few, most, same);
        double *arrays[] = {w.U, w.X, w.xbar, w.gx, w.gU};
        for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
            free(arrays[k]);
        free(w.memory);
        scene_free(&s);
        fflush(stdout);
    }
    return 0;
}
