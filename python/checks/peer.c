/* The same work as the package's, by C alone: what checks compare bits and times with. Loaded beside the package into
 * one process. Times are CPU time of the calling thread; batches: wall clock. */
#include "tactus/io.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PEER __attribute__((visibility("default")))

typedef struct Peer {
    tacModel *model;
    tacSim *sim;
    tacOptions options;
    int nx, ndx, ninput;
} Peer;

PEER void *peer_open(const char *path, const char *contact, const char *parameter);
PEER void peer_close(void *peer);
PEER uint64_t peer_hash(void *peer, int steps, const double *x0, const double *u);
PEER double peer_step_time(void *peer, const double *x, const double *u, double *y, int n);
PEER double peer_rollout_time(void *peer, int worlds, int threads, int steps, const double *x0, double *U, double *X);
PEER double peer_gradient_time(void *peer, int steps, const double *x0, const double *U, const double *Xbar);
PEER double peer_batch_gradient_time(void *peer, int worlds, int threads, const double *X, const double *U,
                                     const double *Ybar);

void *peer_open(const char *path, const char *contact, const char *parameter) {
    Peer *p = calloc(1, sizeof *p);
    if (p == NULL || tac_load(path, &p->model, NULL) != TAC_OK) return NULL;
    if (parameter != NULL) tac_param_register(p->model, parameter, NULL, NULL);
    p->options = tac_default_options(p->model);
    tac_option_set(&p->options, "contact", contact, NULL);
    if (tac_sim_new(p->model, &p->options, &p->sim, NULL) != TAC_OK) {
        peer_close(p);
        return NULL;
    }
    p->nx = tac_nx(p->model);
    p->ndx = tac_ndx(p->model);
    p->ninput = tac_ninput(p->model, &p->options);
    return p;
}

void peer_close(void *peer) {
    Peer *p = peer;
    tac_sim_free(p->sim);
    tac_model_free(p->model);
    free(p);
}

/* Hash of all states of a run, and of A, B, P at every hundredth; a step without a state ends it. */
uint64_t peer_hash(void *peer, int steps, const double *x0, const double *u) {
    Peer *p = peer;
    size_t ndx = (size_t)p->ndx, nx = (size_t)p->nx, np = (size_t)p->model->nparam, nu = (size_t)p->ninput;
    double *x = malloc(nx * sizeof *x), *a = malloc((ndx * (ndx + nu + np) + 1) * sizeof *a);
    tacJac jac = {a, a + ndx * ndx, a + ndx * (ndx + nu)};
    uint64_t hash = 0;
    memcpy(x, x0, nx * sizeof *x);
    for (int k = 0; k < steps; k++) {
        tacStatus status = k % 100 == 0 ? tac_step_jac(p->sim, x, u, x, &jac, NULL) : tac_step(p->sim, x, u, x, NULL);
        hash = tac_hash(&(int){(int)status}, sizeof(int), hash);
        if (status != TAC_OK && status != TAC_ERR_UNSOLVED && status != TAC_ERR_IMPACTS) break;
        hash = tac_hash(x, nx * sizeof *x, hash);
        if (k % 100 == 0) hash = tac_hash(a, ndx * (ndx + nu + np) * sizeof *a, hash);
    }
    free(x);
    free(a);
    return hash;
}

static double seconds(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double peer_step_time(void *peer, const double *x, const double *u, double *y, int n) {
    Peer *p = peer;
    tacStepInfo info;
    double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < n; i++)
        tac_step(p->sim, x, u, y, &info);
    return seconds(CLOCK_THREAD_CPUTIME_ID) - start;
}

static tacBatch *open_batch(const Peer *p, int worlds, int threads, int steps) {
    tacBatchOptions o = tac_default_batch_options();
    tacOptions options = p->options;
    tacBatch *batch = NULL;
    o.worlds = worlds, o.threads = threads, o.steps = steps;
    options.batch_info = calloc((size_t)worlds, sizeof(tacStepInfo)); /* as the package has them */
    return tac_batch_new(p->model, &options, &o, &batch, NULL) == TAC_OK ? batch : NULL;
}

/* X has room for all states. */
double peer_rollout_time(void *peer, int worlds, int threads, int steps, const double *x0, double *U, double *X) {
    Peer *p = peer;
    static tacBatch *batch;
    static Peer *of;
    if (of != p) batch = open_batch(p, worlds, threads, 0), of = p;
    size_t nx = (size_t)p->nx, rows = (size_t)steps + 1;
    double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < (size_t)worlds; i++)
        memcpy(X + i * rows * nx, x0 + i * nx, nx * sizeof *X);
    tac_batch_run_rollout(batch, steps, X, U, NULL);
    return seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
}

/* A rollout and its reverse mode with its states. */
double peer_gradient_time(void *peer, int steps, const double *x0, const double *U, const double *Xbar) {
    Peer *p = peer;
    size_t nx = (size_t)p->nx, n = (size_t)steps, bytes = tac_rollout_vjp_bytes(p->model, steps, 0);
    double *X = malloc((n + 1) * nx * sizeof *X), *g = malloc(((size_t)p->ndx + n * (size_t)p->ninput) * sizeof *g);
    tacCheckpoints memory = {0, aligned_alloc(64, (bytes + 63) / 64 * 64), bytes};
    tacTrajectory path = {steps, x0, U, X, Xbar, NULL};
    tacStepInfo info;
    double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    tac_rollout(p->sim, x0, U, steps, X, &info);
    tac_rollout_vjp(p->sim, &path, &memory, &(tacGrad){g, g + p->ndx, NULL}, &info);
    double time = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
    free(X);
    free(g);
    free(memory.memory);
    return time;
}

/* A step of many worlds and its reverse mode. */
double peer_batch_gradient_time(void *peer, int worlds, int threads, const double *X, const double *U,
                                const double *Ybar) {
    Peer *p = peer;
    static tacBatch *batch;
    static Peer *of;
    if (of != p) batch = open_batch(p, worlds, threads, 0), of = p;
    size_t n = (size_t)worlds;
    double *Y = malloc(n * (size_t)(p->nx + p->ndx + p->ninput) * sizeof *Y);
    tacGrad grad = {Y + n * (size_t)p->nx, Y + n * (size_t)(p->nx + p->ndx), NULL};
    double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    tac_batch_run_step(batch, X, U, Y, NULL);
    tac_batch_run_vjp(batch, X, U, Ybar, &grad, NULL);
    double time = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
    free(Y);
    return time;
}
