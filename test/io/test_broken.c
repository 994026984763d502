/* Bad input: every file of test/data/broken is refused with the message its row of expected.tsv says, quickly and
 * within bounded memory; so are files too large to keep, cut and bent versions of good ones, and damaged packed
 * models. */
/* getrusage is X/Open */
#define _XOPEN_SOURCE 700
#include "tactus/io.h"

#include "io/scratch.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define FOLDER "test/data/broken/"

enum { LEAST_FILES = 60, LINE = 2048, PARTS = 8 };

/* Time of this process allowed for refusing one file, s, whatever else the machine does; the sanitizers are slow. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifdef SANITIZED
#define MOST_SECONDS 10.0
#else
#define MOST_SECONDS 1.0
#endif

/* Memory a refusal may take beyond this many times the file, bytes. */
#define MEMORY_PER_BYTE 64.0
#define MEMORY_SLACK    (64.0 * 1024 * 1024)

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The largest the process has been, bytes. */
static double peak_memory(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

/* What any refusal keeps to: a status, one line of text, no model, little time. */
static tacError refuse(const char *path, const tacLoadOptions *options) {
    tacError err = {0};
    tacModel *model = NULL;
    tacReport *report = NULL;
    double start = now();
    tacStatus status = tac_load_with(path, options, &model, &report, &err);
    double seconds = now() - start;
    tac_report_free(report);
    if (status == TAC_OK) fail_msg("%s was accepted", path);
    CHECK_INT(status, err.status);
    CHECK(model == NULL);
    CHECK(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
    if (seconds > MOST_SECONDS) fail_msg("%s took %g s", path, seconds);
    return err;
}

/* --- The folder -------------------------------------------------------------------------------------------------- */

typedef struct Row {
    char text[LINE], *file, *options, *part[PARTS];
    int nparts;
} Row;

/* Next row of the list that is no comment; 0 at the end. */
static int read_row(FILE *list, Row *row) {
    do {
        if (fgets(row->text, sizeof row->text, list) == NULL) return 0;
        CHECK(strchr(row->text, '\n') != NULL);
        row->text[strcspn(row->text, "\n")] = '\0';
    } while (row->text[0] == '#');
    row->file = strtok(row->text, "\t");
    row->options = strtok(NULL, "\t");
    char *parts = strtok(NULL, "\t");
    CHECK(row->file != NULL && row->options != NULL && parts != NULL);
    row->nparts = 0;
    for (char *next; parts != NULL; parts = next) {
        next = strstr(parts, " | ");
        if (next != NULL) *next = '\0', next += 3;
        CHECK(row->nparts < PARTS);
        row->part[row->nparts++] = parts;
    }
    return 1;
}

static void test_every_file_gets_its_message(void **state) {
    (void)state;
    FILE *list = fopen(FOLDER "expected.tsv", "r");
    CHECK(list != NULL);
    Row row;
    int files = 0;
    while (read_row(list, &row)) {
        char path[LINE];
        tacLoadOptions options = tac_default_load_options();
        options.lenient = strcmp(row.options, "--lenient") == 0;
        snprintf(path, sizeof path, FOLDER "%s", row.file);
        tacError err = refuse(path, &options);
        for (int i = 0; i < row.nparts; i++)
            CHECK_HAS(err.text, row.part[i]);
        files++;
    }
    fclose(list);
    print_message("%d files, all of this in %.0f MB\n", files, peak_memory() / (1024 * 1024));
    CHECK(files >= LEAST_FILES);
}

/* What is only unsupported loads leniently, and says so in a warning with the same words. */
static void test_unsupported_loads_leniently(void **state) {
    (void)state;
    FILE *list = fopen(FOLDER "expected.tsv", "r");
    CHECK(list != NULL);
    Row row;
    int files = 0;
    while (read_row(list, &row)) {
        const char *words = row.part[row.nparts - 1];
        if (strstr(words, "not supported") == NULL) continue;
        char path[LINE];
        tacLoadOptions options = tac_default_load_options();
        tacModel *model = NULL;
        tacReport *report = NULL;
        tacError err;
        int told = 0;
        options.lenient = 1;
        snprintf(path, sizeof path, FOLDER "%s", row.file);
        if (tac_load_with(path, &options, &model, &report, &err) != TAC_OK) fail_msg("%s", err.text);
        for (int i = 0; i < tac_report_warning_count(report); i++)
            told = told || strstr(tac_report_warning(report, i), words) != NULL;
        if (!told) fail_msg("%s: no warning says \"%s\"", path, words);
        tac_report_free(report);
        tac_model_free(model);
        files++;
    }
    fclose(list);
    CHECK(files > 0);
}

/* An option that opens the door: the same files, outside their folder, are found. */
static void test_outside_is_allowed_when_asked(void **state) {
    (void)state;
    tacLoadOptions options = tac_default_load_options();
    tacModel *model = NULL;
    tacError err;
    options.allow_outside = 1;
    if (tac_load_with(FOLDER "include_outside.xml", &options, &model, NULL, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK_INT(model->nv, 6);
    tac_model_free(model);
    err = refuse(FOLDER "inner/mesh_outside.xml", &options);
    CHECK_HAS(err.text, "truncated.stl");
}

static void test_what_is_no_file(void **state) {
    (void)state;
    CHECK_HAS(refuse("test/data/broken/nowhere.xml", NULL).text, "nowhere.xml");
    CHECK_HAS(refuse("test/data/broken", NULL).text, "folder");
    CHECK_HAS(refuse("", NULL).text, "");
    tacLoadOptions options = tac_default_load_options();
    options.max_bytes = 100;
    CHECK_HAS(refuse("models/humanoid.xml", &options).text, "100");
}

/* --- Too large to keep ------------------------------------------------------------------------------------------- */

/* head, n times unit, tail */
static const char *write_repeated(const char *ending, const char *head, const char *unit, long n, const char *tail) {
    const char *path = scratch_path(ending);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    fputs(head, file);
    for (long i = 0; i < n; i++)
        fputs(unit, file);
    fputs(tail, file);
    CHECK(fclose(file) == 0);
    return path;
}

/* Refused with these words, and with memory in proportion to the file. */
static void refuse_large(const char *path, const char *words) {
    double before = peak_memory();
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    double size = (double)ftell(file);
    fclose(file);
    tacError err = refuse(path, NULL);
    CHECK_HAS(err.text, words);
#ifndef SANITIZED
    CHECK_LT(peak_memory() - before, MEMORY_SLACK + MEMORY_PER_BYTE * size);
#else
    (void)before, (void)size;
#endif
    remove(path);
}

static void test_large_files(void **state) {
    (void)state;
    static const struct {
        const char *ending, *head, *unit;
        long n;
        const char *tail, *words;
    } files[] = {
        {"deep.xml", "<mujoco><worldbody>", "<body>", 2000000, "", "nested too deeply"},
        {"deep_closed.xml", "<mujoco>\n<default>", "<default class=\"a\">", 100000, "</mujoco>",
         ":2: elements are nested"},
        {"deep.urdf", "<robot name=\"r\">", "<link>", 2000000, "", "nested too deeply"},
        {"attributes.xml", "<mujoco>\n<option", " a=\"1\"", 500000, "/></mujoco>",
         ":2: an element has 500000 attributes"},
        {"numbers.xml", "<mujoco><worldbody>\n<geom size=\"", "1 ", 1000000, "\"/></worldbody></mujoco>",
         "expected at most 3"},
        {"name.xml", "<mujoco><worldbody>\n<body name=\"", "x", 10000000, "\" pos=\"1\"/></worldbody></mujoco>",
         "expected 3"},
        {"comment.xml", "<mujoco><!--", "very long ", 1000000, "", "malformed XML"},
        {"vertices.xml", "<mujoco><asset><mesh name=\"m\" vertex=\"", "1 2 3 ", 500000, "4\"/></asset></mujoco>",
         "three per vertex"},
        {"unknown.xml", "<mujoco>\n", "<a/>\n", 200000, "</mujoco>", ":2: element <a>"},
        {"text.xml", "<mujoco>", "word ", 2000000, "<a/></mujoco>", "element <a>"},
        {"replicate.xml", "<mujoco><worldbody>", "<replicate count=\"1000\">", 5,
         "<geom size=\"1\"/></replicate></replicate></replicate></replicate></replicate></worldbody></mujoco>",
         "too many elements"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        refuse_large(write_repeated(files[i].ending, files[i].head, files[i].unit, files[i].n, files[i].tail),
                     files[i].words);
}

/* Large and right: loaded in time that grows with the file. */
static void test_large_good_files(void **state) {
    (void)state;
    enum { CLASSES = 20000, BODIES = 20000 };
    const char *path = scratch_path("classes.xml");
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    fputs("<mujoco><default>", file);
    for (int i = 0; i < CLASSES; i++)
        fprintf(file, "<default class=\"class%d\"/>\n", i);
    fputs("</default><worldbody>", file);
    for (int i = 0; i < BODIES; i++)
        fprintf(file, "<body name=\"body%d\" childclass=\"class%d\"/>\n", i, i % CLASSES);
    fputs("</worldbody></mujoco>", file);
    CHECK(fclose(file) == 0);
    tacModel *model = NULL;
    tacError err;
    double start = now();
    if (tac_load(path, &model, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK_LT(now() - start, MOST_SECONDS);
    CHECK_INT(model->nbody, BODIES + 1);
    tac_model_free(model);
}

/* A reversed range limits nothing, as in MuJoCo, but not in silence. */
static void test_reversed_range_is_told(void **state) {
    (void)state;
    tacModel *model = NULL;
    tacReport *report = NULL;
    const char *path = scratch_text("reversed.xml", "<mujoco><worldbody><body>\n<joint name=\"knee\" range=\"10 -10\"/>"
                                                    "<geom size=\"1\"/></body></worldbody></mujoco>");
    CHECK_INT(tac_load_with(path, NULL, &model, &report, NULL), TAC_OK);
    CHECK_INT(model->joint_limited[0], 0);
    CHECK_INT(tac_report_warning_count(report), 1);
    CHECK_HAS(tac_report_warning(report, 0), ":2: element <joint name=\"knee\">");
    CHECK_HAS(tac_report_warning(report, 0), "reversed");
    tac_report_free(report);
    tac_model_free(model);
}

/* --- Good files, cut or bent ------------------------------------------------------------------------------------- */

enum { CUTS = 40, FLIPS = 150 };

static unsigned char *read_all(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    CHECK(fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

static const char *const GOOD[] = {"models/humanoid.xml", "models/panda.xml", "models/quadrotor.xml"};

/* The front part of a model is never a model. */
static void test_cut_files(void **state) {
    (void)state;
    for (size_t f = 0; f < sizeof GOOD / sizeof GOOD[0]; f++) {
        size_t size;
        unsigned char *bytes = read_all(GOOD[f], &size);
        for (size_t i = 0; i < CUTS; i++) {
            CHECK_HAS(refuse(scratch_bytes("cut.xml", bytes, (size - 10) * i / CUTS), NULL).text, "cut.xml:");
        }
        free(bytes);
    }
}

/* One byte replaced by another: refused or accepted, but with a message, and nothing breaks (the sanitizers watch). */
static void test_bent_files(void **state) {
    (void)state;
    int refused = 0;
    for (size_t f = 0; f < sizeof GOOD / sizeof GOOD[0]; f++) {
        size_t size;
        unsigned char *bytes = read_all(GOOD[f], &size);
        for (uint64_t i = 0; i < FLIPS; i++) {
            size_t place = tac_random_bits(f, 0, i) % size;
            unsigned char kept = bytes[place];
            bytes[place] = (unsigned char)tac_random_bits(f, 1, i);
            const char *path = scratch_bytes("bent.xml", bytes, size);
            tacError err = {0};
            tacModel *model = NULL;
            tacStatus status = tac_load(path, &model, &err);
            CHECK_INT(status == TAC_OK, model != NULL);
            CHECK(status == TAC_OK || strstr(err.text, "bent.xml") != NULL);
            refused += status != TAC_OK;
            tac_model_free(model);
            bytes[place] = kept;
        }
        free(bytes);
    }
    CHECK(refused > 0);
}

/* --- Packed models ----------------------------------------------------------------------------------------------- */

static void test_damaged_packed_models(void **state) {
    (void)state;
    tacModel *model = NULL;
    size_t size;
    CHECK_INT(tac_load("models/hopper.xml", &model, NULL), TAC_OK);
    CHECK_INT(tac_save(model, scratch_path("model.tac"), NULL), TAC_OK);
    tac_model_free(model);
    unsigned char *bytes = read_all(scratch_path("model.tac"), &size);
    for (size_t i = 0; i < CUTS; i++) { /* cut */
        CHECK_HAS(refuse(scratch_bytes("model.tac", bytes, size * i / CUTS), NULL).text, "model.tac");
    }
    for (uint64_t i = 0; i < FLIPS; i++) { /* any bit anywhere */
        size_t place = tac_random_bits(1, 2, i) % size;
        unsigned char kept = bytes[place];
        bytes[place] ^= (unsigned char)(1u << tac_random_bits(1, 3, i) % 8);
        CHECK_HAS(refuse(scratch_bytes("model.tac", bytes, size), NULL).text, "model.tac");
        bytes[place] = kept;
    }
    bytes = realloc(bytes, size + 1);
    bytes[size] = 0;
    /* something after the end */
    CHECK_HAS(refuse(scratch_bytes("model.tac", bytes, size + 1), NULL).text, "model.tac");
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_file_gets_its_message),
        cmocka_unit_test(test_unsupported_loads_leniently),
        cmocka_unit_test(test_outside_is_allowed_when_asked),
        cmocka_unit_test(test_what_is_no_file),
        cmocka_unit_test(test_large_files),
        cmocka_unit_test(test_large_good_files),
        cmocka_unit_test(test_reversed_range_is_told),
        cmocka_unit_test(test_cut_files),
        cmocka_unit_test(test_bent_files),
        cmocka_unit_test(test_damaged_packed_models),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
