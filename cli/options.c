#include "cli/options.h"

#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 63, NEAR_EDITS = 3, HELP_COLUMN = 28 };

int cli_edit_distance(const char *a, const char *b) {
    /* Wagner-Fischer: row[j] = distance of a[0..i) and b[0..j). */
    int row[WORD_MAX + 1], na = (int)strlen(a), nb = (int)strlen(b);
    if (na > WORD_MAX || nb > WORD_MAX) return WORD_MAX;
    for (int j = 0; j <= nb; j++)
        row[j] = j;
    for (int i = 1; i <= na; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            int replace = diagonal + (a[i - 1] != b[j - 1]);
            int other = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            diagonal = row[j];
            row[j] = replace < other ? replace : other;
        }
    }
    return row[nb];
}

int cli_number(const char *text, double *number) {
    char *end;
    if (text[0] == '\0' || strpbrk(text, "xXnN") != NULL) return 0;
    errno = 0;
    *number = strtod(text, &end);
    return *end == '\0' && end != text && isfinite(*number);
}

static int parse_count(const char *text, long *count) {
    char *end;
    errno = 0;
    *count = strtol(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

static int parse_seed(const char *text, tacArgSeed *seed) {
    char *end;
    errno = 0;
    seed->value = strtoull(text, &end, 10);
    seed->given = 1;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

/* Index of a word among "a|b|c", or -1. */
static int parse_choice(const char *words, const char *text) {
    size_t n = strlen(text);
    for (int i = 0; words != NULL; i++) {
        const char *bar = strchr(words, '|');
        size_t length = bar != NULL ? (size_t)(bar - words) : strlen(words);
        if (length == n && strncmp(words, text, n) == 0) return i;
        words = bar != NULL ? bar + 1 : NULL;
    }
    return -1;
}

static int expected(const tacArgs *args, const tacArg *arg, const char *text, const char *what) {
    return cli_fail(args->verb, "%s: got \"%s\", expected %s", arg->name, text, what);
}

/* Stores one value; CLI_GO_ON or an exit code. */
static int store(const tacArgs *args, const tacArg *arg, void *target, const char *text) {
    void *field = (char *)target + arg->field;
    switch (arg->kind) {
    case TAC_ARG_FLAG:
        *(int *)field = 1;
        break;
    case TAC_ARG_TEXT:
        *(const char **)field = text;
        break;
    case TAC_ARG_COUNT:
        if (!parse_count(text, field)) return expected(args, arg, text, "a non-negative integer");
        break;
    case TAC_ARG_SEED:
        if (!parse_seed(text, field)) return expected(args, arg, text, "an integer from 0 to 2^64 - 1");
        break;
    case TAC_ARG_NUMBER:
        if (!cli_number(text, field)) return expected(args, arg, text, "a finite number");
        break;
    case TAC_ARG_CHOICE:
        *(int *)field = parse_choice(arg->value, text);
        if (*(int *)field < 0) return expected(args, arg, text, arg->value);
        break;
    case TAC_ARG_WORD:
        if (parse_choice(arg->value, text) < 0) return expected(args, arg, text, arg->value);
        *(const char **)field = text;
        break;
    case TAC_ARG_LIST: {
        tacArgList *list = field;
        if (list->count == TAC_ARG_LIST_MAX)
            return cli_fail(args->verb, "%s: given more than %d times", arg->name, TAC_ARG_LIST_MAX);
        list->item[list->count++] = text;
        break;
    }
    }
    return CLI_GO_ON;
}

static int is_name(const tacArg *arg, const char *text, size_t n) {
    if (strlen(arg->name) == n && strncmp(arg->name, text, n) == 0) return 1;
    return arg->alias != NULL && strlen(arg->alias) == n && strncmp(arg->alias, text, n) == 0;
}

/* "Did you mean" for an option that does not exist. */
static int unknown_option(const tacArgs *args, const char *text, size_t n) {
    char word[WORD_MAX + 1];
    const char *nearest = NULL;
    int best = NEAR_EDITS + 1;
    snprintf(word, sizeof word, "%.*s", (int)(n > WORD_MAX ? WORD_MAX : n), text);
    for (int g = 0; g < args->ngroup; g++)
        for (const tacArg *arg = args->groups[g].table; arg->name != NULL; arg++) {
            int edits = cli_edit_distance(word, arg->name);
            if (edits < best) {
                best = edits;
                nearest = arg->name;
            }
        }
    if (nearest != NULL)
        return cli_fail(args->verb, "unknown option %s; did you mean %s? (tactus %s --help lists the options)", word,
                        nearest, args->verb);
    return cli_fail(args->verb, "unknown option %s (tactus %s --help lists the options)", word, args->verb);
}

/* One option at argv[*i]; moves *i past its value. */
static int parse_option(const tacArgs *args, int argc, char **argv, int *i) {
    const char *text = argv[*i], *equals = text[1] == '-' ? strchr(text, '=') : NULL;
    size_t n = equals != NULL ? (size_t)(equals - text) : strlen(text);
    if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
        cli_print_help(args);
        return CLI_FINE;
    }
    for (int g = 0; g < args->ngroup; g++)
        for (const tacArg *arg = args->groups[g].table; arg->name != NULL; arg++) {
            if (!is_name(arg, text, n)) continue;
            if (arg->kind == TAC_ARG_FLAG) {
                if (equals != NULL) return cli_fail(args->verb, "%s takes no value, got \"%s\"", arg->name, equals + 1);
                return store(args, arg, args->groups[g].target, NULL);
            }
            if (equals == NULL && *i + 1 == argc)
                return cli_fail(args->verb, "%s requires a value: %s", arg->name, arg->value);
            return store(args, arg, args->groups[g].target, equals != NULL ? equals + 1 : argv[++*i]);
        }
    return unknown_option(args, text, n);
}

int cli_parse(tacArgs *args, int argc, char **argv) {
    int options = 1;
    args->noperand = 0;
    for (int i = 1; i < argc; i++) {
        const char *text = argv[i];
        if (options && strcmp(text, "--") == 0) {
            options = 0;
        } else if (options && text[0] == '-' && text[1] != '\0') {
            int result = parse_option(args, argc, argv, &i);
            if (result != CLI_GO_ON) return result;
        } else {
            if (args->noperand == args->max_operands)
                return cli_fail(args->verb, "unexpected argument \"%s\"; usage: tactus %s %s [options]", text,
                                args->verb, args->operands);
            args->operand[args->noperand++] = text;
        }
    }
    if (args->noperand < args->min_operands)
        return cli_fail(args->verb, "%s is missing; usage: tactus %s %s [options]", args->operands, args->verb,
                        args->operands);
    return CLI_GO_ON;
}

static void print_option(const char *name, const char *alias, const char *value, const char *help) {
    char left[256];
    snprintf(left, sizeof left, "  %s%s%s%s%s", alias != NULL ? alias : "", alias != NULL ? ", " : "", name,
             value != NULL ? " " : "", value != NULL ? value : "");
    if (strlen(left) >= HELP_COLUMN)
        printf("%s\n%*s%s\n", left, HELP_COLUMN, "", help);
    else
        printf("%-*s%s\n", HELP_COLUMN, left, help);
}

void cli_print_help(const tacArgs *args) {
    printf("usage: tactus %s %s%s[options]\n\n%s\n", args->verb, args->operands, args->operands[0] != '\0' ? " " : "",
           args->summary);
    for (int g = 0; g < args->ngroup; g++) {
        printf("\n%s:\n", args->groups[g].title);
        for (const tacArg *arg = args->groups[g].table; arg->name != NULL; arg++)
            print_option(arg->name, arg->alias, arg->value, arg->help);
        if (g == 0) print_option("--help", "-h", NULL, "print this help");
    }
    printf("\n"
           "exit code: 0 success; 1 negative result (a check failed, a step was not solved); 2 error\n");
}
