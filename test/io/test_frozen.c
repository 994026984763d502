/* Numbers that went into an inertia once, when the file was read, are no parameters; replication is bounded. */
#include "support/check.h"

#include "io/numbers.h"
#include "io/scratch.h"
#include "tactus/io.h"

#include <string.h>

static tacModel *load_text(const char *text, tacStatus expected, tacError *err) {
    tacModel *m = NULL;
    scratch_begin();
    scratch_text("model.xml", text);
    CHECK_INT(tac_load(scratch_path("model.xml"), &m, err), expected);
    scratch_end();
    return m;
}

static void refuses_geoms_of_a_written_inertia(void **state) {
    static const char *const TEXTS[] = {
        "<mujoco><worldbody><body name='a'><freejoint align='true'/><geom name='g' type='box' size='.1 .2 .3'/></body>"
        "</worldbody></mujoco>",
        "<mujoco><compiler fusestatic='true'/><worldbody><body name='a'><joint/><geom name='g' size='.1'/><body>"
        "<geom size='.2' pos='1 0 0'/></body></body></worldbody></mujoco>",
    };
    static const char *const PATHS[] = {"geom/g.size[0]", "geom/g.density", "geom/g.pos[1]"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        tacError err;
        tacModel *m = load_text(TEXTS[i], TAC_OK, &err);
        for (int k = 0; k < 3; k++) {
            CHECK(tac_param_register(m, PATHS[k], NULL, &err) != TAC_OK);
            CHECK_HAS(err.text, "computed when the file was read");
            CHECK(tac_param_set(m, PATHS[k], 0.5, &err) != TAC_OK);
        }
        CHECK_INT(tac_param_register(m, "body/a.mass", NULL, &err), TAC_OK);
        tac_model_free(m);
    }
}

static void bounds_replication(void **state) {
    tacError err;
    (void)state;
    CHECK(load_text("<mujoco><worldbody><replicate count='900000' offset='1 0 0'/></worldbody></mujoco>", TAC_ERR_MODEL,
                    &err) == NULL);
    CHECK_HAS(err.text, "replication creates too many elements");
}

static void writes_numbers_that_read_back(void **state) {
    const double x[3] = {0.1, -1e-300, 12345678.9};
    char text[128];
    (void)state;
    tac_numbers_text(3, x, text, sizeof text);
    CHECK_STR(text, "0.10000000000000001 -1e-300 12345678.9");
    tac_numbers_text(3, x, text, 8);
    CHECK_INT(strlen(text), 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_geoms_of_a_written_inertia),
        cmocka_unit_test(bounds_replication),
        cmocka_unit_test(writes_numbers_that_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
