/* Batches that stay: each world gives what a simulation of its own gives, to the bit, with its own theta, status and
 * info; masks, policies, flags and forks. */
#include "dynamics/robots.h"
#include "evidence/count_allocations.h"
#include "support/check.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORLDS = 23, STEPS = 6, THREADS = 3 };

static atomic_int started;

int __real_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *x);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *x);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *x) {
    atomic_fetch_add(&started, 1);
    return __real_pthread_create(t, a, f, x);
}

/* A model with one parameter, its options, a batch, inputs of all worlds, and a simulation beside. */
typedef struct Many {
    tacModel *m;
    tacOptions options;
    tacBatchOptions own;
    tacBatch *batch;
    tacSim *sim;
    int nx, ndx, nu;
    double *X, *U, *Y, *one, *theta;
    tacStepInfo info[WORLDS];
    tacStatus status[WORLDS];
} Many;

static Many many_begin(int threads) {
    Many w = {.m = robot_creature()};
    CHECK_INT(tac_param_register(w.m, "body/#2.mass", NULL, NULL), TAC_OK);
    w.options = tac_default_options(w.m);
    w.options.contact = TAC_CONTACT_MODEL_NONE;
    w.own = tac_default_batch_options();
    w.own.worlds = WORLDS;
    w.own.threads = threads;
    w.own.steps = STEPS;
    w.nx = tac_nx(w.m);
    w.ndx = tac_ndx(w.m);
    w.nu = w.m->nu;
    int states = WORLDS * (STEPS + 1) * w.nx;
    w.X = robot_array(states);
    w.Y = robot_array(states);
    w.one = robot_array(WORLDS * w.ndx * w.ndx);
    w.U = robot_array(WORLDS * STEPS * w.nu);
    w.theta = robot_array(WORLDS);
    robot_random(WORLDS * STEPS * w.nu, w.U, 0.5, 12);
    for (int i = 0; i < WORLDS; i++)
        robot_state(w.m, w.X + i * w.nx, (uint64_t)i);
    for (int i = 0; i < WORLDS; i++)
        w.theta[i] = 1 + 0.1 * i;
    return w;
}

static void many_open(Many *w) {
    w->options.batch_info = w->info;
    CHECK_INT(tac_batch_new(w->m, &w->options, &w->own, &w->batch, NULL), TAC_OK);
    CHECK_INT(tac_sim_new(w->m, &w->options, &w->sim, NULL), TAC_OK);
}

static void many_end(Many *w) {
    double *all[] = {w->X, w->U, w->Y, w->one, w->theta};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    tac_batch_free(w->batch);
    tac_sim_free(w->sim);
    tac_model_free(w->m);
}

static int same(const double *a, const double *b, int n) { return memcmp(a, b, (size_t)n * sizeof *a) == 0; }

/* Steps, Jacobians and reverse mode of world i by the simulation beside. */
static void check_world(Many *w, int i, const double *A, const double *gx, const double *ybar) {
    int nx = w->nx, ndx = w->ndx, state = i != 4;
    double *y = robot_array(nx), *a = robot_array(ndx * ndx), *g = robot_array(ndx);
    const double *x = w->X + i * nx, *u = w->U + i * w->nu;
    tacStepInfo info;
    CHECK_INT(tac_sim_set_params(w->sim, w->theta + i), TAC_OK);
    CHECK_INT(tac_step_jac(w->sim, x, u, y, &(tacJac){a, NULL, NULL}, &info), w->status[i]);
    CHECK_INT(w->status[i], state ? TAC_OK : TAC_ERR_NONFINITE);
    CHECK(!state || (same(y, w->Y + i * nx, nx) && same(a, A + i * ndx * ndx, ndx * ndx)));
    CHECK_INT(tac_step_vjp(w->sim, x, u, ybar, &(tacGrad){g, NULL, NULL}, &info), w->info[i].status);
    CHECK_INT(info.bad_index, w->info[i].bad_index);
    CHECK(!state || same(g, gx + i * ndx, ndx));
    free(y);
    free(a);
    free(g);
}

/* One world has a NaN: the others are as they are alone, on any number of threads and with any chunk. */
static void worlds_are_simulations(void **state) {
    (void)state;
    for (int threads = 1; threads <= THREADS; threads++) {
        Many w = many_begin(threads);
        w.own.own_params = 1;
        w.own.chunk = threads - 1;
        many_open(&w);
        double *A = robot_array(WORLDS * w.ndx * w.ndx), *gx = robot_array(WORLDS * w.ndx);
        double *ybar = robot_array(WORLDS * w.ndx);
        for (int i = 0; i < WORLDS * w.ndx; i++)
            ybar[i] = 1 + i % w.ndx % 3;
        w.X[4 * w.nx + 1] = nan("");
        CHECK_INT(tac_batch_set_params(w.batch, w.theta), TAC_OK);
        CHECK_INT(tac_batch_run_step(w.batch, w.X, w.U, w.one, w.status), TAC_ERR_NONFINITE);
        CHECK_INT(tac_batch_run_jac(w.batch, w.X, w.U, w.Y, &(tacJac){A, NULL, NULL}, w.status), TAC_ERR_NONFINITE);
        for (int i = 0; i < WORLDS; i++)
            CHECK(i == 4 || same(w.one + i * w.nx, w.Y + i * w.nx, w.nx));
        CHECK_INT(tac_batch_run_vjp(w.batch, w.X, w.U, ybar, &(tacGrad){gx, NULL, NULL}, NULL), TAC_ERR_NONFINITE);
        for (int i = 0; i < WORLDS; i++)
            check_world(&w, i, A, gx, ybar);
        free(A);
        free(gx);
        free(ybar);
        many_end(&w);
    }
}

/* One theta for all; a value that is refused changes nothing. */
static void one_theta_for_all(void **state) {
    (void)state;
    Many w = many_begin(2);
    many_open(&w);
    double mass = 2.5, wrong = -1;
    CHECK_INT(tac_batch_set_params(w.batch, &mass), TAC_OK);
    CHECK(tac_batch_set_params(w.batch, &wrong) != TAC_OK);
    CHECK_INT(tac_batch_run_step(w.batch, w.X, w.U, w.Y, w.status), TAC_OK);
    CHECK_INT(tac_sim_set_params(w.sim, &mass), TAC_OK);
    for (int i = 0; i < WORLDS; i++) {
        CHECK_INT(tac_step(w.sim, w.X + i * w.nx, w.U + i * w.nu, w.one, NULL), TAC_OK);
        CHECK(same(w.one, w.Y + i * w.nx, w.nx));
    }
    many_end(&w);
}

/* With theta of its own, a world whose theta is refused says so, and no other does. */
static void refused_theta(void **state) {
    (void)state;
    Many w = many_begin(2);
    w.own.own_params = 1;
    many_open(&w);
    w.theta[7] = -1;
    CHECK_INT(tac_batch_set_params(w.batch, w.theta), TAC_OK);
    CHECK(tac_batch_run_step(w.batch, w.X, w.U, w.Y, w.status) != TAC_OK);
    for (int i = 0; i < WORLDS; i++)
        CHECK((w.status[i] == TAC_OK) == (i != 7));
    many_end(&w);
}

static void masked_worlds_keep_results(void **state) {
    (void)state;
    Many w = many_begin(2);
    unsigned char mask[WORLDS];
    many_open(&w);
    for (int i = 0; i < WORLDS; i++)
        mask[i] = i % 3 == 0;
    for (int i = 0; i < WORLDS * w.nx; i++)
        w.Y[i] = 7;
    CHECK_INT(tac_batch_active(w.batch, mask), TAC_OK);
    CHECK_INT(tac_batch_run_step(w.batch, w.X, w.U, w.Y, w.status), TAC_OK);
    for (int i = 0; i < WORLDS; i++)
        CHECK((w.Y[i * w.nx] == 7) == (i % 3 != 0) && w.status[i] == TAC_OK);
    CHECK_INT(tac_batch_active(w.batch, NULL), TAC_OK);
    CHECK_INT(tac_batch_run_step(w.batch, w.X, w.U, w.Y, NULL), TAC_OK);
    for (int i = 0; i < WORLDS; i++)
        CHECK(w.Y[i * w.nx] != 7);
    many_end(&w);
}

/* u = -q of some joint. */
static void turn_back(void *context, int world, int step, const double *x, double *u) {
    const Many *w = context;
    (void)step;
    for (int i = 0; i < w->nu; i++)
        u[i] = -x[7 + i] - 0.01 * world;
}

/* A policy's controls are in U, and U alone gives the same motion and its gradient. */
static void policies_drive_rollouts(void **state) {
    (void)state;
    Many w = many_begin(THREADS);
    many_open(&w);
    int row = (STEPS + 1) * w.nx, controls = STEPS * w.nu;
    double *start = robot_array(WORLDS * w.nx), *gu = robot_array(WORLDS * controls), *g = robot_array(controls);
    double *bar = robot_array(WORLDS * w.ndx), *again = robot_array(row);
    memcpy(start, w.X, (size_t)(WORLDS * w.nx) * sizeof *start);
    for (int i = 0; i < WORLDS; i++)
        memcpy(w.Y + i * row, start + i * w.nx, (size_t)w.nx * sizeof *start);
    robot_random(WORLDS * w.ndx, bar, 1, 3);
    CHECK_INT(tac_batch_set_policy(w.batch, turn_back, &w), TAC_OK);
    CHECK_INT(tac_batch_run_rollout(w.batch, STEPS, w.Y, w.U, w.status), TAC_OK);
    tacTrajectory path = {.n = STEPS, .x0 = start, .U = w.U, .xbar = bar};
    CHECK_INT(tac_batch_run_rollout_vjp(w.batch, &path, &(tacGrad){NULL, gu, NULL}, NULL), TAC_OK);
    size_t bytes = tac_rollout_vjp_bytes(w.m, STEPS, 0);
    void *memory = aligned_alloc(64, bytes);
    for (int i = 0; i < WORLDS; i++) {
        CHECK_INT(tac_rollout(w.sim, start + i * w.nx, w.U + i * controls, STEPS, again, NULL), TAC_OK);
        CHECK(same(again, w.Y + i * row, row));
        CHECK_NEAR(w.U[i * controls], -start[i * w.nx + 7] - 0.01 * i, 0);
        path = (tacTrajectory){STEPS, start + i * w.nx, w.U + i * controls, NULL, NULL, bar + i * w.ndx};
        CHECK_INT(tac_rollout_vjp(w.sim, &path, &(tacCheckpoints){0, memory, bytes}, &(tacGrad){NULL, g, NULL}, NULL),
                  TAC_OK);
        CHECK(same(g, gu + i * controls, controls) && g[0] != 0);
    }
    double *all[] = {start, gu, g, bar, again};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(memory);
    many_end(&w);
}

/* The flag ends a rollout between two steps and keeps further worlds from beginning. */
static int flag_of_policy;

static void stop_at_world_5(void *context, int world, int step, const double *x, double *u) {
    (void)context;
    (void)x;
    (void)u;
    if (world == 5 && step == 3) __atomic_store_n(&flag_of_policy, 1, __ATOMIC_RELAXED);
}

static void flag_stops(void **state) {
    (void)state;
    Many w = many_begin(1);
    int row = (STEPS + 1) * w.nx;
    w.own.stop = &flag_of_policy;
    many_open(&w);
    flag_of_policy = 0;
    for (int i = 0; i < WORLDS * row; i++)
        w.Y[i] = 7;
    for (int i = 0; i < WORLDS; i++)
        memcpy(w.Y + i * row, w.X + i * w.nx, (size_t)w.nx * sizeof *w.X);
    CHECK_INT(tac_batch_set_policy(w.batch, stop_at_world_5, NULL), TAC_OK);
    CHECK_INT(tac_batch_run_rollout(w.batch, STEPS, w.Y, w.U, w.status), TAC_ERR_STOPPED);
    CHECK_INT(tac_batch_run_step(w.batch, w.X, w.U, w.one, NULL), TAC_ERR_STOPPED);
    for (int i = 0; i < WORLDS; i++)
        CHECK_INT(w.status[i], i < 5 ? TAC_OK : TAC_ERR_STOPPED);
    CHECK(w.Y[5 * row + 4 * w.nx] != 7); /* the step whose controls were asked for was made */
    CHECK_NEAR(w.Y[5 * row + 5 * w.nx], 7, 0);
    CHECK_NEAR(w.Y[6 * row + w.nx], 7, 0);
    many_end(&w);
}

static void outputs_of_all(void **state) {
    (void)state;
    Many w = many_begin(2);
    many_open(&w);
    const tacOutput list[] = {{TAC_OUT_SUBTREE_COM, 0}};
    tacOutputs outputs = {1, list};
    double Z[3 * WORLDS], z[3];
    CHECK_INT(tac_outputs_size(w.m, &outputs), 3);
    CHECK_INT(tac_batch_run_outputs(w.batch, w.X, w.U, &outputs, Z, w.status), TAC_OK);
    for (int i = 0; i < WORLDS; i++) {
        CHECK_INT(tac_outputs(w.sim, w.X + i * w.nx, w.U + i * w.nu, &outputs, z), TAC_OK);
        CHECK(same(z, Z + 3 * i, 3));
    }
    many_end(&w);
}

/* Nothing is allocated and no thread is started after the batch is made. */
static void nothing_new_in_calls(void **state) {
    (void)state;
    Many w = many_begin(THREADS);
    w.own.own_params = 1;
    many_open(&w);
    long before = counted_allocations();
    int threads = started;
    for (int k = 0; k < 50; k++) {
        CHECK_INT(tac_batch_set_params(w.batch, w.theta), TAC_OK);
        CHECK_INT(tac_batch_run_step(w.batch, w.X, w.U, w.Y, w.status), TAC_OK);
        CHECK_INT(tac_batch_run_jac(w.batch, w.X, w.U, w.Y, &(tacJac){w.one, NULL, NULL}, NULL), TAC_OK);
    }
    CHECK(counted_allocations() == before);
    CHECK_INT(started, threads);
    CHECK(tac_batch_threads(w.batch) >= 1 && tac_batch_threads(w.batch) <= THREADS);
    many_end(&w);
}

/* A forked child has a pool of its own, and gives the same bits. The thread sanitizer allows no threads there. */
static void child_starts_its_pool(void **state) {
    (void)state;
#ifdef __SANITIZE_THREAD__
    print_message("not run: the thread sanitizer allows no threads after a fork\n");
    skip();
#endif
    Many w = many_begin(THREADS);
    many_open(&w);
    CHECK_INT(tac_batch_run_step(w.batch, w.X, w.U, w.Y, NULL), TAC_OK);
    pid_t child = fork();
    if (child == 0) {
        int good = tac_batch_run_step(w.batch, w.X, w.U, w.one, NULL) == TAC_OK && same(w.one, w.Y, WORLDS * w.nx);
        tac_batch_free(w.batch);
        _exit(good ? 0 : 1);
    }
    int result = -1;
    CHECK(child > 0 && waitpid(child, &result, 0) == child);
    CHECK(WIFEXITED(result) && WEXITSTATUS(result) == 0);
    CHECK_INT(tac_batch_run_step(w.batch, w.X, w.U, w.one, NULL), TAC_OK);
    many_end(&w);
}

static void options_are_checked(void **state) {
    (void)state;
    Many w = many_begin(1);
    tacError err;
    tacBatch *batch = NULL;
    const struct {
        size_t at;
        const char *name;
    } of[] = {{offsetof(tacBatchOptions, worlds), "worlds"},
              {offsetof(tacBatchOptions, threads), "threads"},
              {offsetof(tacBatchOptions, chunk), "chunk"},
              {offsetof(tacBatchOptions, steps), "steps"},
              {offsetof(tacBatchOptions, checkpoints), "checkpoints"}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        tacBatchOptions o = w.own;
        *(int *)(void *)((char *)&o + of[k].at) = -1;
        CHECK_INT(tac_batch_new(w.m, &w.options, &o, &batch, &err), TAC_ERR_ARGUMENT);
        CHECK_HAS(err.text, of[k].name);
    }
    tacBatchOptions unset = {.worlds = 1};
    CHECK_INT(tac_batch_new(w.m, &w.options, &unset, &batch, &err), TAC_ERR_OPTIONS);
    CHECK(batch == NULL);
    many_open(&w);
    tacTrajectory path = {.n = STEPS + 1, .x0 = w.X, .U = w.U};
    CHECK_INT(tac_batch_run_rollout_vjp(w.batch, &path, &(tacGrad){w.one, NULL, NULL}, NULL), TAC_ERR_ARGUMENT);
    many_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_are_simulations),  cmocka_unit_test(one_theta_for_all),
        cmocka_unit_test(refused_theta),           cmocka_unit_test(masked_worlds_keep_results),
        cmocka_unit_test(policies_drive_rollouts), cmocka_unit_test(flag_stops),
        cmocka_unit_test(outputs_of_all),          cmocka_unit_test(nothing_new_in_calls),
        cmocka_unit_test(child_starts_its_pool),   cmocka_unit_test(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
