/* evidence_adaptive_accuracy MODEL...: the error of a motion in contact against the tolerance, 1e-4 to 1e-11,
 * integrator tsit5, beside the same motion at the finest. A JSON line for each model:
 *   {"model":path, "events":n, "in_contact":steps, "steps":n, "endless":n, "errors":[e, ...], "slope":s}
 * endless: starts that are left out, as their onsets have no end (TAC_ERR_EVENTS). slope: of log(error) over
 * log(tolerance), least squares; the errors are means over STARTS starts (of their logarithms), as one error has a sign
 * and may pass through zero. */
#include "adaptive_scene.h"
#include "measure/draw_contact.h"
#include "measure/step_column.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOLERANCES = 8, STARTS = 8, SEED = 23 };
#define COARSEST 1e-4
#define FINEST   1e-14
#define OUTER    0.1 /* s */
#define SPAN     0.1
#define LEAST    1e-15

typedef struct Accuracy {
    Scene s;
    double *start, *truth, *d;
    double log_error[TOLERANCES];
    long events;
    int steps, in_contact, endless;
} Accuracy;

static double tolerance_at(int k) { return COARSEST * pow(10, -k); }

/* -> root mean square distance of s.x from the truth */
static double distance_of(Accuracy *a) {
    const tacModel *m = a->s.model;
    int ndx = tac_ndx(m);
    double sum = 0;
    measure_state_difference(m, a->s.x, a->truth, a->d);
    for (int i = 0; i < ndx; i++) {
        double e = i < m->nv ? a->d[i] : a->d[i] - a->truth[m->nq + i - m->nv];
        sum += e * e;
    }
    return sqrt(sum / ndx);
}

static void move_at(Accuracy *a, double tolerance, AdaptiveReport *report) {
    adaptive_set_tolerance(&a->s, tolerance);
    memcpy(a->s.x, a->start, (size_t)a->s.nx * sizeof(double));
    scene_require(&a->s, "motion", adaptive_move(&a->s, (int)lround(SPAN / OUTER), report));
}

/* 0: the start is left out. */
static int run_start(Accuracy *a, uint64_t number) {
    AdaptiveReport r = adaptive_report();
    tacStepInfo info;
    adaptive_set_tolerance(&a->s, 1e-8);
    measure_draw_contact_state(a->s.sim, a->s.model, &a->s.options, SEED, number, a->start, a->s.u);
    tacStatus status = tac_step(a->s.sim, a->start, a->s.u, a->s.y, &info);
    if (status == TAC_ERR_EVENTS) return 0;
    scene_require(&a->s, "first step", status);
    a->steps++;
    a->in_contact += info.contacts > 0;
    move_at(a, FINEST, &r);
    a->events += r.events;
    memcpy(a->truth, a->s.x, (size_t)a->s.nx * sizeof(double));
    for (int k = 0; k < TOLERANCES; k++) {
        move_at(a, tolerance_at(k), NULL);
        a->log_error[k] += log10(fmax(distance_of(a), LEAST)) / STARTS;
    }
    return 1;
}

/* Of y over 0, -1, -2, ... */
static double slope_of(int n, const double *y) {
    double mean_x = -(n - 1) / 2.0, mean_y = 0, xy = 0, xx = 0;
    for (int k = 0; k < n; k++)
        mean_y += y[k] / n;
    for (int k = 0; k < n; k++) {
        xy += (-k - mean_x) * (y[k] - mean_y);
        xx += (-k - mean_x) * (-k - mean_x);
    }
    return xy / xx;
}

static void run_model(const char *path) {
    Accuracy a = {.s = adaptive_scene_load(path, TAC_INTEGRATOR_TSIT5, OUTER, 1e-8)};
    a.s.options.inner_max = 1 << 20;
    size_t nx = (size_t)a.s.nx;
    a.start = scene_doubles(nx);
    a.truth = scene_doubles(nx);
    a.d = scene_doubles((size_t)tac_ndx(a.s.model));
    for (uint64_t k = 0; a.steps < STARTS && a.endless < STARTS; k++)
        a.endless += !run_start(&a, k);
    printf("{\"model\":\"%s\",\"events\":%ld,\"in_contact\":%d,\"steps\":%d,\"endless\":%d,\"errors\":[", path,
           a.events, a.in_contact, a.steps, a.endless);
    for (int k = 0; k < TOLERANCES; k++)
        printf("%s%.2e", k == 0 ? "" : ",", pow(10, a.log_error[k]));
    printf("]");
    scene_print(0, "slope", slope_of(TOLERANCES, a.log_error));
    printf("}\n");
    fflush(stdout);
    free(a.start);
    free(a.truth);
    free(a.d);
    scene_free(&a.s);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        run_model(argv[i]);
    return 0;
}
