/* Golden bits: a thousand steps of our robots hash to pinned values, whatever compiler and optimization level built
 * them. A change of these numbers is a change of results: pin the new ones only when that was the intention. */
#include "dynamics/robots.h"
#include "support/check.h"
#include "tactus/io.h"

#include <stdlib.h>

enum { STEPS = 1000 };

/* Controls are uniform in (-CONTROL, CONTROL), drawn anew for each step. */
static const double CONTROL = 0.1;
static const uint64_t SEED = 17;

/* Hash of every state of the run, semi-implicit Euler from the default state. */
static uint64_t hash_of_run(const char *path) {
    tacModel *m = NULL;
    tacSim *sim = NULL;
    tacError err;
    uint64_t hash = 0;
    CHECK_INT(tac_load(path, &m, &err), TAC_OK);
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NONE;
    o.integrator = TAC_INTEGRATOR_EULER;
    CHECK_INT(tac_sim_new(m, &o, &sim, &err), TAC_OK);
    double *x = robot_array(tac_nx(m)), *u = robot_array(tac_ninput(m, &o));
    tac_default_state(m, x);
    tac_default_input(m, &o, u);
    for (int k = 0; k < STEPS; k++) {
        for (int i = 0; i < m->nu; i++)
            u[i] = CONTROL * (2 * tac_random_uniform(SEED, (uint64_t)k, (uint64_t)i) - 1);
        CHECK_INT(tac_step(sim, x, u, x, NULL), TAC_OK);
        hash = tac_hash(x, (size_t)tac_nx(m) * sizeof *x, hash);
    }
    free(x), free(u);
    tac_sim_free(sim);
    tac_model_free(m);
    return hash;
}

static void check_hash(const char *path, uint64_t golden) {
    uint64_t hash = hash_of_run(path);
    if (hash != golden)
        print_error("%s: hash %016llx, expected %016llx\n", path, (unsigned long long)hash, (unsigned long long)golden);
    CHECK(hash == golden);
}

static void humanoid(void **state) {
    (void)state;
    check_hash("models/humanoid.xml", 0x0360f1977dcde778);
}

static void quadruped(void **state) {
    (void)state;
    check_hash("models/quadruped.xml", 0x62e1368f5c5a7c20);
}

/* The hash sees the last bit of any number. */
static void hash_sees_one_bit(void **state) {
    (void)state;
    const double x[3] = {1, 2, 3}, y[3] = {1, 2 + 4.440892098500626e-16, 3};
    CHECK(tac_hash(x, sizeof x, 0) != tac_hash(y, sizeof y, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(humanoid),
        cmocka_unit_test(quadruped),
        cmocka_unit_test(hash_sees_one_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
