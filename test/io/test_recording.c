/* Recordings from CSV files: what is read, and the message of every file of test/data/broken_recordings. */
#include "tactus/io.h"
#include "tactus/recording.h"
#include "tactus/tactus.h"

#include "io/scratch.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FOLDER "test/data/broken_recordings/"

enum { LEAST_FILES = 25, LINE = 1024, NCOLUMN = 8 };

static const tacColumn COLUMNS[NCOLUMN] = {
    {"px", TAC_COLUMN_STATE, 0, 1}, {"py", TAC_COLUMN_STATE, 1, 1},  {"pz", TAC_COLUMN_STATE, 2, 1},
    {"qw", TAC_COLUMN_STATE, 3, 1}, {"qx", TAC_COLUMN_STATE, 4, 1},  {"qy", TAC_COLUMN_STATE, 5, 1},
    {"qz", TAC_COLUMN_STATE, 6, 1}, {"f", TAC_COLUMN_CONTROL, 0, 2},
};

typedef struct Box {
    tacModel *model;
    tacOptions step;
    tacRecordingOptions options;
} Box;

static Box open_box(void) {
    Box box;
    tacError err;
    CHECK_INT(tac_load("models/box.xml", &box.model, &err), TAC_OK);
    box.step = tac_default_options(box.model);
    box.options = tac_default_recording_options();
    box.options.columns = COLUMNS;
    box.options.ncolumn = NCOLUMN;
    return box;
}

static tacStatus load(const Box *box, const char *path, tacRecording **recording, tacError *err) {
    return tac_recording_load(box->model, &box->step, path, &box->options, recording, err);
}

static void test_numbers_are_read(void **state) {
    (void)state;
    tacError err;
    Box box = open_box();
    tacRecording *recording;
    const char *path = scratch_text("box.csv", "# a box\n"
                                               "f, \"px\" ,py,pz,qw,qx,qy,qz,t,note\r\n"
                                               "1,0,0,1,1,0,0,0,3.00,slow\r\n"
                                               "2,0.02,0,1,1,0,0,0,3.01,\r\n"
                                               "\r\n"
                                               "3,0.05,0,,1,0,0,0,3.02,end\n"
                                               ",0.09,0,1,1,0,0,0,3.03,end");
    CHECK_INT(load(&box, path, &recording, &err), TAC_OK);
    tacFitRecording frames = tac_recording_frames(recording);
    int nx = tac_nx(box.model), nu = tac_ninput(box.model, &box.step);
    CHECK_STR(frames.name, path);
    CHECK_INT(frames.frames, 3); /* the first has no velocity */
    CHECK_INT(frames.every, 2);
    CHECK_NEAR(frames.x[0], 0.02, 0);
    CHECK_NEAR(frames.x[7], 2, 1e-12);
    CHECK(isnan(frames.x[nx + 2])); /* not measured */
    CHECK_NEAR(frames.x[2 * nx + 7], 4, 1e-12);
    for (int k = 0; k < 4; k++)
        CHECK_NEAR(frames.u[k * nu], k < 2 ? 4 : 6, 0); /* scaled, held over two steps */
    CHECK(frames.z == NULL);
    tac_recording_free(recording);
    tac_model_free(box.model);
}

static void test_the_hash_is_that_of_the_numbers(void **state) {
    (void)state;
    tacError err;
    Box box = open_box();
    static const char *const text[] = {"t,px,py,pz,qw,qx,qy,qz,f\n0,0,0,1,1,0,0,0,0\n0.005,0,0,1,1,0,0,0,0\n"
                                       "0.01,0,0,1,1,0,0,0,0\n",
                                       "t,py,px,pz,qw,qx,qy,qz,f\n0,0,0,1,1,0,0,0,0\n0.005,0,0,1,1,0,0,0,0\n"
                                       "0.0100,0,0,1.0,1,0,0,0,0\n",
                                       "t,px,py,pz,qw,qx,qy,qz,f\n0,0,0,1,1,0,0,0,0\n0.005,0,0,1,1,0,0,0,0\n"
                                       "0.01,0,0,2,1,0,0,0,0\n"};
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        tacRecording *recording;
        CHECK_INT(load(&box, scratch_text("hash.csv", text[i]), &recording, &err), TAC_OK);
        hash[i] = tac_recording_hash(recording);
        tac_recording_free(recording);
    }
    CHECK(hash[0] == hash[1] && hash[0] != hash[2]);
    tac_model_free(box.model);
}

static void test_every_broken_file_gets_its_message(void **state) {
    (void)state;
    Box box = open_box();
    FILE *list = fopen(FOLDER "expected.tsv", "r");
    CHECK(list != NULL);
    char line[LINE], path[2 * LINE];
    int files = 0;
    while (fgets(line, sizeof line, list) != NULL) {
        char *tab = strchr(line, '\t');
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#') continue;
        CHECK(tab != NULL);
        *tab = '\0';
        snprintf(path, sizeof path, FOLDER "%s.csv", line);
        tacError err = {0};
        tacRecording *recording = NULL;
        tacStatus status = load(&box, path, &recording, &err);
        if (status == TAC_OK) fail_msg("%s was accepted", path);
        CHECK(recording == NULL);
        CHECK_INT(status, err.status);
        CHECK_HAS(err.text, tab + 1);
        files++;
    }
    fclose(list);
    CHECK(files >= LEAST_FILES);
    tac_model_free(box.model);
}

static void test_wrong_columns(void **state) {
    (void)state;
    Box box = open_box();
    tacError err;
    tacRecording *recording = NULL;
    tacColumn wrong[] = {{"px", TAC_COLUMN_STATE, 99, 1}, {"px", TAC_COLUMN_STATE, 0, 0}};
    for (int i = 0; i < 2; i++) {
        box.options.columns = &wrong[i];
        box.options.ncolumn = 1;
        CHECK_INT(load(&box, FOLDER "one.csv", &recording, &err), TAC_ERR_ARGUMENT);
        CHECK_HAS(err.text, "column 0: expected");
    }
    tacColumn twice[] = {{"px", TAC_COLUMN_STATE, 0, 1}, {"py", TAC_COLUMN_STATE, 0, 1}};
    box.options.columns = twice;
    box.options.ncolumn = 2;
    CHECK_INT(load(&box, FOLDER "one.csv", &recording, &err), TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "\"px\" and \"py\" measure the same number");
    box.options.cookie = 0;
    CHECK_INT(load(&box, FOLDER "one.csv", &recording, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_recording_frames(NULL).frames, 0);
    tac_recording_free(NULL);
    tac_model_free(box.model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_read),
        cmocka_unit_test(test_the_hash_is_that_of_the_numbers),
        cmocka_unit_test(test_every_broken_file_gets_its_message),
        cmocka_unit_test(test_wrong_columns),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
