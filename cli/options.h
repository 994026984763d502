/* A small table-driven option parser.
 *
 * A verb describes its options in constant tables, one row an option, each row naming the field of a struct that the
 * value goes to. The same rows parse the arguments, give the help text, and let a misspelt option be met with the
 * nearest one that exists. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum {
    TAC_ARG_FLAG,   /* int: set to 1 */
    TAC_ARG_TEXT,   /* const char * */
    TAC_ARG_COUNT,  /* long: an integer >= 0 */
    TAC_ARG_SEED,   /* tacArgSeed */
    TAC_ARG_NUMBER, /* double: finite */
    TAC_ARG_CHOICE, /* int: index of the word in `value`, "fixed|floating" */
    TAC_ARG_WORD,   /* const char *: one of the words in `value` */
    TAC_ARG_LIST    /* tacArgList: may be given again and again */
} tacArgKind;

/* One option. A table ends with a row whose name is a null pointer. */
typedef struct tacArg {
    const char *name;  /* "--dt" */
    const char *alias; /* "-o", or a null pointer */
    tacArgKind kind;
    size_t field;      /* offsetof in the struct of its group */
    const char *value; /* what stands for the value in the help text; the words of a choice; null for a flag */
    const char *help;  /* one line, no full stop */
} tacArg;

/* A seed, and whether one was given. */
typedef struct tacArgSeed {
    uint64_t value;
    int given;
} tacArgSeed;

enum { TAC_ARG_LIST_MAX = 64 };

/* Values of a repeated option, in order. */
typedef struct tacArgList {
    const char *item[TAC_ARG_LIST_MAX];
    int count;
} tacArgList;

/* A table of options and the struct they write to. */
typedef struct tacArgGroup {
    const char *title; /* heading in the help text */
    const tacArg *table;
    void *target;
} tacArgGroup;

/* Everything the parser needs to know about a verb. */
typedef struct tacArgs {
    const char *verb;
    const char *operands; /* "MODEL", for the usage line; words in [ ] may be left out */
    const char *summary;  /* what the verb does: a few lines */
    const tacArgGroup *groups;
    int ngroup;
    const char **operand; /* what is not an option goes here */
    int min_operands, max_operands;
    int noperand; /* out: how many were given */
} tacArgs;

/* Parse results other than an exit code. */
enum { CLI_GO_ON = -1 };

/* Reads argv[1..argc). Returns CLI_GO_ON, or the exit code to end with: CLI_FINE after --help, CLI_CANNOT after a
 * message that names the option, what was given and what was expected. `--` ends the options. */
int cli_parse(tacArgs *args, int argc, char **argv);

/* The help text that --help prints, to standard output. */
void cli_print_help(const tacArgs *args);

/* Text -> number, whole text, finite, "C" locale. 1 when it is one. */
int cli_number(const char *text, double *number);

/* Number of single-letter edits (insert, delete, replace) between two words; used to find the nearest. */
int cli_edit_distance(const char *a, const char *b);
