/* Trajectories are repeated steps. */
#include "dynamics/robots.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 25 };

static void repeats_steps(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    tacSim *sim = robot_sim(m);
    int nx = tac_nx(m), nu = m->nu + m->nv + 6 * m->nbody;
    double *x0 = robot_array(nx), *U = robot_array(STEPS * nu), *X = robot_array((STEPS + 1) * nx),
           *x = robot_array(nx);
    tacStepInfo info;
    robot_state(m, x0, 1);
    robot_random(STEPS * nu, U, 0.1, 9);
    CHECK_INT(tac_rollout(sim, x0, U, STEPS, X, &info), TAC_OK);
    CHECK_INT(info.status, TAC_OK);
    memcpy(x, x0, (size_t)nx * sizeof *x);
    for (int k = 0; k <= STEPS; k++) {
        CHECK(memcmp(X + k * nx, x, (size_t)nx * sizeof *x) == 0);
        if (k < STEPS) CHECK_INT(tac_step(sim, x, U + k * nu, x, NULL), TAC_OK);
    }
    free(x0), free(U), free(X), free(x);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* The first failure ends it; what comes after is not touched. */
static void stops_at_failure(void **state) {
    (void)state;
    tacModel *m = robot_pendulum();
    tacSim *sim = robot_sim(m);
    int nu = 1 + 12;
    double x0[2] = {0.5, 0}, X[8] = {0}, U[3 * 13] = {0};
    tacStepInfo info;
    X[4] = 7;
    U[nu + 3] = nan("");
    CHECK_INT(tac_rollout(sim, x0, U, 3, X, &info), TAC_ERR_NONFINITE);
    CHECK_INT(info.bad_index, 2 + 3);
    CHECK(X[3] != 0);
    CHECK_NEAR(X[4], 7, 0);
    CHECK_INT(tac_rollout(sim, x0, U, -1, X, &info), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_rollout(NULL, x0, U, 1, X, &info), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_rollout(sim, x0, U, 1, NULL, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_rollout(sim, x0, U, 0, X, NULL), TAC_OK);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* The options' flag ends rollouts in both modes before their first step. */
static void stops_at_the_flag(void **state) {
    (void)state;
    tacModel *m = robot_pendulum();
    tacOptions o = tac_default_options(m);
    volatile int stop = 0;
    tacSim *sim = NULL;
    double x0[2] = {0.5, 0}, X[8], U[3] = {0}, xbar[2] = {1, 1}, gradient[2];
    o.contact = TAC_CONTACT_MODEL_NONE;
    o.stop = &stop;
    CHECK_INT(tac_sim_new(m, &o, &sim, NULL), TAC_OK);
    size_t bytes = tac_rollout_vjp_bytes(m, 3, 0);
    tacCheckpoints memory = {0, aligned_alloc(64, (bytes + 63) / 64 * 64), bytes};
    tacTrajectory path = {.n = 3, .x0 = x0, .U = U, .xbar = xbar};
    tacStepInfo info;
    CHECK_INT(tac_rollout_vjp(sim, &path, &memory, &(tacGrad){.x = gradient}, NULL), TAC_OK);
    stop = 1;
    CHECK_INT(tac_rollout(sim, x0, U, 3, X, &info), TAC_ERR_STOPPED);
    CHECK_INT(info.steps, 0);
    CHECK_INT(tac_rollout_vjp(sim, &path, &memory, &(tacGrad){.x = gradient}, NULL), TAC_ERR_STOPPED);
    free(memory.memory);
    tac_sim_free(sim);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_steps),
        cmocka_unit_test(stops_at_failure),
        cmocka_unit_test(stops_at_the_flag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
