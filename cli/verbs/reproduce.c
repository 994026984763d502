/* tactus reproduce [NAME...]: the papers' experiments, each judged by one criterion. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/report/json.h"
#include "cli/report/output_file.h"

#include "experiments/experiment.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_NAMES = 64, NAME_NEAR_EDITS = 3 };

typedef struct tacReproduceArgs {
    int list, json;
    const char *folder;
} tacReproduceArgs;

static const tacArg REPRODUCE_OPTIONS[] = {
    {"--list", NULL, TAC_ARG_FLAG, offsetof(tacReproduceArgs, list), NULL, "list the experiments"},
    {"--output", "-o", TAC_ARG_TEXT, offsetof(tacReproduceArgs, folder), "DIR",
     "write a plot of each experiment to DIR/NAME.svg"},
    {"--json", NULL, TAC_ARG_FLAG, offsetof(tacReproduceArgs, json), NULL,
     "print JSON: one object, or a list for several experiments"},
    {0},
};

static const char *const SUMMARY =
    "Runs the experiments of the papers. Prints the result of the paper, the result of Tactus,\n"
    "and whether the criterion holds. Exit code 1: a criterion does not hold. Without NAME:\n"
    "runs all experiments.";

/* --- the list ---------------------------------------------------------------------------------------------------- */

static json_t *description(const tacExperiment *e) {
    json_t *object = json_object();
    json_object_set_new(object, "experiment", measure_json_text(e->name));
    json_object_set_new(object, "source", measure_json_text(e->source));
    json_object_set_new(object, "shows", measure_json_text(e->shows));
    json_object_set_new(object, "criterion", measure_json_text(e->criterion));
    return object;
}

static int print_list(int for_programs) {
    if (!for_programs) {
        for (int i = 0; i < EXPERIMENT_COUNT; i++)
            printf("%-18s %s\n%-18s %s\n%-18s holds when: %s\n", EXPERIMENTS[i].name, EXPERIMENTS[i].shows, "",
                   EXPERIMENTS[i].source, "", EXPERIMENTS[i].criterion);
        return CLI_FINE;
    }
    tacJson json = measure_json_begin();
    json_t *list = json_array();
    for (int i = 0; i < EXPERIMENT_COUNT; i++)
        json_array_append_new(list, description(&EXPERIMENTS[i]));
    measure_json_put(&json, "experiments", list);
    int code = cli_json_print("reproduce", &json, CLI_FINE);
    measure_json_free(&json);
    return code;
}

/* --- one experiment ---------------------------------------------------------------------------------------------- */

static int open_picture(const tacExperiment *e, const char *folder, tacOutputFile *file) {
    char path[CLI_PATH];
    int n = snprintf(path, sizeof path, "%s/%s.svg", folder, e->name);
    if (n < 0 || (size_t)n >= sizeof path) return cli_fail("reproduce", "%s: the path is too long", folder);
    return cli_output_open("reproduce", path, file);
}

/* The keys every experiment has. */
static void put_result(const tacExperiment *e, tacFindings *found, double seconds) {
    measure_json_put(&found->json, "experiment", measure_json_text(e->name));
    measure_json_put(&found->json, "source", measure_json_text(e->source));
    measure_json_put(&found->json, "paper", json_incref(found->paper));
    measure_json_put(&found->json, "tactus", json_incref(found->tactus));
    measure_json_put(&found->json, "criterion", measure_json_text(e->criterion));
    measure_json_put(&found->json, "pass", json_boolean(found->pass));
    measure_json_put(&found->json, "seconds", measure_json_number(&found->json, "seconds", seconds));
}

/* Runs it with everything it needs in place. */
static int run_and_draw(const tacExperiment *e, const char *folder, tacFindings *found) {
    tacOutputFile file;
    int result = folder != NULL ? open_picture(e, folder, &file) : CLI_GO_ON;
    if (result != CLI_GO_ON) return result;
    found->picture = folder != NULL ? file.stream : NULL;
    found->progress = measure_progress_begin(e->name);
    int stopped = e->run(found) != EXPERIMENT_GO_ON;
    measure_progress_end(&found->progress);
    if (stopped) result = cli_fail("reproduce", "%s: %s", e->name, found->failure);
    if (folder == NULL) return result;
    if (result == CLI_GO_ON) return cli_output_finish("reproduce", &file);
    cli_output_abandon(&file);
    return result;
}

/* -> the findings in found->json, which the caller frees. */
static int run_one(const tacExperiment *e, const tacReproduceArgs *args, tacFindings *found) {
    double begin = measure_clock();
    *found = (tacFindings){
        .for_people = !args->json, .json = measure_json_begin(), .paper = json_object(), .tactus = json_object()};
    if (!args->json) printf("%s: %s (%s)\n", e->name, e->shows, e->source);
    fflush(stdout);
    int result = run_and_draw(e, args->folder, found);
    double seconds = measure_clock() - begin;
    put_result(e, found, seconds);
    json_decref(found->paper);
    json_decref(found->tactus);
    if (result == CLI_GO_ON && !args->json)
        printf("%s: %s: %s (%.1f s)\n\n", found->pass ? "holds" : "DOES NOT HOLD", e->name, e->criterion, seconds);
    return result;
}

/* --- all that were asked for ------------------------------------------------------------------------------------- */

static int run_all(const tacReproduceArgs *args, const tacExperiment *const *chosen, int n) {
    tacJson whole = measure_json_begin();
    json_t *list = json_array();
    int code = CLI_FINE, result = CLI_GO_ON;
    for (int i = 0; i < n && result == CLI_GO_ON; i++) {
        tacFindings found;
        result = run_one(chosen[i], args, &found);
        if (!found.pass) code = CLI_NO;
        if (found.json.bad[0] != '\0') memcpy(whole.bad, found.json.bad, sizeof whole.bad);
        json_array_append(list, found.json.root);
        measure_json_free(&found.json);
    }
    if (result != CLI_GO_ON) code = result;
    if (result == CLI_GO_ON && args->json && n == 1)
        json_object_update(whole.root, json_array_get(list, 0));
    else
        measure_json_put(&whole, "experiments", json_incref(list));
    json_decref(list);
    if (result == CLI_GO_ON && args->json) code = cli_json_print("reproduce", &whole, code);
    measure_json_free(&whole);
    return code;
}

static int unknown_name(const char *name) {
    const char *nearest = NULL;
    int least = NAME_NEAR_EDITS + 1;
    for (int i = 0; i < EXPERIMENT_COUNT; i++) {
        int edits = cli_edit_distance(name, EXPERIMENTS[i].name);
        if (edits < least) {
            least = edits;
            nearest = EXPERIMENTS[i].name;
        }
    }
    return nearest != NULL
               ? cli_fail("reproduce", "unknown experiment \"%s\"; did you mean %s?", name, nearest)
               : cli_fail("reproduce", "unknown experiment \"%s\"; `tactus reproduce --list` lists the experiments",
                          name);
}

int cmd_reproduce(int argc, char **argv) {
    tacReproduceArgs own = {0};
    const char *names[MOST_NAMES] = {NULL};
    const tacExperiment *chosen[MOST_NAMES];
    tacArgGroup groups[] = {{"options", REPRODUCE_OPTIONS, &own}};
    tacArgs args = {.verb = "reproduce",
                    .operands = "[NAME...]",
                    .summary = SUMMARY,
                    .groups = groups,
                    .ngroup = 1,
                    .operand = names,
                    .max_operands = MOST_NAMES};
    int result = cli_parse(&args, argc, argv), n = args.noperand;
    if (result != CLI_GO_ON) return result;
    if (own.list) return print_list(own.json);
    for (int i = 0; i < n; i++) {
        chosen[i] = experiment_find(names[i]);
        if (chosen[i] == NULL) return unknown_name(names[i]);
    }
    for (int i = 0; n == 0 && i < EXPERIMENT_COUNT; i++)
        chosen[i] = &EXPERIMENTS[i];
    if (own.folder != NULL && mkdir(own.folder, 0777) != 0 && errno != EEXIST)
        return cli_fail("reproduce", "%s: %s", own.folder, strerror(errno));
    return run_all(&own, chosen, n > 0 ? n : EXPERIMENT_COUNT);
}
