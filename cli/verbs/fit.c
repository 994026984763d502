/* tactus fit TASK: numbers of a model from recordings of a real system. */
#include "cli/cli.h"
#include "cli/input/task_args.h"
#include "cli/report/page.h"

#include "tactus/fit_run.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COMMAND = 2048, CHANGE = 64, NUMBERS = 4 };

typedef struct tacFitArgs {
    int json;
    const char *output;
    tacArgList validate, set;
    long starts, threads, iterations; /* -1: not given */
    tacArgSeed seed;
} tacFitArgs;

static const tacArg FIT_OPTIONS[] = {
    {"--output", "-o", TAC_ARG_TEXT, offsetof(tacFitArgs, output), "DIR",
     "write estimates, task and fitted model to a folder"},
    {"--validate", NULL, TAC_ARG_LIST, offsetof(tacFitArgs, validate), "FILES",
     "recordings to judge the result on, in place of the task's; a pattern in quotes; repeatable"},
    {"--set", NULL, TAC_ARG_LIST, offsetof(tacFitArgs, set), "KEY=VALUE",
     "change the task: a key (fit.horizon=20) or a parameter (geom/foot.friction[0]=0.5); repeatable"},
    {"--iterations", NULL, TAC_ARG_COUNT, offsetof(tacFitArgs, iterations), "N",
     "most iterations; 0 judges the parameters as they are"},
    {"--starts", NULL, TAC_ARG_COUNT, offsetof(tacFitArgs, starts), "N", "number of first guesses"},
    {"--seed", NULL, TAC_ARG_SEED, offsetof(tacFitArgs, seed), "SEED", "seed of the random guesses"},
    {"--threads", NULL, TAC_ARG_COUNT, offsetof(tacFitArgs, threads), "N", "number of threads; the result is the same"},
    {"--json", NULL, TAC_ARG_FLAG, offsetof(tacFitArgs, json), NULL, "print the result as JSON"},
    {0},
};

static const char *const SUMMARY =
    "Fits numbers of a model to recordings, as a task file asks: estimates, intervals, and what the\n"
    "data do not see. The guide's page \"fitting\" begins from a CSV file. Ctrl-C ends with the best so far.\n"
    "Exit code 1: the fit is not solved, or there are segments that cannot be predicted.";

static volatile int stopped; /* read by the fitter */

static void stop(int number) {
    if (stopped) { /* a second one ends at once */
        signal(number, SIG_DFL);
        raise(number);
    }
    stopped = 1;
}

static void catch_stops(void) {
    static const int numbers[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN) continue;
        action = (struct sigaction){.sa_handler = stop};
        sigaction(numbers[i], &action, NULL);
    }
}

/* A line per iteration where a person looks. */
static void on_iteration(void *context, int start, const tacFitIteration *now) {
    (void)context;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "start %d, iteration %d: loss %.8g, step %.2g\n", start, now->iteration, now->loss, now->step);
}

/* --- The task ----------------------------------------------------------------------------------------------------- */

static int add_number(tacTaskArgs *task, char text[CHANGE], const char *key, unsigned long long value) {
    if (task->set.count == TAC_ARG_LIST_MAX) return cli_fail("fit", "--set: more than %d changes", TAC_ARG_LIST_MAX);
    snprintf(text, CHANGE, "fit.%s=%llu", key, value);
    task->set.item[task->set.count++] = text;
    return CLI_GO_ON;
}

/* Options as changes of the task. */
static int load_task(const tacFitArgs *args, const char *path, tacTask **task) {
    static const char *const keys[NUMBERS] = {"iterations", "starts", "threads", "seed"};
    char text[NUMBERS][CHANGE];
    tacTaskArgs changes = cli_task_args();
    if (args->seed.given && args->seed.value > INT_MAX)
        return cli_fail("fit", "--seed: got %llu, expected at most %d", (unsigned long long)args->seed.value, INT_MAX);
    long value[NUMBERS] = {args->iterations, args->starts, args->threads,
                           args->seed.given ? (long)args->seed.value : -1};
    changes.set = args->set;
    for (int i = 0; i < NUMBERS; i++)
        if (value[i] >= 0 && add_number(&changes, text[i], keys[i], (unsigned long long)value[i]) != CLI_GO_ON)
            return CLI_CANNOT;
    return cli_task_load("fit", path, &changes, task);
}

/* --- The run ------------------------------------------------------------------------------------------------------ */

static int report(const tacFitArgs *args, const char *path, const tacFitRun *run) {
    char *text = NULL;
    tacError err;
    tacStatus status = args->json ? tac_fit_run_json(run, &text, &err) : tac_fit_run_text(run, &text, &err);
    if (status != TAC_OK) return cli_fail("fit", "%s", err.text);
    if (!args->json) printf("%s: ", path);
    fputs(text, stdout);
    if (!args->json && args->output != NULL) printf("\nwritten: %s\n", args->output);
    free(text);
    return tac_fit_run_solved(run) ? CLI_FINE : CLI_NO;
}

static int make_fit(const tacFitArgs *args, const char *path, const tacTask *task, const char *command) {
    tacFitRunOptions options = tac_default_fit_run_options();
    tacFitRun *run = NULL;
    tacError err;
    options.folder = args->output;
    options.validate = args->validate.count > 0 ? args->validate.item : NULL;
    options.nvalidate = args->validate.count;
    options.command = command;
    options.stop = &stopped;
    options.report = on_iteration;
    catch_stops();
    if (tac_fit_run(task, &options, &run, &err) != TAC_OK) return cli_fail("fit", "%s", err.text);
    int code = report(args, path, run);
    tac_fit_run_free(run);
    return code;
}

int cmd_fit(int argc, char **argv) {
    tacFitArgs own = {.starts = -1, .threads = -1, .iterations = -1};
    const char *path = NULL;
    tacArgGroup groups[] = {{"options", FIT_OPTIONS, &own}};
    tacArgs args = {.verb = "fit",
                    .operands = "TASK",
                    .summary = SUMMARY,
                    .groups = groups,
                    .ngroup = 1,
                    .operand = &path,
                    .min_operands = 1,
                    .max_operands = 1};
    char command[COMMAND];
    tacTask *task = NULL;
    int result = cli_parse(&args, argc, argv);
    if (result != CLI_GO_ON) return result;
    cli_page_command(argc, argv, command, sizeof command);
    result = load_task(&own, path, &task);
    if (result != CLI_GO_ON) return result;
    cli_task_print_warnings("fit", task);
    result = make_fit(&own, path, task, command);
    tac_task_free(task);
    return result;
}
