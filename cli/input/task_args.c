#include "cli/input/task_args.h"

#include "cli/cli.h"

#include <limits.h>
#include <stdio.h>

const tacArg CLI_TASK_OPTIONS[] = {
    {"--set", NULL, TAC_ARG_LIST, offsetof(tacTaskArgs, set), "KEY=VALUE",
     "change the task: a key (solver.iterations=50) or a parameter (geom/foot.friction[0]=0.5); repeatable"},
    {"--method", NULL, TAC_ARG_TEXT, offsetof(tacTaskArgs, method), "NAME", "method, as --set solver.method=NAME"},
    {"--starts", NULL, TAC_ARG_COUNT, offsetof(tacTaskArgs, starts), "N", "number of first guesses"},
    {"--seed", NULL, TAC_ARG_SEED, offsetof(tacTaskArgs, seed), "SEED", "seed of the random guesses"},
    {"--threads", NULL, TAC_ARG_COUNT, offsetof(tacTaskArgs, threads), "N",
     "number of threads; the result is the same"},
    {0},
};

tacTaskArgs cli_task_args(void) { return (tacTaskArgs){.starts = -1, .threads = -1}; }

/* Changes as tac_task_load takes them; those of the options come last. */
typedef struct Changes {
    const char *item[CLI_TASK_CHANGES];
    char text[4][CLI_TASK_CHANGE];
    int n;
} Changes;

static void add_number(Changes *c, int slot, const char *key, unsigned long long number) {
    snprintf(c->text[slot], CLI_TASK_CHANGE, "solver.%s=%llu", key, number);
    c->item[c->n++] = c->text[slot];
}

static int collect(const char *verb, const tacTaskArgs *args, Changes *c) {
    *c = (Changes){0};
    for (int i = 0; i < args->set.count; i++)
        c->item[c->n++] = args->set.item[i];
    if (args->method != NULL) {
        int n = snprintf(c->text[0], CLI_TASK_CHANGE, "solver.method=%s", args->method);
        if (n >= CLI_TASK_CHANGE) return cli_fail(verb, "--method: the name is too long");
        c->item[c->n++] = c->text[0];
    }
    if (args->seed.given && args->seed.value > INT_MAX)
        return cli_fail(verb, "--seed: got %llu, expected at most %d", (unsigned long long)args->seed.value, INT_MAX);
    if (args->starts >= 0) add_number(c, 1, "starts", (unsigned long long)args->starts);
    if (args->seed.given) add_number(c, 2, "seed", (unsigned long long)args->seed.value);
    if (args->threads >= 0) add_number(c, 3, "threads", (unsigned long long)args->threads);
    return CLI_GO_ON;
}

int cli_task_load(const char *verb, const char *path, const tacTaskArgs *args, tacTask **task) {
    Changes changes;
    tacError err;
    tacTaskOptions options = tac_default_task_options();
    int result = collect(verb, args, &changes);
    if (result != CLI_GO_ON) return result;
    options.set = changes.item;
    options.nset = changes.n;
    return tac_task_load(path, &options, task, &err) == TAC_OK ? CLI_GO_ON : cli_fail(verb, "%s", err.text);
}

void cli_task_print_warnings(const char *verb, const tacTask *task) {
    const tacReport *report = tac_task_report(task);
    for (int i = 0; i < tac_report_warning_count(report); i++)
        fprintf(stderr, "tactus %s: warning: %s\n", verb, tac_report_warning(report, i));
}
