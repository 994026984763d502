/* Folders of runs: one process at a time, checkpoints that are whole or refused, files that appear whole. */
/* setrlimit is X/Open */
#define _XOPEN_SOURCE 700
#include "tactus/run.h"

#include "io/scratch.h"
#include "support/check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HASH = 77, PLACE = 300, DAMAGES = 1000, PATH = 512, HEADER = 56 };

static tacRunFolder *open_run(const char *name, const char *kind, uint64_t hash, int resume) {
    tacRunFolder *run = NULL;
    tacError err = {0};
    if (tac_run_open(scratch_path(name), kind, hash, resume, &run, &err) != TAC_OK) fail_msg("%s", err.text);
    return run;
}

static void keep(tacRunFolder *run, int number) {
    unsigned char place[PLACE];
    tacError err = {0};
    memset(place, number, sizeof place);
    if (tac_run_checkpoint(run, place, sizeof place, &err) != TAC_OK) fail_msg("%s", err.text);
}

/* The number of the place that is taken; 0: none. */
static int take(tacRunFolder *run, tacError *refused) {
    void *bytes;
    size_t size;
    tacError err = {0};
    if (tac_run_restore(run, &bytes, &size, refused, &err) != TAC_OK) fail_msg("%s", err.text);
    if (bytes == NULL) return 0;
    CHECK_INT(size, PLACE);
    int number = ((unsigned char *)bytes)[PLACE - 1];
    for (int i = 0; i < PLACE; i++)
        CHECK_INT(((unsigned char *)bytes)[i], number);
    free(bytes);
    return number;
}

static int is_there(const char *name) {
    struct stat info;
    return stat(scratch_path(name), &info) == 0;
}

static void test_two_last_places_are_kept(void **state) {
    (void)state;
    tacError refused;
    tacRunFolder *run = open_run("kept", "plan", HASH, 0);
    CHECK_INT(take(run, &refused), 0);
    for (int i = 1; i <= 5; i++)
        keep(run, i);
    tac_run_close(run);
    CHECK(!is_there("kept/checkpoint-000003"));
    CHECK(is_there("kept/checkpoint-000004") && is_there("kept/checkpoint-000005"));
    run = open_run("kept", "plan", HASH, 1);
    CHECK_INT(take(run, &refused), 5);
    CHECK_STR(refused.text, "");
    keep(run, 6);
    tac_run_close(run);
    CHECK(!is_there("kept/checkpoint-000004") && is_there("kept/checkpoint-000006"));
    run = open_run("kept", "plan", HASH, 0); /* a fresh run has nothing of the last one */
    CHECK_INT(take(run, NULL), 0);
    tac_run_close(run);
}

/* --- Damage ------------------------------------------------------------------------------------------------------ */

static uint64_t generator = 1;

/* splitmix64 */
static uint32_t draw(uint32_t below) {
    generator += 0x9E3779B97F4A7C15u;
    uint64_t z = generator;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ z >> 31) % below);
}

static size_t read_file(const char *path, unsigned char *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    size_t size = fread(bytes, 1, room, file);
    fclose(file);
    return size;
}

/* Flips a bit, cuts, extends, exchanges two stretches, or fills a stretch: never the same bytes again. */
static size_t damage(unsigned char *bytes, size_t size) {
    unsigned char before[2 * (HEADER + PLACE)], piece[16];
    size_t was = size;
    memcpy(before, bytes, size);
    while (size == was && memcmp(before, bytes, size) == 0) {
        uint32_t at = draw((uint32_t)size - 16), to = draw((uint32_t)size - 16);
        switch (draw(5)) {
        case 0:
            bytes[draw((uint32_t)size)] ^= (unsigned char)(1u << draw(8));
            break;
        case 1:
            size = draw((uint32_t)size);
            break;
        case 2:
            bytes[size++] = (unsigned char)draw(256);
            break;
        case 3:
            memcpy(piece, bytes + at, sizeof piece);
            memmove(bytes + at, bytes + to, sizeof piece);
            memcpy(bytes + to, piece, sizeof piece);
            break;
        default:
            memset(bytes + at, (int)draw(256), sizeof piece);
        }
    }
    return size;
}

static void test_damaged_places_are_refused(void **state) {
    (void)state;
    static unsigned char good[2 * (HEADER + PLACE)], bad[2 * (HEADER + PLACE)];
    char path[PATH];
    tacRunFolder *run = open_run("damaged", "plan", HASH, 0);
    keep(run, 1);
    keep(run, 2);
    snprintf(path, sizeof path, "%s", scratch_path("damaged/checkpoint-000002"));
    size_t size = read_file(path, good, sizeof good);
    CHECK_INT(size, HEADER + PLACE);
    for (int i = 0; i < DAMAGES; i++) {
        tacError refused = {0};
        memcpy(bad, good, sizeof good);
        scratch_bytes("damaged/checkpoint-000002", bad, damage(bad, size));
        CHECK_INT(take(run, &refused), 1);
        CHECK_HAS(refused.text, "checkpoint-000002: ");
    }
    scratch_bytes("damaged/checkpoint-000002", good, size);
    CHECK_INT(take(run, NULL), 2);
    tac_run_close(run);
    print_message("%d damaged checkpoints refused by name, the one before taken\n", DAMAGES);
}

static void test_places_of_others_are_refused(void **state) {
    (void)state;
    static unsigned char bytes[2 * (HEADER + PLACE)];
    tacError refused = {0};
    tacRunFolder *run = open_run("other", "plan", HASH, 0);
    keep(run, 1);
    tac_run_close(run);
    run = open_run("other", "plan", HASH + 1, 1);
    CHECK_INT(take(run, &refused), 0);
    CHECK_INT(refused.status, TAC_ERR_MODEL);
    CHECK_HAS(refused.text, "checkpoint-000001: the checkpoint is of another task or model");
    tac_run_close(run);
    run = open_run("other", "fit", HASH, 1);
    CHECK_INT(take(run, &refused), 0);
    CHECK_HAS(refused.text, "of another kind of run, expected \"fit\"");
    tac_run_close(run);
    /* one that took the other's name */
    size_t size = read_file(scratch_path("other/checkpoint-000001"), bytes, sizeof bytes);
    scratch_bytes("other/checkpoint-000003", bytes, size);
    run = open_run("other", "plan", HASH, 1);
    CHECK_INT(take(run, &refused), 1);
    CHECK_HAS(refused.text, "checkpoint-000003: holds checkpoint 1, expected the one of its name");
    /* a later version, whole */
    bytes[8] = 2;
    uint64_t sum = tac_hash(bytes + HEADER, size - HEADER, tac_hash(bytes, 48, 0));
    for (int i = 0; i < 8; i++)
        bytes[48 + i] = (unsigned char)(sum >> 8 * i);
    scratch_bytes("other/checkpoint-000003", bytes, size);
    CHECK_INT(take(run, &refused), 1);
    CHECK_INT(refused.status, TAC_ERR_VERSION);
    CHECK_HAS(refused.text, "the checkpoint has version 2, expected 1");
    tac_run_close(run);
}

/* --- Folders ------------------------------------------------------------------------------------------------------ */

/* In a child, which has no lock of ours: the exit code is the status of opening. */
static int status_of_another(const char *path) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        tacRunFolder *run = NULL;
        tacError err = {0};
        tacStatus status = tac_run_open(path, "plan", HASH, 1, &run, &err);
        int told = status == TAC_OK || strstr(err.text, "another run has this folder") != NULL;
        _exit(told ? (int)status : 99);
    }
    int code = 0;
    CHECK(waitpid(child, &code, 0) == child && WIFEXITED(code));
    return WEXITSTATUS(code);
}

static void test_one_run_at_a_time(void **state) {
    (void)state;
    char path[PATH];
    snprintf(path, sizeof path, "%s", scratch_path("locked"));
    tacRunFolder *run = open_run("locked", "plan", HASH, 0);
    CHECK_INT(status_of_another(path), TAC_ERR_FILE);
    tac_run_close(run);
    CHECK_INT(status_of_another(path), TAC_OK);
}

static void test_folders_that_cannot_be(void **state) {
    (void)state;
    tacRunFolder *run = NULL;
    tacError err;
    CHECK_INT(tac_run_open(scratch_text("file", "x"), "plan", HASH, 0, &run, &err), TAC_ERR_FILE);
    CHECK_HAS(err.text, "is a file, expected a folder");
    CHECK_INT(tac_run_open("/nowhere/at/all", "plan", HASH, 0, &run, &err), TAC_ERR_FILE);
    CHECK_HAS(err.text, "/nowhere/at/all: No such file");
    CHECK_INT(tac_run_open(NULL, "plan", HASH, 0, &run, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_run_open("x", NULL, HASH, 0, &run, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_run_open("x", "plan", HASH, 0, NULL, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_run_checkpoint(NULL, "x", 1, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_run_write(NULL, "x", "x", 1, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_run_restore(NULL, NULL, NULL, NULL, &err), TAC_ERR_ARGUMENT);
    tac_run_close(NULL);
    CHECK(run == NULL);
}

/* What is not there is answered, not followed. */
static void test_null_arguments(void **state) {
    (void)state;
    tacPlanRun *run = NULL;
    tacPlanResult result;
    tacPlanOptions solver;
    tacPlanGuess guess;
    tacPlan *plan = NULL;
    tacError err;
    char *text = NULL, path[PATH] = "x";
    CHECK_INT(tac_plan_run(NULL, NULL, &run, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_plan_run_result(NULL, &result), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_plan_run_json(NULL, &text, &err), TAC_ERR_ARGUMENT);
    CHECK(tac_plan_run_plan(NULL) == NULL && tac_plan_run_starts(NULL) == 0 && tac_plan_run_best(NULL) == -1);
    CHECK_INT(tac_plan_run_outcome(NULL, 0).iterations, 0);
    CHECK_STR(tac_plan_run_refused(NULL), "");
    CHECK_STR(tac_run_path(NULL, "x", path, sizeof path), "");
    CHECK_INT(tac_task_plan(NULL, &plan, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_task_guess(NULL, &guess), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_task_solver(NULL, &solver, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_task_pose(NULL, NULL, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_task_starts(NULL) + tac_task_coarse(NULL), 0);
    CHECK(tac_task_hash(NULL) == 0 && tac_task_report(NULL) == NULL && tac_task_start(NULL) == NULL);
    tac_plan_run_free(NULL);
}

/* C programs plan a task as the command line does; coarse time steps come first where they are asked for. */
static void test_planning_in_c(void **state) {
    (void)state;
    static const char *const set[] = {"solver.coarse=2"};
    double cost[2];
    for (int coarse = 0; coarse < 2; coarse++) {
        tacTaskOptions options = tac_default_task_options();
        tacTask *task = NULL;
        tacPlanRun *run = NULL;
        tacPlanResult r;
        tacError err = {0};
        options.set = set;
        options.nset = coarse;
        if (tac_task_load("examples/tasks/dojo-plan-box-right.yaml", &options, &task, &err) != TAC_OK)
            fail_msg("%s", err.text);
        if (tac_plan_run(task, NULL, &run, &err) != TAC_OK) fail_msg("%s", err.text);
        CHECK_INT(tac_plan_run_result(run, &r), TAC_OK);
        CHECK_INT(r.end, TAC_PLAN_SOLVED);
        CHECK_INT(r.steps, 10);
        cost[coarse] = r.cost;
        tac_plan_run_free(run);
        tac_task_free(task);
    }
    CHECK_NEAR(cost[1] / cost[0], 1, 1e-2);
}

/* No room: what was there stays, and nothing half written is left. */
static void test_full_disk(void **state) {
    (void)state;
    struct rlimit before, small;
    tacError err = {0};
    unsigned char place[4096] = {0};
    tacRunFolder *run = open_run("full", "plan", HASH, 0);
    keep(run, 1);
    CHECK_INT(tac_run_write(run, "plan.json", "{}", 2, &err), TAC_OK);
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small = before;
    small.rlim_cur = 1024;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    tacStatus checkpoint = tac_run_checkpoint(run, place, sizeof place, &err);
    tacStatus file = tac_run_write(run, "plan.json", place, sizeof place, NULL);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK_INT(checkpoint, TAC_ERR_FILE);
    CHECK_INT(file, TAC_ERR_FILE);
    CHECK_HAS(err.text, "checkpoint-000002");
    CHECK(!is_there("full/checkpoint-000002") && !is_there("full/checkpoint-000002.part"));
    CHECK(!is_there("full/plan.json.part"));
    CHECK_INT(take(run, NULL), 1);
    CHECK_INT(read_file(scratch_path("full/plan.json"), place, sizeof place), 2);
    tac_run_close(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_last_places_are_kept),
        cmocka_unit_test(test_damaged_places_are_refused),
        cmocka_unit_test(test_places_of_others_are_refused),
        cmocka_unit_test(test_one_run_at_a_time),
        cmocka_unit_test(test_folders_that_cannot_be),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_null_arguments),
        cmocka_unit_test(test_planning_in_c),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
