/* The command line: `tactus VERB ...`. Each verb is one file of verbs/, a thin user of the public headers. */
#pragma once

/* Exit codes: what a program calling the binary may rely on. */
enum {
    CLI_FINE = 0,  /* done */
    CLI_NO = 1,    /* done, and the answer is no: a run that broke down, a check that failed */
    CLI_CANNOT = 2 /* could not run: bad arguments, bad file, bad model */
};

/* argv[0] is the verb itself. Returns an exit code. */
int cmd_info(int argc, char **argv);
int cmd_eval(int argc, char **argv);
int cmd_distance(int argc, char **argv);
int cmd_sim(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_pose(int argc, char **argv);
int cmd_fit(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_grad(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_solve(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_reproduce(int argc, char **argv);
int cmd_random(int argc, char **argv);
int cmd_help(int argc, char **argv);
int cmd_version(int argc, char **argv);

/* Writes "tactus VERB: message" and a newline to standard error; returns CLI_CANNOT, so that a verb can `return` it.
 * Without a format nothing but the newline follows. */
int cli_fail(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The table of verbs, in the order they are listed. */
typedef struct tacVerb {
    const char *name;    /* "info" */
    const char *usage;   /* "MODEL" */
    const char *summary; /* one line */
    int (*run)(int argc, char **argv);
} tacVerb;
extern const tacVerb CLI_VERBS[];
extern const int CLI_NVERB;
/* name -> verb, or a null pointer. */
const tacVerb *cli_find_verb(const char *name);
/* "tactus VERB ..." and the list of verbs, to standard output. */
void cli_print_verbs(void);
