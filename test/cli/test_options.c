/* The option parser: every kind of value, refusals by name, suggestions. */
#include "cli/options.h"

#include "cli/cli.h"
#include "support/check.h"

#include "failure.h"

#include <stdio.h>
#include <string.h>

typedef struct tacSample {
    int flag, choice;
    const char *text;
    long count;
    tacArgSeed seed;
    double number;
    tacArgList list;
} tacSample;

static const tacArg TABLE[] = {
    {"--flag", "-f", TAC_ARG_FLAG, offsetof(tacSample, flag), NULL, "a flag"},
    {"--text", "-t", TAC_ARG_TEXT, offsetof(tacSample, text), "TEXT", "a text"},
    {"--count", NULL, TAC_ARG_COUNT, offsetof(tacSample, count), "N", "a count"},
    {"--seed", NULL, TAC_ARG_SEED, offsetof(tacSample, seed), "SEED", "a seed"},
    {"--number", NULL, TAC_ARG_NUMBER, offsetof(tacSample, number), "X", "a number"},
    {"--choice", NULL, TAC_ARG_CHOICE, offsetof(tacSample, choice), "red|green|blue", "a choice"},
    {"--list", NULL, TAC_ARG_LIST, offsetof(tacSample, list), "ITEM", "a list"},
    {0},
};

enum { MOST = 80 };

/* Parses "a b c" split at spaces, as the verb `v` with one or two operands. */
static int parse(const char *line, tacSample *out, const char *operand[2], int *noperand) {
    static char text[1024];
    static char verb[] = "v";
    char *argv[MOST] = {verb};
    int argc = 1;
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word != NULL && argc < MOST; word = strtok(NULL, " "))
        argv[argc++] = word;
    tacArgGroup group = {"options", TABLE, out};
    tacArgs args = {.verb = "v",
                    .operands = "A [B]",
                    .summary = "",
                    .groups = &group,
                    .ngroup = 1,
                    .operand = operand,
                    .min_operands = 1,
                    .max_operands = 2};
    memset(out, 0, sizeof *out);
    failure_clear();
    int result = cli_parse(&args, argc, argv);
    *noperand = args.noperand;
    return result;
}

static void reads_every_kind(void **state) {
    (void)state;
    tacSample s;
    const char *operand[2];
    int n;
    CHECK_INT(parse("a --flag --text hello --count 12 --seed 18446744073709551615 --number -2.5e-3 --choice blue "
                    "--list x --list=y=z b",
                    &s, operand, &n),
              CLI_GO_ON);
    CHECK_INT(n, 2);
    CHECK_STR(operand[0], "a");
    CHECK_STR(operand[1], "b");
    CHECK_INT(s.flag, 1);
    CHECK_STR(s.text, "hello");
    CHECK_INT(s.count, 12);
    CHECK(s.seed.given && s.seed.value == UINT64_MAX);
    CHECK(s.number == -2.5e-3);
    CHECK_INT(s.choice, 2);
    CHECK_INT(s.list.count, 2);
    CHECK_STR(s.list.item[1], "y=z");
}

static void reads_short_names_and_double_dash(void **state) {
    (void)state;
    tacSample s;
    const char *operand[2];
    int n;
    CHECK_INT(parse("-f -t x -- --flag", &s, operand, &n), CLI_GO_ON);
    CHECK_INT(n, 1);
    CHECK_STR(operand[0], "--flag");
    CHECK_INT(s.flag, 1);
    CHECK_STR(s.text, "x");
    CHECK_INT(parse("-", &s, operand, &n), CLI_GO_ON);
    CHECK_STR(operand[0], "-");
}

static void refuses(const char *line, const char *message) {
    tacSample s;
    const char *operand[2];
    int n;
    CHECK_INT(parse(line, &s, operand, &n), CLI_CANNOT);
    CHECK_HAS(failure_text(), message);
}

static void refuses_by_name(void **state) {
    (void)state;
    refuses("", "A [B] is missing");
    refuses("a b c", "unexpected argument \"c\"");
    refuses("a --numbre 3", "unknown option --numbre; did you mean --number?");
    refuses("a --completely-else", "unknown option --completely-else (");
    refuses("a -x", "unknown option -x");
    refuses("a --number", "--number needs a value: X");
    refuses("a --flag=1", "--flag takes no value");
    refuses("a --count -3", "--count: got \"-3\", expected an integer");
    refuses("a --count 3x", "--count: got \"3x\"");
    refuses("a --count 99999999999999999999", "--count: got");
    refuses("a --seed -1", "--seed: got \"-1\"");
    refuses("a --choice pink", "--choice: got \"pink\", expected red|green|blue");
    refuses("a --choice gree", "--choice: got \"gree\"");
}

static void refuses_numbers_that_are_none(void **state) {
    (void)state;
    const char *bad[] = {"nan", "inf", "-inf", "1e400", "0x10", "1.5.2", "1,5", "two", ""};
    double number;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK(!cli_number(bad[i], &number));
    CHECK(cli_number("1e-320", &number) && number > 0);
    CHECK(cli_number("0.1", &number) && number == 0.1);
}

static void refuses_too_long_a_list(void **state) {
    (void)state;
    char line[1024] = "a";
    for (int i = 0; i <= TAC_ARG_LIST_MAX; i++)
        strcat(line, " --list=x");
    tacSample s;
    const char *operand[2];
    int n;
    CHECK_INT(parse(line, &s, operand, &n), CLI_CANNOT);
    CHECK_HAS(failure_text(), "--list: given more than 64 times");
}

static void measures_edits(void **state) {
    (void)state;
    CHECK_INT(cli_edit_distance("", ""), 0);
    CHECK_INT(cli_edit_distance("abc", ""), 3);
    CHECK_INT(cli_edit_distance("kitten", "sitting"), 3);
    CHECK_INT(cli_edit_distance("steps", "stpes"), 2);
    CHECK_INT(cli_edit_distance("flaw", "lawn"), cli_edit_distance("lawn", "flaw"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_kind),        cmocka_unit_test(reads_short_names_and_double_dash),
        cmocka_unit_test(refuses_by_name),         cmocka_unit_test(refuses_numbers_that_are_none),
        cmocka_unit_test(refuses_too_long_a_list), cmocka_unit_test(measures_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
