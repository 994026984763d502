/* evidence_adaptive_random FIRST LAST: random models of these seeds through 200 outer steps at tolerance 1e-6, contact
 * soft, tsit5, under random controls, each twice: step by step on this thread, with allocations counted, and as the
 * first of two worlds on two threads. One JSON document:
 *   {"models":n, "steps":n, "in_contact":n, "events":n, "inner":n, "nonfinite":n, "above":n, "failed":n, "changed":n,
 *    "allocations":n, "counted":n, "differing":n, "worst_estimate":e, "bits":hash, "cases":[...]}
 * above: steps that say OK with an error estimate above 1. failed: steps with a status; changed: of them, those that
 * did not leave the caller's state as it was. bits: of all states. */
#include "adaptive_scene.h"
#include "count_allocations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 200, WORLDS = 2, HOLD = 10, CONTROLS = 17, MOST_CASES = 40 };
#define TOL 1e-6

typedef struct Totals {
    long models, steps, in_contact, events, inner, nonfinite, above, failed, changed, allocations, differing;
    double worst_estimate;
    uint64_t bits;
    int ncase;
    char text[MOST_CASES][192];
} Totals;

static void note(Totals *t, uint64_t seed, const char *what, int step, double figure) {
    if (t->ncase >= MOST_CASES) return;
    snprintf(t->text[t->ncase++], sizeof t->text[0], "{\"seed\":%llu,\"what\":\"%s\",\"step\":%d,\"figure\":%.3g}",
             (unsigned long long)seed, what, step, isfinite(figure) ? figure : -1);
}

static void draw_controls(const Scene *s, uint64_t world, double *U) {
    for (int k = 0; k < STEPS; k++)
        for (int i = 0; i < s->model->nu; i++)
            U[(size_t)k * (size_t)s->nu + (size_t)i] = scene_control(s, CONTROLS + world, (uint64_t)(k / HOLD), i);
}

static int is_finite(int n, const double *x) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

/* 1: there is a next state */
static int judge_step(const Scene *s, uint64_t seed, int k, const double *y, const tacStepInfo *info, Totals *t) {
    t->steps++;
    t->in_contact += info->contacts > 0;
    t->events += info->events;
    t->inner += info->inner_accepted + info->inner_rejected;
    if (info->status != TAC_OK) {
        t->failed++;
        t->changed += !isnan(y[0]);
        note(t, seed, tac_status_text(info->status), k, info->stop_time);
        return 0;
    }
    if (!is_finite(s->nx, y)) {
        t->nonfinite++;
        note(t, seed, "not finite", k, 0);
    }
    if (!(info->error_estimate <= 1)) {
        t->above++;
        note(t, seed, "estimate above 1", k, info->error_estimate);
    }
    t->worst_estimate = worse(t->worst_estimate, info->error_estimate);
    return is_finite(s->nx, y);
}

/* X: STEPS + 1 states -> steps done */
static int walk(Scene *s, uint64_t seed, const double *U, double *X, Totals *t) {
    tacStepInfo info;
    for (int k = 0; k < STEPS; k++) {
        const double *x = X + (size_t)k * (size_t)s->nx, *u = U + (size_t)k * (size_t)s->nu;
        double *y = X + (size_t)(k + 1) * (size_t)s->nx;
        y[0] = (double)NAN; /* a step that fails leaves it */
        long before = counted_allocations();
        tac_step(s->sim, x, u, y, &info);
        t->allocations += counted_allocations() - before;
        if (!judge_step(s, seed, k, y, &info, t)) return k;
    }
    return STEPS;
}

static void run_seed(uint64_t seed, Totals *t) {
    char *text = tac_random_model(seed);
    if (text == NULL) exit(2);
    Scene s = adaptive_scene("random model", adaptive_model(text), TAC_INTEGRATOR_TSIT5, 0, TOL);
    free(text);
    size_t nx = (size_t)s.nx, row = (STEPS + 1) * nx, inputs = STEPS * (size_t)s.nu;
    double *one = scene_doubles(row), *two = scene_doubles(WORLDS * row), *U = scene_doubles(WORLDS * inputs);
    for (size_t w = WORLDS; w-- > 0;) { /* ends with the first world in s.x */
        draw_controls(&s, w, U + w * inputs);
        scene_randomize(&s, w);
        memcpy(two + w * row, s.x, nx * sizeof(double));
    }
    memcpy(one, s.x, nx * sizeof(double));
    size_t done = (size_t)walk(&s, seed, U, one, t) + 1;
    tac_batch_rollout(s.model, &s.options, WORLDS, STEPS, two, U, WORLDS);
    if (memcmp(one, two, done * nx * sizeof(double)) != 0) {
        t->differing++;
        note(t, seed, "threads differ", 0, 0);
    }
    t->bits = tac_hash(one, done * nx * sizeof(double), t->bits);
    t->models++;
    free(one);
    free(two);
    free(U);
    scene_free(&s);
}

int main(int argc, char **argv) {
    if (argc != 3) return fprintf(stderr, "usage: %s FIRST LAST\n", argv[0]), 2;
    static Totals t;
    uint64_t first = strtoull(argv[1], NULL, 10), last = strtoull(argv[2], NULL, 10);
    for (uint64_t seed = first; seed <= last; seed++)
        run_seed(seed, &t);
    printf("{\"models\":%ld,\"steps\":%ld,\"in_contact\":%ld,\"events\":%ld,\"inner\":%ld,\"nonfinite\":%ld,"
           "\"above\":%ld,\"failed\":%ld,\"changed\":%ld,\"allocations\":%ld,\"counted\":%ld,\"differing\":%ld",
           t.models, t.steps, t.in_contact, t.events, t.inner, t.nonfinite, t.above, t.failed, t.changed, t.allocations,
           counted_allocations(), t.differing);
    scene_print(0, "worst_estimate", t.worst_estimate);
    printf(",\"bits\":\"%016llx\",\"cases\":[", (unsigned long long)t.bits);
    for (int i = 0; i < t.ncase; i++)
        printf("%s%s", i == 0 ? "" : ",", t.text[i]);
    printf("]}\n");
    return t.nonfinite + t.above + t.changed + t.allocations + t.differing > 0;
}
