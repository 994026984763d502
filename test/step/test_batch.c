/* Many worlds: the same bits for any number of threads. */
#include "dynamics/robots.h"
#include "support/check.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WORLDS = 64, STEPS = 100 };

static uint64_t hash_of(const double *x, int n) { return tac_hash(x, (size_t)n * sizeof *x, 0); }

static void rollouts_have_the_same_bits(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NONE;
    int nx = tac_nx(m), row = (STEPS + 1) * nx;
    double *X = robot_array(WORLDS * row), *U = robot_array(WORLDS * STEPS * m->nu);
    uint64_t first = 0;
    robot_random(WORLDS * STEPS * m->nu, U, 0.5, 12);
    for (int threads = 1; threads <= 5; threads++) {
        memset(X, 0, (size_t)(WORLDS * row) * sizeof *X);
        for (int i = 0; i < WORLDS; i++)
            robot_state(m, X + i * row, (uint64_t)i);
        CHECK_INT(tac_batch_rollout(m, &o, WORLDS, STEPS, X, U, threads), TAC_OK);
        uint64_t hash = hash_of(X, WORLDS * row);
        if (threads == 1) first = hash;
        CHECK(hash == first);
    }
    /* and they are what single simulations give */
    tacSim *sim;
    double *single = robot_array(row);
    CHECK_INT(tac_sim_new(m, &o, &sim, NULL), TAC_OK);
    for (int i = 0; i < WORLDS; i += 21) {
        CHECK_INT(tac_rollout(sim, X + i * row, U + i * STEPS * m->nu, STEPS, single, NULL), TAC_OK);
        CHECK(memcmp(single, X + i * row, (size_t)row * sizeof *X) == 0);
    }
    tac_sim_free(sim);
    free(single), free(X), free(U);
    tac_model_free(m);
}

/* A world that fails leaves its output alone, does not stop the others, and is the one reported if it is the first. */
static void failing_world(void **state) {
    (void)state;
    tacModel *m = robot_pendulum();
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NONE;
    double X[10] = {0.1, 0, 0.2, 0, nan(""), 0, 0.4, 0, 0.5, 0}, Y[10];
    for (int threads = 1; threads <= 3; threads++) {
        for (int i = 0; i < 10; i++)
            Y[i] = 7;
        CHECK_INT(tac_batch_step(m, &o, 5, X, NULL, Y, threads), TAC_ERR_NONFINITE);
        CHECK_NEAR(Y[4], 7, 0);
        CHECK_NEAR(Y[5], 7, 0);
        for (int i = 0; i < 10; i++)
            if (i != 4 && i != 5) CHECK(Y[i] != 7);
    }
    tac_model_free(m);
}

/* Derivatives of steps and rollouts: what single simulations give, on any number of threads. */
static void derivatives_have_the_same_bits(void **state) {
    (void)state;
    enum { FEW = 7, SHORT = 12 };
    tacModel *m = robot_creature();
    CHECK_INT(tac_param_register(m, "body/#2.mass", NULL, NULL), TAC_OK);
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NONE;
    o.integrator = TAC_INTEGRATOR_IMPLICIT;
    int nx = tac_nx(m), ndx = tac_ndx(m), nu = m->nu, steps = SHORT * nu;
    double *X = robot_array(FEW * nx), *U = robot_array(FEW * steps), *bar = robot_array(FEW * ndx);
    double *A = robot_array(FEW * ndx * ndx), *B = robot_array(FEW * ndx * nu), *P = robot_array(FEW * ndx);
    double *Y = robot_array(FEW * nx), *gx = robot_array(FEW * ndx), *gu = robot_array(FEW * steps),
           *gt = robot_array(FEW);
    uint64_t first[3] = {0};
    for (int i = 0; i < FEW; i++)
        robot_state(m, X + i * nx, (uint64_t)i);
    robot_random(FEW * steps, U, 0.5, 12);
    robot_random(FEW * ndx, bar, 1, 13);
    tacTrajectory path = {.n = SHORT, .x0 = X, .U = U, .xbar = bar};
    for (int threads = 1; threads <= 4; threads++) {
        uint64_t hash[3];
        CHECK_INT(tac_batch_step_jac(m, &o, FEW, X, U, Y, &(tacJac){A, B, P}, threads), TAC_OK);
        hash[0] =
            hash_of(A, FEW * ndx * ndx) ^ hash_of(B, FEW * ndx * nu) ^ hash_of(P, FEW * ndx) ^ hash_of(Y, FEW * nx);
        CHECK_INT(tac_batch_step_vjp(m, &o, FEW, X, U, bar, &(tacGrad){gx, gu, gt}, threads), TAC_OK);
        hash[1] = hash_of(gx, FEW * ndx) ^ hash_of(gu, FEW * nu) ^ hash_of(gt, FEW);
        CHECK_INT(tac_batch_rollout_vjp(m, &o, FEW, &path, threads, &(tacGrad){gx, gu, gt}, threads), TAC_OK);
        hash[2] = hash_of(gx, FEW * ndx) ^ hash_of(gu, FEW * steps) ^ hash_of(gt, FEW);
        for (int k = 0; k < 3; k++) {
            if (threads == 1) first[k] = hash[k];
            CHECK(hash[k] == first[k]);
        }
    }
    tacSim *sim;
    int last = FEW - 1;
    double *a = robot_array(ndx * ndx), *x = robot_array(ndx), *u = robot_array(steps), theta;
    size_t bytes = tac_rollout_vjp_bytes(m, SHORT, 3);
    void *memory = aligned_alloc(64, bytes);
    CHECK_INT(tac_sim_new(m, &o, &sim, NULL), TAC_OK);
    CHECK_INT(tac_step_jac(sim, X + last * nx, U + last * nu, NULL, &(tacJac){a, NULL, NULL}, NULL), TAC_OK);
    CHECK(memcmp(a, A + last * ndx * ndx, (size_t)(ndx * ndx) * sizeof *a) == 0);
    path = (tacTrajectory){.n = SHORT, .x0 = X + last * nx, .U = U + last * steps, .xbar = bar + last * ndx};
    CHECK_INT(tac_rollout_vjp(sim, &path, &(tacCheckpoints){3, memory, bytes}, &(tacGrad){x, u, &theta}, NULL), TAC_OK);
    CHECK(memcmp(x, gx + last * ndx, (size_t)ndx * sizeof *x) == 0);
    CHECK(memcmp(u, gu + last * steps, (size_t)steps * sizeof *u) == 0);
    CHECK(theta == gt[last] && theta != 0);
    double *all[] = {X, U, bar, A, B, P, Y, gx, gu, gt, a, x, u};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(memory);
    tac_sim_free(sim);
    tac_model_free(m);
}

static void bad_arguments(void **state) {
    (void)state;
    tacModel *m = robot_pendulum();
    tacOptions o = tac_default_options(m), empty = {0};
    o.contact = TAC_CONTACT_MODEL_NONE;
    double X[2] = {0}, Y[4];
    CHECK_INT(tac_batch_step(NULL, &o, 1, X, NULL, Y, 1), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_batch_step(m, &o, -1, X, NULL, Y, 1), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_batch_step(m, &o, 1, X, NULL, Y, 0), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_batch_step(m, &o, 1, NULL, NULL, Y, 1), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_batch_step(m, &o, 1, X, NULL, NULL, 1), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_batch_step(m, &empty, 1, X, NULL, Y, 1), TAC_ERR_OPTIONS);
    CHECK_INT(tac_batch_step(m, &o, 0, NULL, NULL, NULL, 1), TAC_OK);
    CHECK_INT(tac_batch_rollout(m, &o, 1, -1, Y, NULL, 1), TAC_ERR_ARGUMENT);
    tacJac jac = {0};
    tacGrad grad = {0};
    tacTrajectory path = {.n = 1, .x0 = X};
    CHECK_INT(tac_batch_step_jac(m, &o, 1, X, NULL, Y, NULL, 1), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_batch_step_jac(m, &o, 1, NULL, NULL, Y, &jac, 1), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_batch_step_jac(m, &o, 1, X, NULL, NULL, &jac, 1), TAC_OK);
    CHECK_INT(tac_batch_step_vjp(m, &o, 1, X, NULL, NULL, &grad, 1), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_batch_step_vjp(m, &o, 1, X, NULL, Y, NULL, 1), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_batch_rollout_vjp(m, &o, 1, NULL, 1, &grad, 1), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_batch_rollout_vjp(m, &o, 1, &path, -1, &grad, 1), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_batch_rollout_vjp(m, &o, 1, &path, 1, &grad, 1), TAC_OK);
    path.x0 = NULL;
    CHECK_INT(tac_batch_rollout_vjp(m, &o, 1, &path, 1, &grad, 1), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_batch_rollout_vjp(m, &o, 0, &path, 1, &grad, 1), TAC_OK);
    o.inputs = TAC_INPUT_QFRC; /* now there are inputs, and they are missing */
    CHECK_INT(tac_batch_step(m, &o, 1, X, NULL, Y, 1), TAC_ERR_ARGUMENT);
    tac_model_free(m);
}

/* Its states, and whether it came back. */
typedef struct Cancelled {
    const tacModel *m;
    double *X;
    int back;
} Cancelled;

enum { FEW_WORLDS = 8, SOME_STEPS = 50 };

static void *run_cancelled(void *data) {
    Cancelled *c = data;
    tacOptions o = tac_default_options(c->m);
    double *U = robot_array(FEW_WORLDS * SOME_STEPS * c->m->nu);
    o.contact = TAC_CONTACT_MODEL_NONE;
    pthread_cancel(pthread_self());
    tac_batch_rollout(c->m, &o, FEW_WORLDS, SOME_STEPS, c->X, U, 4);
    c->back = 1;
    free(U);
    pthread_testcancel();
    return NULL;
}

/* A thread that is cancelled in a batch ends it first: workers write what it owns. */
static void cancelled_threads_end_their_batch(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    int nx = tac_nx(m), all = FEW_WORLDS * (SOME_STEPS + 1) * nx;
    Cancelled c = {m, robot_array(all), 0};
    for (int i = 0; i < all; i++)
        c.X[i] = (double)NAN;
    for (int i = 0; i < FEW_WORLDS; i++)
        robot_state(m, c.X + i * (SOME_STEPS + 1) * nx, (uint64_t)i);
    pthread_t thread;
    void *result = NULL;
    CHECK_INT(pthread_create(&thread, NULL, run_cancelled, &c), 0);
    CHECK_INT(pthread_join(thread, &result), 0);
    CHECK(result == PTHREAD_CANCELED);
    CHECK(c.back);
    for (int i = 0; i < all; i++)
        CHECK(isfinite(c.X[i]));
    free(c.X);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rollouts_have_the_same_bits),
        cmocka_unit_test(derivatives_have_the_same_bits),
        cmocka_unit_test(failing_world),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(cancelled_threads_end_their_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
