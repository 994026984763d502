#include "cli/mujoco_peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<mujoco/mujoco.h>)
#include <dlfcn.h>
#include <mujoco/mujoco.h>

/* Step of MuJoCo's differences. */
#define EPSILON 1e-6

/* The functions we call, in the order of NAMES. */
typedef struct Calls {
    int (*version)(void);
    mjModel *(*load)(const char *, const mjVFS *, char *, int);
    mjData *(*make_data)(const mjModel *);
    void (*free_model)(mjModel *);
    void (*free_data)(mjData *);
    void (*step)(const mjModel *, mjData *);
    void (*differences)(const mjModel *, mjData *, mjtNum, mjtByte, mjtNum *, mjtNum *, mjtNum *, mjtNum *);
} Calls;
static const char *const NAMES[] = {"mj_version",    "mj_loadXML", "mj_makeData",     "mj_deleteModel",
                                    "mj_deleteData", "mj_step",    "mjd_transitionFD"};

struct tacMujoco {
    void *library;
    Calls call;
    mjModel *model;
    mjData *data;
    double *x, *ctrl, *A, *B;
    char version[32];
};

static void *find_library(void) {
    static const char *const names[] = {"libmujoco.so", "libmujoco.so.2.2.2", "libmujoco.dylib"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static int find_calls(void *library, Calls *call) {
    void *found[sizeof NAMES / sizeof *NAMES];
    _Static_assert(sizeof found == sizeof *call, "one name per function");
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        found[i] = dlsym(library, NAMES[i]);
        if (found[i] == NULL) return 0;
    }
    memcpy(call, found, sizeof *call);
    return 1;
}

static int refuse(tacMujoco *peer, char *reason, size_t size, const char *text) {
    (void)peer;
    snprintf(reason, size, "%s", text);
    return 0;
}

static int open_library(tacMujoco *peer, char *reason, size_t size) {
    peer->library = find_library();
    if (peer->library == NULL) return refuse(peer, reason, size, "MuJoCo is not installed");
    if (!find_calls(peer->library, &peer->call)) return refuse(peer, reason, size, "MuJoCo lacks a function we call");
    int version = peer->call.version();
    snprintf(peer->version, sizeof peer->version, "%d.%d.%d", version / 100, version / 10 % 10, version % 10);
    if (version != mjVERSION_HEADER) return refuse(peer, reason, size, "MuJoCo is another version than its headers");
    return 1;
}

static int open_model(tacMujoco *peer, const char *path, const tacModel *m, double dt, char *reason, size_t size) {
    peer->model = peer->call.load(path, NULL, reason, (int)size);
    if (peer->model == NULL) return 0;
    if (peer->model->nq != m->nq || peer->model->nv != m->nv || peer->model->nu != m->nu || peer->model->na != m->na)
        return refuse(peer, reason, size, "MuJoCo has other sizes for this file");
    peer->model->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT;
    peer->model->opt.integrator = mjINT_EULER;
    peer->model->opt.timestep = dt;
    peer->model->nsensor = 0;
    peer->data = peer->call.make_data(peer->model);
    size_t ndx = (size_t)tac_ndx(m), nu = (size_t)m->nu;
    peer->x = calloc((size_t)tac_nx(m) + 1, sizeof(double)), peer->ctrl = calloc(nu + 1, sizeof(double));
    peer->A = calloc(ndx * ndx + 1, sizeof(double)), peer->B = calloc(ndx * nu + 1, sizeof(double));
    if (peer->data == NULL || peer->x == NULL || peer->ctrl == NULL || peer->A == NULL || peer->B == NULL)
        return refuse(peer, reason, size, "out of memory");
    return 1;
}

tacMujoco *cli_mujoco_open(const char *path, const tacModel *model, double dt, char *reason, size_t size) {
    tacMujoco *peer = calloc(1, sizeof *peer);
    if (peer == NULL) return NULL;
    if (open_library(peer, reason, size) && open_model(peer, path, model, dt, reason, size)) return peer;
    cli_mujoco_close(peer);
    return NULL;
}

/* The library stays loaded: it is the same for all models, and it may keep threads of its own. */
void cli_mujoco_close(tacMujoco *peer) {
    if (peer == NULL) return;
    if (peer->data != NULL) peer->call.free_data(peer->data);
    if (peer->model != NULL) peer->call.free_model(peer->model);
    double *all[] = {peer->x, peer->ctrl, peer->A, peer->B};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(peer);
}

const char *cli_mujoco_version(const tacMujoco *peer) { return peer->version; }

static void restore(tacMujoco *peer) {
    const mjModel *m = peer->model;
    const double *x = peer->x;
    memcpy(peer->data->qpos, x, (size_t)m->nq * sizeof *x);
    memcpy(peer->data->qvel, x + m->nq, (size_t)m->nv * sizeof *x);
    memcpy(peer->data->act, x + m->nq + m->nv, (size_t)m->na * sizeof *x);
    memcpy(peer->data->ctrl, peer->ctrl, (size_t)m->nu * sizeof *x);
}

void cli_mujoco_set(tacMujoco *peer, const double *x, const double *ctrl) {
    const mjModel *m = peer->model;
    memcpy(peer->x, x, (size_t)(m->nq + m->nv + m->na) * sizeof *x);
    memcpy(peer->ctrl, ctrl, (size_t)m->nu * sizeof *x);
}

void cli_mujoco_step(void *context) {
    tacMujoco *peer = context;
    restore(peer);
    peer->call.step(peer->model, peer->data);
}

void cli_mujoco_differences(void *context) {
    tacMujoco *peer = context;
    restore(peer);
    peer->call.differences(peer->model, peer->data, EPSILON, 1, peer->A, peer->B, NULL, NULL);
}

void cli_mujoco_result(const tacMujoco *peer, double *qpos, double *qvel) {
    memcpy(qpos, peer->data->qpos, (size_t)peer->model->nq * sizeof *qpos);
    memcpy(qvel, peer->data->qvel, (size_t)peer->model->nv * sizeof *qvel);
}

#else /* compiled where MuJoCo's headers are not: its structs are unknown to us */

struct tacMujoco {
    int none;
};

tacMujoco *cli_mujoco_open(const char *path, const tacModel *model, double dt, char *reason, size_t size) {
    (void)path, (void)model, (void)dt;
    snprintf(reason, size, "compiled without MuJoCo's headers");
    return NULL;
}

void cli_mujoco_close(tacMujoco *peer) { (void)peer; }
const char *cli_mujoco_version(const tacMujoco *peer) { return (void)peer, ""; }
void cli_mujoco_set(tacMujoco *peer, const double *x, const double *ctrl) { (void)peer, (void)x, (void)ctrl; }
void cli_mujoco_step(void *peer) { (void)peer; }
void cli_mujoco_differences(void *peer) { (void)peer; }
void cli_mujoco_result(const tacMujoco *peer, double *qpos, double *qvel) { (void)peer, (void)qpos, (void)qvel; }
#endif
