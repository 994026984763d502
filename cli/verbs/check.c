/* tactus check MODEL: are the derivatives right? */
#include "cli/cli.h"
#include "cli/derivatives/error_plot.h"
#include "cli/derivatives/gradient_check.h"
#include "cli/derivatives/kept_state.h"
#include "cli/input/model_file.h"
#include "cli/input/named_state.h"
#include "cli/input/stepping.h"
#include "cli/report/json.h"
#include "measure/differences.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Steps that are differenced are solved to rounding. */
#define NCP_POLISH 5

#define DEFAULT_TOL 1e-7
enum { DEFAULT_SAMPLES = 100, NAME = 160 };

typedef struct tacCheckArgs {
    int json, inputs;
    long samples, first;
    tacArgSeed seed;
    double tol;
    const char *plot, *keep;
} tacCheckArgs;

enum { INPUTS_CTRL, INPUTS_ALL };

static const tacArg CHECK_OPTIONS[] = {
    {"--samples", NULL, TAC_ARG_COUNT, offsetof(tacCheckArgs, samples), "N",
     "number of random states; default 100; 0: only the default state and the keyframes"},
    {"--first", NULL, TAC_ARG_COUNT, offsetof(tacCheckArgs, first), "N", "index of the first random state; default 0"},
    {"--seed", NULL, TAC_ARG_SEED, offsetof(tacCheckArgs, seed), "SEED", "seed of the random states; default 0"},
    {"--tol", NULL, TAC_ARG_NUMBER, offsetof(tacCheckArgs, tol), "T",
     "tolerance of |A - F| / max(1, |F|), F by finite differences; default 1e-7"},
    {"--inputs", NULL, TAC_ARG_CHOICE, offsetof(tacCheckArgs, inputs), "ctrl|all",
     "inputs u: the controls, or also applied forces and mocap poses"},
    {"--plot", NULL, TAC_ARG_TEXT, offsetof(tacCheckArgs, plot), "FILE.svg",
     "plot the error of finite differences against their step, and the error of the derivatives"},
    {"--keep", NULL, TAC_ARG_TEXT, offsetof(tacCheckArgs, keep), "DIR",
     "write each failing state and its derivatives to DIR/sample_N.txt or DIR/state_K.txt"},
    {"--json", NULL, TAC_ARG_FLAG, offsetof(tacCheckArgs, json), NULL, "print JSON"},
    {0},
};

static const char *const SUMMARY =
    "Compares the derivatives A, B, P of a step with Ridders' finite differences of the same\n"
    "step, at random states, the default state and every keyframe. Compares reverse mode with\n"
    "A, B, P. A random state is switching if a clamp or contact changes inside the stencil;\n"
    "such states are counted separately. Exit code 1: a state fails, or more than half of the\n"
    "random states are switching.";

/* --- what came out ----------------------------------------------------------------------------------------------- */

/* Column of [A | B | P] by name. */
static void column_name(const tacGradientCheck *check, int column, char *text, size_t size) {
    tacDerivativeSize n = cli_derivative_size(check->model, &check->options);
    if (column < n.ndx)
        cli_tangent_name(check->model, column, text, size);
    else if (column < n.ndx + n.nu)
        cli_input_name(check->model, &check->options, column - n.ndx, text, size);
    else
        snprintf(text, size, "%s", check->params->entry[column - n.ndx - n.nu].name);
}

static int is_empty(const tacGradientCheck *check, int row_block, int column_block) {
    tacDerivativeSize n = cli_derivative_size(check->model, &check->options);
    const int rows[] = {n.nv, n.nv, n.na}, columns[] = {n.nv, n.nv, n.na, n.nu, n.np};
    return rows[row_block] == 0 || columns[column_block] == 0;
}

/* Largest error of all parameters of the kind of parameter p, or -1 where an earlier one speaks for it. */
static double kind_error(const tacGradientCheck *check, int p, char *kind, size_t size) {
    char other[NAME];
    double worst = check->param[p];
    cli_param_kind(check->params->entry[p].name, kind, size);
    for (int k = 0; k < check->params->count; k++) {
        if (strcmp(cli_param_kind(check->params->entry[k].name, other, sizeof other), kind) != 0) continue;
        if (k < p) return -1;
        worst = fmax(worst, check->param[k]);
    }
    return worst;
}

/* States at which derivatives and differences could be compared. */
static long tested(const tacGradientCheck *check) { return check->samples - check->switching - check->broken; }

static int count_verdict(const tacGradientCheck *check, tacVerdict verdict) {
    int count = 0;
    for (int k = 0; k < check->nnamed; k++)
        count += check->named[k].verdict == verdict;
    return count;
}

static int is_enough(const tacGradientCheck *check) {
    return (double)tested(check) >= CLI_TESTED_SHARE * (double)check->samples;
}

/* Says why, where it is not a state that failed. */
static int exit_code(const tacGradientCheck *check) {
    if (!is_enough(check))
        cli_fail("check", "only %ld of %ld states were compared, expected at least %g %%; %ld states are switching",
                 tested(check), check->samples, 100 * CLI_TESTED_SHARE, check->switching);
    return check->failed == 0 && count_verdict(check, CLI_FAILED) == 0 && is_enough(check) ? CLI_FINE : CLI_NO;
}

static json_t *blocks_json(tacJson *json, const tacGradientCheck *check) {
    json_t *blocks = json_object();
    char kind[NAME], key[NAME + 8];
    for (int r = 0; r < CLI_ROW_BLOCKS; r++)
        for (int c = 0; c < CLI_COLUMN_BLOCKS; c++)
            if (!is_empty(check, r, c))
                json_object_set_new(blocks, cli_block_name(r, c),
                                    measure_json_number(json, "blocks", check->block[r][c]));
    for (int p = 0; p < check->params->count; p++) {
        double error = kind_error(check, p, kind, sizeof kind);
        if (error < 0) continue;
        snprintf(key, sizeof key, "dy/d%s", kind);
        json_object_set_new(blocks, key, measure_json_number(json, "blocks", error));
    }
    json_object_set_new(blocks, "reverse", measure_json_number(json, "blocks.reverse", check->reverse));
    return blocks;
}

static json_t *odd_json(tacJson *json, const tacGradientCheck *check) {
    json_t *list = json_array();
    for (int k = 0; k < check->nodd && k < CLI_ODD_SAMPLES; k++) {
        const tacOddSample *odd = &check->odd[k];
        json_t *one = json_object();
        json_object_set_new(one, "sample", json_integer(odd->sample));
        json_object_set_new(one, "what", json_string(odd->what));
        json_object_set_new(one, "flagged", json_boolean(odd->flagged));
        json_object_set_new(one, "error", measure_json_number(json, "odd.error", odd->error));
        json_object_set_new(one, "reverse", measure_json_number(json, "odd.reverse", odd->reverse));
        json_array_append_new(list, one);
    }
    return list;
}

static const char *const VERDICTS[] = {
    [CLI_PASSED] = "passed", [CLI_KINK] = "kink", [CLI_NO_STEP] = "no step", [CLI_FAILED] = "failed"};

static json_t *named_json(tacJson *json, const tacGradientCheck *check) {
    json_t *list = json_array();
    char name[NAME];
    for (int k = 0; k < check->nnamed; k++) {
        const tacNamedResult *at = &check->named[k];
        json_t *one = json_object();
        json_object_set_new(one, "name", measure_json_text(cli_state_name(check->model, k, name, sizeof name)));
        json_object_set_new(one, "verdict", json_string(VERDICTS[at->verdict]));
        json_object_set_new(one, "status", json_string(tac_status_text(at->status)));
        json_object_set_new(one, "ties", json_integer(at->ties));
        json_object_set_new(one, "error", measure_json_number(json, "named.error", at->error));
        json_object_set_new(one, "reverse", measure_json_number(json, "named.reverse", at->reverse));
        json_object_set_new(one, "blur", measure_json_number(json, "named.blur", at->blur));
        json_object_set_new(one, "kinked", json_integer(at->kinked));
        json_object_set_new(one, "one_sided", json_integer(at->one_sided));
        json_array_append_new(list, one);
    }
    return list;
}

static int print_json(const tacGradientCheck *check) {
    tacJson json = measure_json_begin();
    measure_json_put_count(&json, "samples", check->samples);
    measure_json_put_count(&json, "passed", check->passed);
    measure_json_put_count(&json, "switching", check->switching);
    measure_json_put_count(&json, "flagged", check->flagged);
    measure_json_put_count(&json, "unflagged", check->unflagged);
    measure_json_put_count(&json, "failed", check->failed);
    measure_json_put_count(&json, "broken", check->broken);
    measure_json_put(&json, "step_status", measure_json_text(tac_status_text(check->status)));
    measure_json_put_count(&json, "in_contact", check->in_contact);
    measure_json_put_count(&json, "sticking", check->sticking);
    measure_json_put_count(&json, "sliding", check->sliding);
    measure_json_put(&json, "tol", measure_json_number(&json, "tol", check->tol));
    measure_json_put(&json, "worst", measure_json_number(&json, "worst", check->worst.error));
    measure_json_put(&json, "blocks", blocks_json(&json, check));
    measure_json_put(&json, "odd", odd_json(&json, check));
    measure_json_put(&json, "named", named_json(&json, check));
    int code = cli_json_print("check", &json, exit_code(check));
    measure_json_free(&json);
    return code;
}

static void print_block(const char *name, double error) {
    if (error >= DIFFERENCE_NONE)
        printf("  %-28s  no finite difference available\n", name);
    else
        printf("  %-28s  %.1e\n", name, error);
}

static void print_worst(const tacGradientCheck *check) {
    char row[NAME], column[NAME];
    if (!(check->worst.error > 0)) return;
    cli_tangent_name(check->model, check->worst.row, row, sizeof row);
    column_name(check, check->worst.column, column, sizeof column);
    printf("  worst      %.2e: %s by %s, sample %ld\n", check->worst.error, row, column, check->worst.sample);
}

static void print_named(const tacGradientCheck *check, int k) {
    const tacNamedResult *at = &check->named[k];
    char name[NAME], row[NAME], column[NAME];
    printf("  %-10s %s: ", VERDICTS[at->verdict], cli_state_name(check->model, k, name, sizeof name));
    if (at->verdict == CLI_NO_STEP) {
        printf("%s\n", tac_status_text(at->status));
        return;
    }
    printf("error %.1e, reverse %.1e", at->error, at->reverse);
    if (at->blur > 0) printf(", differences accurate to %.1e", at->blur);
    if (at->verdict != CLI_PASSED) {
        cli_tangent_name(check->model, at->worst.row, row, sizeof row);
        column_name(check, at->worst.column, column, sizeof column);
        printf(
            ", %s by %s; %d columns differ from central differences, %d of them match a one-sided difference; %d ties",
            row, column, at->kinked, at->one_sided, at->ties);
    }
    printf("\n");
}

static int print_text(const char *path, const tacGradientCheck *check) {
    char kind[NAME];
    printf("%s: contact %s, integrator %s, step %g s\n", path, tac_contact_text(check->options.contact),
           cli_integrator_word(&check->options), check->options.dt);
    printf("  passed     %ld of %ld states, tolerance %g\n", check->passed, check->samples, check->tol);
    printf("  switching  %ld (a clamp or contact changes inside the stencil)\n", check->switching);
    if (check->options.contact != TAC_CONTACT_MODEL_NONE && check->switching > 0)
        printf("             %ld of them are not flagged by the margins of the step\n", check->unflagged);
    printf("  failed     %ld\n", check->failed);
    if (check->options.contact != TAC_CONTACT_MODEL_NONE)
        printf("  in contact %ld, sticking in %ld, sliding in %ld\n", check->in_contact, check->sticking,
               check->sliding);
    if (check->broken > 0)
        printf("             %ld of them because the step fails: %s\n", check->broken, tac_status_text(check->status));
    for (int k = 0; k < check->nodd && k < CLI_ODD_SAMPLES; k++)
        printf("  %-11s sample %ld: error %.1e, reverse %.1e\n", check->odd[k].what, check->odd[k].sample,
               check->odd[k].error, check->odd[k].reverse);
    print_worst(check);
    for (int k = 0; k < check->nnamed; k++)
        print_named(check, k);
    if (check->moved > 0) printf("  moved      %d parameters into the interior of their range\n", check->moved);
    printf("\nlargest error |analytic - difference| / max(1, |difference|)\n");
    for (int r = 0; r < CLI_ROW_BLOCKS; r++)
        for (int c = 0; c < CLI_COLUMN_BLOCKS; c++)
            if (!is_empty(check, r, c)) print_block(cli_block_name(r, c), check->block[r][c]);
    for (int p = 0; p < check->params->count; p++) {
        double error = kind_error(check, p, kind, sizeof kind);
        if (error >= 0) print_block(kind, error);
    }
    printf("  %-28s  %.1e (tolerance %g)\n", "reverse against forward", check->reverse, CLI_REVERSE_TOL);
    return exit_code(check);
}

/* --- the run ----------------------------------------------------------------------------------------------------- */

/* "models/panda.xml" -> "panda.xml" */
static const char *title_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static unsigned all_inputs(const tacModel *model) {
    return TAC_INPUT_QFRC | TAC_INPUT_XFRC | (model->nmocap > 0 ? (unsigned)TAC_INPUT_MOCAP : 0u);
}

static int run_check(const tacModelFile *file, const tacCheckArgs *args, const tacModelArgs *model,
                     const tacParamArgs *param, tacOptions options) {
    tacParamList params;
    int result = cli_params_register("check", file->model, param, &params);
    if (result != CLI_GO_ON) return result;
    if (args->inputs == INPUTS_ALL) options.inputs = all_inputs(file->model);
    options.ncp_polish = NCP_POLISH;
    tacGradientCheck check = {.model = file->model,
                              .options = options,
                              .params = &params,
                              .samples = args->samples,
                              .first = args->first,
                              .seed = args->seed.value,
                              .tol = args->tol,
                              .keep = args->keep,
                              .nnamed = cli_named_states(file->model)};
    if (args->keep != NULL) result = cli_keep_begin("check", args->keep);
    if (result == CLI_GO_ON) result = cli_gradient_check("check", &check);
    if (result == CLI_GO_ON && args->plot != NULL)
        result = cli_error_plot("check", title_of(model->path), file->model, &options, args->seed.value, args->plot);
    if (result == CLI_GO_ON) result = args->json ? print_json(&check) : print_text(model->path, &check);
    cli_gradient_check_free(&check);
    cli_params_free(&params);
    return result;
}

int cmd_check(int argc, char **argv) {
    tacCheckArgs own = {.samples = DEFAULT_SAMPLES, .tol = DEFAULT_TOL};
    tacModelArgs model = {0};
    tacParamArgs param = {0};
    tacStepArgs step;
    cli_step_args(&step);
    tacArgGroup groups[] = {{"options", CHECK_OPTIONS, &own},
                            {"parameter options", CLI_PARAM_OPTIONS, &param},
                            {"step options", step.table, &step},
                            {"model options", CLI_MODEL_OPTIONS, &model}};
    tacArgs args = cli_model_verb("check", SUMMARY, groups, 4, &model);
    tacModelFile file;
    tacOptions options;
    int result = cli_parse(&args, argc, argv);
    if (result != CLI_GO_ON) return result;
    if (!(own.tol > 0)) return cli_fail("check", "--tol: got %g, expected a number greater than 0", own.tol);
    result = cli_model_load("check", &model, &file);
    if (result != CLI_GO_ON) return result;
    cli_model_print_warnings("check", &file);
    result = cli_step_options("check", file.model, &step, &options);
    if (result == CLI_GO_ON) result = run_check(&file, &own, &model, &param, options);
    cli_model_close(&file);
    return result;
}
