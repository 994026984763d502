/* Creation of simulations, options, parameters. */
#include "dynamics/robots.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static tacStatus try_options(const tacModel *m, tacOptions options, tacError *err) {
    tacSim *sim = NULL;
    tacStatus status = tac_sim_new(m, &options, &sim, err);
    CHECK((status == TAC_OK) == (sim != NULL));
    tac_sim_free(sim);
    return status;
}

static void default_options(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    tacOptions o = tac_default_options(m);
    CHECK_INT(o.contact, TAC_CONTACT_MODEL_SOFT);
    CHECK_INT(o.integrator, TAC_INTEGRATOR_EULER);
    CHECK_NEAR(o.dt, *m->option_timestep, 0);
    CHECK_INT(o.inputs, 0);
    CHECK_INT(tac_nx(m), m->nq + m->nv + m->na);
    CHECK_INT(tac_ninput(m, &o), m->nu);
    o.inputs = TAC_INPUT_QFRC | TAC_INPUT_XFRC;
    CHECK_INT(tac_ninput(m, &o), m->nu + m->nv + 6 * m->nbody);
    tac_model_free(m);
}

static void refused_options(void **state) {
    (void)state;
    tacModel *m = robot_pendulum();
    tacError err;
    const double steps[] = {0, -0.01, nan(""), HUGE_VAL};
    tacOptions o = {.dt = 0.01};
    CHECK_INT(try_options(m, o, &err), TAC_ERR_OPTIONS);
    for (int i = 0; i < 4; i++) {
        o = tac_default_options(m);
        o.contact = TAC_CONTACT_MODEL_NONE;
        o.dt = steps[i];
        CHECK_INT(try_options(m, o, &err), TAC_ERR_ARGUMENT);
        CHECK_HAS(err.text, "dt");
    }
    o = tac_default_options(m);
    o.inputs = 1u << 20;
    CHECK_INT(try_options(m, o, &err), TAC_ERR_ARGUMENT);
    o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NCP, o.max_contacts = 2147483647;
    CHECK_INT(try_options(m, o, &err), TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "max_contacts");
    CHECK_INT(tac_sim_bytes(m, &o), 0);
    o = tac_default_options(m);
    o.contact = (tacContactModel)17;
    CHECK_INT(try_options(m, o, &err), TAC_ERR_ARGUMENT);
    o = tac_default_options(m);
    o.integrator = (tacIntegrator)-1;
    CHECK_INT(try_options(m, o, &err), TAC_ERR_ARGUMENT);
    for (int toi = -1; toi <= 2; toi++) {
        o = tac_default_options(m);
        o.contact = TAC_CONTACT_MODEL_LCP, o.toi = toi;
        CHECK_INT(try_options(m, o, &err), toi == 0 || toi == 1 ? TAC_OK : TAC_ERR_ARGUMENT);
        if (toi < 0 || toi > 1) CHECK_HAS(err.text, "toi");
    }
    o = tac_default_options(m);
    CHECK_INT(try_options(m, o, NULL), TAC_OK);
    tac_model_free(m);
}

/* lcp has Euler, ncp also what is implicit in velocity, the others have every integrator. */
static void contacts_and_integrators(void **state) {
    (void)state;
    tacModel *m = robot_pendulum();
    tacError err;
    for (int contact = TAC_CONTACT_MODEL_NONE; contact <= TAC_CONTACT_MODEL_SOFT; contact++)
        for (int integrator = TAC_INTEGRATOR_EULER; integrator <= TAC_INTEGRATOR_RKMK4; integrator++) {
            tacOptions o = tac_default_options(m);
            o.contact = (tacContactModel)contact, o.integrator = (tacIntegrator)integrator;
            int implicit = integrator == TAC_INTEGRATOR_IMPLICIT || integrator == TAC_INTEGRATOR_IMPLICITFAST;
            int lacks = integrator != TAC_INTEGRATOR_EULER &&
                        (contact == TAC_CONTACT_MODEL_LCP || (contact == TAC_CONTACT_MODEL_NCP && !implicit));
            CHECK_INT(try_options(m, o, &err), lacks ? TAC_ERR_UNSUPPORTED : TAC_OK);
            o.toi = contact == TAC_CONTACT_MODEL_LCP;
            CHECK_INT(try_options(m, o, &err), lacks ? TAC_ERR_UNSUPPORTED : TAC_OK);
        }
    tac_model_free(m);
}

static void missing_arguments(void **state) {
    (void)state;
    tacModel *m = robot_pendulum();
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NONE;
    tacSim *sim = NULL;
    CHECK_INT(tac_sim_new(NULL, &o, &sim, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_sim_new(m, NULL, &sim, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_sim_new(m, &o, NULL, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_sim_bytes(NULL, &o), 0);
    CHECK_INT(tac_sim_peak(NULL), 0);
    CHECK_INT(tac_sim_get_params(NULL, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_sim_set_params(NULL, NULL), TAC_ERR_ARGUMENT);
    tac_sim_free(NULL);
    tac_model_free(m);
}

/* In the caller's memory: the same result as with malloc; refused when too small or not aligned. */
static void callers_memory(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NONE;
    size_t bytes = tac_sim_bytes(m, &o);
    unsigned char *memory = aligned_alloc(64, bytes + 64);
    tacSim *sim = NULL, *other = NULL;
    tacError err;
    double *x = robot_array(tac_nx(m)), *y = robot_array(tac_nx(m)), *z = robot_array(tac_nx(m)),
           *u = robot_array(m->nu);
    CHECK_INT(tac_sim_create(m, &o, memory, bytes - 1, &sim, &err), TAC_ERR_ARENA_FULL);
    CHECK_INT(tac_sim_create(m, &o, memory + 8, bytes, &sim, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_sim_create(m, &o, NULL, bytes, &sim, &err), TAC_ERR_ARGUMENT);
    CHECK(sim == NULL);
    CHECK_INT(tac_sim_create(m, &o, memory, bytes, &sim, &err), TAC_OK);
    CHECK_INT(tac_sim_new(m, &o, &other, &err), TAC_OK);
    robot_state(m, x, 3);
    CHECK_INT(tac_step(sim, x, u, y, NULL), TAC_OK);
    CHECK_INT(tac_step(other, x, u, z, NULL), TAC_OK);
    CHECK(memcmp(y, z, (size_t)tac_nx(m) * sizeof *y) == 0);
    CHECK(tac_sim_peak(sim) > 0 && tac_sim_peak(sim) <= bytes);
    tac_sim_free(other);
    free(memory), free(x), free(y), free(z), free(u);
    tac_model_free(m);
}

/* Registered parameters belong to the simulation: setting one there gives the bits that setting it in the model
 * gives. */
static void parameters(void **state) {
    (void)state;
    tacModel *m = robot_creature(), *edited = NULL;
    tacError err;
    int nx = tac_nx(m);
    const char *const paths[] = {"body/#2.mass", "joint/#1.damping", "option.gravity[2]"};
    for (int i = 0; i < 3; i++)
        CHECK_INT(tac_param_register(m, paths[i], NULL, &err), TAC_OK);
    CHECK_INT(tac_model_copy(m, &edited, &err), TAC_OK);
    double theta[3], *x = robot_array(nx), *y = robot_array(nx), *z = robot_array(nx), *first = robot_array(nx);
    tacSim *sim = robot_sim(m);
    double *u = robot_array(m->nu + m->nv + 6 * m->nbody);
    uint64_t hash = tac_model_hash(m);
    robot_state(m, x, 3);
    CHECK_INT(tac_step(sim, x, u, first, NULL), TAC_OK);
    CHECK_INT(tac_sim_get_params(sim, theta), TAC_OK);
    CHECK_NEAR(theta[2], -9.81, 0);
    const double changed[3] = {2.5, 0.9, -3};
    for (int i = 0; i < 3; i++)
        CHECK_INT(tac_param_set(edited, paths[i], changed[i], &err), TAC_OK);
    CHECK_INT(tac_sim_set_params(sim, changed), TAC_OK);
    CHECK_INT(tac_step(sim, x, u, y, NULL), TAC_OK);
    tacSim *fresh = robot_sim(edited);
    CHECK_INT(tac_step(fresh, x, u, z, NULL), TAC_OK);
    CHECK(memcmp(y, z, (size_t)nx * sizeof *y) == 0);
    CHECK(memcmp(y, first, (size_t)nx * sizeof *y) != 0);
    /* a refused value changes nothing */
    const double negative[3] = {-1, 0.9, -3}, infinite[3] = {1, HUGE_VAL, 0};
    CHECK(tac_sim_set_params(sim, negative) != TAC_OK);
    CHECK_INT(tac_sim_set_params(sim, infinite), TAC_ERR_NONFINITE);
    CHECK_INT(tac_step(sim, x, u, z, NULL), TAC_OK);
    CHECK(memcmp(y, z, (size_t)nx * sizeof *y) == 0);
    /* and back again, to the bit; the shared model never changed */
    CHECK_INT(tac_sim_set_params(sim, theta), TAC_OK);
    CHECK_INT(tac_step(sim, x, u, z, NULL), TAC_OK);
    CHECK(memcmp(first, z, (size_t)nx * sizeof *y) == 0);
    CHECK(tac_model_hash(m) == hash);
    tac_sim_free(sim), tac_sim_free(fresh);
    free(x), free(y), free(z), free(u), free(first);
    tac_model_free(m), tac_model_free(edited);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_options),          cmocka_unit_test(refused_options),
        cmocka_unit_test(contacts_and_integrators), cmocka_unit_test(missing_arguments),
        cmocka_unit_test(callers_memory),           cmocka_unit_test(parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
