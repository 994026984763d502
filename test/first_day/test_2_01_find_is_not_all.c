/* A name that is not there is no wish for all elements of its kind. */
#include "first_day/box_on_floor.h"

/* The guide's own idiom, with a name that is spelled wrong: three numbers are what there is room for. */
static void test_wrong_name_writes_nothing(void **state) {
    (void)state;
    tacModel *m = box_on_floor(TAC_INTEGRATOR_EULER);
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    tacSim *sim = NULL;
    double x[BOX_NX], u[1] = {0}, A[3 * BOX_NDX], z[3] = {7, 7, 7}, zbar[3] = {1, 1, 1}, gx[BOX_NDX];
    CHECK_INT(tac_sim_new(m, &options, &sim, NULL), TAC_OK);
    tac_default_state(m, x);
    int id = tac_model_find(m, TAC_KIND_SITE, "sight0");
    CHECK_INT(id, -1);
    const tacOutput site = {TAC_OUT_SITE_POS, id};
    const tacOutputs tip = {1, &site};
    CHECK_INT(tac_outputs_size(m, &tip), -1);
    CHECK_INT(tac_outputs(sim, x, u, &tip, z), TAC_ERR_NAME);
    CHECK_HAS(tac_sim_error(sim), "an unknown name");
    CHECK_INT(tac_outputs_jac(sim, x, u, &tip, z, &(tacJac){A, NULL, NULL}), TAC_ERR_NAME);
    CHECK_INT(tac_outputs_vjp(sim, x, u, &tip, zbar, &(tacGrad){gx, NULL, NULL}), TAC_ERR_NAME);
    for (int i = 0; i < 3; i++)
        CHECK(z[i] == 7);
    tac_sim_free(sim);
    tac_model_free(m);
}

static void test_all_is_told_from_every_id(void **state) {
    (void)state;
    tacModel *m = box_on_floor(TAC_INTEGRATOR_EULER);
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    tacSim *sim = NULL;
    double x[BOX_NX], u[1] = {0}, z[3 * BOX_SITES], one[3];
    CHECK_INT(tac_sim_new(m, &options, &sim, NULL), TAC_OK);
    tac_default_state(m, x);
    CHECK(TAC_OUT_ALL < -1);
    tacOutputs all = {1, &(tacOutput){TAC_OUT_SITE_POS, TAC_OUT_ALL}};
    CHECK_INT(tac_outputs_size(m, &all), 3 * BOX_SITES);
    CHECK_INT(tac_outputs(sim, x, u, &all, z), TAC_OK);
    for (int i = 0; i < BOX_SITES; i++) {
        tacOutputs own = {1, &(tacOutput){TAC_OUT_SITE_POS, i}};
        CHECK_INT(tac_outputs(sim, x, u, &own, one), TAC_OK);
        CHECK_INT(memcmp(one, z + 3 * i, sizeof one), 0);
    }
    const int none[] = {-2, -3, -100, BOX_SITES, 1 << 30};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        tacOutputs other = {1, &(tacOutput){TAC_OUT_SITE_POS, none[i]}};
        CHECK_INT(tac_outputs_size(m, &other), -1);
        CHECK_INT(tac_outputs(sim, x, u, &other, z), TAC_ERR_ARGUMENT);
    }
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Other functions that take an id refuse it as well. */
static void test_no_other_function_takes_it(void **state) {
    (void)state;
    tacModel *m = box_on_floor(TAC_INTEGRATOR_EULER);
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    tacSim *sim = NULL;
    tacContact contact;
    double x[BOX_NX], jac[3 * BOX_NV];
    CHECK_INT(tac_sim_new(m, &options, &sim, NULL), TAC_OK);
    tac_default_state(m, x);
    CHECK_INT(tac_frame_jacobian(sim, x, TAC_KIND_SITE, -1, jac, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_point_jacobian(sim, x, -1, (tacVec3){0, 0, 0}, jac, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_geom_distance(sim, x, NULL, -1, 0, &contact), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_key_state(m, &options, -1, x, NULL, NULL), TAC_ERR_NAME);
    CHECK_STR(tac_model_name(m, TAC_KIND_SITE, -1), "");
    tac_sim_free(sim);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_name_writes_nothing),
        cmocka_unit_test(test_all_is_told_from_every_id),
        cmocka_unit_test(test_no_other_function_takes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
