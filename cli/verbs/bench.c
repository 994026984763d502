/* tactus bench [MODEL...]: how long things take, beside differences and beside a peer. */
#include "cli/cli.h"
#include "cli/input/model_file.h"
#include "cli/input/stepping.h"
#include "cli/peer/bench_model.h"
#include "cli/report/json.h"
#include "measure/progress.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_SECONDS 2.0
/* A residual that is not finite is written as this. */
#define LARGEST 1e300
enum { MOST_MODELS = 64, ARM_LINKS = 7 };

typedef struct tacBenchArgs {
    int json;
    double seconds;
    const char *key;
    long allowed; /* steps of a model that may be unsolved */
} tacBenchArgs;

static const tacArg BENCH_OPTIONS[] = {
    {"--seconds", NULL, TAC_ARG_NUMBER, offsetof(tacBenchArgs, seconds), "S", "measurement time per model; default 2"},
    {"--key", NULL, TAC_ARG_TEXT, offsetof(tacBenchArgs, key), "NAME",
     "start the motion at this keyframe, with its controls"},
    {"--allow-unsolved", NULL, TAC_ARG_COUNT, offsetof(tacBenchArgs, allowed), "N",
     "allow N unsolved timed steps per model; default 0"},
    {"--json", NULL, TAC_ARG_FLAG, offsetof(tacBenchArgs, json), NULL, "print JSON: a list of rows"},
    {0},
};

static const char *const SUMMARY =
    "Times a step, its derivatives, finite differences and the inner algorithms. The timings\n"
    "are interleaved in one run. Prints medians of thread CPU time in microseconds and the\n"
    "errors of that run. Times MuJoCo too if it is installed. Without MODEL: times an arm of\n"
    "seven hinges, and several robots if the folder models/ is found.";

static const char *const ROBOTS[] = {"models/humanoid.xml", "models/atlas.xml", "models/panda.xml",
                                     "models/quadruped.xml"};

/* A row and what it is about. */
typedef struct Entry {
    const char *name;
    tacOptions options;
    tacBenchRow row;
} Entry;

/* --- what came out ----------------------------------------------------------------------------------------------- */

static json_t *time_json(tacJson *json, double us) {
    return us < 0 ? json_null() : measure_json_number(json, "bench", us);
}

/* null where there is none. */
static json_t *error_json(tacJson *json, const char *name, double error) {
    return error < LARGEST ? measure_json_number(json, name, error) : json_null();
}

static json_t *row_json(tacJson *json, const Entry *e) {
    const tacBenchRow *r = &e->row;
    const struct {
        const char *key;
        double us;
    } times[] = {{"us_step", r->us_step}, {"us_jac", r->us_jac},   {"us_vjp", r->us_vjp},
                 {"us_fd", r->us_fd},     {"us_rnea", r->us_rnea}, {"us_aba", r->us_aba},
                 {"us_crba", r->us_crba}, {"us_did", r->us_did},   {"us_dfd", r->us_dfd}};
    int peer = r->us_peer > 0;
    json_t *row = json_object();
    json_object_set_new(row, "model", measure_json_text(e->name));
    json_object_set_new(row, "contact", json_string(tac_contact_text(e->options.contact)));
    json_object_set_new(row, "nv", json_integer(r->nv));
    json_object_set_new(row, "contacts", measure_json_number(json, "contacts", r->contacts));
    json_object_set_new(row, "iterations", measure_json_number(json, "iterations", r->iterations));
    json_object_set_new(row, "iterations_most", json_integer(r->iterations_most));
    json_object_set_new(row, "status", measure_json_text(tac_status_text(r->timed.status)));
    json_object_set_new(row, "steps", json_integer(r->timed.steps));
    json_object_set_new(row, "unsolved", json_integer(r->timed.unsolved));
    json_object_set_new(row, "first_unsolved",
                        r->timed.unsolved > 0 ? json_integer(r->timed.first_unsolved) : json_null());
    json_object_set_new(row, "worst_residual",
                        measure_json_number(json, "worst_residual", fmin(r->timed.worst_residual, LARGEST)));
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        json_object_set_new(row, times[i].key, time_json(json, times[i].us));
    json_object_set_new(row, "residual", error_json(json, "residual", r->residual));
    json_object_set_new(row, "derivative_error", error_json(json, "derivative_error", r->derivative_error));
    json_object_set_new(row, "peer", peer ? json_string(r->peer) : json_null());
    json_object_set_new(row, "peer_version", peer ? json_string(r->peer_version) : json_null());
    json_object_set_new(row, "us_peer", time_json(json, r->us_peer));
    json_object_set_new(row, "contacts_peer",
                        peer ? measure_json_number(json, "contacts", r->contacts_peer) : json_null());
    json_object_set_new(row, "us_peer_fd", time_json(json, r->us_peer_fd));
    json_object_set_new(row, "peer_error", peer ? measure_json_number(json, "peer_error", r->peer_error) : json_null());
    json_object_set_new(row, "ratio", peer ? measure_json_number(json, "ratio", r->us_step / r->us_peer) : json_null());
    return row;
}

/* Whether what was timed are steps that were solved. */
static int exit_code(const Entry *entries, int n, long allowed) {
    for (int i = 0; i < n; i++)
        if (entries[i].row.timed.unsolved > allowed) return CLI_NO;
    return CLI_FINE;
}

static int print_json(const Entry *entries, int n, int code) {
    tacJson json = measure_json_begin();
    json_t *rows = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(rows, row_json(&json, &entries[i]));
    measure_json_put(&json, "rows", rows);
    code = cli_json_print("bench", &json, code);
    measure_json_free(&json);
    return code;
}

static void print_error(const char *name, double error, const char *of) {
    if (error < LARGEST)
        printf("  %-27s %9.1e   (%s)\n", name, error, of);
    else
        printf("  %-27s %9s   (%s: a step was not solved)\n", name, "none", of);
}

static void print_entry(const Entry *e) {
    const tacBenchRow *r = &e->row;
    printf("%s: %d degrees of freedom, contact %s, integrator %s\n", e->name, r->nv,
           tac_contact_text(e->options.contact), cli_integrator_word(&e->options));
    if (e->options.contact != TAC_CONTACT_MODEL_NONE)
        printf("  contacts, on average        %9.2f   (%.1f solver iterations, at most %d; %d of %d unsolved)\n",
               r->contacts, r->iterations, r->iterations_most, r->timed.unsolved, r->timed.steps);
    if (r->timed.unsolved > 0)
        printf("  UNSOLVED                    %d of %d timed steps: %s\n", r->timed.unsolved, r->timed.steps,
               tac_status_text(r->timed.status));
    printf("  step                        %9.2f us\n", r->us_step);
    printf("  step with A and B           %9.2f us   (%.1f steps)\n", r->us_jac, r->us_jac / r->us_step);
    printf("  reverse mode                %9.2f us   (%.1f steps)\n", r->us_vjp, r->us_vjp / r->us_step);
    printf("  A and B by differences      %9.2f us   (%.0f times the exact derivatives)\n", r->us_fd,
           r->us_fd / r->us_jac);
    printf("  rnea, aba, crba + factor    %9.2f %9.2f %9.2f us\n", r->us_rnea, r->us_aba, r->us_crba);
    printf("  their derivatives dID, dFD  %9.2f %9.2f us   (%.1f rnea, %.1f aba)\n", r->us_did, r->us_dfd,
           r->us_did / r->us_rnea, r->us_dfd / r->us_aba);
    if (r->us_peer > 0) {
        printf("  MuJoCo %-8s mj_step     %9.2f us   (Tactus: step %.2f, with A and B %.2f of this time)\n",
               r->peer_version, r->us_peer, r->us_step / r->us_peer, r->us_jac / r->us_peer);
        printf("  mjd_transitionFD, centred   %9.2f us   (%.0f times Tactus's A and B)\n", r->us_peer_fd,
               r->us_peer_fd / r->us_jac);
        if (e->options.contact == TAC_CONTACT_MODEL_NONE)
            printf("  next state against MuJoCo's %9.1e\n", r->peer_error);
        else
            printf("  contacts in MuJoCo          %9.2f\n", r->contacts_peer);
    } else {
        printf("  no peer                     %s\n", r->no_peer);
    }
    print_error("error of A and B", r->derivative_error, "against differences");
    if (e->options.contact != TAC_CONTACT_MODEL_NONE)
        print_error("residual of contact", r->timed.worst_residual, "largest of all steps");
    print_error("equation of motion", r->residual,
                e->options.contact == TAC_CONTACT_MODEL_SOFT ? "residual of the acceleration with constraints"
                                                             : "residual of the acceleration without constraints");
    printf("\n");
}

/* --- the run ----------------------------------------------------------------------------------------------------- */

static int bench_loaded(const tacBenchArgs *own, const char *path, tacModel *model, Entry *entry) {
    tacStateArgs state = {.key = own->key};
    tacStart start = {0};
    int result = own->key != NULL ? cli_start_load("bench", model, &state, &entry->options, &start) : CLI_GO_ON;
    if (result == CLI_GO_ON)
        result = cli_bench_model("bench", path, model, &entry->options, own->key != NULL ? &start : NULL, own->seconds,
                                 &entry->row);
    cli_start_free(&start);
    return result;
}

static int bench_file(const tacModelArgs *model, const tacStepArgs *step, const tacBenchArgs *own, const char *name,
                      Entry *entry) {
    tacModelFile file;
    int result = cli_model_load("bench", model, &file);
    if (result != CLI_GO_ON) return result;
    cli_model_print_warnings("bench", &file);
    entry->name = name;
    result = cli_step_options("bench", file.model, step, &entry->options);
    if (result == CLI_GO_ON) result = bench_loaded(own, model->path, file.model, entry);
    cli_model_close(&file);
    return result;
}

/* The arm of seven hinges, through a file that both engines read. */
static int bench_arm(const tacModelArgs *model, const tacStepArgs *step, const tacBenchArgs *own, Entry *entry) {
    char path[] = "/tmp/tactus_arm_XXXXXX";
    tacChain chain = tac_default_chain();
    chain.bodies = ARM_LINKS;
    char *text = tac_chain_model(&chain);
    int handle = text != NULL ? mkstemp(path) : -1;
    FILE *file = handle >= 0 ? fdopen(handle, "w") : NULL;
    if (file == NULL) {
        free(text);
        return cli_fail("bench", "%s: %s", path, text == NULL ? "out of memory" : strerror(errno));
    }
    fputs(text, file);
    free(text);
    tacModelArgs args = *model;
    args.path = path;
    int result = fclose(file) == 0 ? bench_file(&args, step, own, "chain of 7 hinges", entry)
                                   : cli_fail("bench", "%s: cannot write the file", path);
    unlink(path);
    return result;
}

/* Models to bench if none is named: entry 0 is the arm, all others are files. */
static int choose_robots(const char **paths) {
    int n = 0;
    paths[n++] = NULL;
    for (size_t i = 0; i < sizeof ROBOTS / sizeof *ROBOTS; i++)
        if (access(ROBOTS[i], R_OK) == 0) paths[n++] = ROBOTS[i];
    return n;
}

static int bench_all(const tacBenchArgs *args, tacModelArgs *model, const tacStepArgs *step, const char **paths,
                     int n) {
    Entry *entries = calloc((size_t)n, sizeof *entries);
    if (entries == NULL) return cli_fail("bench", "out of memory");
    tacProgress progress = measure_progress_begin("measuring");
    int result = CLI_GO_ON;
    for (int i = 0; i < n && result == CLI_GO_ON; i++) {
        measure_progress_show(&progress, i, n);
        model->path = paths[i];
        result = paths[i] == NULL ? bench_arm(model, step, args, &entries[i])
                                  : bench_file(model, step, args, paths[i], &entries[i]);
        measure_progress_end(&progress);
        if (result == CLI_GO_ON && !args->json) print_entry(&entries[i]);
        fflush(stdout);
    }
    if (result == CLI_GO_ON) result = exit_code(entries, n, args->allowed);
    if (args->json && result != CLI_CANNOT) result = print_json(entries, n, result);
    free(entries);
    return result;
}

int cmd_bench(int argc, char **argv) {
    tacBenchArgs own = {.seconds = DEFAULT_SECONDS};
    tacModelArgs model = {0};
    tacStepArgs step;
    cli_step_args(&step);
    const char *paths[MOST_MODELS] = {NULL};
    tacArgGroup groups[] = {{"options", BENCH_OPTIONS, &own},
                            {"step options", step.table, &step},
                            {"model options", CLI_MODEL_OPTIONS, &model}};
    tacArgs args = {.verb = "bench",
                    .operands = "[MODEL...]",
                    .summary = SUMMARY,
                    .groups = groups,
                    .ngroup = 3,
                    .operand = paths,
                    .max_operands = MOST_MODELS};
    int result = cli_parse(&args, argc, argv);
    if (result != CLI_GO_ON) return result;
    if (!(own.seconds > 0)) return cli_fail("bench", "--seconds: got %g, expected a time greater than 0", own.seconds);
    if (own.key != NULL && args.noperand == 0) return cli_fail("bench", "--key requires MODEL");
    int n = args.noperand > 0 ? args.noperand : choose_robots(paths);
    return bench_all(&own, &model, &step, paths, n);
}
