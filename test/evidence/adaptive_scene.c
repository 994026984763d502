#include "adaptive_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Scene adaptive_scene(const char *path, tacModel *model, tacIntegrator integrator, double dt, double tolerance) {
    tacOptions options = tac_default_options(model);
    options.contact = TAC_CONTACT_MODEL_SOFT;
    options.integrator = integrator;
    options.rtol = options.atol = tolerance;
    if (dt > 0) options.dt = dt;
    return scene_with(path, model, &options);
}

Scene adaptive_scene_load(const char *path, tacIntegrator integrator, double dt, double tolerance) {
    tacModel *model;
    tacError err;
    if (tac_load(path, &model, &err) == TAC_OK) return adaptive_scene(path, model, integrator, dt, tolerance);
    fprintf(stderr, "%s\n", err.text);
    exit(2);
}

tacModel *adaptive_model(const char *text) {
    char path[] = "/tmp/tactus_adaptive_XXXXXX";
    int handle = mkstemp(path);
    FILE *file = handle >= 0 ? fdopen(handle, "w") : NULL;
    tacModel *model = NULL;
    tacError err = {0};
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0 || tac_load(path, &model, &err) != TAC_OK) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        exit(2);
    }
    unlink(path);
    return model;
}

void adaptive_set_tolerance(Scene *s, double tolerance) {
    tacError err;
    tac_sim_free(s->sim);
    s->options.rtol = s->options.atol = tolerance;
    if (tac_sim_new(s->model, &s->options, &s->sim, &err) == TAC_OK) return;
    fprintf(stderr, "%s: %s\n", s->path, err.text);
    exit(2);
}

AdaptiveReport adaptive_report(void) { return (AdaptiveReport){.graze_margin = HUGE_VAL}; }

void adaptive_note(AdaptiveReport *r, const tacStepInfo *info) {
    if (r == NULL) return;
    r->graze_margin = fmin(r->graze_margin, info->graze_margin);
    r->error_estimate = worse(r->error_estimate, info->error_estimate);
    r->inner += info->inner_accepted;
    r->rejected += info->inner_rejected;
    r->events += info->events;
    r->ties += info->ties;
    r->switches += info->switches;
}

static void go_on(Scene *s, const tacStepInfo *info, AdaptiveReport *report) {
    adaptive_note(report, info);
    memcpy(s->x, s->y, (size_t)s->nx * sizeof(double));
}

tacStatus adaptive_move(Scene *s, int n, AdaptiveReport *report) {
    tacStatus status = TAC_OK;
    tacStepInfo info;
    for (int k = 0; k < n && status == TAC_OK; k++) {
        status = tac_step(s->sim, s->x, s->u, s->y, &info);
        if (status == TAC_OK) go_on(s, &info, report);
    }
    return status;
}

/* move <- A move */
static void multiply(int n, const double *A, double *move, double *next) {
    for (int i = 0; i < n; i++) {
        next[i] = 0;
        for (int k = 0; k < n; k++)
            next[i] += A[i * n + k] * move[k];
    }
    memcpy(move, next, (size_t)n * sizeof *move);
}

tacStatus adaptive_push(Scene *s, int n, double *move, double *largest, double *work, AdaptiveReport *report) {
    int ndx = tac_ndx(s->model);
    tacStatus status = TAC_OK;
    tacStepInfo info;
    if (largest != NULL) *largest = 1;
    for (int k = 0; k < n && status == TAC_OK; k++) {
        status = tac_step_jac(s->sim, s->x, s->u, s->y, &(tacJac){.A = work}, &info);
        if (status != TAC_OK) break;
        multiply(ndx, work, move, work + ndx * ndx);
        for (int i = 0; i < ndx && largest != NULL; i++)
            *largest = worse(*largest, fabs(move[i]));
        go_on(s, &info, report);
    }
    return status;
}
