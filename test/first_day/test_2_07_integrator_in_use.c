/* An integrator that was chosen runs or is refused; the model's own gives way; and the memory of a rollout's reverse
 * mode is what the header says. */
#include "first_day/box_on_floor.h"

#include <stdlib.h>

enum { STEPS = 6 };

/* contact, the model's own, the option -> what runs, or refused */
static const struct {
    tacContactModel contact;
    tacIntegrator own, option;
    int runs; /* -1: refused */
} CASES[] = {
    {TAC_CONTACT_MODEL_LCP, TAC_INTEGRATOR_EULER, TAC_INTEGRATOR_EULER, TAC_INTEGRATOR_EULER},
    {TAC_CONTACT_MODEL_LCP, TAC_INTEGRATOR_RK4, TAC_INTEGRATOR_RK4, TAC_INTEGRATOR_EULER},
    {TAC_CONTACT_MODEL_LCP, TAC_INTEGRATOR_IMPLICIT, TAC_INTEGRATOR_IMPLICIT, TAC_INTEGRATOR_EULER},
    {TAC_CONTACT_MODEL_LCP, TAC_INTEGRATOR_EULER, TAC_INTEGRATOR_RK4, -1},
    {TAC_CONTACT_MODEL_LCP, TAC_INTEGRATOR_RK4, TAC_INTEGRATOR_IMPLICITFAST, -1},
    {TAC_CONTACT_MODEL_LCP, TAC_INTEGRATOR_RK4, TAC_INTEGRATOR_EULER, TAC_INTEGRATOR_EULER},
    {TAC_CONTACT_MODEL_NCP, TAC_INTEGRATOR_RK4, TAC_INTEGRATOR_RK4, TAC_INTEGRATOR_EULER},
    {TAC_CONTACT_MODEL_NCP, TAC_INTEGRATOR_EULER, TAC_INTEGRATOR_RK4, -1},
    {TAC_CONTACT_MODEL_NCP, TAC_INTEGRATOR_EULER, TAC_INTEGRATOR_RKMK4, -1},
    {TAC_CONTACT_MODEL_NCP, TAC_INTEGRATOR_RK4, TAC_INTEGRATOR_IMPLICITFAST, TAC_INTEGRATOR_IMPLICITFAST},
    {TAC_CONTACT_MODEL_NCP, TAC_INTEGRATOR_IMPLICIT, TAC_INTEGRATOR_IMPLICIT, TAC_INTEGRATOR_IMPLICIT},
    {TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_EULER, TAC_INTEGRATOR_RK4, TAC_INTEGRATOR_RK4},
    {TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_EULER, TAC_INTEGRATOR_RKMK4, TAC_INTEGRATOR_RKMK4},
    {TAC_CONTACT_MODEL_NONE, TAC_INTEGRATOR_RK4, TAC_INTEGRATOR_RK4, TAC_INTEGRATOR_RK4},
};

static void test_integrator_in_use(void **state) {
    static const char *const WORDS[] = {"Euler", "RK4", "implicit", "implicitfast", "RKMK4"};
    static const char *const CONTACTS[] = {"none", "lcp", "ncp", "soft"};
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        tacModel *m = box_on_floor(CASES[i].own);
        tacOptions options = tac_default_options(m), in_use;
        tacSim *sim = NULL;
        tacError err;
        options.contact = CASES[i].contact, options.integrator = CASES[i].option;
        tacStatus status = tac_sim_new(m, &options, &sim, &err);
        CHECK_INT(status, CASES[i].runs < 0 ? TAC_ERR_UNSUPPORTED : TAC_OK);
        CHECK_INT(tac_sim_bytes(m, &options) == 0, CASES[i].runs < 0);
        if (status == TAC_OK) {
            CHECK_INT(tac_sim_options(sim, &in_use), TAC_OK);
            CHECK_INT(in_use.integrator, CASES[i].runs);
            in_use.integrator = options.integrator;
            CHECK_INT(memcmp(&in_use, &options, sizeof options), 0);
        } else {
            CHECK_HAS(err.text, WORDS[CASES[i].option]);
            CHECK_HAS(err.text, CONTACTS[CASES[i].contact]);
        }
        tac_sim_free(sim);
        tac_model_free(m);
    }
}

/* What gave way moves as what was chosen. */
static void test_gives_way_to_the_bit(void **state) {
    (void)state;
    tacModel *own = box_on_floor(TAC_INTEGRATOR_RK4), *euler = box_on_floor(TAC_INTEGRATOR_EULER);
    for (int contact = TAC_CONTACT_MODEL_LCP; contact <= TAC_CONTACT_MODEL_NCP; contact++) {
        double x[BOX_NX], y[2][BOX_NX], u[1] = {0.1};
        for (int i = 0; i < 2; i++) {
            tacModel *m = i == 0 ? own : euler;
            tacOptions options = tac_default_options(m);
            tacSim *sim = NULL;
            options.contact = (tacContactModel)contact;
            CHECK_INT(tac_sim_new(m, &options, &sim, NULL), TAC_OK);
            CHECK_INT(tac_key_state(m, &options, 0, x, NULL, NULL), TAC_OK);
            CHECK_INT(tac_step(sim, x, u, y[i], NULL), TAC_OK);
            tac_sim_free(sim);
        }
        CHECK_INT(memcmp(y[0], y[1], sizeof y[0]), 0);
    }
    tac_model_free(own);
    tac_model_free(euler);
}

/* --- Memory of a rollout's reverse mode --------------------------------------------------------------------------- */

typedef struct Rollout {
    tacModel *m;
    tacSim *sim;
    double U[STEPS], X[(STEPS + 1) * BOX_NX], last[BOX_NDX], gx[BOX_NDX], gU[STEPS];
    void *block;
} Rollout;

static tacStatus pull(Rollout *r, int given, int count, size_t bytes) {
    tacTrajectory path = {.n = STEPS, .x0 = r->X, .U = r->U, .X = given ? r->X : NULL, .xbar = r->last};
    tacCheckpoints memory = {count, r->block, bytes};
    return tac_rollout_vjp(r->sim, &path, &memory, &(tacGrad){r->gx, r->gU, NULL}, NULL);
}

static void test_checkpoint_memory(void **state) {
    (void)state;
    Rollout r = {.m = box_on_floor(TAC_INTEGRATOR_EULER)};
    tacOptions options = tac_default_options(r.m);
    double expected[BOX_NDX];
    options.contact = TAC_CONTACT_MODEL_SOFT;
    CHECK_INT(tac_sim_new(r.m, &options, &r.sim, NULL), TAC_OK);
    CHECK_INT(tac_key_state(r.m, &options, 0, r.X, NULL, NULL), TAC_OK);
    CHECK_INT(tac_rollout(r.sim, r.X, r.U, STEPS, r.X, NULL), TAC_OK);
    for (int i = 0; i < BOX_NDX; i++)
        r.last[i] = 1 + i;
    size_t none = tac_rollout_vjp_bytes(r.m, STEPS, 0), all = tac_rollout_vjp_bytes(r.m, STEPS, STEPS);
    CHECK(none > 0 && none < all);
    CHECK_INT(tac_rollout_vjp_bytes(r.m, STEPS, 1000), all);
    r.block = aligned_alloc(64, all);
    CHECK_INT(pull(&r, 0, STEPS, all), TAC_OK);
    memcpy(expected, r.gx, sizeof expected);
    CHECK(expected[0] != 0);
    for (int given = 0; given < 2; given++)
        for (int count = 0; count <= STEPS; count++) {
            size_t need = tac_rollout_vjp_bytes(r.m, STEPS, given ? 0 : count); /* states given are not kept again */
            memset(r.gx, 0, sizeof r.gx);
            CHECK_INT(pull(&r, given, count, need), TAC_OK);
            CHECK_INT(memcmp(r.gx, expected, sizeof expected), 0);
            CHECK_INT(pull(&r, given, count, need - 1), TAC_ERR_ARENA_FULL);
            CHECK_HAS(tac_sim_error(r.sim), "memory->bytes is");
        }
    CHECK_INT(pull(&r, 0, -1, all), TAC_ERR_ARGUMENT);
    free(r.block), r.block = NULL;
    CHECK_INT(pull(&r, 1, 0, all), TAC_ERR_ARGUMENT);
    CHECK_HAS(tac_sim_error(r.sim), "memory->memory is NULL");
    tac_sim_free(r.sim);
    tac_model_free(r.m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integrator_in_use),
        cmocka_unit_test(test_gives_way_to_the_bit),
        cmocka_unit_test(test_checkpoint_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
