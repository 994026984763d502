/* tactus show MODEL STATES: a page from a motion that was made elsewhere. */
#include "cli/cli.h"
#include "cli/input/model_file.h"
#include "cli/input/states_csv.h"
#include "cli/input/stepping.h"
#include "cli/report/json.h"
#include "cli/report/output_file.h"
#include "cli/report/page.h"

#include <stdio.h>
#include <string.h>

enum { TITLE = 256, COMMAND = 2048 };

typedef struct tacShowArgs {
    int json;
    const char *output, *title;
} tacShowArgs;

static const tacArg SHOW_OPTIONS[] = {
    {"--output", "-o", TAC_ARG_TEXT, offsetof(tacShowArgs, output), "FILE",
     "the page, .html; default: the name of STATES with this ending"},
    {"--title", NULL, TAC_ARG_TEXT, offsetof(tacShowArgs, title), "TEXT", "heading; default: the name of the model"},
    {"--json", NULL, TAC_ARG_FLAG, offsetof(tacShowArgs, json), NULL, "print JSON"},
    {0},
};

static const char *const SUMMARY =
    "Writes a page that shows a motion, from a CSV file of states that any program may have made:\n"
    "the columns of `sim -o motion.csv`, or rows of [time] qpos [qvel act] without a header.\n"
    "Contact forces are those of a step of Tactus from each state.";

/* "run/motion.csv" -> "run/motion.html" */
static int choose_output(const char *states, char *path, size_t size) {
    const char *slash = strrchr(states, '/'), *dot = strrchr(states, '.');
    size_t n = dot != NULL && (slash == NULL || dot > slash + 1) ? (size_t)(dot - states) : strlen(states);
    int length = snprintf(path, size, "%.*s.html", (int)n, states);
    return length > 0 && (size_t)length < size ? CLI_GO_ON : cli_fail("show", "-o: the path is too long");
}

static int write_page(const tacPage *page, const char *path) {
    tacOutputFile file = {0};
    int result = cli_output_open("show", path, &file);
    if (result != CLI_GO_ON) return result;
    result = cli_write_page("show", page, file.stream);
    if (result == CLI_GO_ON) return cli_output_finish("show", &file);
    cli_output_abandon(&file);
    return result;
}

static int report(const tacShowArgs *args, const tacPage *page, const char *path) {
    double time =
        page->time != NULL ? page->time[page->nframe - 1] - page->time[0] : (page->nframe - 1) * page->options->dt;
    if (!args->json) {
        printf("%s: %d states, %g s\n  written    %s\n", page->title, page->nframe, time, path);
        return CLI_FINE;
    }
    tacJson json = measure_json_begin();
    measure_json_put_count(&json, "frames", page->nframe);
    measure_json_put(&json, "time", measure_json_number(&json, "time", time));
    measure_json_put(&json, "output", measure_json_text(path));
    int code = cli_json_print("show", &json, CLI_FINE);
    measure_json_free(&json);
    return code;
}

static int show(const tacModelFile *file, const tacShowArgs *args, const char *const operand[2],
                const tacOptions *options, const char *command) {
    char title[TITLE], path[CLI_PATH];
    tacStates states;
    int result = args->output != NULL ? (snprintf(path, sizeof path, "%s", args->output), CLI_GO_ON)
                                      : choose_output(operand[1], path, sizeof path);
    if (result != CLI_GO_ON) return result;
    result = cli_states_read("show", operand[1], file->model, options, &states);
    if (result != CLI_GO_ON) return result;
    cli_page_title(file, operand[0], title, sizeof title);
    tacPage page = tac_default_page();
    page.model = file->model;
    page.options = options;
    page.nframe = states.nframe;
    page.time = states.time;
    page.x = states.x;
    page.u = states.u;
    page.title = args->title != NULL ? args->title : title;
    page.command = command;
    result = write_page(&page, path);
    if (result == CLI_GO_ON) result = report(args, &page, path);
    cli_states_free(&states);
    return result;
}

int cmd_show(int argc, char **argv) {
    tacShowArgs own = {0};
    tacStepArgs step;
    cli_step_args(&step);
    tacModelArgs model = {0};
    const char *operand[2] = {NULL, NULL};
    tacArgGroup groups[] = {{"options", SHOW_OPTIONS, &own},
                            {"step options", step.table, &step},
                            {"model options", CLI_MODEL_OPTIONS, &model}};
    tacArgs args = {.verb = "show",
                    .operands = "MODEL STATES",
                    .summary = SUMMARY,
                    .groups = groups,
                    .ngroup = 3,
                    .operand = operand,
                    .min_operands = 2,
                    .max_operands = 2};
    tacModelFile file;
    tacOptions options;
    char command[COMMAND];
    int result = cli_parse(&args, argc, argv);
    if (result != CLI_GO_ON) return result;
    model.path = operand[0];
    if (own.output != NULL && cli_motion_format(own.output) != TAC_MOTION_HTML)
        return cli_fail("show", "-o: got \"%s\", expected a name that ends in .html", own.output);
    result = cli_model_load("show", &model, &file);
    if (result != CLI_GO_ON) return result;
    cli_page_command(argc, argv, command, sizeof command);
    cli_model_print_warnings("show", &file);
    result = cli_step_options("show", file.model, &step, &options);
    if (result == CLI_GO_ON) result = show(&file, &own, operand, &options, command);
    cli_model_close(&file);
    return result;
}
