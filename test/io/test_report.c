#include "io/report.h"

#include "support/check.h"

static void keeps_lines_in_order(void **state) {
    (void)state;
    tacReport *report = tac_report_new();
    CHECK(report != NULL);
    tac_report_add_warning(report, "file:%d: %s", 3, "first");
    tac_report_add_warning(report, "file:%d: %s", 4, "second");
    tac_report_add_warning(report, "file:%d: %s", 3, "first"); /* said once */
    tac_report_add_ignored(report, "file:%d: <visual>", 9);
    CHECK_INT(tac_report_warning_count(report), 2);
    CHECK_STR(tac_report_warning(report, 0), "file:3: first");
    CHECK_STR(tac_report_warning(report, 1), "file:4: second");
    CHECK_STR(tac_report_warning(report, 2), "");
    CHECK_STR(tac_report_warning(report, -1), "");
    CHECK_INT(tac_report_ignored_count(report), 1);
    CHECK_STR(tac_report_ignored(report, 0), "file:9: <visual>");
    tac_report_free(report);
}

static void ends_at_a_thousand(void **state) {
    (void)state;
    tacReport *report = tac_report_new();
    for (int i = 0; i < 100000; i++)
        tac_report_add_warning(report, "line %d", i);
    CHECK_INT(tac_report_warning_count(report), 1001);
    CHECK_STR(tac_report_warning(report, 999), "line 999");
    CHECK_HAS(tac_report_warning(report, 1000), "list truncated");
    tac_report_free(report);
}

static void nobody_asked(void **state) {
    (void)state;
    tac_report_add_warning(NULL, "%d", 1);
    tac_report_add_ignored(NULL, "%d", 1);
    CHECK_INT(tac_report_warning_count(NULL), 0);
    CHECK_INT(tac_report_ignored_count(NULL), 0);
    CHECK_STR(tac_report_warning(NULL, 0), "");
    tac_report_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_lines_in_order), cmocka_unit_test(ends_at_a_thousand),
                                       cmocka_unit_test(nobody_asked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
