#include "experiments/toss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIFFERENCE 1e-3 /* m/s: of MuJoCo's motions */
/* Inner steps of a step: methods of low order take many at fine tolerances. */
enum { MOST_INNER = 1 << 24 };
/* Entries of a free body's velocity, and of its place. */
enum { ASIDE = 1, UP = 2, SCENE_NAME = 32 };

static void scene_name(const char *body, char name[SCENE_NAME]) { snprintf(name, SCENE_NAME, "toss_%s", body); }

int toss_open(tacFindings *found, const char *body, const TossSetting *setting, Toss *t) {
    char name[SCENE_NAME];
    *t = (Toss){.steps = (int)lround(TOSS_SPAN / setting->dt)};
    scene_name(body, name);
    int result = scene_load(found, name, &t->scene);
    if (result != EXPERIMENT_GO_ON) return result;
    tacOptions *o = &t->scene.options;
    o->contact = TAC_CONTACT_MODEL_SOFT;
    o->integrator = setting->integrator;
    o->inputs = 0;
    o->dt = setting->dt;
    o->rtol = o->atol = setting->tolerance;
    o->event_max = setting->event_max;
    o->inner_max = MOST_INNER;
    result = scene_start(found, &t->scene);
    if (result != EXPERIMENT_GO_ON) return result;
    size_t ndx = (size_t)t->scene.ndx;
    t->states = calloc(2 * (size_t)t->scene.nx, sizeof(double));
    t->move = calloc(ndx, sizeof(double));
    t->moved = calloc(2 * ndx, sizeof(double));
    if (t->states != NULL && t->move != NULL && t->moved != NULL) return EXPERIMENT_GO_ON;
    toss_close(t);
    return experiment_fail(found, "out of memory");
}

void toss_close(Toss *t) {
    free(t->states);
    free(t->move);
    free(t->moved);
    scene_close(&t->scene);
    *t = (Toss){0};
}

static void start_at(Toss *t, double speed) {
    const tacModel *m = t->scene.model;
    tac_default_state(m, t->scene.x);
    t->scene.x[m->nq + ASIDE] = TOSS_ASIDE;
    t->scene.x[m->nq + UP] = speed;
    memset(t->move, 0, (size_t)t->scene.ndx * sizeof(double));
    t->move[m->nv + UP] = 1;
}

static void note_step(const tacStepInfo *info, TossResult *r) {
    r->graze_margin = fmin(r->graze_margin, info->graze_margin);
    r->ties += info->ties;
    r->switches += info->switches;
    r->events += info->events;
    r->inner += info->inner_accepted + info->inner_rejected;
}

/* The next state, and dx <- A dx. */
static tacStatus push_forward(Toss *t, tacStepInfo *info) {
    tacScene *s = &t->scene;
    const tacTangent along = {.x = t->move};
    tacStatus status = tac_rollout_jvp(s->sim, s->x, s->u, 1, &along, t->states, t->moved, info);
    if (status != TAC_OK) return status;
    memcpy(s->y, t->states + s->nx, (size_t)s->nx * sizeof(double));
    memcpy(t->move, t->moved + s->ndx, (size_t)s->ndx * sizeof(double));
    return TAC_OK;
}

static tacStatus move_on(Toss *t, double speed, int with_slope, TossResult *r) {
    tacScene *s = &t->scene;
    *r = (TossResult){.graze_margin = HUGE_VAL};
    start_at(t, speed);
    for (int k = 0; k < t->steps; k++) {
        tacStepInfo info;
        tacStatus status = with_slope ? push_forward(t, &info) : tac_step(s->sim, s->x, s->u, s->y, &info);
        if (status != TAC_OK) return status;
        note_step(&info, r);
        memcpy(s->x, s->y, (size_t)s->nx * sizeof(double));
    }
    r->loss = s->x[ASIDE];
    r->slope = t->move[ASIDE];
    return TAC_OK;
}

tacStatus toss_throw(Toss *t, double speed, TossResult *r) { return move_on(t, speed, 0, r); }

tacStatus toss_slope(Toss *t, double speed, TossResult *r) { return move_on(t, speed, 1, r); }

/* --- In MuJoCo --------------------------------------------------------------------------------------------------- */

tacMujoco *toss_peer(tacFindings *found, const char *body, Toss *t, char *reason, size_t size) {
    char path[SCENE_PATH], name[SCENE_NAME];
    scene_name(body, name);
    snprintf(reason, size, "there is no scene %s", name);
    if (scene_file(found, name, path) != EXPERIMENT_GO_ON) return NULL;
    tacMujoco *peer = measure_mujoco_open(path, t->scene.model, TOSS_SPAN, 1, reason, size);
    unlink(path);
    return peer;
}

double toss_in_mujoco(tacMujoco *peer, Toss *t, tacMujocoIntegrator integrator, int n, double speed, TossResult *r) {
    const double shift[] = {0, DIFFERENCE, -DIFFERENCE};
    double loss[3], seconds[3];
    for (int i = 0; i < 3; i++) {
        start_at(t, speed + shift[i]);
        seconds[i] = measure_mujoco_run(peer, integrator, TOSS_SPAN / n, t->scene.x, n, t->scene.y);
        loss[i] = t->scene.y[ASIDE];
    }
    *r = (TossResult){.loss = loss[0], .slope = (loss[1] - loss[2]) / (2 * DIFFERENCE), .inner = n};
    return seconds[1] + seconds[2];
}
