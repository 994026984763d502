#include "base/error.h"
#include "support/check.h"

#include <string.h>

static void every_status_has_a_text(void **state) {
    (void)state;
    for (int s = 0; s < TAC_STATUS_COUNT; s++) {
        CHECK(strlen(tac_status_text((tacStatus)s)) > 5);
        for (int t = 0; t < s; t++)
            CHECK(strcmp(tac_status_text((tacStatus)s), tac_status_text((tacStatus)t)) != 0);
    }
    CHECK_STR(tac_status_text(TAC_OK), "success");
    CHECK_STR(tac_status_text(TAC_STATUS_COUNT), "unknown status");
    CHECK_STR(tac_status_text((tacStatus)-1), "unknown status");
}

static void every_kind_has_a_text(void **state) {
    (void)state;
    CHECK_STR(tac_kind_text(TAC_KIND_NONE), "");
    CHECK_STR(tac_kind_text(TAC_KIND_BODY), "body");
    CHECK_STR(tac_kind_text(TAC_KIND_OPTION), "option");
    CHECK_STR(tac_kind_text(TAC_KIND_COUNT), "");
    CHECK_STR(tac_kind_text((tacKind)-3), "");
    for (int k = TAC_KIND_BODY; k < TAC_KIND_COUNT; k++)
        CHECK(strlen(tac_kind_text((tacKind)k)) > 2);
}

static void failing_fills_the_error(void **state) {
    (void)state;
    tacError err;
    CHECK_INT(tac_fail(&err, TAC_ERR_SHAPE, "body %d has %d joints, expected %d", 3, 2, 1), TAC_ERR_SHAPE);
    CHECK_INT(err.status, TAC_ERR_SHAPE);
    CHECK_INT(err.kind, TAC_KIND_NONE);
    CHECK_INT(err.id, -1);
    CHECK_STR(err.text, "body 3 has 2 joints, expected 1");
    CHECK_INT(tac_fail_at(&err, TAC_ERR_MODEL, TAC_KIND_JOINT, 7, "axis is %s", "zero"), TAC_ERR_MODEL);
    CHECK_INT(err.kind, TAC_KIND_JOINT);
    CHECK_INT(err.id, 7);
    CHECK_STR(err.text, "axis is zero");
    CHECK_INT(tac_fail(NULL, TAC_ERR_MEMORY, "nobody listens"), TAC_ERR_MEMORY);
}

static void long_text_is_cut(void **state) {
    (void)state;
    char text[2 * TAC_ERROR_TEXT];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    tacError err;
    tac_fail(&err, TAC_ERR_FILE, "%s", text);
    CHECK_INT(strlen(err.text), TAC_ERROR_TEXT - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_text),
        cmocka_unit_test(every_kind_has_a_text),
        cmocka_unit_test(failing_fills_the_error),
        cmocka_unit_test(long_text_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
