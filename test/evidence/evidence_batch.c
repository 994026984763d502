/* evidence_batch overhead|worlds
 *
 * A batch that stays beside single simulations, one JSON line a case.
 *
 *   overhead  thread CPU time of run_step on one thread over a loop of tac_step, and CPU time of all threads over one;
 *             interleaved medians; what was allocated and which threads were started meanwhile
 *   worlds    worlds whose status, info, theta or bits are not those of a simulation of its own; 1 of 256 has a NaN */
#define _POSIX_C_SOURCE 200809L
#include "count_allocations.h"
#include "tactus/io.h"
#include "tactus/tactus.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORLDS = 256, SETTLE = 40, ROUNDS = 15, BATCH_NS = 4000000 };

static atomic_int started;

int __real_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *x);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *x);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *x) {
    atomic_fetch_add(&started, 1);
    return __real_pthread_create(t, a, f, x);
}

/* A robot with its contact model, and states of a motion: world i begins at state i. */
typedef struct Case {
    const char *name;
    tacContactModel contact;
    tacModel *m;
    tacOptions options;
    tacSim *sim;
    size_t nx, nu;
    double *X, *U, *Y;
} Case;

static void stop(const char *what) {
    fprintf(stderr, "evidence_batch: %s\n", what);
    exit(2);
}

static double *doubles(size_t n) {
    double *out = calloc(n + 1, sizeof *out);
    if (out == NULL) stop("out of memory");
    return out;
}

static Case open_case(const char *name, tacContactModel contact, const char *param) {
    Case c = {.name = name, .contact = contact};
    char path[256];
    tacError err;
    snprintf(path, sizeof path, "models/%s.xml", name);
    if (tac_load(path, &c.m, &err) != TAC_OK) stop(err.text);
    if (param != NULL && tac_param_register(c.m, param, NULL, &err) != TAC_OK) stop(err.text);
    c.options = tac_default_options(c.m);
    c.options.contact = contact;
    if (tac_sim_new(c.m, &c.options, &c.sim, &err) != TAC_OK) stop(err.text);
    c.nx = (size_t)tac_nx(c.m);
    c.nu = (size_t)c.m->nu;
    c.X = doubles(MOST_WORLDS * c.nx);
    c.Y = doubles(MOST_WORLDS * c.nx);
    c.U = doubles(MOST_WORLDS * c.nu);
    double *x = doubles(c.nx), *u = c.U;
    tac_default_state(c.m, x);
    if (c.m->nkey > 0) memcpy(x, c.m->key_qpos, (size_t)c.m->nq * sizeof *x);
    if (c.m->nkey > 0) memcpy(u, c.m->key_ctrl, c.nu * sizeof *u);
    for (int k = -SETTLE; k < MOST_WORLDS; k++) {
        if (tac_step(c.sim, x, u, c.Y, NULL) != TAC_OK) stop("a step fails");
        memcpy(x, c.Y, c.nx * sizeof *x);
        if (k < 0) continue;
        memcpy(c.X + (size_t)k * c.nx, x, c.nx * sizeof *x);
        memcpy(c.U + (size_t)k * c.nu, u, c.nu * sizeof *u);
    }
    free(x);
    return c;
}

static tacBatch *open_batch(const Case *c, int worlds, int threads, int own_params) {
    tacBatchOptions o = tac_default_batch_options();
    tacBatch *batch = NULL;
    tacError err;
    o.worlds = worlds;
    o.threads = threads;
    o.own_params = own_params;
    if (tac_batch_new(c->m, &c->options, &o, &batch, &err) != TAC_OK) stop(err.text);
    return batch;
}

/* --- Overhead ----------------------------------------------------------------------------------------------------- */

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* One side of a comparison: the batch, or NULL for a loop of steps. */
static void run_side(const Case *c, tacBatch *batch, int worlds) {
    if (batch != NULL) {
        if (tac_batch_run_step(batch, c->X, c->U, c->Y, NULL) != TAC_OK) stop("a world fails");
        return;
    }
    for (size_t i = 0; i < (size_t)worlds; i++)
        if (tac_step(c->sim, c->X + i * c->nx, c->U + i * c->nu, c->Y + i * c->nx, NULL) != TAC_OK)
            stop("a world fails");
}

static double time_side(const Case *c, tacBatch *batch, int worlds, int calls, clockid_t clock) {
    run_side(c, batch, worlds);
    double begin = now(clock);
    for (int k = 0; k < calls; k++)
        run_side(c, batch, worlds);
    return (now(clock) - begin) / calls;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median of the ratios of batch to other, in turn. */
static double ratio_of(const Case *c, tacBatch *batch, tacBatch *other, int worlds, clockid_t clock) {
    double ratio[ROUNDS], each = time_side(c, other, worlds, 3, clock);
    int calls = 1 + (int)(BATCH_NS / each);
    for (int k = 0; k < ROUNDS; k++) {
        double first = k % 2 ? time_side(c, batch, worlds, calls, clock) : 0;
        double base = time_side(c, other, worlds, calls, clock);
        ratio[k] = (k % 2 ? first : time_side(c, batch, worlds, calls, clock)) / base;
    }
    qsort(ratio, ROUNDS, sizeof *ratio, ascending);
    return ratio[ROUNDS / 2];
}

static void print_overhead(const Case *c, int worlds, int threads) {
    tacBatch *batch = open_batch(c, worlds, threads, 0), *one = threads > 1 ? open_batch(c, worlds, 1, 0) : NULL;
    long allocated = counted_allocations();
    int threads_before = started;
    double cpu = ratio_of(c, batch, one, worlds, threads > 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID);
    double wall = ratio_of(c, batch, one, worlds, CLOCK_MONOTONIC);
    printf("{\"model\":\"%s\",\"worlds\":%d,\"threads\":%d,\"cpu\":%.4f,\"wall\":%.4f,\"allocations\":%ld,\"started\":%"
           "d}\n",
           c->name, worlds, threads, cpu, wall, counted_allocations() - allocated, started - threads_before);
    tac_batch_free(batch);
    tac_batch_free(one);
}

static void overhead(void) {
    Case panda = open_case("panda", TAC_CONTACT_MODEL_SOFT, NULL);
    Case quadruped = open_case("quadruped", TAC_CONTACT_MODEL_LCP, NULL);
    Case humanoid = open_case("humanoid", TAC_CONTACT_MODEL_SOFT, NULL);
    const Case *cases[] = {&panda, &quadruped, &humanoid};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    for (int k = 0; k < 3; k++) {
        print_overhead(cases[k], 1, 1);
        print_overhead(cases[k], MOST_WORLDS, 1);
    }
    print_overhead(&panda, 16, cores > 1 ? (int)cores : 2);
    print_overhead(&panda, MOST_WORLDS, cores > 1 ? (int)cores : 2);
}

/* --- Worlds ------------------------------------------------------------------------------------------------------- */

/* 1: world i of the batch is what the simulation alone gives with its theta. */
static int is_as_alone(const Case *c, size_t i, const double *theta, tacStatus status, const tacStepInfo *told,
                       double *y) {
    tacStepInfo info;
    memcpy(y, c->Y + i * c->nx, c->nx * sizeof *y); /* a failure leaves it alone */
    if (tac_sim_set_params(c->sim, theta) != TAC_OK) stop("theta is refused");
    tacStatus alone = tac_step(c->sim, c->X + i * c->nx, c->U + i * c->nu, y, &info);
    return alone == status && info.status == told->status && info.bad_index == told->bad_index &&
           info.contacts == told->contacts && info.active_set == told->active_set &&
           memcmp(&info.residual, &told->residual, sizeof info.residual) == 0 &&
           memcmp(y, c->Y + i * c->nx, c->nx * sizeof *y) == 0;
}

static void worlds_of(const char *name, tacContactModel contact, const char *param, int threads) {
    static tacStepInfo info[MOST_WORLDS];
    static tacStatus status[MOST_WORLDS];
    Case c = open_case(name, contact, param);
    double value, *theta = doubles(MOST_WORLDS), *y = doubles(c.nx);
    int other = 0, failed = 0, untouched = 1;
    c.options.batch_info = info;
    tacBatch *batch = open_batch(&c, MOST_WORLDS, threads, 1);
    tac_sim_get_params(c.sim, &value);
    for (int i = 0; i < MOST_WORLDS; i++)
        theta[i] = value * (1 + 1e-3 * i);
    c.X[100 * c.nx + 2] = (double)NAN;
    for (size_t i = 0; i < MOST_WORLDS * c.nx; i++)
        c.Y[i] = 7;
    if (tac_batch_set_params(batch, theta) != TAC_OK) stop("theta is refused");
    tacStatus all = tac_batch_run_step(batch, c.X, c.U, c.Y, status);
    for (size_t i = 0; i < MOST_WORLDS; i++) {
        other += !is_as_alone(&c, i, theta + i, status[i], &info[i], y);
        failed += status[i] != TAC_OK;
    }
    for (size_t i = 0; i < c.nx; i++)
        untouched &= c.Y[100 * c.nx + i] == 7;
    printf("{\"model\":\"%s\",\"contact\":\"%s\",\"threads\":%d,\"worlds\":%d,\"other\":%d,\"failed\":%d,"
           "\"untouched\":%d,\"nonfinite\":%d}\n",
           name, tac_contact_text(contact), threads, MOST_WORLDS, other, failed, untouched,
           all == TAC_ERR_NONFINITE && status[100] == TAC_ERR_NONFINITE);
    tac_batch_free(batch);
    free(theta);
    free(y);
}

static void worlds(void) {
    for (int threads = 1; threads <= 4; threads += 3) {
        worlds_of("quadruped", TAC_CONTACT_MODEL_LCP, "body/trunk.mass", threads);
        worlds_of("quadruped", TAC_CONTACT_MODEL_NCP, "body/trunk.mass", threads);
        worlds_of("humanoid", TAC_CONTACT_MODEL_SOFT, "geom/ground.friction[0]", threads);
        worlds_of("panda", TAC_CONTACT_MODEL_NONE, "option.timestep", threads);
    }
}

int main(int argc, char **argv) {
    if (argc != 2) stop("expected overhead or worlds");
    if (strcmp(argv[1], "overhead") == 0)
        overhead();
    else
        worlds();
    return 0;
}
