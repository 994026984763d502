/* Broken tasks: every file of test/data/broken_tasks is refused with the message of its row of expected.tsv; so are
 * broken changes, and files too large or too wide. */
#include "tactus/task.h"

#include "io/scratch.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "test/data/broken_tasks/"

enum { LEAST_FILES = 60, LINE = 2048, PATH = 256 };

/* What any refusal keeps to: a status, one line of text, no task. */
static tacError refuse(const char *path, const tacTaskOptions *options) {
    tacError err = {0};
    tacTask *task = NULL;
    tacStatus status = tac_task_load(path, options, &task, &err);
    if (status == TAC_OK) fail_msg("%s was accepted", path);
    CHECK_INT(status, err.status);
    CHECK(task == NULL);
    CHECK(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
    return err;
}

static void test_every_file_gets_its_message(void **state) {
    (void)state;
    FILE *list = fopen(FOLDER "expected.tsv", "r");
    CHECK(list != NULL);
    char line[LINE], path[LINE + PATH];
    int files = 0;
    while (fgets(line, sizeof line, list) != NULL) {
        char *tab = strchr(line, '\t');
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#') continue;
        CHECK(tab != NULL);
        *tab = '\0';
        snprintf(path, sizeof path, FOLDER "%s.yaml", line);
        CHECK_HAS(refuse(path, NULL).text, tab + 1);
        files++;
    }
    fclose(list);
    print_message("%d files\n", files);
    CHECK(files >= LEAST_FILES);
}

static void refuse_change(const char *change, const char *words) {
    tacTaskOptions options = tac_default_task_options();
    options.set = &change;
    options.nset = 1;
    CHECK_HAS(refuse("test/data/tasks/every_key.yaml", &options).text, words);
}

static void test_broken_changes(void **state) {
    (void)state;
    refuse_change("horizon", "--set horizon: expected KEY=VALUE");
    refuse_change("=3", "--set =3: expected KEY=VALUE");
    refuse_change("horizon=", "--set horizon=: found nothing, expected a value");
    refuse_change("horizon=0", "--set horizon=0: horizon: found 0, expected at least 1");
    refuse_change("horizon=[", "--set horizon=[: ");
    refuse_change("horizon.x=3", "horizon is \"12\", expected a map of keys");
    refuse_change("cost[99].weight=1", "no item [99] there, expected one of a list of 9");
    refuse_change("solver[0]=1", "no item [0] there");
    refuse_change("solver..x=1", "expected a key, as solver.iterations");
    refuse_change("a.b.c.d.e.f.g.h=1", "expected a key, as solver.iterations");
    refuse_change("solver.iteration=3", "unknown key \"iteration\"; the nearest known one is \"iterations\"");
    refuse_change("geom/foot.frixion[0]=1", "no parameter \"geom/foot.frixion[0]\"");
    refuse_change("body/leg.mass=-1", "body 'leg': mass is -1, expected zero or more");
    refuse_change("option.timestep=fast", "found \"fast\", expected a finite number");
    refuse_change("horizon=&a 3", "found the anchor");
}

/* head, n times unit (with a number and a value after it), tail */
static const char *write_repeated(const char *head, const char *unit, long n, const char *tail, int number) {
    const char *path = scratch_path("large.yaml");
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    fputs(head, file);
    for (long i = 0; i < n; i++)
        number > 0 ? fprintf(file, "%s%ld: 1\n", unit, i) : fputs(unit, file);
    fputs(tail, file);
    CHECK(fclose(file) == 0);
    return path;
}

static void test_sizes_are_bounded(void **state) {
    (void)state;
    static const char head[] = "version: 1\nmodel: robot.xml\n";
    CHECK_HAS(refuse(write_repeated(head, "# filling letters\n", 500000, "", 0), NULL).text, "more than the limit");
    CHECK_HAS(refuse(write_repeated(head, "key", 2000, "", 1), NULL).text, "more than 1024 keys in one map");
    CHECK_HAS(refuse(write_repeated("version: [", "0,", 300000, "]", 0), NULL).text, "more than 262144 values");
    CHECK_HAS(refuse(write_repeated("a: ", "[", 100000, "", 0), NULL).text, "more than 16 lists and maps");
    CHECK_HAS(refuse(write_repeated("", "- ", 100000, "", 0), NULL).text, "more than 16 lists and maps");
    CHECK_HAS(refuse(write_repeated("", "{a: ", 100000, "", 0), NULL).text, "more than 16 lists and maps");
}

static void test_what_is_no_file(void **state) {
    (void)state;
    CHECK_HAS(refuse("test/data/tasks/nowhere.yaml", NULL).text, "nowhere.yaml: No such file");
    CHECK_HAS(refuse("test/data/tasks", NULL).text, "folder");
    CHECK_HAS(refuse("/dev/zero", NULL).text, "not a regular file");
    tacError err;
    tacTask *task = NULL;
    CHECK_INT(tac_task_load(NULL, NULL, &task, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_task_load("test/data/tasks/every_key.yaml", NULL, NULL, &err), TAC_ERR_ARGUMENT);
    CHECK(tac_task_model(NULL) == NULL && tac_task_horizon(NULL) == 0);
    tac_task_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_file_gets_its_message),
        cmocka_unit_test(test_broken_changes),
        cmocka_unit_test(test_sizes_are_bounded),
        cmocka_unit_test(test_what_is_no_file),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
