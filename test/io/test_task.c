/* Tasks that are read: numbers of the model, options, start state; the text that reads back; changes. */
#include "tactus/task.h"

#include "io/scratch.h"
#include "io/task/keys.h"
#include "io/task/quantity.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVERY_KEY "test/data/tasks/every_key.yaml"

enum { KEYS = 128 };

static tacTask *load(const char *path, const char *const *set, int nset) {
    tacTaskOptions options = tac_default_task_options();
    options.set = set;
    options.nset = nset;
    tacTask *task = NULL;
    tacError err;
    if (tac_task_load(path, &options, &task, &err) != TAC_OK) fail_msg("%s", err.text);
    return task;
}

static double param(const tacTask *task, const char *path) {
    double value = 0;
    CHECK_INT(tac_param_get(tac_task_model(task), path, &value, NULL), TAC_OK);
    return value;
}

static void test_values_arrive(void **state) {
    (void)state;
    tacTask *task = load(EVERY_KEY, NULL, 0);
    CHECK_INT(tac_task_horizon(task), 12);
    CHECK_INT(tac_task_step(task)->contact, TAC_CONTACT_MODEL_NCP);
    CHECK_NEAR(tac_task_step(task)->dt, 0.02, 0);
    CHECK_NEAR(tac_task_step(task)->ncp_kappa, 1e-6, 0);
    CHECK_NEAR(param(task, "joint/hip.range[0]"), -2, 0);
    CHECK_NEAR(param(task, "joint/hip.range[1]"), 2, 0);
    CHECK_NEAR(param(task, "geom/foot.friction[0]"), 0.6, 0);
    CHECK_NEAR(param(task, "geom/floor.friction[0]"), 0.6, 0);
    CHECK_NEAR(param(task, "geom/floor.friction[1]"), 0.005, 0);
    CHECK_NEAR(param(task, "body/leg.mass"), 0.4, 0);
    const double *x = tac_task_start(task);
    CHECK_NEAR(x[2], 0.6, 0);
    CHECK_NEAR(x[7], 0.1, 0);
    CHECK_NEAR(x[8] * x[8] + x[9] * x[9], 1, 1e-15);
    CHECK_NEAR(x[9] / x[8], 0.1, 1e-15);
    CHECK_NEAR(x[12 + 6], -0.2, 0);
    CHECK_HAS(tac_task_model_path(task), "robot.xml");
    tac_task_free(task);
}

/* Unless a key says otherwise: the model's own state and options, and no horizon. */
static void test_json_and_defaults(void **state) {
    (void)state;
    tacTask *task = load("test/data/tasks/pose.json", NULL, 0);
    CHECK_INT(tac_task_horizon(task), 0);
    CHECK_INT(tac_task_step(task)->contact, TAC_CONTACT_MODEL_SOFT);
    CHECK_NEAR(tac_task_step(task)->dt, 0.01, 0);
    CHECK_NEAR(tac_task_start(task)[2], 0.5, 0);
    tac_task_free(task);
}

/* What is kept beside a run reads back to the same task. */
static void test_text_reads_back(void **state) {
    (void)state;
    static const char *const set[] = {"cost[3].name=\"a: 'b' \\\"c\\\"\\n#\\N\\L\\P\\u00fc\"", "solver.iterations=7",
                                      "geom/foot.friction[0]=0.9", "start.key=up", "cost[8]={of: kinetic}"};
    tacTask *task = load(EVERY_KEY, set, 5);
    CHECK_NEAR(param(task, "geom/foot.friction[0]"), 0.9, 0);
    CHECK_HAS(tac_task_text(task), "iterations: 7");
    CHECK_HAS(tac_task_text(task), "{of: kinetic}");
    tacTask *again = load(scratch_text("again.yaml", tac_task_text(task)), NULL, 0);
    CHECK_STR(tac_task_text(again), tac_task_text(task));
    CHECK_ARRAY(tac_nx(tac_task_model(task)), tac_task_start(again), tac_task_start(task), 0);
    CHECK(tac_model_hash(tac_task_model(again)) == tac_model_hash(tac_task_model(task)));
    tac_task_free(again);
    tac_task_free(task);
}

/* The hash tells tasks apart by what they ask, not by where they lie. */
static void test_hash(void **state) {
    (void)state;
    static const char *const set[] = {"horizon=13"}, *const same[] = {"horizon=12"};
    tacTask *a = load(EVERY_KEY, NULL, 0), *b = load(EVERY_KEY, set, 1), *c = load(EVERY_KEY, same, 1);
    CHECK(tac_task_hash(a) != tac_task_hash(b));
    CHECK(tac_task_hash(a) == tac_task_hash(c));
    tac_task_free(a);
    tac_task_free(b);
    tac_task_free(c);
}

/* Another verb has keys of its own section, beside those of every task, with the same messages. */
static void test_other_sections(void **state) {
    (void)state;
    const char *text = "version: 1\nmodel: robot.xml\nstep: {dt: 0.5}\nmethod: ilqr\niterations: 7\n";
    FILE *robot = fopen("test/data/broken_tasks/robot.xml", "rb");
    char bytes[1 << 13];
    CHECK(robot != NULL);
    size_t size = fread(bytes, 1, sizeof bytes, robot);
    fclose(robot);
    scratch_bytes("robot.xml", bytes, size);
    const char *path = scratch_text("other.yaml", text);
    tacTaskOptions options = tac_default_task_options();
    tacTask *task = NULL;
    tacError err = {0};
    options.section = "solver";
    if (tac_task_load(path, &options, &task, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK_NEAR(tac_task_step(task)->dt, 0.5, 0);
    tac_task_free(task);
    CHECK_INT(tac_task_load(path, NULL, &task, &err), TAC_ERR_SYNTAX);
    CHECK_HAS(err.text, "unknown key \"method\"");
    options.section = "nothing";
    CHECK_INT(tac_task_load(path, &options, &task, &err), TAC_ERR_NAME);
    CHECK_HAS(err.text, "tasks have no section \"nothing\"");
}

/* Every row has a section that something refers to, a name of its own there, and a default that its row accepts. */
static void test_table_of_keys(void **state) {
    (void)state;
    int n = 0;
    for (const tacTaskKey *key; (key = tac_task_key(n)) != NULL; n++) {
        int roots = strcmp(key->section, "task") == 0 || strcmp(key->section, "plan") == 0, used = roots;
        for (int i = 0; tac_task_key(i) != NULL; i++)
            used = used || strcmp(tac_task_key(i)->more, key->section) == 0;
        if (!used) fail_msg("nothing refers to section %s", key->section);
        CHECK(tac_task_find_key(key->section, key->name) == key);
        CHECK(key->text[0] != '\0');
        if (key->fallback == NULL || key->fallback[0] == '\0') continue;
        tacNode node = {.kind = TAC_NODE_SCALAR, .origin = "default", .text = key->fallback};
        tacError err;
        if (tac_task_check_value(key, &node, &err) != TAC_OK) fail_msg("%s.%s: %s", key->section, key->name, err.text);
    }
    CHECK(n < KEYS);
}

/* Each output that a simulation has is a quantity of tasks, once. */
static void test_all_outputs_have_names(void **state) {
    (void)state;
    for (int kind = 0; kind < TAC_OUTPUT_KINDS; kind++) {
        int found = 0;
        for (int i = 0; tac_quantity_row(i) != NULL; i++)
            found += tac_quantity_row(i)->is_output && tac_quantity_row(i)->kind == kind;
        if (found != 1) fail_msg("output %d has %d names", kind, found);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_arrive),          cmocka_unit_test(test_json_and_defaults),
        cmocka_unit_test(test_text_reads_back),        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_other_sections),         cmocka_unit_test(test_table_of_keys),
        cmocka_unit_test(test_all_outputs_have_names),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
