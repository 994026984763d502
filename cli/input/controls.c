#include "cli/input/controls.h"

#include "cli/cli.h"
#include "cli/input/csv.h"
#include "cli/input/json.h"
#include "measure/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const tacArg CLI_CONTROL_OPTIONS[] = {
    {"--ctrl", NULL, TAC_ARG_TEXT, offsetof(tacControlArgs, file), "FILE",
     "controls, one row per step, as CSV or as a JSON list of rows; the last row repeats"},
    {"--random", NULL, TAC_ARG_SEED, offsetof(tacControlArgs, random), "SEED", "random controls within their ranges"},
    {"--random-period", NULL, TAC_ARG_NUMBER, offsetof(tacControlArgs, period), "SECONDS",
     "time between random controls, interpolated smoothly; 0: new controls every step"},
    {"--random-share", NULL, TAC_ARG_NUMBER, offsetof(tacControlArgs, share), "S",
     "blend from the initial controls (0) to the random controls (1); default 1"},
    {0},
};

static int read_json_rows(const char *verb, const char *path, int nu, tacControls *controls) {
    json_t *root = cli_json_read(verb, path);
    if (root == NULL) return CLI_CANNOT;
    int flat = json_array_size(root) > 0 && json_is_number(json_array_get(root, 0));
    long nrow = flat ? 1 : (long)json_array_size(root);
    int result = json_is_array(root) && nrow > 0
                     ? CLI_GO_ON
                     : cli_fail(verb, "%s: expected a list of rows of %d numbers", path, nu);
    if (result == CLI_GO_ON) controls->rows = calloc((size_t)nrow * (size_t)nu + 1, sizeof(double));
    if (result == CLI_GO_ON && controls->rows == NULL) result = cli_fail(verb, "out of memory");
    for (long i = 0; i < nrow && result == CLI_GO_ON; i++) {
        const json_t *row = flat ? root : json_array_get(root, (size_t)i);
        int n = json_is_array(row) ? cli_json_count(row) : -1;
        if (n == nu)
            cli_json_flatten(row, controls->rows + (size_t)i * (size_t)nu);
        else if (n < 0)
            result = cli_fail(verb, "%s: row %ld is not a list of numbers", path, i + 1);
        else
            result = cli_fail(verb, "%s: row %ld has %d numbers, expected %d", path, i + 1, n, nu);
    }
    controls->nrow = nrow;
    json_decref(root);
    return result;
}

static int read_csv_rows(const char *verb, const char *path, int nu, tacControls *controls) {
    tacCsv csv;
    int result = cli_csv_read(verb, path, "ctrl:", nu, &csv);
    if (result != CLI_GO_ON) return result;
    controls->rows = csv.numbers;
    controls->nrow = csv.nrow;
    return CLI_GO_ON;
}

static int read_rows(const char *verb, const char *path, int nu, tacControls *controls) {
    size_t n = strlen(path);
    if (n > 4 && strcmp(path + n - 4, ".csv") == 0) return read_csv_rows(verb, path, nu, controls);
    return read_json_rows(verb, path, nu, controls);
}

static int check_args(const char *verb, const tacControlArgs *args) {
    if (args->file != NULL && args->random.given) return cli_fail(verb, "--ctrl and --random exclude each other");
    if (args->period < 0) return cli_fail(verb, "--random-period: got %g, expected a non-negative time", args->period);
    if (!(args->share >= 0 && args->share <= 1))
        return cli_fail(verb, "--random-share: got %g, expected a number from 0 to 1", args->share);
    return CLI_GO_ON;
}

int cli_controls_load(const char *verb, const tacModel *model, const tacControlArgs *args, double dt,
                      const double *start, tacControls *controls) {
    size_t nu = (size_t)model->nu;
    *controls = (tacControls){.model = model,
                              .random = args->random.given,
                              .seed = args->random.value,
                              .period = args->period,
                              .share = args->share,
                              .dt = dt};
    int result = check_args(verb, args);
    if (result != CLI_GO_ON) return result;
    controls->start = calloc(nu + 1, sizeof *start);
    if (controls->start == NULL) return cli_fail(verb, "out of memory");
    memcpy(controls->start, start, nu * sizeof *start);
    if (args->file != NULL) result = read_rows(verb, args->file, model->nu, controls);
    if (result != CLI_GO_ON) cli_controls_free(controls);
    return result;
}

void cli_controls_free(tacControls *controls) {
    free(controls->rows);
    free(controls->start);
    controls->rows = controls->start = NULL;
}

static double draw(const tacControls *c, int actuator, uint64_t index) {
    const double *range = c->model->actuator_ctrlrange + 2 * actuator;
    int limited = c->model->actuator_ctrllimited[actuator];
    double low = limited ? range[0] : -1, high = limited ? range[1] : 1;
    return low + (high - low) * tac_random_uniform(c->seed, (uint64_t)actuator, index);
}

/* The i-th value a smooth curve goes through; the first is the start's control, so that nothing jumps. */
static double knot(const tacControls *c, int actuator, double i) {
    const double *range = c->model->actuator_ctrlrange + 2 * actuator;
    double start = c->start[actuator];
    if (i > 0) return draw(c, actuator, (uint64_t)i);
    return c->model->actuator_ctrllimited[actuator] ? fmax(range[0], fmin(range[1], start)) : start;
}

/* Between knots i and i+1, at s in [0, 1): a + (b - a) (3 s^2 - 2 s^3), flat at both ends. */
static double draw_smooth(const tacControls *c, int actuator, double time) {
    double position = floor(time / c->period), s = time / c->period - position;
    double a = knot(c, actuator, position), b = knot(c, actuator, position + 1);
    return a + (b - a) * s * s * (3 - 2 * s);
}

void cli_controls_at(const tacControls *c, long k, double *ctrl) {
    int nu = c->model->nu;
    if (c->random)
        for (int i = 0; i < nu; i++) {
            double value = c->period > 0 ? draw_smooth(c, i, (double)k * c->dt) : draw(c, i, (uint64_t)k);
            ctrl[i] = c->share < 1 ? c->start[i] + c->share * (value - c->start[i]) : value;
        }
    else if (c->rows != NULL && nu > 0)
        memcpy(ctrl, c->rows + (size_t)(k < c->nrow ? k : c->nrow - 1) * (size_t)nu, (size_t)nu * sizeof *ctrl);
}
