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
    int nstate, at; /* states that calls start from, and the next one's number */
    double contacts;
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

static int open_model(tacMujoco *peer, const char *path, const tacModel *m, double dt, int constraints, char *reason,
                      size_t size) {
    peer->model = peer->call.load(path, NULL, reason, (int)size);
    if (peer->model == NULL) return 0;
    if (peer->model->nq != m->nq || peer->model->nv != m->nv || peer->model->nu != m->nu || peer->model->na != m->na)
        return refuse(peer, reason, size, "MuJoCo has other sizes for this file");
    if (!constraints) peer->model->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT;
    peer->model->opt.integrator = mjINT_EULER;
    peer->model->opt.timestep = dt;
    peer->model->nsensor = 0;
    peer->data = peer->call.make_data(peer->model);
    size_t ndx = (size_t)tac_ndx(m), nu = (size_t)m->nu;
    peer->ctrl = calloc(nu + 1, sizeof(double));
    peer->A = calloc(ndx * ndx + 1, sizeof(double)), peer->B = calloc(ndx * nu + 1, sizeof(double));
    if (peer->data == NULL || peer->ctrl == NULL || peer->A == NULL || peer->B == NULL)
        return refuse(peer, reason, size, "out of memory");
    return 1;
}

tacMujoco *cli_mujoco_open(const char *path, const tacModel *model, double dt, int constraints, char *reason,
                           size_t size) {
    tacMujoco *peer = calloc(1, sizeof *peer);
    if (peer == NULL) return NULL;
    if (open_library(peer, reason, size) && open_model(peer, path, model, dt, constraints, reason, size)) return peer;
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

/* Numbers of a state. */
static size_t state_size(const tacMujoco *peer) {
    return (size_t)(peer->model->nq + peer->model->nv + peer->model->na);
}

static void put_state(tacMujoco *peer, const double *x) {
    const mjModel *m = peer->model;
    memcpy(peer->data->qpos, x, (size_t)m->nq * sizeof *x);
    memcpy(peer->data->qvel, x + m->nq, (size_t)m->nv * sizeof *x);
    memcpy(peer->data->act, x + m->nq + m->nv, (size_t)m->na * sizeof *x);
    memcpy(peer->data->ctrl, peer->ctrl, (size_t)m->nu * sizeof *x);
}

static void get_state(const tacMujoco *peer, double *x) {
    const mjModel *m = peer->model;
    memcpy(x, peer->data->qpos, (size_t)m->nq * sizeof *x);
    memcpy(x + m->nq, peer->data->qvel, (size_t)m->nv * sizeof *x);
    memcpy(x + m->nq + m->nv, peer->data->act, (size_t)m->na * sizeof *x);
}

/* The next of the states; what MuJoCo keeps to start its solver from is left alone. */
static void restore(tacMujoco *peer) {
    put_state(peer, peer->x + (size_t)peer->at * state_size(peer));
    peer->at = (peer->at + 1) % peer->nstate;
}

int cli_mujoco_move(tacMujoco *peer, const double *x, const double *ctrl, int skipped, int n) {
    free(peer->x);
    peer->x = calloc((size_t)n * state_size(peer) + 1, sizeof(double));
    if (peer->x == NULL) return 0;
    memcpy(peer->ctrl, ctrl, (size_t)peer->model->nu * sizeof *ctrl);
    put_state(peer, x);
    peer->nstate = n, peer->at = 0, peer->contacts = 0;
    for (int k = -skipped; k < n; k++) {
        if (k >= 0) get_state(peer, peer->x + (size_t)k * state_size(peer));
        if (skipped == 0 && n == 1) break;
        peer->call.step(peer->model, peer->data);
        if (k >= 0) peer->contacts += (double)peer->data->ncon / n;
    }
    return 1;
}

int cli_mujoco_set(tacMujoco *peer, const double *x, const double *ctrl) {
    return cli_mujoco_move(peer, x, ctrl, 0, 1);
}

double cli_mujoco_contacts(const tacMujoco *peer) { return peer->contacts; }

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

tacMujoco *cli_mujoco_open(const char *path, const tacModel *model, double dt, int constraints, char *reason,
                           size_t size) {
    (void)path, (void)model, (void)dt, (void)constraints;
    snprintf(reason, size, "compiled without MuJoCo's headers");
    return NULL;
}

void cli_mujoco_close(tacMujoco *peer) { (void)peer; }
const char *cli_mujoco_version(const tacMujoco *peer) { return (void)peer, ""; }
int cli_mujoco_set(tacMujoco *peer, const double *x, const double *ctrl) { return (void)peer, (void)x, (void)ctrl, 0; }
int cli_mujoco_move(tacMujoco *peer, const double *x, const double *ctrl, int skipped, int n) {
    return (void)peer, (void)x, (void)ctrl, (void)skipped, (void)n, 0;
}
double cli_mujoco_contacts(const tacMujoco *peer) { return (void)peer, 0; }
void cli_mujoco_step(void *peer) { (void)peer; }
void cli_mujoco_differences(void *peer) { (void)peer; }
void cli_mujoco_result(const tacMujoco *peer, double *qpos, double *qvel) { (void)peer, (void)qpos, (void)qvel; }
#endif
