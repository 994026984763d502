#include "experiments/scene.h"

#include "tactus/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *find_text(const char *name) {
    for (const tacSceneText *scene = SCENE_TEXTS; scene->name != NULL; scene++)
        if (strcmp(scene->name, name) == 0) return (const char *)scene->text;
    return NULL;
}

int scene_file(tacFindings *found, const char *name, char path[SCENE_PATH]) {
    const char *text = find_text(name);
    if (text == NULL) return experiment_fail(found, "there is no scene %s", name);
    snprintf(path, SCENE_PATH, "/tmp/tactus_scene_XXXXXX");
    int handle = mkstemp(path);
    FILE *file = handle >= 0 ? fdopen(handle, "w") : NULL;
    if (file == NULL) return experiment_fail(found, "%s: %s", path, strerror(errno));
    int written = fputs(text, file) >= 0;
    written = fclose(file) == 0 && written;
    if (written) return EXPERIMENT_GO_ON;
    unlink(path);
    return experiment_fail(found, "%s cannot be written", path);
}

/* The reader takes files. */
static int load(tacFindings *found, const char *name, tacModel **model) {
    char path[SCENE_PATH];
    tacError err;
    int result = scene_file(found, name, path);
    if (result != EXPERIMENT_GO_ON) return result;
    if (tac_load(path, model, &err) != TAC_OK) result = experiment_fail(found, "%s", err.text);
    unlink(path);
    return result;
}

static double *new_numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static int make_room(tacFindings *found, tacScene *s) {
    tacError err;
    if (tac_sim_new(s->model, &s->options, &s->sim, &err) != TAC_OK) return experiment_fail(found, "%s", err.text);
    s->nx = tac_nx(s->model);
    s->ndx = tac_ndx(s->model);
    s->nu = tac_ninput(s->model, &s->options);
    s->x = new_numbers(s->nx);
    s->u = new_numbers(s->nu);
    s->y = new_numbers(s->nx);
    if (s->x == NULL || s->u == NULL || s->y == NULL) return experiment_fail(found, "out of memory");
    tac_default_state(s->model, s->x);
    tac_default_input(s->model, &s->options, s->u);
    if (s->model->nkey > 0) {
        memcpy(s->x, s->model->key_qpos, (size_t)s->model->nq * sizeof(double));
        memcpy(s->x + s->model->nq, s->model->key_qvel, (size_t)s->model->nv * sizeof(double));
    }
    return EXPERIMENT_GO_ON;
}

int scene_load(tacFindings *found, const char *name, tacScene *scene) {
    *scene = (tacScene){0};
    int result = load(found, name, &scene->model);
    if (result != EXPERIMENT_GO_ON) return result;
    scene->options = tac_default_options(scene->model);
    scene->options.contact = TAC_CONTACT_MODEL_LCP;
    scene->options.inputs = TAC_INPUT_QFRC;
    return EXPERIMENT_GO_ON;
}

int scene_start(tacFindings *found, tacScene *scene) {
    int result = make_room(found, scene);
    if (result != EXPERIMENT_GO_ON) scene_close(scene);
    return result;
}

int scene_open(tacFindings *found, const char *name, tacScene *scene) {
    int result = scene_load(found, name, scene);
    return result == EXPERIMENT_GO_ON ? scene_start(found, scene) : result;
}

void scene_close(tacScene *scene) {
    tac_sim_free(scene->sim);
    tac_model_free(scene->model);
    free(scene->x);
    free(scene->u);
    free(scene->y);
    *scene = (tacScene){0};
}

tacStatus scene_move(tacScene *scene, int steps, tacStepInfo *info) {
    tacStatus first = TAC_OK;
    for (int k = 0; k < steps; k++) {
        tacStatus status = tac_step(scene->sim, scene->x, scene->u, scene->y, info);
        if (status != TAC_OK && status != TAC_ERR_UNSOLVED) return status;
        memcpy(scene->x, scene->y, (size_t)scene->nx * sizeof(double));
        if (first == TAC_OK) first = status;
    }
    return first;
}
