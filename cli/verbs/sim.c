/* tactus sim MODEL: steps a robot and writes down its motion. */
#include "cli/cli.h"
#include "cli/derivatives/sweep.h"
#include "cli/input/model_file.h"
#include "cli/input/stepping.h"
#include "cli/report/json.h"
#include "cli/report/motion_file.h"
#include "cli/report/page.h"
#include "cli/simulation/simulate.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SECONDS 1.0
/* A page draws this many frames a second, and holds no more frames than that. */
#define PAGE_FRAME_RATE 60.0
enum { PAGE_FRAMES = 3600, TITLE = 128, COMMAND = 2048, NAME = 192 };
/* Steps in a time are rounded up, but not for a rounding error of T / dt. */
#define STEP_SLACK 1e-9

typedef struct tacSimArgs {
    int json, forces;
    double time;  /* NAN: not given */
    long steps;   /* -1: not given */
    long every;   /* -1: not given */
    long allowed; /* steps that may be unsolved */
    double energy_bound;
    const char *output;
    tacSweepArgs sweep;
} tacSimArgs;

static const tacArg SIM_OPTIONS[] = {
    {"--steps", NULL, TAC_ARG_COUNT, offsetof(tacSimArgs, steps), "N", "number of steps"},
    {"--time", NULL, TAC_ARG_NUMBER, offsetof(tacSimArgs, time), "SECONDS",
     "simulated time, instead of --steps; default 1"},
    {"--every", NULL, TAC_ARG_COUNT, offsetof(tacSimArgs, every), "N",
     "record every N-th state; default 1 (HTML page: 60 states per second)"},
    {"--output", "-o", TAC_ARG_TEXT, offsetof(tacSimArgs, output), "FILE",
     "write the motion as .csv, .json or .html (a page that plays it)"},
    {"--forces", NULL, TAC_ARG_FLAG, offsetof(tacSimArgs, forces), NULL,
     "record the forces of contacts at every recorded state: columns in .csv; .json has them anyway"},
    {"--gradient", NULL, TAC_ARG_TEXT, offsetof(tacSimArgs, sweep.what), "WHAT[=VALUE]",
     "how the last place moves with qvel:JOINT or a parameter, on the page and with --json"},
    {"--gradient-range", NULL, TAC_ARG_NUMBER, offsetof(tacSimArgs, sweep.range), "X",
     "motions at five values, up to X more and less; default a fifth of the value"},
    {"--gradient-body", NULL, TAC_ARG_TEXT, offsetof(tacSimArgs, sweep.body), "NAME",
     "the body whose place it is; default that of the first free joint, or the last"},
    {"--allow-unsolved", NULL, TAC_ARG_COUNT, offsetof(tacSimArgs, allowed), "N", "allow N unsolved steps; default 0"},
    {"--energy-bound", NULL, TAC_ARG_NUMBER, offsetof(tacSimArgs, energy_bound), "X",
     "warn if energy grows by more than X times the energy of the motion; default 2"},
    {"--json", NULL, TAC_ARG_FLAG, offsetof(tacSimArgs, json), NULL, "print JSON"},
    {0},
};

static const char *const SUMMARY =
    "Simulates a model from a state with constant, given or random controls. Prints the final\n"
    "state. `-o motion.html` writes a page that plays the motion and shows plots.";

/* --- what was asked for ------------------------------------------------------------------------------------------ */

static int choose_steps(const tacSimArgs *args, double dt, long *steps) {
    if (args->steps >= 0 && !isnan(args->time)) return cli_fail("sim", "--steps and --time exclude each other");
    if (args->steps > INT_MAX) return cli_fail("sim", "--steps: got %ld, expected at most %d", args->steps, INT_MAX);
    *steps = args->steps;
    if (args->steps >= 0) return CLI_GO_ON;
    double time = isnan(args->time) ? DEFAULT_SECONDS : args->time, number = ceil(time / dt - STEP_SLACK);
    if (!(time >= 0 && number <= INT_MAX))
        return cli_fail("sim", "--time: got %g, expected a time from 0 to %g (at a step of %g)", time, INT_MAX * dt,
                        dt);
    *steps = (long)fmax(number, 0);
    return CLI_GO_ON;
}

/* Steps between frames: what was asked for; for a page, enough for smooth replay and no more. */
static long choose_every(const tacSimArgs *args, tacMotionFormat format, double dt, long steps) {
    if (args->every > 0) return args->every;
    if (format != TAC_MOTION_HTML) return 1;
    long by_rate = (long)floor(1 / (PAGE_FRAME_RATE * dt) + STEP_SLACK), by_count = steps / PAGE_FRAMES + 1;
    long every = by_rate > by_count ? by_rate : by_count;
    return every > 1 ? every : 1;
}

/* --- what comes out ---------------------------------------------------------------------------------------------- */

static int write_motion(const tacPageWords *words, const tacRun *run, const tacMotion *motion, const char *path,
                        tacOutputFile *file) {
    int result = CLI_GO_ON;
    tacPage page = cli_page_of_run(words, run, motion);
    switch (cli_motion_format(path)) {
    case TAC_MOTION_CSV:
        result = cli_write_csv("sim", motion, file->stream);
        break;
    case TAC_MOTION_JSON:
        result = cli_write_json("sim", run, motion, file->stream);
        break;
    default:
        result = cli_write_page("sim", &page, file->stream);
        break;
    }
    if (result != CLI_GO_ON) {
        cli_output_abandon(file);
        return result;
    }
    return cli_output_finish("sim", file);
}

/* The numbers of one kind, each under the name of its joint or actuator. */
static void print_column(const tacModel *m, tacColumn kind, const double *values) {
    char name[NAME];
    for (int i = 0; i < cli_column_count(m, kind); i++) {
        cli_column_name(m, kind, i, name, sizeof name);
        printf("  %-28s %12.6g\n", name, values[i]);
    }
}

static void print_unsolved(const tacRun *run) {
    if (run->options.contact == TAC_CONTACT_MODEL_NONE) return;
    if (run->unsolved > 0)
        printf("  UNSOLVED   %ld of %ld steps, first step %ld; largest residual %.3g\n", run->unsolved, run->done,
               run->first_unsolved, run->worst_residual);
    else
        printf("  solved     all steps; largest residual %.3g\n", run->worst_residual);
}

static void print_gain(const tacEnergyWatch *watch) {
    if (watch->first >= 0)
        printf("  GAINED     %.3g J without input, %.3g times the energy of the motion, from step %ld on\n",
               watch->most, watch->share, watch->first);
}

static void print_text(const char *path, const tacRun *run, const tacMotion *motion, const char *output) {
    const tacModel *m = run->model;
    double time = (double)run->done * run->options.dt;
    int last = motion->nframe - 1;
    printf("%s: %ld steps of %g s, contact %s, integrator %s\n", path, run->done, run->options.dt,
           tac_contact_text(run->options.contact), cli_integrator_word(&run->options));
    printf("  simulated  %.6g s in %.3g s (%.0f times real time)\n", time, run->seconds,
           run->seconds > 0 ? time / run->seconds : 0);
    print_unsolved(run);
    if (last >= 0)
        printf("  energy     %.8g J at the start, %.8g J at the end\n", motion->kinetic[0] + motion->potential[0],
               motion->kinetic[last] + motion->potential[last]);
    print_gain(&run->energy);
    if (output != NULL) printf("  written    %s\n", output);
    printf("\nfinal state\n");
    print_column(m, TAC_COLUMN_QPOS, run->x);
    print_column(m, TAC_COLUMN_QVEL, run->x + m->nq);
    print_column(m, TAC_COLUMN_ACT, run->x + m->nq + m->nv);
}

static int print_json(const tacRun *run, const tacMotion *motion, const tacSweep *sweep, int code) {
    tacJson json = measure_json_begin();
    cli_run_json(&json, run, motion);
    if (sweep != NULL) measure_json_put(&json, "gradient", cli_sweep_json(&json, run->model, sweep));
    code = cli_json_print("sim", &json, code);
    measure_json_free(&json);
    return code;
}

static void print_sweep(const tacModel *m, const tacSweep *s) {
    const double *d = s->gradient.derivative;
    char label[NAME];
    printf("\nlast place of %s, m\n", cli_label(m, TAC_KIND_BODY, s->body, label, sizeof label));
    for (int i = 0; i < CLI_SWEEP_MOTIONS; i++)
        printf("  %s = %-10.6g %10.6f %10.6f %10.6f\n", s->name, s->value[i], s->place[i][0], s->place[i][1],
               s->place[i][2]);
    printf("  derivative at %-10.6g %10.6f %10.6f %10.6f\n", s->value[CLI_SWEEP_OWN], d[0], d[1], d[2]);
}

static int report(const tacSimArgs *args, const char *path, const tacRun *run, const tacMotion *motion,
                  const tacSweep *sweep) {
    int code = run->status == TAC_OK && run->unsolved <= args->allowed ? CLI_FINE : CLI_NO;
    if (run->status != TAC_OK)
        cli_fail("sim", "stopped after %ld of %ld steps: %s", run->done, run->steps, tac_status_text(run->status));
    if (args->json) return print_json(run, motion, sweep, code);
    print_text(path, run, motion, args->output);
    if (sweep != NULL) print_sweep(run->model, sweep);
    return code;
}

/* --- the run ----------------------------------------------------------------------------------------------------- */

/* The derivative and the motions along it, from the start that the run had. */
static int sweep_from(const tacRun *ran, const double *start, const tacMotion *motion, tacSweep *sweep) {
    tacRun run = *ran;
    double *x = malloc(((size_t)tac_nx(run.model) + 1) * sizeof *x);
    if (x == NULL) return cli_fail("sim", "out of memory");
    memcpy(x, start, (size_t)tac_nx(run.model) * sizeof *x);
    run.x = x;
    int result = ran->status == TAC_OK ? cli_sweep_run("sim", &run, motion, sweep)
                                       : cli_fail("sim", "--gradient: the motion stopped early");
    sweep->gradient.name = sweep->name;
    sweep->gradient.body = sweep->body;
    sweep->gradient.unit = cli_sweep_unit(run.model, sweep);
    sweep->gradient.n = CLI_SWEEP_MOTIONS;
    sweep->gradient.own = CLI_SWEEP_OWN;
    sweep->gradient.value = sweep->value;
    sweep->gradient.x = sweep->x;
    sweep->gradient.model = sweep->shown;
    free(x);
    return result;
}

/* Simulates, writes and prints, with everything chosen. sweep: NULL where no gradient is asked for. */
static int run_and_report(const tacModelFile *file, const tacSimArgs *args, const tacModelArgs *model, tacRun *run,
                          tacSweep *sweep, const char *command) {
    char title[TITLE];
    tacOutputFile out = {0};
    double *start = malloc(((size_t)tac_nx(run->model) + 1) * sizeof *start);
    if (start == NULL) return cli_fail("sim", "out of memory");
    memcpy(start, run->x, (size_t)tac_nx(run->model) * sizeof *start);
    int result = args->output != NULL ? cli_output_open("sim", args->output, &out) : CLI_GO_ON;
    if (result == CLI_GO_ON) {
        int keep = args->output != NULL || sweep != NULL;
        tacMotion motion = cli_motion_begin(run->model, tac_ninput(run->model, &run->options), keep);
        motion.keep_forces =
            args->forces || (args->output != NULL && cli_motion_format(args->output) == TAC_MOTION_JSON);
        result = cli_run("sim", run, &motion);
        if (result == CLI_GO_ON && sweep != NULL) result = sweep_from(run, start, &motion, sweep);
        cli_page_title(file, model->path, title, sizeof title);
        tacPageWords words = {.title = title, .command = command, .gradient = sweep != NULL ? &sweep->gradient : NULL};
        if (result == CLI_GO_ON && args->output != NULL)
            result = write_motion(&words, run, &motion, args->output, &out);
        if (result == CLI_GO_ON) result = report(args, model->path, run, &motion, sweep);
        cli_output_abandon(&out);
        cli_motion_free(&motion);
    }
    free(start);
    return result;
}

static int simulate(const tacModelFile *file, const tacSimArgs *args, const tacModelArgs *model,
                    const tacStateArgs *state, const tacControlArgs *control, tacOptions options, const char *command) {
    tacControls controls = {0};
    tacStart start;
    long steps = 0;
    int result = choose_steps(args, options.dt, &steps);
    tacSweep own = {0}, *sweep = args->sweep.what != NULL ? &own : NULL;
    if (result == CLI_GO_ON && sweep != NULL) result = cli_sweep_begin("sim", file->model, &args->sweep, sweep);
    if (result == CLI_GO_ON) result = cli_start_load("sim", file->model, state, &options, &start);
    if (result != CLI_GO_ON) return result;
    if (sweep != NULL) cli_sweep_start(sweep, start.x + file->model->nq);
    result = cli_controls_load("sim", file->model, control, options.dt, start.u, &controls);
    if (result == CLI_GO_ON) {
        tacMotionFormat format = args->output != NULL ? cli_motion_format(args->output) : TAC_MOTION_NONE;
        tacRun run = {.model = file->model,
                      .options = options,
                      .controls = &controls,
                      .steps = steps,
                      .x = start.x,
                      .u = start.u,
                      .energy_bound = args->energy_bound,
                      .every = choose_every(args, format, options.dt, steps)};
        result = run_and_report(file, args, model, &run, sweep, command);
    }
    cli_sweep_free(&own);
    cli_controls_free(&controls);
    cli_start_free(&start);
    return result;
}

/* What the options' table does not say. */
static int check_options(const tacSimArgs *args) {
    if (args->every == 0) return cli_fail("sim", "--every: got 0, expected 1 or more");
    if (!(args->energy_bound >= 0))
        return cli_fail("sim", "--energy-bound: got %g, expected at least 0", args->energy_bound);
    if (args->output != NULL && cli_motion_format(args->output) == TAC_MOTION_NONE)
        return cli_fail("sim", "-o: got \"%s\", expected a name that ends in .csv, .json or .html", args->output);
    if (args->forces && args->output == NULL)
        return cli_fail("sim", "--forces requires -o: it adds columns to a .csv file");
    if (args->sweep.what == NULL && !isnan(args->sweep.range))
        return cli_fail("sim", "--gradient-range requires --gradient");
    if (args->sweep.what == NULL && args->sweep.body != NULL)
        return cli_fail("sim", "--gradient-body requires --gradient");
    return CLI_GO_ON;
}

int cmd_sim(int argc, char **argv) {
    tacSimArgs own = {
        .time = (double)NAN, .steps = -1, .every = -1, .energy_bound = TAC_ENERGY_BOUND, .sweep.range = (double)NAN};
    tacStepArgs step;
    cli_step_args(&step);
    tacModelArgs model = {0};
    tacStateArgs state = {0};
    tacControlArgs control = {.share = 1};
    tacArgGroup groups[] = {{"options", SIM_OPTIONS, &own},
                            {"step options", step.table, &step},
                            {"state options", CLI_STATE_OPTIONS, &state},
                            {"control options", CLI_CONTROL_OPTIONS, &control},
                            {"model options", CLI_MODEL_OPTIONS, &model}};
    tacArgs args = cli_model_verb("sim", SUMMARY, groups, 5, &model);
    tacModelFile file;
    char command[COMMAND];
    int result = cli_parse(&args, argc, argv);
    if (result == CLI_GO_ON) result = check_options(&own);
    if (result != CLI_GO_ON) return result;
    result = cli_model_load("sim", &model, &file);
    if (result != CLI_GO_ON) return result;
    cli_page_command(argc, argv, command, sizeof command);
    cli_model_print_warnings("sim", &file);
    tacOptions options;
    result = cli_step_options("sim", file.model, &step, &options);
    if (result == CLI_GO_ON) result = simulate(&file, &own, &model, &state, &control, options, command);
    cli_model_close(&file);
    return result;
}
