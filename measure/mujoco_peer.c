#include "measure/mujoco_peer.h"

#include "measure/memory.h"
#include "measure/mujoco_library.h"
#include "measure/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TAC_WITH_MUJOCO
/* Step of MuJoCo's differences. */
#define EPSILON 1e-6

struct tacMujoco {
    tacMujocoCalls call;
    mjModel *model;
    mjData *data;
    int nstate, at; /* states that calls start from, and the next one's number */
    double contacts;
    double *x, *ctrl, *A, *B;
    char version[TAC_MUJOCO_VERSION_TEXT];
};

static int open_model(tacMujoco *peer, const char *path, const tacModel *m, double dt, int constraints, char *reason,
                      size_t size) {
    peer->model = measure_mujoco_load(&peer->call, path, m, dt, reason, size);
    if (peer->model == NULL) return 0;
    if (!constraints) peer->model->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT;
    peer->data = peer->call.make_data(peer->model);
    size_t ndx = (size_t)tac_ndx(m), nu = (size_t)m->nu;
    peer->ctrl = calloc(nu + 1, sizeof(double));
    peer->A = calloc(ndx * ndx + 1, sizeof(double));
    peer->B = calloc(ndx * nu + 1, sizeof(double));
    int ok = peer->data != NULL && peer->ctrl != NULL && peer->A != NULL && peer->B != NULL;
    if (ok) return 1;
    measure_memory_ran_out();
    snprintf(reason, size, "out of memory");
    return 0;
}

tacMujoco *measure_mujoco_open(const char *path, const tacModel *model, double dt, int constraints, char *reason,
                               size_t size) {
    tacMujoco *peer = calloc(1, sizeof *peer);
    if (peer == NULL) measure_memory_ran_out();
    if (peer == NULL) return NULL;
    if (measure_mujoco_library(&peer->call, peer->version, reason, size) &&
        open_model(peer, path, model, dt, constraints, reason, size))
        return peer;
    measure_mujoco_close(peer);
    return NULL;
}

void measure_mujoco_close(tacMujoco *peer) {
    if (peer == NULL) return;
    if (peer->data != NULL) peer->call.free_data(peer->data);
    if (peer->model != NULL) peer->call.free_model(peer->model);
    double *all[] = {peer->x, peer->ctrl, peer->A, peer->B};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(peer);
}

const char *measure_mujoco_version(const tacMujoco *peer) { return peer->version; }

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

int measure_mujoco_move(tacMujoco *peer, const double *x, const double *ctrl, int skipped, int n) {
    free(peer->x);
    peer->x = calloc((size_t)n * state_size(peer) + 1, sizeof(double));
    if (peer->x == NULL) return 0;
    memcpy(peer->ctrl, ctrl, (size_t)peer->model->nu * sizeof *ctrl);
    put_state(peer, x);
    peer->nstate = n;
    peer->at = 0;
    peer->contacts = 0;
    for (int k = -skipped; k < n; k++) {
        if (k >= 0) get_state(peer, peer->x + (size_t)k * state_size(peer));
        if (skipped == 0 && n == 1) break;
        peer->call.step(peer->model, peer->data);
        if (k >= 0) peer->contacts += (double)peer->data->ncon / n;
    }
    return 1;
}

int measure_mujoco_set(tacMujoco *peer, const double *x, const double *ctrl) {
    return measure_mujoco_move(peer, x, ctrl, 0, 1);
}

double measure_mujoco_contacts(const tacMujoco *peer) { return peer->contacts; }

void measure_mujoco_step(void *context) {
    tacMujoco *peer = context;
    restore(peer);
    peer->call.step(peer->model, peer->data);
}

void measure_mujoco_forward(void *context) {
    tacMujoco *peer = context;
    restore(peer);
    peer->call.forward(peer->model, peer->data);
}

void measure_mujoco_differences(void *context) {
    tacMujoco *peer = context;
    restore(peer);
    peer->call.differences(peer->model, peer->data, EPSILON, 1, peer->A, peer->B, NULL, NULL);
}

double measure_mujoco_drive(tacMujoco *peer, const double *U, int n, int centred) {
    double start = bench_now();
    size_t nu = (size_t)peer->model->nu;
    for (int k = 0; k < n; k++) {
        memcpy(peer->data->ctrl, U + (size_t)k * nu, nu * sizeof *U);
        peer->call.differences(peer->model, peer->data, EPSILON, (mjtByte)centred, peer->A, peer->B, NULL, NULL);
        peer->call.step(peer->model, peer->data);
    }
    return bench_now() - start;
}

void measure_mujoco_use(tacMujoco *peer, tacMujocoIntegrator integrator) {
    static const int NUMBER[] = {[MEASURE_MUJOCO_EULER] = mjINT_EULER,
                                 [MEASURE_MUJOCO_RK4] = mjINT_RK4,
                                 [MEASURE_MUJOCO_IMPLICIT] = mjINT_IMPLICIT};
    peer->model->opt.integrator = NUMBER[integrator];
}

/* Solver tolerance of motions that are compared with error-controlled ones. */
static const double RUN_TOLERANCE = 1e-15;
enum { RUN_ITERATIONS = 100 };

double measure_mujoco_run(tacMujoco *peer, tacMujocoIntegrator integrator, double dt, const double *x, int n,
                          double *y) {
    double start = bench_now();
    mjOption *option = &peer->model->opt;
    measure_mujoco_use(peer, integrator);
    option->timestep = dt;
    option->tolerance = RUN_TOLERANCE;
    option->iterations = RUN_ITERATIONS;
    memset(peer->ctrl, 0, (size_t)peer->model->nu * sizeof(double));
    peer->call.reset(peer->model, peer->data);
    put_state(peer, x);
    for (int k = 0; k < n; k++)
        peer->call.step(peer->model, peer->data);
    get_state(peer, y);
    return bench_now() - start;
}

void measure_mujoco_result(const tacMujoco *peer, double *qpos, double *qvel) {
    memcpy(qpos, peer->data->qpos, (size_t)peer->model->nq * sizeof *qpos);
    memcpy(qvel, peer->data->qvel, (size_t)peer->model->nv * sizeof *qvel);
}

#else /* compiled where MuJoCo's headers are not: its structs are unknown to us */

struct tacMujoco {
    int none;
};

tacMujoco *measure_mujoco_open(const char *path, const tacModel *model, double dt, int constraints, char *reason,
                               size_t size) {
    (void)path;
    (void)model;
    (void)dt;
    (void)constraints;
    snprintf(reason, size, "compiled without MuJoCo's headers");
    return NULL;
}

void measure_mujoco_close(tacMujoco *peer) { (void)peer; }
const char *measure_mujoco_version(const tacMujoco *peer) {
    (void)peer;
    return "";
}
int measure_mujoco_set(tacMujoco *peer, const double *x, const double *ctrl) {
    (void)peer;
    (void)x;
    (void)ctrl;
    return 0;
}
int measure_mujoco_move(tacMujoco *peer, const double *x, const double *ctrl, int skipped, int n) {
    (void)peer;
    (void)x;
    (void)ctrl;
    (void)skipped;
    (void)n;
    return 0;
}
double measure_mujoco_contacts(const tacMujoco *peer) {
    (void)peer;
    return 0;
}
void measure_mujoco_step(void *peer) { (void)peer; }
void measure_mujoco_differences(void *peer) { (void)peer; }
void measure_mujoco_forward(void *peer) { (void)peer; }
void measure_mujoco_use(tacMujoco *peer, tacMujocoIntegrator integrator) {
    (void)peer;
    (void)integrator;
}
double measure_mujoco_drive(tacMujoco *peer, const double *U, int n, int centred) {
    (void)peer;
    (void)U;
    (void)n;
    (void)centred;
    return 0;
}
void measure_mujoco_result(const tacMujoco *peer, double *qpos, double *qvel) {
    (void)peer;
    (void)qpos;
    (void)qvel;
}
double measure_mujoco_run(tacMujoco *peer, tacMujocoIntegrator integrator, double dt, const double *x, int n,
                          double *y) {
    (void)peer;
    (void)integrator;
    (void)dt;
    (void)x;
    (void)n;
    (void)y;
    return 0;
}
#endif
