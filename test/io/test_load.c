/* Deciding by content, and saving whole or not at all. */
#include "io/scratch.h"
#include "support/check.h"
#include "tactus/io.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const URDF = "<robot name='r'><link name='a'/></robot>";
static const char *const MJCF =
    "<mujoco><worldbody><body name='a'><joint name='j'/><geom size='1'/></body></worldbody></mujoco>";

static int entries(const char *folder) {
    DIR *dir = opendir(folder);
    CHECK(dir != NULL);
    int n = 0;
    while (readdir(dir) != NULL)
        n++;
    closedir(dir);
    return n - 2; /* "." and ".." */
}

static tacModel *load(const char *path) {
    tacModel *model = NULL;
    tacError err = {.text = ""};
    tacStatus status = tac_load(path, &model, &err);
    if (status != TAC_OK) print_error("%s\n", err.text);
    CHECK_INT(status, TAC_OK);
    return model;
}

static void check_fails(const char *path, tacStatus expected, const char *message) {
    tacModel *model = NULL;
    tacError err = {.text = ""};
    tacStatus status = tac_load(path, &model, &err);
    if (status != expected) print_error("%s\n", err.text);
    CHECK_INT(status, expected);
    CHECK_HAS(err.text, message);
    CHECK(model == NULL);
}

static void content_decides(void **state) {
    (void)state;
    scratch_begin();
    char text[512];
    static const char *const before[] = {"", "\xEF\xBB\xBF", " \n\t", "<?xml version=\"1.0\"?>\n",
                                         "<!-- <mujoco> --><!-- <robot> -->\n"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        snprintf(text, sizeof text, "%s%s", before[i], URDF);
        tacModel *model = load(scratch_text("a.xml", text));
        CHECK_INT(model->nbody, 2);
        CHECK_INT(model->njnt, 0);
        tac_model_free(model);
        snprintf(text, sizeof text, "%s%s", before[i], MJCF);
        model = load(scratch_text("a.urdf", text)); /* the name says nothing */
        CHECK_INT(model->njnt, 1);
        tac_model_free(model);
    }
    scratch_end();
}

static void nonsense_is_named(void **state) {
    (void)state;
    scratch_begin();
    check_fails(scratch_path("none.xml"), TAC_ERR_FILE, "none.xml: No such file");
    check_fails(scratch_text("e.xml", ""), TAC_ERR_SYNTAX, "e.xml:1: the file is empty");
    check_fails(scratch_text("h.xml", "<html></html>"), TAC_ERR_SYNTAX, "expected <mujoco> (MJCF) or <robot> (URDF)");
    check_fails(scratch_text("x.xml", "<"), TAC_ERR_SYNTAX, "x.xml:1");
    check_fails(scratch_text("x.xml", "<!-- "), TAC_ERR_SYNTAX, "x.xml:1");
    check_fails(scratch_text("x.xml", "<?xml "), TAC_ERR_SYNTAX, "x.xml:1");
    check_fails(scratch_text("x.xml", "<!DOCTYPE robot [<!ENTITY a 'b'>]><robot name='&a;'/>"), TAC_ERR_SYNTAX,
                "DOCTYPE");
    tacModel *model = NULL;
    tacError err = {.text = ""};
    CHECK(tac_load(scratch_text("j.tac", "{\"json\": 1}"), &model, &err) != TAC_OK);
    CHECK_HAS(err.text, "j.tac: neither XML nor a valid packed model");
    CHECK_INT(tac_load(NULL, &model, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_load("x", NULL, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_load(scratch_path("none.xml"), &model, NULL), TAC_ERR_FILE); /* nobody wants the text */
    scratch_end();
}

/* "<a/>" in UTF-16, in both byte orders, with and without the mark. */
static void utf16_is_named(void **state) {
    (void)state;
    scratch_begin();
    static const char mark_little[] = "\xFF\xFE<\0a\0/\0>", mark_big[] = "\xFE\xFF\0<\0a\0/\0>";
    static const char little[] = "<\0a\0/\0>", big[] = "\0<\0a\0/\0>";
    const char *message = "w.xml:1: found text in UTF-16, expected UTF-8";
    check_fails(scratch_bytes("w.xml", mark_little, sizeof mark_little), TAC_ERR_SYNTAX, message);
    check_fails(scratch_bytes("w.xml", mark_big, sizeof mark_big - 1), TAC_ERR_SYNTAX, message);
    check_fails(scratch_bytes("w.xml", little, sizeof little), TAC_ERR_SYNTAX, message);
    check_fails(scratch_bytes("w.xml", big, sizeof big - 1), TAC_ERR_SYNTAX, message);
    scratch_end();
}

static void report_is_optional(void **state) {
    (void)state;
    scratch_begin();
    const char *path = scratch_text("a.urdf", "<robot name='r'><gazebo/><link name='a'/></robot>");
    tacModel *model;
    tacReport *report = NULL;
    CHECK_INT(tac_load_with(path, NULL, &model, NULL, NULL), TAC_OK);
    tac_model_free(model);
    CHECK_INT(tac_load_with(path, NULL, &model, &report, NULL), TAC_OK);
    CHECK_STR(tac_report_name(report), "r");
    CHECK_STR(tac_report_name(NULL), "");
    CHECK_INT(tac_report_ignored_count(report), 1);
    CHECK_STR(tac_report_ignored(report, 7), "");
    CHECK_STR(tac_report_ignored(report, -1), "");
    tac_report_free(report);
    tac_model_free(model);
    tac_report_free(NULL);
    CHECK_INT(tac_report_warning_count(NULL), 0);
    scratch_end();
}

static void saves_and_loads(void **state) {
    (void)state;
    scratch_begin();
    tacError err;
    tacModel *model = load(scratch_text("a.xml", MJCF));
    const char *path = scratch_path("a.tac");
    CHECK_INT(tac_save(model, path, &err), TAC_OK);
    CHECK_INT(entries(scratch_path("")), 2); /* no temporary file stays */
    tacModel *again = load(path);
    CHECK(tac_model_hash(again) == tac_model_hash(model));
    CHECK_INT(tac_save(again, path, &err), TAC_OK); /* over itself */
    CHECK_INT(entries(scratch_path("")), 2);
    struct stat info;
    CHECK_INT(stat(path, &info), 0);
    CHECK_INT(info.st_size, tac_model_pack_bytes(model));
    CHECK_INT(truncate(path, info.st_size - 1), 0);
    tacModel *damaged = NULL;
    CHECK(tac_load(path, &damaged, &err) != TAC_OK);
    CHECK(damaged == NULL);
    tac_model_free(model);
    tac_model_free(again);
    scratch_end();
}

static void saving_fails_without_a_trace(void **state) {
    (void)state;
    scratch_begin();
    tacError err;
    tacModel *model = load(scratch_text("a.xml", MJCF));
    CHECK_INT(tac_save(model, scratch_path("none/a.tac"), &err), TAC_ERR_FILE);
    CHECK_HAS(err.text, "none/a.tac");
    CHECK_INT(mkdir(scratch_path("folder"), 0777), 0);
    CHECK_INT(tac_save(model, scratch_path("folder"), &err), TAC_ERR_FILE);
    CHECK_HAS(err.text, "not a regular file");
    CHECK_INT(tac_save(model, "/dev/null", &err), TAC_ERR_FILE); /* a device is not replaced by a file */
    struct stat info;
    CHECK_INT(stat("/dev/null", &info), 0);
    CHECK(S_ISCHR(info.st_mode));
    CHECK_INT(tac_save(NULL, "x", &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_save(model, NULL, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(entries(scratch_path("")), 2);
    tac_model_free(model);
    scratch_end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_decides), cmocka_unit_test(nonsense_is_named),
        cmocka_unit_test(utf16_is_named),  cmocka_unit_test(report_is_optional),
        cmocka_unit_test(saves_and_loads), cmocka_unit_test(saving_fails_without_a_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
