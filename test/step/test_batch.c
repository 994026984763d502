/* Many worlds: the same bits for any number of threads. */
#include "dynamics/robots.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORLDS = 64, STEPS = 100 };

static uint64_t hash_of(const double *x, int n) { return tac_hash(x, (size_t)n * sizeof *x, 0); }

static void rollouts_have_the_same_bits(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    tacOptions o = tac_default_options(m);
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

static void bad_arguments(void **state) {
    (void)state;
    tacModel *m = robot_pendulum();
    tacOptions o = tac_default_options(m), empty = {0};
    double X[2] = {0}, Y[4];
    CHECK_INT(tac_batch_step(NULL, &o, 1, X, NULL, Y, 1), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_batch_step(m, &o, -1, X, NULL, Y, 1), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_batch_step(m, &o, 1, X, NULL, Y, 0), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_batch_step(m, &o, 1, NULL, NULL, Y, 1), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_batch_step(m, &o, 1, X, NULL, NULL, 1), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_batch_step(m, &empty, 1, X, NULL, Y, 1), TAC_ERR_OPTIONS);
    CHECK_INT(tac_batch_step(m, &o, 0, NULL, NULL, NULL, 1), TAC_OK);
    CHECK_INT(tac_batch_rollout(m, &o, 1, -1, Y, NULL, 1), TAC_ERR_ARGUMENT);
    o.inputs = TAC_INPUT_QFRC; /* now there are inputs, and they are missing */
    CHECK_INT(tac_batch_step(m, &o, 1, X, NULL, Y, 1), TAC_ERR_ARGUMENT);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rollouts_have_the_same_bits),
        cmocka_unit_test(failing_world),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
