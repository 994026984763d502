/* Each file: load, save packed, load again to the same hash, then a thousand steps without a number that is not finite.
 * One JSON line per file. With --time, instead: milliseconds of loading each file, median of many. */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 1000, REPEATS = 51 };

static uint64_t reload_hash(const Scene *s, const char *scratch) {
    tacError err;
    tacModel *again = NULL;
    if (tac_save(s->model, scratch, &err) != TAC_OK || tac_load(scratch, &again, &err) != TAC_OK) {
        fprintf(stderr, "%s: %s\n", s->path, err.text);
        return 0;
    }
    uint64_t hash = tac_model_hash(again);
    tac_model_free(again);
    return hash;
}

/* Steps done before something broke. */
static int steps_done(Scene *s) {
    for (int k = 0; k < STEPS; k++) {
        for (int i = 0; i < s->model->nu; i++)
            s->u[i] = 0.1 * (2 * tac_random_uniform(5, (uint64_t)k, (uint64_t)i) - 1);
        if (tac_step(s->sim, s->x, s->u, s->x, NULL) != TAC_OK) return k;
        for (int i = 0; i < s->nx; i++)
            if (!isfinite(s->x[i])) return k;
    }
    return STEPS;
}

static int try_file(const char *path, const char *scratch) {
    Scene s = scene_load(path);
    uint64_t hash = tac_model_hash(s.model), again = reload_hash(&s, scratch);
    int steps = steps_done(&s);
    printf("{\"file\":\"%s\",\"same_hash\":%s,\"steps\":%d,\"nv\":%d}\n", path, hash == again ? "true" : "false", steps,
           s.model->nv);
    scene_free(&s);
    return hash == again && steps == STEPS ? 0 : 1;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int time_file(const char *path) {
    double seconds[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
        tacError err;
        tacModel *model = NULL;
        double start = now();
        if (tac_load(path, &model, &err) != TAC_OK) return fprintf(stderr, "%s\n", err.text), 2;
        seconds[i] = now() - start;
        tac_model_free(model);
    }
    qsort(seconds, REPEATS, sizeof *seconds, by_size);
    printf("{\"file\":\"%s\",\"ms\":%.4f}\n", path, 1e3 * seconds[REPEATS / 2]);
    return 0;
}

int main(int argc, char **argv) {
    int code = 0;
    if (argc < 3) return fprintf(stderr, "usage: %s --time FILE... | SCRATCH FILE...\n", argv[0]), 2;
    int timing = strcmp(argv[1], "--time") == 0;
    for (int i = 2; i < argc; i++)
        if ((timing ? time_file(argv[i]) : try_file(argv[i], argv[1])) != 0) code = 1;
    return code;
}
