/* Results of a plan as files: what plan.json, controls.csv, start.json, model.tac and report.html hold. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "io/run/plan_run.h"

#include "base/error.h"
#include "io/numbers.h"
#include "io/page/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 128, COMMAND = 3 * TAC_PATH };

/* --- The command that replays ------------------------------------------------------------------------------------- */

/* Adds to a command of `used` bytes; -> its length. */
static size_t put(char *text, size_t size, size_t used, const char *word) {
    int n = snprintf(used < size ? text + used : NULL, used < size ? size - used : 0, "%s", word);
    return used + (size_t)(n > 0 ? n : 0);
}

/* A file of the folder, in quotes where the shell needs them. */
static size_t put_file(const tacPlanRun *run, const char *before, const char *name, char *text, size_t size,
                       size_t used) {
    char path[TAC_PATH], real[TAC_PATH];
    if (realpath(run->folder->path, real) == NULL) snprintf(real, sizeof real, "%s", run->folder->path);
    tac_files_join(real, name, path, sizeof path);
    used = put(text, size, used, before);
    int plain = strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-") == strlen(path);
    used = put(text, size, used, plain ? "" : "'");
    for (const char *p = path; *p != '\0'; p++) {
        const char letter[2] = {*p, '\0'};
        used = put(text, size, used, *p == '\'' ? "'\\''" : letter);
    }
    return put(text, size, used, plain ? "" : "'");
}

/* "--contact ncp": one option of the step, as its flag; nothing where it has none. */
static size_t put_option(const tacOptionInfo *info, const tacOptions *options, char *text, size_t size, size_t used) {
    const char *field = (const char *)options + info->offset, *words = info->words;
    char value[NAME];
    int integer;
    double real;
    if (info->flag == NULL || (info->contacts != 0 && !(info->contacts & TAC_CONTACT_BIT(options->contact))))
        return used;
    memcpy(&integer, field, sizeof integer);
    if (info->kind == TAC_OPTION_REAL) {
        memcpy(&real, field, sizeof real);
        snprintf(value, sizeof value, " %s %.17g", info->flag, real);
    } else if (info->kind == TAC_OPTION_INT && info->least == 0 && info->most == 1) {
        snprintf(value, sizeof value, "%s%s", integer ? " " : "", integer ? info->flag : "");
    } else if (info->kind == TAC_OPTION_INT) {
        snprintf(value, sizeof value, " %s %d", info->flag, integer);
    } else {
        for (int i = 0; i < integer; i++)
            words += strcspn(words, "|") + 1;
        snprintf(value, sizeof value, " %s %.*s", info->flag, (int)strcspn(words, "|"), words);
    }
    return put(text, size, used, value);
}

void tac_plan_run_replay_command(const tacPlanRun *run, char *text, size_t size) {
    char steps[NAME];
    tacModel *model = NULL;
    tacOptions options;
    text[0] = '\0';
    if (run->folder == NULL || tac_plan_run_model(run, &model, &options, NULL) != TAC_OK) return;
    size_t used = put_file(run, "tactus sim ", "model.tac", text, size, 0);
    used = put_file(run, " --state ", "start.json", text, size, used);
    if (model->nu > 0) used = put_file(run, " --ctrl ", "controls.csv", text, size, used);
    snprintf(steps, sizeof steps, " --steps %d --every 1", tac_plan_sizes(run->plan).steps);
    used = put(text, size, used, steps);
    for (int i = 0; tac_option_info(i) != NULL; i++)
        used = put_option(tac_option_info(i), &options, text, size, used);
    put_file(run, " -o ", "replay.json", text, size, used);
    tac_model_free(model);
}

/* --- plan.json ---------------------------------------------------------------------------------------------------- */

static void put_rows(tacText *out, const char *key, int rows, int columns, const double *values) {
    tac_json_open(out, key, '[');
    for (int i = 0; i < rows; i++)
        tac_json_numbers(out, NULL, columns, values + (size_t)i * (size_t)columns);
    tac_json_close(out, '[');
}

static void put_terms(tacText *out, const tacPlanRun *run, const tacPlanResult *r) {
    static const char *const roles[] = {"cost", "equal", "at_most", "at_least"};
    tac_json_open(out, "terms", '[');
    for (int i = 0; i < r->nterm; i++) {
        tacPlanTermInfo info = tac_plan_term(run->plan, i);
        tac_json_open(out, NULL, '{');
        tac_json_string(out, "name", info.name);
        tac_json_string(out, "role", roles[info.role]);
        tac_json_integer(out, "first", info.first);
        tac_json_integer(out, "last", info.last);
        tac_json_number(out, info.role == TAC_ROLE_COST ? "cost" : "violation", r->terms[i]);
        tac_json_close(out, '{');
    }
    tac_json_close(out, '[');
}

static void put_iteration(tacText *out, const tacPlanIteration *h) {
    tac_json_open(out, NULL, '{');
    tac_json_integer(out, "iteration", h->iteration);
    tac_json_number(out, "cost", h->cost);
    tac_json_number(out, "violation", h->violation);
    tac_json_number(out, "gap", h->gap);
    tac_json_number(out, "length", h->length);
    tac_json_number(out, "regularization", h->regularization);
    tac_json_number(out, "penalty", h->penalty);
    tac_json_number(out, "kappa", h->kappa);
    tac_json_integer(out, "unsolved", h->unsolved);
    tac_json_integer(out, "candidates", h->candidates);
    tac_json_number(out, "seconds", h->seconds);
    tac_json_close(out, '{');
}

static void put_history(tacText *out, const tacPlanRun *run, const tacPlanResult *r) {
    tac_json_open(out, "starts", '[');
    for (int i = 0; i < run->n; i++) {
        const tacPlanOutcome *o = &run->attempt[i].outcome;
        tac_json_open(out, NULL, '{');
        tac_json_integer(out, "start", i);
        tac_json_string(out, "status", tac_plan_end_text(o->end));
        tac_json_number(out, "cost", o->cost);
        tac_json_number(out, "violation", o->violation);
        tac_json_integer(out, "iterations", o->iterations);
        tac_json_close(out, '{');
    }
    tac_json_close(out, '[');
    tac_json_integer(out, "best", run->best);
    tac_json_open(out, "history", '[');
    for (int i = 0; i <= r->iterations; i++)
        put_iteration(out, &r->history[i]);
    tac_json_close(out, '[');
}

/* Cost and violation of the controls, evaluated anew on states of the step itself. */
static void put_replay(tacText *out, const tacPlanRun *run, const tacPlanResult *r) {
    char command[COMMAND];
    tacPlanBlocks blocks = {.cost = (double)NAN, .violation = (double)NAN};
    double *X = calloc(((size_t)r->steps + 1) * (size_t)r->nx, sizeof *X);
    tacPlanPath path = {X, r->U, r->theta};
    tacStatus status = X != NULL ? tac_planner_rollout(run->planner, r->U, r->theta, X) : TAC_ERR_MEMORY;
    if (X != NULL) tac_planner_evaluate(run->planner, &path, &blocks);
    tac_plan_run_replay_command(run, command, sizeof command);
    tac_json_open(out, "replay", '{');
    tac_json_number(out, "cost", blocks.cost);
    tac_json_number(out, "violation", blocks.violation);
    tac_json_string(out, "status", tac_status_text(status));
    tac_json_string(out, "command", command);
    tac_json_close(out, '{');
    free(X);
}

static void put_unknowns(tacText *out, const tacPlanRun *run, const tacPlanResult *r) {
    char path[TAC_TASK_KEY];
    tac_json_open(out, "unknown", '[');
    for (int k = 0; k < r->nunknown; k++) {
        tac_json_open(out, NULL, '{');
        tac_param_registered(tac_task_model(run->task), run->task->unknown[k], 0, path, sizeof path);
        tac_json_string(out, "path", path);
        tac_json_number(out, "value", r->theta[k]);
        tac_json_close(out, '{');
    }
    tac_json_close(out, '[');
}

tacStatus tac_plan_run_json(const tacPlanRun *run, char **text, tacError *err) {
    tacText out = {0};
    tacPlanResult r;
    if (run == NULL || text == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "a run and a place for its text are needed");
    *text = NULL;
    TAC_TRY(tac_plan_run_result(run, &r));
    tac_json_open(&out, NULL, '{');
    tac_json_string(&out, "version", tac_version());
    tac_json_string(&out, "command", run->options.command != NULL ? run->options.command : "");
    tac_json_string(&out, "status", tac_plan_end_text(r.end));
    tac_json_number(&out, "cost", r.cost);
    tac_json_number(&out, "violation", r.violation);
    tac_json_integer(&out, "iterations", r.iterations);
    tac_json_number(&out, "seconds", r.seconds);
    tac_json_integer(&out, "steps", r.nstep);
    tac_json_integer(&out, "derivatives", r.njac);
    tac_json_integer(&out, "unsolved", r.unsolved);
    put_terms(&out, run, &r);
    put_replay(&out, run, &r);
    put_unknowns(&out, run, &r);
    put_history(&out, run, &r);
    put_rows(&out, "states", r.steps + 1, r.nx, r.X);
    put_rows(&out, "controls", r.steps, r.nu, r.U);
    put_rows(&out, "gains", r.steps, r.nu * r.ndx, r.K);
    tac_json_close(&out, '{');
    tac_text_add(&out, "\n");
    *text = tac_text_take(&out);
    return *text != NULL ? TAC_OK : tac_fail(err, TAC_ERR_MEMORY, "no memory for plan.json");
}

/* --- The other files ---------------------------------------------------------------------------------------------- */

static void put_number(tacText *out, double value) {
    char number[40];
    tac_numbers_text(1, &value, number, sizeof number);
    tac_text_add(out, number);
}

/* A name as a cell: in quotes where it holds a comma or quotes. */
static void put_cell(tacText *out, const char *name) {
    int quoted = strpbrk(name, ",\"\n") != NULL;
    tac_text_add(out, quoted ? "\"ctrl:" : "ctrl:");
    for (const char *p = name; *p != '\0'; p++) {
        const char letter[3] = {*p, quoted && *p == '"' ? '"' : '\0', '\0'};
        tac_text_add(out, letter);
    }
    if (quoted) tac_text_add(out, "\"");
}

static tacText controls_csv(const tacPlanRun *run, const tacPlanResult *r) {
    const tacModel *model = tac_task_model(run->task);
    char label[NAME];
    tacText out = {0};
    for (int a = 0; a < model->nu; a++) {
        if (a > 0) tac_text_add(&out, ",");
        const char *name = tac_model_name(model, TAC_KIND_ACTUATOR, a);
        put_cell(&out, name[0] != '\0' ? name : tac_model_label(model, TAC_KIND_ACTUATOR, a, label, sizeof label));
    }
    tac_text_add(&out, "\n");
    for (int k = 0; k < r->steps; k++) {
        for (int a = 0; a < model->nu; a++) {
            if (a > 0) tac_text_add(&out, ",");
            put_number(&out, r->U[(size_t)k * (size_t)r->nu + (size_t)a]);
        }
        tac_text_add(&out, "\n");
    }
    return out;
}

static tacText start_json(const tacPlanRun *run, const tacPlanResult *r) {
    const tacModel *model = tac_task_model(run->task);
    tacText out = {0};
    tac_json_open(&out, NULL, '{');
    tac_json_numbers(&out, "qpos", model->nq, r->X);
    tac_json_numbers(&out, "qvel", model->nv, r->X + model->nq);
    tac_json_numbers(&out, "act", model->na, r->X + model->nq + model->nv);
    tac_json_numbers(&out, "ctrl", model->nu, r->U);
    tac_json_close(&out, '{');
    tac_text_add(&out, "\n");
    return out;
}

static tacStatus write_text(tacRunFolder *folder, const char *name, char *text, tacError *err) {
    if (text == NULL) return tac_fail(err, TAC_ERR_MEMORY, "no memory for %s", name);
    tacStatus status = tac_run_write(folder, name, text, strlen(text), err);
    free(text);
    return status;
}

static tacStatus write_model(const tacPlanRun *run, tacError *err) {
    tacModel *model = NULL;
    tacOptions options;
    tacStatus status = tac_plan_run_model(run, &model, &options, err);
    size_t size = status == TAC_OK ? tac_model_pack_bytes(model) : 0;
    unsigned char *bytes = status == TAC_OK ? malloc(size + 1) : NULL;
    if (status == TAC_OK && bytes == NULL) status = tac_fail(err, TAC_ERR_MEMORY, "no memory for model.tac");
    if (status == TAC_OK) status = tac_model_pack(model, bytes, size, err);
    if (status == TAC_OK) status = tac_run_write(run->folder, "model.tac", bytes, size, err);
    free(bytes);
    tac_model_free(model);
    return status;
}

tacStatus tac_plan_run_write(tacPlanRun *run, tacError *err) {
    tacPlanResult r;
    char *json = NULL, *page = NULL;
    TAC_TRY(tac_plan_run_result(run, &r));
    tacText controls = controls_csv(run, &r), start = start_json(run, &r);
    TAC_TRY(write_text(run->folder, "controls.csv", tac_text_take(&controls), err));
    TAC_TRY(write_text(run->folder, "start.json", tac_text_take(&start), err));
    TAC_TRY(write_model(run, err));
    TAC_TRY(tac_plan_run_page(run, &page, err));
    TAC_TRY(write_text(run->folder, "report.html", page, err));
    TAC_TRY(tac_plan_run_json(run, &json, err));
    return write_text(run->folder, "plan.json", json, err);
}
