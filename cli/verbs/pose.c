/* tactus pose TASK: the state at rest that a task file asks for. */
#include "cli/cli.h"
#include "cli/input/state_columns.h"
#include "cli/input/task_args.h"
#include "cli/report/json.h"
#include "cli/report/output_file.h"

#include "tactus/optimize.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME = 192, PATH = 256 };

typedef struct tacPoseArgs {
    int json;
    const char *output;
    tacTaskArgs task;
} tacPoseArgs;

static const tacArg POSE_OPTIONS[] = {
    {"--output", "-o", TAC_ARG_TEXT, offsetof(tacPoseArgs, output), "FILE",
     "write the state as .json, for --state of other verbs"},
    {"--json", NULL, TAC_ARG_FLAG, offsetof(tacPoseArgs, json), NULL, "print JSON"},
    {0},
};

static const char *const SUMMARY =
    "Finds the state at rest, with controls, that a task file without horizon asks for: inverse\n"
    "kinematics, or an equilibrium under constraints and contact.\n"
    "Exit code 1: constraints are not met, or the search did not end.";

/* A pose with its arrays. */
typedef struct Pose {
    const tacModel *model;
    tacPlan *plan;
    tacPoseResult result;
    double *memory; /* x, u, theta */
    int nunknown;
} Pose;

static int begin(const tacTask *task, Pose *pose) {
    tacError err;
    *pose = (Pose){.model = tac_task_model(task)};
    if (tac_task_plan(task, &pose->plan, &err) != TAC_OK) return cli_fail("pose", "%s", err.text);
    tacPlanSizes sizes = tac_plan_sizes(pose->plan);
    pose->nunknown = sizes.nunknown;
    pose->memory = calloc((size_t)sizes.nx + (size_t)sizes.nu + (size_t)sizes.nunknown + 1, sizeof *pose->memory);
    if (pose->memory == NULL) return cli_fail("pose", "out of memory");
    pose->result.x = pose->memory;
    pose->result.u = pose->result.x + sizes.nx;
    pose->result.theta = pose->result.u + sizes.nu;
    return CLI_GO_ON;
}

static int solve(const tacTask *task, Pose *pose) {
    tacPoseOptions options;
    tacPlanGuess guess;
    tacError err;
    tacStatus status = tac_task_pose(task, &options, &err);
    if (status == TAC_OK) status = tac_task_guess(task, &guess);
    /* a number or a list of controls is where they begin; all else is for plans */
    const double *u = status == TAC_OK && guess.ctrl == TAC_GUESS_CONSTANT ? guess.u : NULL;
    if (status == TAC_OK) status = tac_pose_solve(pose->plan, &options, u, &pose->result, &err);
    return status == TAC_OK ? CLI_GO_ON : cli_fail("pose", "%s", err.text);
}

/* --- What comes out ----------------------------------------------------------------------------------------------- */

static void put_state(tacJson *json, const Pose *pose) {
    const tacModel *m = pose->model;
    measure_json_put_numbers(json, "qpos", m->nq, pose->result.x);
    measure_json_put_numbers(json, "qvel", m->nv, pose->result.x + m->nq);
    measure_json_put_numbers(json, "act", m->na, pose->result.x + m->nq + m->nv);
    measure_json_put_numbers(json, "ctrl", m->nu, pose->result.u);
}

static int write_state(const Pose *pose, const char *path) {
    tacOutputFile file;
    int result = cli_output_open("pose", path, &file);
    if (result != CLI_GO_ON) return result;
    tacJson json = measure_json_begin();
    put_state(&json, pose);
    char *text = measure_json_dump(&json);
    measure_json_free(&json);
    if (text == NULL) {
        cli_output_abandon(&file);
        return cli_fail("pose", "the state is not finite");
    }
    fprintf(file.stream, "%s\n", text);
    free(text);
    return cli_output_finish("pose", &file);
}

static json_t *unknown_json(tacJson *json, const Pose *pose) {
    json_t *list = json_array();
    char path[PATH];
    for (int k = 0; k < pose->nunknown; k++) {
        json_t *item = json_object();
        tac_param_registered(pose->model, k, 0, path, sizeof path);
        json_object_set_new(item, "path", measure_json_text(path));
        json_object_set_new(item, "value", measure_json_number(json, "unknown", pose->result.theta[k]));
        json_array_append_new(list, item);
    }
    return list;
}

static int print_json(const Pose *pose, int code) {
    tacJson json = measure_json_begin();
    measure_json_put(&json, "status", measure_json_text(tac_plan_end_text(pose->result.end)));
    measure_json_put(&json, "cost", measure_json_number(&json, "cost", pose->result.cost));
    measure_json_put(&json, "violation", measure_json_number(&json, "violation", pose->result.violation));
    measure_json_put(&json, "gradient", measure_json_number(&json, "gradient", pose->result.gradient));
    measure_json_put_count(&json, "iterations", pose->result.iterations);
    put_state(&json, pose);
    measure_json_put(&json, "unknown", unknown_json(&json, pose));
    code = cli_json_print("pose", &json, code);
    measure_json_free(&json);
    return code;
}

static void print_column(const Pose *pose, tacColumn kind, const double *values) {
    char name[NAME];
    for (int i = 0; i < cli_column_count(pose->model, kind); i++) {
        cli_column_name(pose->model, kind, i, name, sizeof name);
        printf("  %-28s %12.6g\n", name, values[i]);
    }
}

static void print_text(const char *path, const Pose *pose) {
    const tacPoseResult *r = &pose->result;
    char name[PATH];
    printf("%s: %s after %d iterations\n", path, tac_plan_end_text(r->end), r->iterations);
    printf("  cost       %.8g\n  violation  %.3g\n  gradient   %.3g\n\nstate\n", r->cost, r->violation, r->gradient);
    print_column(pose, TAC_COLUMN_QPOS, r->x);
    print_column(pose, TAC_COLUMN_CTRL, r->u);
    for (int k = 0; k < pose->nunknown; k++) {
        tac_param_registered(pose->model, k, 0, name, sizeof name);
        printf("  %-28s %12.6g\n", name, r->theta[k]);
    }
}

static int report(const tacPoseArgs *args, const char *path, const Pose *pose) {
    int code = pose->result.end == TAC_PLAN_SOLVED ? CLI_FINE : CLI_NO;
    if (args->output != NULL) {
        int result = write_state(pose, args->output);
        if (result != CLI_GO_ON) return result;
    }
    if (args->json) return print_json(pose, code);
    print_text(path, pose);
    return code;
}

static int find_pose(const tacPoseArgs *args, const char *path, const tacTask *task) {
    Pose pose;
    if (tac_task_horizon(task) > 0)
        return cli_fail("pose", "%s: the task has a horizon: it asks for a motion (tactus plan)", path);
    int result = begin(task, &pose);
    if (result == CLI_GO_ON) result = solve(task, &pose);
    if (result == CLI_GO_ON) result = report(args, path, &pose);
    tac_plan_free(pose.plan);
    free(pose.memory);
    return result;
}

int cmd_pose(int argc, char **argv) {
    tacPoseArgs own = {.task = cli_task_args()};
    const char *path = NULL;
    tacArgGroup groups[] = {{"options", POSE_OPTIONS, &own}, {"task options", CLI_TASK_OPTIONS, &own.task}};
    tacArgs args = {.verb = "pose",
                    .operands = "TASK",
                    .summary = SUMMARY,
                    .groups = groups,
                    .ngroup = 2,
                    .operand = &path,
                    .min_operands = 1,
                    .max_operands = 1};
    tacTask *task = NULL;
    int result = cli_parse(&args, argc, argv);
    if (result != CLI_GO_ON) return result;
    result = cli_task_load("pose", path, &own.task, &task);
    if (result != CLI_GO_ON) return result;
    cli_task_print_warnings("pose", task);
    result = find_pose(&own, path, task);
    tac_task_free(task);
    return result;
}
