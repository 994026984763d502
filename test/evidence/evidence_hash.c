/* Bits of a thousand steps of each model, and of a batch of 64 worlds on one and on two threads:
 * {"model":..., "steps":hash, "batch1":hash, "batch2":hash}, one JSON line per model. */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 1000, WORLDS = 64 };

/* Controls of step k, drawn anew: small, so that a robot that nothing holds does not spin ever faster. */
static void draw_controls(const Scene *s, uint64_t world, int k, double *u) {
    for (int i = 0; i < s->model->nu; i++)
        u[i] = 0.1 * (2 * tac_random_uniform(3 + world, (uint64_t)k, (uint64_t)i) - 1);
}

static uint64_t hash_steps(Scene *s) {
    uint64_t hash = 0;
    scene_randomize(s, 1);
    for (int k = 0; k < STEPS; k++) {
        draw_controls(s, 0, k, s->u);
        scene_require(s, "step", tac_step(s->sim, s->x, s->u, s->x, NULL));
        hash = tac_hash(s->x, (size_t)s->nx * sizeof(double), hash);
    }
    return hash;
}

static uint64_t hash_batch(Scene *s, int threads) {
    size_t nx = (size_t)s->nx, nu = (size_t)s->nu;
    double *X = scene_doubles(WORLDS * nx), *U = scene_doubles(WORLDS * nu), *Y = scene_doubles(WORLDS * nx);
    for (size_t w = 0; w < WORLDS; w++) {
        scene_randomize(s, w);
        memcpy(X + w * nx, s->x, nx * sizeof(double));
    }
    uint64_t hash = 0;
    for (int k = 0; k < STEPS; k++) {
        for (size_t w = 0; w < WORLDS; w++)
            draw_controls(s, w, k, U + w * nu);
        scene_require(s, "batch step", tac_batch_step(s->model, &s->options, WORLDS, X, U, Y, threads));
        memcpy(X, Y, WORLDS * nx * sizeof(double));
        hash = tac_hash(X, WORLDS * nx * sizeof(double), hash);
    }
    free(X), free(U), free(Y);
    return hash;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        Scene s = scene_load(argv[i]);
        printf("{\"model\":\"%s\",\"steps\":\"%016llx\",\"batch1\":\"%016llx\",\"batch2\":\"%016llx\"}\n", argv[i],
               (unsigned long long)hash_steps(&s), (unsigned long long)hash_batch(&s, 1),
               (unsigned long long)hash_batch(&s, 2));
        scene_free(&s);
    }
    return 0;
}
