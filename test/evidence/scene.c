#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Spread of random positions: radians, metres. */
static const double POSITION_SPREAD = 0.5;

static void stop(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

void scene_require(const Scene *s, const char *what, tacStatus status) {
    if (status == TAC_OK) return;
    fprintf(stderr, "%s: %s: %s\n", s->path, what, tac_status_text(status));
    exit(1);
}

double *scene_doubles(size_t n) {
    double *numbers = calloc(n + 1, sizeof *numbers);
    if (numbers == NULL) stop("scene", "out of memory");
    return numbers;
}

Scene scene_with(const char *path, tacModel *model, const tacOptions *options) {
    tacError err;
    Scene s = {.path = path, .model = model, .options = *options};
    if (tac_sim_new(model, &s.options, &s.sim, &err) != TAC_OK) stop(path, err.text);
    s.nx = tac_nx(model);
    s.nu = tac_ninput(model, &s.options);
    s.x = scene_doubles((size_t)s.nx);
    s.y = scene_doubles((size_t)s.nx);
    s.u = scene_doubles((size_t)s.nu);
    tac_default_state(model, s.x);
    tac_default_input(model, &s.options, s.u);
    return s;
}

Scene scene_make(const char *path, tacModel *model) {
    tacOptions options = tac_default_options(model);
    options.contact = TAC_CONTACT_MODEL_NONE;
    options.integrator = TAC_INTEGRATOR_EULER;
    return scene_with(path, model, &options);
}

Scene scene_load(const char *path) {
    tacError err;
    tacModel *model = NULL;
    if (tac_load(path, &model, &err) != TAC_OK) stop(path, err.text);
    return scene_make(path, model);
}

void scene_free(Scene *s) {
    free(s->x);
    free(s->y);
    free(s->u);
    tac_sim_free(s->sim);
    tac_model_free(s->model);
}

tacContactModel scene_contact_named(const char *word) {
    static const struct {
        const char *word;
        tacContactModel contact;
    } known[] = {{"lcp", TAC_CONTACT_MODEL_LCP}, {"ncp", TAC_CONTACT_MODEL_NCP}, {"soft", TAC_CONTACT_MODEL_SOFT}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(word, known[i].word) == 0) return known[i].contact;
    stop(word, "no contact model is called so; lcp, ncp or soft");
    return TAC_CONTACT_MODEL_NONE;
}

tacStatus scene_set_contact(Scene *s, tacContactModel contact, tacError *err) {
    tac_sim_free(s->sim);
    s->sim = NULL;
    s->options.contact = contact;
    return tac_sim_new(s->model, &s->options, &s->sim, err);
}

double scene_control(const Scene *s, uint64_t stream, uint64_t k, int i) {
    const double *range = s->model->actuator_ctrlrange + 2 * i;
    double r = tac_random_uniform(stream, k, (uint64_t)i);
    return s->model->actuator_ctrllimited[i] ? range[0] + (range[1] - range[0]) * r : 2 * r - 1;
}

static double symmetric(uint64_t stream, uint64_t k, int i) {
    return 2 * tac_random_uniform(k, stream, (uint64_t)i) - 1;
}

void scene_randomize(Scene *s, uint64_t k) {
    const tacModel *m = s->model;
    double *v = s->x + m->nq, *act = v + m->nv;
    double *step = scene_doubles((size_t)m->nv);
    for (int i = 0; i < m->nv; i++) {
        step[i] = POSITION_SPREAD * symmetric(0, k, i);
        v[i] = symmetric(1, k, i);
    }
    tac_default_state(m, s->x);
    tac_qpos_add(m, s->x, step, s->x);
    for (int i = 0; i < m->nv; i++)
        v[i] = symmetric(1, k, i);
    for (int i = 0; i < m->na; i++)
        act[i] = fabs(symmetric(2, k, i));
    for (int i = 0; i < m->nu; i++) {
        const double *range = m->actuator_ctrlrange + 2 * i;
        s->u[i] = symmetric(3, k, i);
        if (m->actuator_ctrllimited[i]) s->u[i] = fmax(range[0], fmin(range[1], s->u[i]));
    }
    free(step);
}

void scene_print(int first, const char *key, double value) {
    printf("%s\"%s\":", first ? "" : ",", key);
    if (isfinite(value))
        printf("%.3g", value);
    else
        printf("null");
}
