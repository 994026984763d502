#include "io/files.h"

#include "io/scratch.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WAITING = 300 }; /* s */

/* Files of the scratch folder, with `model/main.xml` as the main file. */
static tacFiles open_model(int allow_outside, size_t max_bytes) {
    tacFiles files;
    tacError err;
    tacLoadOptions options = tac_default_load_options();
    options.allow_outside = allow_outside;
    if (max_bytes > 0) options.max_bytes = max_bytes;
    const char *main_file = scratch_text("model/main.xml", "<mujoco/>");
    CHECK_INT(tac_files_init(&files, main_file, &options, &err), TAC_OK);
    return files;
}

/* Status of reading a path; its bytes are thrown away, its error kept. */
static tacStatus read_status(const tacFiles *files, const char *path, tacError *err) {
    unsigned char *bytes;
    size_t size;
    tacStatus status = tac_files_read(files, path, &bytes, &size, err);
    if (status != TAC_OK) CHECK(bytes == NULL && size == 0);
    free(bytes);
    return status;
}

static void joins_and_splits(void **state) {
    (void)state;
    char out[32];
    tac_files_join("a/b", "c.stl", out, sizeof out);
    CHECK_STR(out, "a/b/c.stl");
    tac_files_join("a/", "c", out, sizeof out);
    CHECK_STR(out, "a/c");
    tac_files_join("a", "/c", out, sizeof out);
    CHECK_STR(out, "/c");
    tac_files_join(".", "c", out, sizeof out);
    CHECK_STR(out, "c");
    tac_files_join("0123456789012345678901234567890123456789", "c", out, sizeof out); /* cut, not overrun */
    CHECK_INT(strlen(out), sizeof out - 1);
    tac_files_folder("a/b/c.xml", out, sizeof out);
    CHECK_STR(out, "a/b");
    tac_files_folder("c.xml", out, sizeof out);
    CHECK_STR(out, ".");
    tac_files_folder("/c.xml", out, sizeof out);
    CHECK_STR(out, "/");
}

static void reads_inside(void **state) {
    (void)state;
    scratch_begin();
    tacFiles files = open_model(0, 0);
    tacError err;
    unsigned char *bytes;
    size_t size;
    const char *path = scratch_bytes("model/meshes/a.bin", "ab\0cd", 5);
    CHECK_INT(tac_files_read(&files, path, &bytes, &size, &err), TAC_OK);
    CHECK_INT(size, 5);
    CHECK(memcmp(bytes, "ab\0cd", 6) == 0); /* the zero byte after the end too */
    free(bytes);
    path = scratch_text("model/empty", "");
    CHECK_INT(tac_files_read(&files, path, &bytes, &size, &err), TAC_OK);
    CHECK_INT(size, 0);
    CHECK_INT(bytes[0], 0);
    free(bytes);
    CHECK_INT(tac_files_exists(&files, scratch_path("model/meshes/a.bin")), 1);
    CHECK_INT(tac_files_exists(&files, scratch_path("model/meshes")), 0);
    CHECK_INT(tac_files_exists(&files, scratch_path("model/nothing")), 0);
    scratch_end();
}

static void refuses_outside(void **state) {
    (void)state;
    scratch_begin();
    tacFiles files = open_model(0, 0), anywhere = open_model(1, 0);
    tacError err;
    scratch_text("secret", "x");
    static const char *const outside[] = {"model/../secret", "secret", "/etc/passwd"};
    for (int i = 0; i < 3; i++) {
        const char *path = outside[i][0] == '/' ? outside[i] : scratch_path(outside[i]);
        CHECK_INT(read_status(&files, path, &err), TAC_ERR_FILE);
        CHECK_HAS(err.text, "outside the model's folder");
        CHECK_HAS(err.text, "allow_outside");
        CHECK_INT(tac_files_exists(&files, path), 0);
        CHECK_INT(read_status(&anywhere, path, &err), TAC_OK);
    }
    scratch_end();
}

static void opens_folders_beside(void **state) {
    (void)state;
    scratch_begin();
    tacFiles files = open_model(0, 0);
    tacError err;
    scratch_text("scenes/floor", "x");
    scratch_text("scenes/deep/floor", "x");
    CHECK_INT(read_status(&files, scratch_path("model/../scenes/floor"), &err), TAC_OK);
    CHECK_INT(read_status(&files, scratch_path("scenes/deep/floor"), &err), TAC_OK);
    scratch_end();
}

static void follows_links_only_inside(void **state) {
    (void)state;
    scratch_begin();
    tacFiles files = open_model(0, 0);
    tacError err;
    scratch_text("secret", "x");
    scratch_text("model/inside", "x");
    CHECK_INT(symlink(scratch_path("model/inside"), scratch_path("model/good")), 0);
    CHECK_INT(symlink("../secret", scratch_path("model/bad")), 0);
    CHECK_INT(symlink("loop", scratch_path("model/loop")), 0);
    CHECK_INT(symlink("..", scratch_path("model/up")), 0);
    CHECK_INT(read_status(&files, scratch_path("model/good"), &err), TAC_OK);
    CHECK_INT(read_status(&files, scratch_path("model/bad"), &err), TAC_ERR_FILE);
    CHECK_HAS(err.text, "outside");
    CHECK_INT(read_status(&files, scratch_path("model/up/secret"), &err), TAC_ERR_FILE);
    CHECK_HAS(err.text, "outside");
    CHECK_INT(read_status(&files, scratch_path("model/loop"), &err), TAC_ERR_FILE);
    scratch_end();
}

static void refuses_what_is_no_file(void **state) {
    (void)state;
    scratch_begin();
    tacFiles files = open_model(1, 0);
    tacError err;
    CHECK_INT(mkfifo(scratch_path("model/pipe"), 0600), 0);
    alarm(WAITING); /* a reader that waits for the pipe ends the test; it takes no time of its own, so by the clock */
    CHECK_INT(read_status(&files, scratch_path("model/pipe"), &err), TAC_ERR_FILE);
    CHECK_HAS(err.text, "not a regular file");
    CHECK_INT(read_status(&files, "/dev/zero", &err), TAC_ERR_FILE);
    CHECK_HAS(err.text, "not a regular file");
    alarm(0);
    CHECK_INT(read_status(&files, scratch_path("model"), &err), TAC_ERR_FILE);
    CHECK_HAS(err.text, "folder");
    CHECK_INT(read_status(&files, scratch_path("model/nothing"), &err), TAC_ERR_FILE);
    CHECK_HAS(err.text, "model/nothing");
    CHECK_INT(read_status(&files, "", &err), TAC_ERR_FILE);
    scratch_end();
}

static void bounds_the_size(void **state) {
    (void)state;
    scratch_begin();
    tacFiles files = open_model(0, 10);
    tacError err;
    CHECK_INT(read_status(&files, scratch_text("model/ten", "0123456789"), &err), TAC_OK);
    CHECK_INT(read_status(&files, scratch_text("model/eleven", "01234567890"), &err), TAC_ERR_FILE);
    CHECK_HAS(err.text, "11 bytes");
    CHECK_HAS(err.text, "max_bytes");
    const char *sparse = scratch_text("model/sparse", "");
    CHECK_INT(truncate(sparse, (off_t)1 << 40), 0); /* a terabyte that takes no room: must not be allocated */
    CHECK_INT(read_status(&files, sparse, &err), TAC_ERR_FILE);
    scratch_end();
}

static void root_follows_the_main_file(void **state) {
    (void)state;
    scratch_begin();
    tacFiles files;
    tacError err;
    scratch_text("here/real/main.xml", "<mujoco/>");
    scratch_text("here/real/mesh", "x");
    scratch_text("there/links/mesh", "x");
    CHECK_INT(symlink("../../here/real/main.xml", scratch_path("there/links/main.xml")), 0);
    CHECK_INT(tac_files_init(&files, scratch_path("there/links/main.xml"), NULL, &err), TAC_OK);
    CHECK_INT(read_status(&files, scratch_path("there/links/main.xml"), &err), TAC_OK);
    CHECK_INT(read_status(&files, scratch_path("here/real/mesh"), &err), TAC_OK);
    CHECK_INT(read_status(&files, scratch_path("there/links/mesh"), &err), TAC_ERR_FILE);
    CHECK_INT(tac_files_set_root(&files, scratch_path("there/links"), &err), TAC_OK);
    CHECK_INT(read_status(&files, scratch_path("there/links/mesh"), &err), TAC_OK);
    CHECK_INT(tac_files_init(&files, scratch_path("nothing.xml"), NULL, &err), TAC_ERR_FILE);
    CHECK_HAS(err.text, "nothing.xml");
    CHECK_INT(tac_files_set_root(&files, "/", &err), TAC_OK);
    CHECK_INT(read_status(&files, scratch_path("there/links/mesh"), &err), TAC_OK);
    scratch_end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_and_splits),          cmocka_unit_test(reads_inside),
        cmocka_unit_test(refuses_outside),           cmocka_unit_test(opens_folders_beside),
        cmocka_unit_test(follows_links_only_inside), cmocka_unit_test(refuses_what_is_no_file),
        cmocka_unit_test(bounds_the_size),           cmocka_unit_test(root_follows_the_main_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
