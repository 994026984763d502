/* Mutated tasks: none may crash, hang or leak; what is refused says why in one line, and what is accepted reads back
 * from its own text. The mutations are the same in every run; TAC_FUZZ_SEED and TAC_FUZZ_COUNT ask for others and for
 * more. Worth most under asan and ubsan. */
#include "tactus/task.h"

#include "io/scratch.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 1500, CAPACITY = 1 << 14, MOST_CHANGES = 3, SECONDS = 20 };

static uint64_t generator;

/* splitmix64 */
static uint32_t draw(uint32_t below) {
    generator += 0x9E3779B97F4A7C15u;
    uint64_t z = generator;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ z >> 31) % below);
}

static long setting(const char *name, long otherwise) {
    const char *value = getenv(name);
    return value != NULL ? atol(value) : otherwise;
}

typedef struct Buffer {
    char data[CAPACITY];
    size_t size;
} Buffer;

static void splice(Buffer *b, size_t at, size_t removed, const void *inserted, size_t n) {
    if (b->size - removed + n > CAPACITY) return;
    memmove(b->data + at + n, b->data + at + removed, b->size - at - removed);
    memcpy(b->data + at, inserted, n);
    b->size = b->size - removed + n;
}

/* What breaks readers of YAML and of tasks. */
static const char *const WORDS[] = {"0",
                                    "-1",
                                    "1e999",
                                    "nan",
                                    ".inf",
                                    "-0.0",
                                    "2147483648",
                                    "99999999999999999999",
                                    " ",
                                    "\n",
                                    "\"",
                                    "'",
                                    "{",
                                    "}",
                                    "[",
                                    "]",
                                    ",",
                                    ":",
                                    ": ",
                                    "- ",
                                    "? ",
                                    "&a ",
                                    "*a",
                                    "!!int ",
                                    "|\n",
                                    ">\n",
                                    "#",
                                    "---\n",
                                    "...\n",
                                    "%YAML 1.1",
                                    "\t",
                                    "\r\n",
                                    "~",
                                    "null",
                                    "true",
                                    "yes",
                                    "end",
                                    "all",
                                    "hip",
                                    "root",
                                    "trunk",
                                    "foot",
                                    "floor",
                                    "[0]",
                                    "body/",
                                    "*",
                                    "?",
                                    "<<: ",
                                    "key: ",
                                    "of: ",
                                    "steps: ",
                                    "qpos: ",
                                    "weight: ",
                                    "first: ",
                                    "kappa: 1",
                                    "\xff",
                                    "\xc3\x28",
                                    "\\u0000",
                                    "\xef\xbb\xbf",
                                    "root[5]",
                                    "option.gravity: 1"};

/* A digit behind this place becomes another one: what is read well, and asks for something else. */
static void change_digit(Buffer *b, size_t at) {
    while (at < b->size && (b->data[at] < '0' || b->data[at] > '9'))
        at++;
    if (at < b->size) b->data[at] = (char)('0' + draw(10));
}

static void mutate(Buffer *b) {
    size_t at = draw((uint32_t)b->size), span = draw(12);
    if (span > b->size - at) span = b->size - at;
    const char *word = WORDS[draw((uint32_t)(sizeof WORDS / sizeof *WORDS))];
    char kept[64];
    switch (draw(9)) {
    case 0:
        b->data[at] = (char)draw(256);
        break;
    case 1:
        b->data[at] ^= (char)(1 << draw(7));
        break;
    case 2:
        splice(b, at, span, "", 0);
        break;
    case 3:
        splice(b, at, span, word, strlen(word));
        break;
    case 4:
        splice(b, at, 0, word, strlen(word));
        break;
    case 5:
    case 6:
    case 7:
        change_digit(b, at);
        break;
    default: {
        size_t n = draw(sizeof kept), from = draw((uint32_t)b->size);
        if (n > b->size - from) n = b->size - from;
        memcpy(kept, b->data + from, n);
        splice(b, at, 0, kept, n);
    }
    }
}

static void read_seed(const char *path, Buffer *out) {
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    out->size = fread(out->data, 1, CAPACITY, file);
    fclose(file);
    CHECK(out->size > 0 && out->size < CAPACITY);
}

/* The text of an accepted task is accepted, and is its own. */
static void check_accepted(const tacTask *task) {
    tacTask *again = NULL;
    tacError err = {0};
    const char *path = scratch_text("again.yaml", tac_task_text(task));
    if (tac_task_load(path, NULL, &again, &err) != TAC_OK) fail_msg("%s\nof\n%s", err.text, tac_task_text(task));
    CHECK_STR(tac_task_text(again), tac_task_text(task));
    tac_task_free(again);
}

static int try_one(const Buffer *b) {
    tacTask *task = NULL;
    tacError err = {0};
    const char *path = scratch_bytes("task.yaml", b->data, b->size);
    alarm(SECONDS);
    tacStatus status = tac_task_load(path, NULL, &task, &err);
    if (status == TAC_OK) {
        check_accepted(task);
    } else {
        CHECK(task == NULL);
        CHECK_INT(err.status, status);
        CHECK(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
    }
    alarm(0);
    tac_task_free(task);
    return status == TAC_OK;
}

/* The robot lies where the tasks of the folder expect it. */
static void copy_robot(void) {
    static Buffer robot;
    read_seed("test/data/broken_tasks/robot.xml", &robot);
    scratch_bytes("robot.xml", robot.data, robot.size);
}

static void aim_at_robot(Buffer *b) {
    static const char there[] = "../broken_tasks/";
    for (size_t i = 0; i + sizeof there <= b->size; i++)
        if (memcmp(b->data + i, there, sizeof there - 1) == 0) splice(b, i, sizeof there - 1, "", 0);
}

static void test_mutated_tasks(void **state) {
    (void)state;
    static const char *const seeds[] = {"test/data/tasks/every_key.yaml", "test/data/tasks/pose.json"};
    static Buffer seed[2], b;
    long count = setting("TAC_FUZZ_COUNT", COUNT), accepted = 0;
    generator = (uint64_t)setting("TAC_FUZZ_SEED", 1);
    copy_robot();
    for (int i = 0; i < 2; i++) {
        read_seed(seeds[i], &seed[i]);
        aim_at_robot(&seed[i]);
        CHECK(try_one(&seed[i]));
    }
    for (long i = 0; i < count; i++) {
        b = seed[draw(4) == 0];
        for (uint32_t n = 1 + draw(MOST_CHANGES); n > 0; n--)
            if (b.size > 0) mutate(&b);
        accepted += try_one(&b);
    }
    print_message("%ld mutated tasks, %ld accepted, 0 problems\n", count, accepted);
    CHECK(accepted > 0 && accepted < count);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mutated_tasks)};
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
