/* tactus plan TASK: the controls that do what a task file asks for. */
#include "cli/cli.h"
#include "cli/input/task_args.h"
#include "cli/report/page.h"
#include "measure/progress.h"

#include "tactus/run.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMAND = 2048, CHECKED_KNOTS = 8 };
/* Relative error of a derivative beside its difference that counts as none. */
#define CHECK_TOLERANCE 1e-5

typedef struct tacPlanArgs {
    int resume, check, json;
    const char *output;
    tacTaskArgs task;
} tacPlanArgs;

static const tacArg PLAN_OPTIONS[] = {
    {"--output", "-o", TAC_ARG_TEXT, offsetof(tacPlanArgs, output), "DIR",
     "write plan, controls, report and checkpoints to a folder"},
    {"--resume", NULL, TAC_ARG_FLAG, offsetof(tacPlanArgs, resume), NULL, "go on from the folder's last checkpoint"},
    {"--check", NULL, TAC_ARG_FLAG, offsetof(tacPlanArgs, check), NULL,
     "compare the problem's derivatives with differences at the first guess, and stop"},
    {"--json", NULL, TAC_ARG_FLAG, offsetof(tacPlanArgs, json), NULL, "print the plan as JSON"},
    {0},
};

static const char *const SUMMARY =
    "Finds the controls that do what a task file asks for. The guide's page \"task files\" has\n"
    "every key. Ctrl-C ends with the best so far; `--resume` goes on from there.\n"
    "Exit code 1: the plan is not solved, or constraints are not met.";

/* --- Ctrl-C ------------------------------------------------------------------------------------------------------- */

static volatile int stopped; /* read by the planners */

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

/* --- Progress ----------------------------------------------------------------------------------------------------- */

typedef struct Watch {
    tacProgress progress;
    int terminal, lines;
    long done, most;
} Watch;

static void print_head(void) {
    fprintf(stderr, "%5s %5s %13s %11s %9s %9s %9s\n", "start", "iter", "cost", "violation", "step", "regular.",
            "kappa");
}

/* A line per iteration where a person looks. */
static void on_iteration(void *context, const tacPlanNews *news) {
    Watch *watch = context;
    const tacPlanIteration *now = news->now;
    if (!watch->terminal) return;
    measure_progress_end(&watch->progress);
    if (watch->lines++ == 0) print_head();
    fprintf(stderr, "%5d %4d%s %13.6g %11.3g %9.3g %9.1e %9.1e\n", news->start, now->iteration,
            news->coarse ? "c" : " ", now->cost, now->violation, now->length, now->regularization, now->kappa);
    measure_progress_show(&watch->progress, ++watch->done, watch->most);
}

/* --- Results ------------------------------------------------------------------------------------------------------ */

static void print_terms(const tacPlan *plan, const tacPlanResult *r) {
    for (int i = 0; i < r->nterm; i++) {
        tacPlanTermInfo info = tac_plan_term(plan, i);
        printf("  %-28s %s %.6g\n", info.name, info.role == TAC_ROLE_COST ? "cost     " : "violation", r->terms[i]);
    }
}

static void print_text(const char *path, const tacPlanRun *run, const tacPlanResult *r, const char *folder) {
    int n = tac_plan_run_starts(run);
    printf("%s: %s after %d iterations\n", path, tac_plan_end_text(r->end), r->iterations);
    printf("  cost       %.8g\n  violation  %.3g\n", r->cost, r->violation);
    if (r->replay != TAC_OK || r->unsolved > 0)
        printf("  UNSOLVED   %d of %d steps: %s\n", r->unsolved, r->steps, tac_status_text(r->replay));
    printf("  work       %ld steps, %ld derivatives, %.3g s\n", r->nstep, r->njac, r->seconds);
    if (n > 1) printf("  start      %d of %d is the best\n", tac_plan_run_best(run), n);
    if (folder != NULL) printf("  written    %s\n", folder);
    if (r->nterm > 0) printf("\nterms\n");
    print_terms(tac_plan_run_plan(run), r);
}

static int print_json(const tacPlanRun *run) {
    char *text = NULL;
    tacError err;
    if (tac_plan_run_json(run, &text, &err) != TAC_OK) return cli_fail("plan", "%s", err.text);
    fputs(text, stdout);
    free(text);
    return CLI_GO_ON;
}

static int report(const tacPlanArgs *args, const char *path, const tacPlanRun *run) {
    tacPlanResult r;
    if (tac_plan_run_result(run, &r) != TAC_OK) return cli_fail("plan", "%s: there is no plan", path);
    if (tac_plan_run_refused(run)[0] != '\0')
        fprintf(stderr, "tactus plan: warning: %s; went on from the one before\n", tac_plan_run_refused(run));
    if (args->json && print_json(run) != CLI_GO_ON) return CLI_CANNOT;
    if (!args->json) print_text(path, run, &r, args->output);
    return r.end == TAC_PLAN_SOLVED && r.replay == TAC_OK && r.unsolved == 0 ? CLI_FINE : CLI_NO;
}

/* --- Checking ----------------------------------------------------------------------------------------------------- */

static int print_check(const char *path, const tacPlan *plan, const tacPlanCheck *check) {
    int fine = check->checked > 0 && check->error <= CHECK_TOLERANCE;
    printf("%s: %d derivatives beside differences, %d left out at kinks\n", path, check->checked, check->skipped);
    printf("  largest error  %.3g (at most %g)%s\n", check->error, CHECK_TOLERANCE, fine ? "" : ": NOT FINE");
    if (check->checked > 0)
        printf("  term %s, step %d, entry %d by %c[%d]: %.9g, difference %.9g\n", tac_plan_term(plan, check->term).name,
               check->knot, check->entry, check->by, check->column, check->analytic, check->difference);
    return fine ? CLI_FINE : CLI_NO;
}

static tacStatus check_at_guess(const tacTask *task, const tacPlan *plan, tacPlanCheck *check, tacError *err) {
    tacPlanOptions options;
    tacPlanGuess guess;
    tacPlanner *planner = NULL;
    tacStatus status = tac_task_solver(task, &options, err);
    if (status == TAC_OK) status = tac_task_guess(task, &guess);
    if (status == TAC_OK) status = tac_planner_new(plan, &options, &planner, err);
    if (status == TAC_OK) status = tac_planner_guess(planner, &guess, err);
    tacPlanPath path = tac_planner_path(planner);
    if (status == TAC_OK) status = tac_plan_check(plan, &path, CHECKED_KNOTS, check, err);
    tac_planner_free(planner);
    return status;
}

static int check_task(const char *path, const tacTask *task) {
    tacPlan *plan = NULL;
    tacPlanCheck check = {0};
    tacError err = {0};
    tacStatus status = tac_task_plan(task, &plan, &err);
    if (status == TAC_OK) status = check_at_guess(task, plan, &check, &err);
    int code = status == TAC_OK ? print_check(path, plan, &check) : cli_fail("plan", "%s", err.text);
    tac_plan_free(plan);
    return code;
}

/* --- The run ------------------------------------------------------------------------------------------------------ */

static int make_plan(const tacPlanArgs *args, const char *path, const tacTask *task, const char *command) {
    Watch watch = {.progress = measure_progress_begin("planning"), .terminal = isatty(STDERR_FILENO), .most = 1};
    tacPlanRunOptions options = tac_default_plan_run_options();
    tacPlanOptions solver;
    tacPlanRun *run = NULL;
    tacError err;
    if (tac_task_solver(task, &solver, &err) != TAC_OK) return cli_fail("plan", "%s", err.text);
    watch.most = (long)solver.iterations * tac_task_starts(task);
    options.folder = args->output;
    options.resume = args->resume;
    options.command = command;
    options.stop = &stopped;
    options.report = on_iteration;
    options.context = &watch;
    options.clock = measure_clock;
    catch_stops();
    tacStatus status = tac_plan_run(task, &options, &run, &err);
    measure_progress_end(&watch.progress);
    int code = status == TAC_OK ? report(args, path, run) : cli_fail("plan", "%s", err.text);
    tac_plan_run_free(run);
    return code;
}

int cmd_plan(int argc, char **argv) {
    tacPlanArgs own = {.task = cli_task_args()};
    const char *path = NULL;
    tacArgGroup groups[] = {{"options", PLAN_OPTIONS, &own}, {"task options", CLI_TASK_OPTIONS, &own.task}};
    tacArgs args = {.verb = "plan",
                    .operands = "TASK",
                    .summary = SUMMARY,
                    .groups = groups,
                    .ngroup = 2,
                    .operand = &path,
                    .min_operands = 1,
                    .max_operands = 1};
    char command[COMMAND];
    tacTask *task = NULL;
    int result = cli_parse(&args, argc, argv);
    if (result != CLI_GO_ON) return result;
    if (own.resume && own.output == NULL) return cli_fail("plan", "--resume requires -o DIR");
    if (own.check && own.output != NULL) return cli_fail("plan", "--check writes nothing: leave out -o");
    cli_page_command(argc, argv, command, sizeof command);
    result = cli_task_load("plan", path, &own.task, &task);
    if (result != CLI_GO_ON) return result;
    cli_task_print_warnings("plan", task);
    result = own.check ? check_task(path, task) : make_plan(&own, path, task, command);
    tac_task_free(task);
    return result;
}
