/* The section `fit` of a task as a fit: parameters, options, recordings. */
#define _XOPEN_SOURCE 700 /* glob */
#include "io/fit/fit_task.h"

#include "io/fit/fit_columns.h"
#include "io/task/params.h"

#include "tactus/tactus.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tac_fit_task_free(tacFitTask *fit) {
    tac_model_free(fit->model);
    free(fit->deviation);
    free(fit->output_deviation);
    free(fit->output);
    free(fit->column);
    free(fit->unknown);
    *fit = (tacFitTask){0};
}

/* --- Parameters --------------------------------------------------------------------------------------------------- */

/* One number of a key; it stays as it is where the key is not there. */
static tacStatus read_number(const tacNode *map, const char *key, double *value, tacError *err) {
    const tacNode *node = tac_node_find(map, key);
    return node != NULL ? tac_node_real(node, value, err) : TAC_OK;
}

static tacStatus read_prior(const tacNode *map, tacFitParam *p, tacError *err) {
    const tacNode *node = tac_node_find(map, "prior");
    double prior[2];
    if (node == NULL) return TAC_OK;
    if (node->kind != TAC_NODE_LIST || node->n != 2)
        return tac_node_fail(node, err, TAC_ERR_SYNTAX, "expected [mean, deviation]");
    TAC_TRY(tac_node_numbers(node, 2, 0, prior, err));
    if (!(prior[1] > 0))
        return tac_node_fail(node, err, TAC_ERR_SYNTAX, "found the deviation %g, expected above 0", prior[1]);
    p->prior = prior[0];
    p->deviation = prior[1];
    return TAC_OK;
}

static tacStatus read_bounds(const tacNode *map, tacFitParam *p, tacError *err) {
    const tacNode *node = tac_node_find(map, "bounds");
    double range[2];
    if (node == NULL) return TAC_OK;
    TAC_TRY(tac_node_range(node, range, err));
    p->low = range[0];
    p->high = range[1];
    return TAC_OK;
}

/* What the core would refuse, with its place in the file. */
static tacStatus check_unknown(const tacNode *map, const tacFitUnknown *u, tacError *err) {
    const tacFitParam *p = &u->param;
    const tacNode *start = tac_node_find(map, "start"), *bounds = tac_node_find(map, "bounds");
    const tacNode *node = start != NULL ? start : bounds != NULL ? bounds : map;
    if (p->move == TAC_MOVE_LOG && !(u->start > 0))
        return tac_node_fail(node, err, TAC_ERR_ARGUMENT,
                             "%s begins at %g, expected above 0: it moves by its logarithm", u->path, u->start);
    if (p->move == TAC_MOVE_LOG && bounds != NULL && p->low < 0)
        return tac_node_fail(bounds, err, TAC_ERR_ARGUMENT, "%s moves by its logarithm: expected a least of 0 or more",
                             u->path);
    if (p->move == TAC_MOVE_BETWEEN && bounds == NULL)
        return tac_node_fail(map, err, TAC_ERR_ARGUMENT, "%s moves between its bounds: expected bounds", u->path);
    if (u->start < p->low || u->start > p->high)
        return tac_node_fail(node, err, TAC_ERR_ARGUMENT, "%s begins at %g, outside of its bounds from %g to %g",
                             u->path, u->start, p->low, p->high);
    if (p->move == TAC_MOVE_BETWEEN && (u->start <= p->low || u->start >= p->high))
        return tac_node_fail(node, err, TAC_ERR_ARGUMENT,
                             "%s begins at %g, on a bound, where its derivative is 0: expected a start inside", u->path,
                             u->start);
    return TAC_OK;
}

static tacStatus check_once(const tacFitTask *fit, const tacNode *node, int k, tacError *err) {
    for (int i = 0; i < k; i++)
        if (fit->unknown[i].param.param == fit->unknown[k].param.param)
            return tac_node_fail(node, err, TAC_ERR_NAME, "%s is unknown already, by %s", node->text,
                                 fit->unknown[i].path);
    return TAC_OK;
}

static tacStatus read_unknown(tacFitTask *fit, const tacNode *map, int k, tacError *err) {
    static const char *const moves[] = {"plain", "log", "between"};
    tacFitUnknown *u = &fit->unknown[k];
    const tacNode *path = tac_node_find(map, "path");
    const char *move = tac_task_get_text(map, "param", "move");
    char first[TAC_FIT_PATH];
    tacNode by_key = *path; /* the registry names what it refuses by its key */
    by_key.key = path->text;
    by_key.key_line = path->line;
    by_key.key_column = path->column;
    u->param = tac_default_fit_param();
    snprintf(u->path, sizeof u->path, "%s", path->text);
    TAC_TRY(tac_task_register(fit->model, &by_key, &u->param.param, err));
    TAC_TRY(check_once(fit, path, k, err));
    for (int i = 0; i < 3; i++)
        if (strcmp(move, moves[i]) == 0) u->param.move = (tacMove)i;
    TAC_TRY(tac_param_registered(fit->model, u->param.param, 0, first, sizeof first));
    TAC_TRY(tac_param_get(fit->model, first, &u->start, err));
    TAC_TRY(read_number(map, "start", &u->start, err));
    u->param.start = u->start;
    TAC_TRY(read_number(map, "scale", &u->param.scale, err));
    TAC_TRY(read_bounds(map, &u->param, err));
    TAC_TRY(read_prior(map, &u->param, err));
    return check_unknown(map, u, err);
}

static tacStatus read_unknowns(tacFitTask *fit, tacError *err) {
    const tacNode *list = tac_node_find(fit->node, "param");
    if (list->n < 1) return tac_node_fail(list, err, TAC_ERR_SYNTAX, "expected one parameter or more");
    fit->unknown = calloc((size_t)list->n, sizeof *fit->unknown);
    if (fit->unknown == NULL) return tac_node_fail(list, err, TAC_ERR_MEMORY, "no memory");
    for (const tacNode *map = list->first; map != NULL; map = map->next, fit->n++)
        TAC_TRY(read_unknown(fit, map, fit->n, err));
    return TAC_OK;
}

/* --- Options ------------------------------------------------------------------------------------------------------ */

static int is_word(const tacFitTask *fit, const char *key, const char *word) {
    return strcmp(tac_task_get_text(fit->node, "fit", key), word) == 0;
}

static void read_options(tacFitTask *fit) {
    static const tacNorm norms[] = {TAC_NORM_QUADRATIC, TAC_NORM_HUBER, TAC_NORM_LOGCOSH, TAC_NORM_ABSOLUTE,
                                    TAC_NORM_GEMAN};
    tacFitOptions *o = &fit->options;
    const tacNode *node = fit->node;
    *o = tac_default_fit_options();
    o->horizon = tac_task_get_int(node, "fit", "horizon");
    o->stride = tac_task_get_int(node, "fit", "stride");
    o->score = is_word(fit, "score", "last") ? TAC_SCORE_LAST : TAC_SCORE_ALL;
    o->start = is_word(fit, "start", "estimated") ? TAC_SEGMENT_ESTIMATED : TAC_SEGMENT_MEASURED;
    o->method = is_word(fit, "method", "adam") ? TAC_FIT_ADAM : TAC_FIT_LEVENBERG;
    for (size_t i = 0; i < sizeof norms / sizeof *norms; i++)
        if (is_word(fit, "norm", tac_norm_text(norms[i]))) o->norm = norms[i];
    o->width = tac_task_get_real(node, "fit", "width");
    o->kappa = tac_task_get_real(node, "fit", "kappa");
    o->iterations = tac_task_get_int(node, "fit", "iterations");
    o->tolerance = tac_task_get_real(node, "fit", "tolerance");
    o->rate = tac_task_get_real(node, "fit", "rate");
    o->batch = tac_task_get_int(node, "fit", "batch");
    o->seed = (uint64_t)tac_task_get_int(node, "fit", "seed");
    o->threads = tac_task_get_int(node, "fit", "threads");
    o->deviation = fit->deviation;
    o->outputs = (tacOutputs){fit->noutput, fit->output};
    o->output_deviation = fit->nz > 0 ? fit->output_deviation : NULL;
}

tacStatus tac_fit_task_read(tacFitTask *fit, const tacTask *task, tacError *err) {
    *fit = (tacFitTask){.task = task, .node = tac_node_find(task->root, "fit")};
    if (fit->node == NULL)
        return tac_node_fail(task->root, err, TAC_ERR_SYNTAX, "the task has no section `fit`: it asks for no fit");
    TAC_TRY(tac_model_copy(task->model, &fit->model, err));
    TAC_TRY(read_unknowns(fit, err));
    TAC_TRY(tac_fit_read_columns(fit, err));
    read_options(fit);
    return TAC_OK;
}

/* --- Recordings --------------------------------------------------------------------------------------------------- */

void tac_fit_files_free(tacFitFiles *files) {
    for (int i = 0; i < files->n; i++)
        tac_recording_free(files->recording[i]);
    free(files->recording);
    *files = (tacFitFiles){0};
}

static tacStatus load_file(const tacFitTask *fit, const char *path, tacFitFiles *files, tacError *err) {
    tacRecording **all = realloc(files->recording, (size_t)(files->n + 1) * sizeof *all);
    if (all == NULL) return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory", path);
    files->recording = all;
    TAC_TRY(tac_recording_load(fit->model, &fit->task->step, path, &fit->reading, &all[files->n], err));
    files->n++;
    return TAC_OK;
}

static tacStatus load_pattern(const tacFitTask *fit, const char *path, tacFitFiles *files, tacError *err) {
    glob_t found = {0};
    tacStatus status = TAC_OK;
    if (strpbrk(path, "*?[") == NULL) return load_file(fit, path, files, err);
    if (glob(path, 0, NULL, &found) != 0 || found.gl_pathc == 0)
        status = tac_fail(err, TAC_ERR_FILE, "%s: no file has such a name", path);
    for (size_t i = 0; status == TAC_OK && i < found.gl_pathc; i++)
        status = load_file(fit, found.gl_pathv[i], files, err);
    globfree(&found);
    return status;
}

tacStatus tac_fit_task_load(const tacFitTask *fit, const char *key, tacFitFiles *files, tacError *err) {
    const tacNode *node = tac_node_find(fit->node, key);
    *files = (tacFitFiles){0};
    if (node == NULL) return TAC_OK;
    for (const tacNode *item = node->kind == TAC_NODE_LIST ? node->first : node; item != NULL;
         item = node->kind == TAC_NODE_LIST ? item->next : NULL) {
        char path[TAC_PATH];
        tacError why;
        tac_files_join(fit->task->folder, item->text, path, sizeof path);
        tacStatus status = load_pattern(fit, path, files, &why);
        if (status != TAC_OK) return tac_node_fail(item, err, status, "%s", why.text);
    }
    if (files->n == 0) return tac_node_fail(node, err, TAC_ERR_SYNTAX, "expected one file or more");
    return TAC_OK;
}

tacStatus tac_fit_task_load_paths(const tacFitTask *fit, const char *const *paths, int n, tacFitFiles *files,
                                  tacError *err) {
    *files = (tacFitFiles){0};
    for (int i = 0; i < n; i++)
        TAC_TRY(load_pattern(fit, paths[i], files, err));
    return TAC_OK;
}

/* --- The fit ------------------------------------------------------------------------------------------------------ */

static tacStatus fill(const tacFitTask *fit, const tacFitFiles *files, tacFit *out, tacError *err) {
    for (int i = 0; i < fit->n; i++) {
        tacError why;
        tacStatus status = tac_fit_add_param(out, &fit->unknown[i].param, &why);
        if (status != TAC_OK) return tac_node_fail(fit->node, err, status, "%s: %s", fit->unknown[i].path, why.text);
    }
    for (int i = 0; i < files->n; i++) {
        tacFitRecording frames = tac_recording_frames(files->recording[i]);
        TAC_TRY(tac_fit_add_recording(out, &frames, NULL, err));
    }
    return TAC_OK;
}

tacStatus tac_fit_task_build(const tacFitTask *fit, const tacFitFiles *files, tacFit **out, tacError *err) {
    tacError why;
    tacStatus status = tac_fit_new(fit->model, &fit->task->step, &fit->options, out, &why);
    if (status != TAC_OK) return tac_node_fail(fit->node, err, status, "%s", why.text);
    status = fill(fit, files, *out, err);
    if (status != TAC_OK) {
        tac_fit_free(*out);
        *out = NULL;
    }
    return status;
}
