/* A keyframe's state in C, by its name. */
#include "first_day/box_on_floor.h"

#include "tactus/io.h"

#include <stdlib.h>

static void test_state_of_a_key(void **state) {
    (void)state;
    tacModel *m = box_on_floor(TAC_INTEGRATOR_EULER);
    tacOptions options = tac_default_options(m);
    double x[BOX_NX], u[1 + BOX_NV];
    int key = tac_model_find(m, TAC_KIND_KEY, "high");
    options.inputs = TAC_INPUT_QFRC;
    for (int i = 0; i < 1 + BOX_NV; i++)
        u[i] = 7;
    CHECK_INT(tac_key_state(m, &options, key, x, u, NULL), TAC_OK);
    CHECK(x[2] == 1 && x[BOX_NQ - 1] == 0.5 && x[BOX_NQ] == 0);
    CHECK(u[0] == 0.25 && u[1] == 0 && u[BOX_NV] == 0);
    CHECK_INT(tac_key_state(m, NULL, tac_model_find(m, TAC_KIND_KEY, "rest"), x, NULL, NULL), TAC_OK);
    CHECK(x[2] == 0.0995 && x[BOX_NQ] == 1);
    tac_model_free(m);
}

static void test_mocap_poses(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacBodyDef hand = tac_default_body();
    tacKeyDef key = tac_default_key();
    tacModel *m = NULL;
    double u[7];
    hand.name = "hand", hand.mocap = 1;
    tac_model_add_body(b, 0, &hand);
    key.mpos = &(tacVec3){1, 2, 3}, key.mquat = &(tacQuat){0, 1, 0, 0};
    tac_model_add_key(b, &key);
    CHECK_INT(tac_model_finish(b, &m, NULL), TAC_OK);
    tac_builder_free(b);
    tacOptions options = tac_default_options(m);
    options.inputs = TAC_INPUT_MOCAP;
    CHECK_INT(tac_key_state(m, &options, 0, NULL, u, NULL), TAC_OK);
    const double expected[7] = {1, 2, 3, 0, 1, 0, 0};
    CHECK_ARRAY(7, u, expected, 0);
    tac_model_free(m);
}

static void test_errors_list_the_names(void **state) {
    (void)state;
    tacModel *m = box_on_floor(TAC_INTEGRATOR_EULER);
    tacOptions options = tac_default_options(m), unset = {0};
    tacError err;
    double x[BOX_NX], u[1];
    int none = tac_model_find(m, TAC_KIND_KEY, "stand");
    CHECK_INT(tac_key_state(m, &options, none, x, u, &err), TAC_ERR_NAME);
    CHECK_STR(err.text, "there is no keyframe of that name; the model has 2: 'rest', 'high'");
    CHECK_INT(tac_key_state(m, &options, 2, x, u, &err), TAC_ERR_NAME);
    CHECK_STR(err.text, "there is no keyframe 2; the model has 2: 'rest', 'high'");
    CHECK_INT(tac_key_state(m, &unset, 0, x, u, &err), TAC_ERR_OPTIONS);
    CHECK_INT(tac_key_state(NULL, &options, 0, x, u, &err), TAC_ERR_ARGUMENT);
    tac_model_free(m);
}

/* A strict load says that the file is refused, why, and what takes it. */
static void test_strict_load(void **state) {
    (void)state;
    tacModel *m = NULL;
    tacError err;
    tacLoadOptions options = tac_default_load_options();
    CHECK_INT(tac_load("test/data/broken/adhesion.xml", &m, &err), TAC_ERR_UNSUPPORTED);
    CHECK_HAS(err.text, "is not supported");
    CHECK_HAS(err.text, "load option lenient (--lenient) makes this a warning");
    options.lenient = 1;
    CHECK_INT(tac_load_with("test/data/broken/adhesion.xml", &options, &m, NULL, &err), TAC_OK);
    tac_model_free(m);
    CHECK(tac_load("test/data/broken/bad_shape.xml", &m, &err) != TAC_OK); /* lenient does not help here */
    CHECK(strstr(err.text, "lenient") == NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_state_of_a_key),
        cmocka_unit_test(test_mocap_poses),
        cmocka_unit_test(test_errors_list_the_names),
        cmocka_unit_test(test_strict_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
