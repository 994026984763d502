#define _XOPEN_SOURCE 700 /* realpath */
#include "io/task/task.h"

#include "io/files.h"
#include "io/task/build.h"
#include "io/task/params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tacTaskOptions tac_default_task_options(void) { return (tacTaskOptions){0}; }

void tac_task_free(tacTask *task) {
    if (task == NULL) return;
    tac_tree_free(task->tree);
    tac_model_free(task->model);
    tac_report_free(task->report);
    free(task->folder);
    free(task->model_path);
    free(task->text);
    free(task->start);
    free(task->unknown);
    free(task->hold);
    for (int i = 0; i < TAC_GUESS_BLOCKS; i++)
        free(task->guess[i]);
    free(task);
}

/* --- The text ----------------------------------------------------------------------------------------------------- */

static tacStatus read_file(const char *path, tacTree **tree, tacError *err) {
    tacFiles files;
    unsigned char *bytes = NULL;
    size_t size = 0;
    tacLoadOptions options = tac_default_load_options();
    options.max_bytes = TAC_TASK_BYTES;
    TAC_TRY(tac_files_init(&files, path, &options, err));
    TAC_TRY(tac_files_read(&files, path, &bytes, &size, err));
    tacStatus status = tac_tree_parse(path, (const char *)bytes, size, tree, err);
    free(bytes);
    return status;
}

static const char *section_of(const tacTaskOptions *options) {
    return options->section != NULL ? options->section : "plan";
}

static tacStatus read_tree(tacTask *task, const char *path, const tacTaskOptions *options, tacError *err) {
    TAC_TRY(read_file(path, &task->tree, err));
    for (int i = 0; i < options->nset; i++)
        TAC_TRY(tac_task_change(task->tree, options->set[i], err));
    task->root = tac_tree_root(task->tree);
    return tac_task_check(task->root, (tacTaskSections){"task", section_of(options)}, err);
}

/* --- The model ---------------------------------------------------------------------------------------------------- */

static char *copy_text(const char *text) {
    char *copy = malloc(strlen(text) + 1);
    if (copy != NULL) strcpy(copy, text);
    return copy;
}

static tacStatus no_memory(const tacTask *task, tacError *err) {
    return tac_node_fail(task->root, err, TAC_ERR_MEMORY, "no memory");
}

static tacStatus load_model(tacTask *task, const char *path, const tacTaskOptions *options, tacError *err) {
    char folder[TAC_PATH], model[TAC_PATH];
    const tacNode *node = tac_node_find(task->root, "model");
    tacError why;
    tac_files_folder(path, folder, sizeof folder);
    tac_files_join(folder, node->text, model, sizeof model);
    task->folder = copy_text(folder);
    task->model_path = copy_text(model);
    if (task->folder == NULL || task->model_path == NULL) return no_memory(task, err);
    tacStatus status = tac_load_with(model, options->load, &task->model, &task->report, &why);
    return status == TAC_OK ? TAC_OK : tac_node_fail(node, err, status, "%s", why.text);
}

/* Options of the step from their rows, the contact model first: others may belong to it. */
static tacStatus read_options(tacTask *task, tacError *err) {
    const tacNode *step = tac_node_find(task->root, "step");
    tacError why;
    task->step = tac_default_options(task->model);
    for (const tacNode *item = step != NULL ? step->first : NULL; item != NULL; item = item->next) {
        tacStatus status = tac_option_set(&task->step, item->key, item->text, &why);
        if (status != TAC_OK) return tac_node_fail(item, err, TAC_ERR_ARGUMENT, "%s", why.text);
    }
    tacSim *sim = NULL;
    tacStatus status = tac_sim_new(task->model, &task->step, &sim, &why);
    tac_sim_free(sim);
    return status == TAC_OK ? TAC_OK : tac_node_fail(step != NULL ? step : task->root, err, status, "%s", why.text);
}

static tacStatus read_start(tacTask *task, tacError *err) {
    task->start = calloc((size_t)tac_nx(task->model) + 1, sizeof *task->start);
    if (task->start == NULL) return no_memory(task, err);
    return tac_task_read_start(task->model, tac_node_find(task->root, "start"), task->start, err);
}

/* --- The problem -------------------------------------------------------------------------------------------------- */

/* What a plan refuses is found now, not when it is asked for. */
static tacStatus read_plan(tacTask *task, tacError *err) {
    tacPlan *plan = NULL;
    tacPlanOptions solver;
    TAC_TRY(tac_task_read_hold(task, err));
    TAC_TRY(tac_task_read_guess(task, err));
    TAC_TRY(tac_task_plan(task, &plan, err));
    tac_plan_free(plan);
    return tac_task_solver(task, &solver, err);
}

/* --- All of it ---------------------------------------------------------------------------------------------------- */

/* The text as read, once with the model's name as written and without threads, for the hash, and once with its full
 * path, to be kept. */
static tacStatus write_text(tacTask *task, tacError *err) {
    char real[TAC_PATH];
    char *text = tac_task_emit(task, tac_node_find(task->root, "model")->text, "threads");
    if (text == NULL) return no_memory(task, err);
    task->hash = tac_hash(text, strlen(text), tac_model_hash(task->model));
    free(text);
    task->text = tac_task_emit(task, realpath(task->model_path, real) != NULL ? real : task->model_path, NULL);
    return task->text != NULL ? TAC_OK : no_memory(task, err);
}

static tacStatus read_task(tacTask *task, const char *path, const tacTaskOptions *options, tacError *err) {
    TAC_TRY(read_tree(task, path, options, err));
    TAC_TRY(load_model(task, path, options, err));
    TAC_TRY(tac_task_set_params(task->model, tac_node_find(task->root, "set"), err));
    TAC_TRY(tac_task_register_unknown(task, err));
    TAC_TRY(read_options(task, err));
    TAC_TRY(read_start(task, err));
    if (strcmp(section_of(options), "plan") == 0) TAC_TRY(read_plan(task, err));
    return write_text(task, err);
}

tacStatus tac_task_load(const char *path, const tacTaskOptions *options, tacTask **task, tacError *err) {
    tacTaskOptions defaults = tac_default_task_options();
    if (path == NULL || task == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "a path and a place for the task are needed");
    *task = NULL;
    if (options != NULL && !tac_task_has_section(section_of(options)))
        return tac_fail(err, TAC_ERR_NAME, "%s: tasks have no section \"%s\"", path, options->section);
    tacTask *made = calloc(1, sizeof *made);
    if (made == NULL) return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory", path);
    tacStatus status = read_task(made, path, options != NULL ? options : &defaults, err);
    if (status != TAC_OK) {
        tac_task_free(made);
        return status;
    }
    *task = made;
    return TAC_OK;
}

const tacModel *tac_task_model(const tacTask *task) { return task != NULL ? task->model : NULL; }
const tacReport *tac_task_report(const tacTask *task) { return task != NULL ? task->report : NULL; }
const tacOptions *tac_task_step(const tacTask *task) { return task != NULL ? &task->step : NULL; }
const double *tac_task_start(const tacTask *task) { return task != NULL ? task->start : NULL; }
int tac_task_horizon(const tacTask *task) { return task != NULL ? tac_task_get_int(task->root, "plan", "horizon") : 0; }
const char *tac_task_model_path(const tacTask *task) { return task != NULL ? task->model_path : ""; }
const char *tac_task_text(const tacTask *task) { return task != NULL ? task->text : ""; }
uint64_t tac_task_hash(const tacTask *task) { return task != NULL ? task->hash : 0; }
