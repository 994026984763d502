/* evidence_adaptive_checkpoints MODEL...: the reverse mode of STEPS outer steps with 10, 100 and 1000 kept states, and
 * 4 and 32 inner ones: one hash of the gradient for all; memory as computed beforehand, and none of it depends on how
 * many inner steps there may be. A JSON line for each model:
 *   {"model":path, "same_bits":0|1, "in_contact":steps, "inner":n, "sim_bytes":[4, 32], "peak":n, "most_bytes":n,
 *    "bytes_fixed":0|1, "rollout_bytes":[10, 100, 1000], "untouched":0|1,
 *    "seconds":[forward, reverse at 1000, at 10]} */
#include "adaptive_scene.h"
#include "measure/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 1000, BUDGETS = 3, INNER = 2, GUARD = 4096, STREAM = 31 };
#define TOL 1e-6
static const int BUDGET[BUDGETS] = {10, 100, STEPS}, KEPT[INNER] = {4, 32};

typedef struct Work {
    Scene s;
    double *U, *X, *xbar, *gx, *gU, *start;
    unsigned char *memory;
    size_t bytes[BUDGETS];
    double seconds[BUDGETS];
    int untouched;
} Work;

static size_t rounded(size_t bytes) { return (bytes + 63) / 64 * 64; }

static void open_inner(Work *w, int kept) {
    tacError err;
    tac_sim_free(w->s.sim);
    w->s.options.inner_checkpoints = kept;
    scene_require(&w->s, "simulation", tac_sim_new(w->s.model, &w->s.options, &w->s.sim, &err));
}

/* The gradient with this budget; what lies behind the memory is not touched. */
static uint64_t gradient_hash(Work *w, int b) {
    size_t bytes = w->bytes[b], ndx = (size_t)tac_ndx(w->s.model);
    tacTrajectory path = {.n = STEPS, .x0 = w->start, .U = w->U, .xbar = w->xbar};
    tacCheckpoints memory = {BUDGET[b], w->memory, bytes};
    memset(w->memory + bytes, 0x5a, GUARD);
    double begin = bench_now();
    scene_require(&w->s, "reverse mode",
                  tac_rollout_vjp(w->s.sim, &path, &memory, &(tacGrad){w->gx, w->gU, NULL}, NULL));
    w->seconds[b] = bench_now() - begin;
    for (size_t i = 0; i < GUARD; i++)
        w->untouched &= w->memory[bytes + i] == 0x5a;
    uint64_t hash = tac_hash(w->gx, ndx * sizeof(double), 0);
    return tac_hash(w->gU, STEPS * (size_t)w->s.nu * sizeof(double), hash);
}

static Work open_work(const char *path) {
    Work w = {.s = adaptive_scene_load(path, TAC_INTEGRATOR_TSIT5, 0, TOL), .untouched = 1};
    size_t nx = (size_t)w.s.nx, ndx = (size_t)tac_ndx(w.s.model), nu = (size_t)w.s.nu;
    w.U = scene_doubles(STEPS * nu);
    w.gU = scene_doubles(STEPS * nu);
    w.X = scene_doubles((STEPS + 1) * nx);
    w.xbar = scene_doubles(ndx);
    w.gx = scene_doubles(ndx);
    w.start = scene_doubles(nx);
    for (int b = 0; b < BUDGETS; b++)
        w.bytes[b] = tac_rollout_vjp_bytes(w.s.model, STEPS, BUDGET[b]);
    w.memory = aligned_alloc(64, rounded(w.bytes[BUDGETS - 1]) + GUARD);
    if (w.memory == NULL) exit(2);
    tac_default_state(w.s.model, w.start);
    if (w.s.model->nkey > 0) memcpy(w.start, w.s.model->key_qpos, (size_t)w.s.model->nq * sizeof(double));
    for (int k = 0; k < STEPS; k++)
        for (size_t i = 0; i < nu; i++)
            w.U[(size_t)k * nu + i] = 0.3 * scene_control(&w.s, STREAM, (uint64_t)(k / 20), (int)i);
    for (size_t i = 0; i < ndx; i++)
        w.xbar[i] = tac_random_normal(STREAM, 1, (uint64_t)i);
    return w;
}

static void close_work(Work *w) {
    double *all[] = {w->U, w->X, w->xbar, w->gx, w->gU, w->start};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(w->memory);
    scene_free(&w->s);
}

/* The motion once: what it goes through, and its seconds. */
static double go(Work *w, long *inner, int *in_contact) {
    Scene *s = &w->s;
    tacStepInfo info;
    double begin = bench_now();
    scene_require(s, "rollout", tac_rollout(s->sim, w->start, w->U, STEPS, w->X, NULL));
    double seconds = bench_now() - begin;
    for (int k = 0; k < STEPS; k++) {
        const double *x = w->X + (size_t)k * (size_t)s->nx, *u = w->U + (size_t)k * (size_t)s->nu;
        scene_require(s, "step", tac_step(s->sim, x, u, s->y, &info));
        *inner += info.inner_accepted, *in_contact += info.contacts > 0;
    }
    return seconds;
}

/* Bytes of a simulation do not know of inner_max. */
static int bytes_are_fixed(const Work *w) {
    tacOptions few = w->s.options, many = w->s.options;
    few.inner_max = 10;
    many.inner_max = 100000000;
    size_t bytes = tac_sim_bytes(w->s.model, &few);
    return bytes > 0 && bytes == tac_sim_bytes(w->s.model, &many);
}

static void run_model(const char *path) {
    Work w = open_work(path);
    long inner = 0;
    int in_contact = 0, same = 1;
    double forward = go(&w, &inner, &in_contact);
    size_t sim_bytes[INNER], peak = 0;
    uint64_t first = 0;
    for (int i = 0; i < INNER; i++) {
        open_inner(&w, KEPT[i]);
        sim_bytes[i] = tac_sim_bytes(w.s.model, &w.s.options);
        for (int b = 0; b < BUDGETS; b++) {
            uint64_t hash = gradient_hash(&w, b);
            if (i == 0 && b == 0) first = hash;
            same &= hash == first;
        }
        peak = tac_sim_peak(w.s.sim);
    }
    printf("{\"model\":\"%s\",\"same_bits\":%d,\"in_contact\":%d,\"inner\":%ld,\"sim_bytes\":[%zu,%zu],\"peak\":%zu,"
           "\"bytes_fixed\":%d,\"rollout_bytes\":[%zu,%zu,%zu],\"untouched\":%d,\"seconds\":[%.4f,%.4f,%.4f]}\n",
           path, same, in_contact, inner, sim_bytes[0], sim_bytes[1], peak, bytes_are_fixed(&w), w.bytes[0], w.bytes[1],
           w.bytes[2], w.untouched, forward, w.seconds[BUDGETS - 1], w.seconds[0]);
    fflush(stdout);
    close_work(&w);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        run_model(argv[i]);
    return 0;
}
