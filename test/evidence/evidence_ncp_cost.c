/* What steps of contact ncp cost, and how many are not solved: figures of an ablation (tools/ablate.py).
 *
 *   evidence_ncp_cost random FIRST LAST STEPS    random models of these seeds
 *   evidence_ncp_cost robots SEED STEPS FILE...  robots from their first keyframe, at each of TIME_STEPS
 *
 * Both under random controls. One JSON line:
 *   {"steps":n, "in_contact":n, "unsolved":n, "failed":n, "iterations":mean, "most":n, "microseconds":mean} */
#include "scene.h"

#include "measure/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOLD = 10, CONTROLS = 11 /* the first random stream */ };
static const double TIME_STEPS[] = {1e-4, 1e-3, 5e-3, 2e-2, 5e-2};
enum { NTIME = sizeof TIME_STEPS / sizeof *TIME_STEPS };

typedef struct Totals {
    long steps, in_contact, unsolved, failed, iterations;
    int most;
    double seconds;
} Totals;

/* One motion of the scene from its state; ends at a step that fails. */
static void walk(Scene *s, uint64_t seed, int steps, Totals *t) {
    tacStepInfo info;
    for (int k = 0; k < steps; k++) {
        for (int i = 0; i < s->model->nu; i++)
            s->u[i] = scene_control(s, CONTROLS + seed, (uint64_t)(k / HOLD), i);
        double before = bench_now();
        tacStatus status = tac_step(s->sim, s->x, s->u, s->y, &info);
        t->seconds += bench_now() - before;
        t->steps++;
        t->in_contact += info.contacts > 0;
        t->unsolved += status == TAC_ERR_UNSOLVED;
        t->iterations += info.iterations;
        if (info.iterations > t->most) t->most = info.iterations;
        if (status != TAC_OK && status != TAC_ERR_UNSOLVED) {
            t->failed++;
            return;
        }
        memcpy(s->x, s->y, (size_t)s->nx * sizeof *s->x);
    }
}

static void walk_random(uint64_t seed, int steps, Totals *t) {
    char path[] = "/tmp/tactus_cost_XXXXXX", *text = tac_random_model(seed);
    int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (text == NULL || file == NULL || fputs(text, file) < 0 || fclose(file) != 0) exit(2);
    free(text);
    Scene s = scene_load(path);
    if (scene_set_contact(&s, TAC_CONTACT_MODEL_NCP, NULL) == TAC_OK) {
        scene_randomize(&s, 0);
        walk(&s, 0, steps, t);
    }
    scene_free(&s);
    unlink(path);
}

static void walk_robot(const char *file, double dt, uint64_t seed, int steps, Totals *t) {
    tacModel *model;
    tacError err;
    if (tac_load(file, &model, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(2);
    }
    tacOptions options = tac_default_options(model);
    options.contact = TAC_CONTACT_MODEL_NCP;
    options.integrator = TAC_INTEGRATOR_EULER;
    options.dt = dt;
    Scene s = scene_with(file, model, &options);
    if (tac_key_state(model, &options, 0, s.x, s.u, NULL) != TAC_OK) tac_default_state(model, s.x);
    walk(&s, seed, steps, t);
    scene_free(&s);
}

static void print(const Totals *t) {
    double steps = t->steps > 0 ? (double)t->steps : 1;
    printf("{\"steps\":%ld,\"in_contact\":%ld,\"unsolved\":%ld,\"failed\":%ld,\"iterations\":%.4f,\"most\":%d,"
           "\"microseconds\":%.2f}\n",
           t->steps, t->in_contact, t->unsolved, t->failed, (double)t->iterations / steps, t->most,
           1e6 * t->seconds / steps);
}

int main(int argc, char **argv) {
    Totals t = {0};
    if (argc == 5 && strcmp(argv[1], "random") == 0) {
        for (long seed = atol(argv[2]); seed <= atol(argv[3]); seed++)
            walk_random((uint64_t)seed, atoi(argv[4]), &t);
    } else if (argc > 4 && strcmp(argv[1], "robots") == 0) {
        for (int f = 4; f < argc; f++)
            for (int k = 0; k < NTIME; k++)
                walk_robot(argv[f], TIME_STEPS[k], (uint64_t)atol(argv[2]), atoi(argv[3]), &t);
    } else {
        fprintf(stderr, "usage: evidence_ncp_cost random FIRST LAST STEPS | robots SEED STEPS FILE...\n");
        return 2;
    }
    print(&t);
    return 0;
}
