#include "io/task/params.h"

#include "io/task/keys.h"
#include "io/task/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 256, HINT = 192 };

/* Does a text match a pattern of letters, * (any letters) and ? (one letter)? */
static int matches(const char *pattern, const char *text) {
    const char *star = NULL, *from = NULL;
    while (*text != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            from = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star;
            text = ++from;
        } else {
            return 0;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/* A path, and what stands in brackets at its end. */
typedef struct Split {
    char stem[PATH];
    int index; /* -1: none */
} Split;

static Split split(const char *path) {
    Split out = {.index = -1};
    snprintf(out.stem, sizeof out.stem, "%s", path);
    char *bracket = strrchr(out.stem, '[');
    int used = 0;
    if (bracket != NULL && sscanf(bracket, "[%6d]%n", &out.index, &used) == 1 && bracket[used] == '\0') *bracket = '\0';
    return out;
}

/* Paths that a pattern names, in the order of the model. A pattern without [i] names all numbers of a row. */
typedef struct Found {
    char (*path)[PATH];
    int *index; /* of the number in its row, from 0 */
    int n;
} Found;

static void free_found(Found *found) {
    free(found->path);
    free(found->index);
}

static tacStatus add_found(Found *found, const char *path, int index) {
    enum { FIRST = 16 };
    if ((found->n & (found->n - 1)) == 0 && (found->n == 0 || found->n >= FIRST)) {
        size_t room = found->n == 0 ? FIRST : 2 * (size_t)found->n;
        char(*paths)[PATH] = realloc(found->path, room * sizeof *paths);
        if (paths != NULL) found->path = paths;
        int *indices = realloc(found->index, room * sizeof *indices);
        if (indices != NULL) found->index = indices;
        if (paths == NULL || indices == NULL) return TAC_ERR_MEMORY;
    }
    snprintf(found->path[found->n], PATH, "%s", path);
    found->index[found->n++] = index;
    return TAC_OK;
}

static tacStatus fail_no_path(const tacModel *model, const tacNode *item, tacError *err) {
    char hint[HINT], path[PATH];
    tacNearest nearest = tac_nearest_begin(item->key);
    for (int i = 0; i < tac_param_count(model); i++) {
        tac_param_path(model, i, path, sizeof path);
        tac_nearest_try(&nearest, path);
        Split s = split(path);
        if (s.index >= 0) tac_nearest_try(&nearest, s.stem);
    }
    return tac_node_fail_key(item, err, TAC_ERR_NAME, "no parameter \"%.*s\" in the model%s", TAC_TASK_SHOWN, item->key,
                             tac_nearest_text(&nearest, hint, sizeof hint));
}

/* A path of one number, or of a row of them; these may be numbers that the list leaves out. */
static tacStatus find_exact(const tacModel *model, const tacNode *item, Found *found, tacError *err) {
    enum { MOST_OF_ROW = 64 };
    char path[PATH];
    double value;
    tacError why, none;
    if (tac_param_get(model, item->key, &value, &why) == TAC_OK) return add_found(found, item->key, -1);
    for (int k = 0; k < MOST_OF_ROW; k++) {
        snprintf(path, sizeof path, "%.*s[%d]", PATH - 16, item->key, k);
        if (tac_param_get(model, path, &value, &none) != TAC_OK) break;
        TAC_TRY(add_found(found, path, k));
    }
    if (found->n > 0) return TAC_OK;
    if (strstr(why.text, "cannot be set") != NULL) return tac_node_fail_key(item, err, TAC_ERR_NAME, "%s", why.text);
    return fail_no_path(model, item, err);
}

/* Masses that geoms give are not listed. */
static tacStatus find_masses(const tacModel *model, const char *pattern, Found *found) {
    char path[PATH];
    double value;
    for (int b = 1; b < model->nbody; b++) {
        const char *name = tac_model_name(model, TAC_KIND_BODY, b);
        if (model->body_inertial[b] != TAC_INERTIAL_GEOMS) continue;
        if (name[0] != '\0')
            snprintf(path, sizeof path, "body/%s.mass", name);
        else
            snprintf(path, sizeof path, "body/#%d.mass", b);
        if (matches(pattern, path) && tac_param_get(model, path, &value, NULL) == TAC_OK)
            TAC_TRY(add_found(found, path, -1));
    }
    return TAC_OK;
}

static tacStatus find_pattern(const tacModel *model, const tacNode *item, Found *found, tacError *err) {
    char path[PATH];
    for (int i = 0; i < tac_param_count(model); i++) {
        tac_param_path(model, i, path, sizeof path);
        Split s = split(path);
        int whole = matches(item->key, path), row = !whole && s.index >= 0 && matches(item->key, s.stem);
        if (whole || row) TAC_TRY(add_found(found, path, row ? s.index : -1));
    }
    TAC_TRY(find_masses(model, item->key, found));
    return found->n > 0 ? TAC_OK : fail_no_path(model, item, err);
}

static tacStatus find_params(const tacModel *model, const tacNode *item, Found *found, tacError *err) {
    *found = (Found){0};
    int is_pattern = strpbrk(item->key, "*?") != NULL;
    tacStatus status = is_pattern ? find_pattern(model, item, found, err) : find_exact(model, item, found, err);
    return status == TAC_ERR_MEMORY ? tac_node_fail_key(item, err, status, "no memory") : status;
}

/* The numbers of a value: one for all, or one for each number of the row. */
static tacStatus set_found(tacModel *model, const tacNode *item, const Found *found, tacError *err) {
    for (int i = 0; i < found->n; i++) {
        const tacNode *number = item;
        int index = found->index[i];
        if (item->kind == TAC_NODE_LIST && index < 0 && item->n == 1) number = item->first;
        if (item->kind == TAC_NODE_LIST && index >= 0) number = tac_node_item(item, index);
        /* the last of the row tells how many there are */
        int last = index >= 0 && (i + 1 == found->n || found->index[i + 1] <= index);
        if (number == NULL || number->kind == TAC_NODE_LIST ||
            (item->kind == TAC_NODE_LIST && last && item->n > index + 1))
            return tac_node_fail(item, err, TAC_ERR_SHAPE, "found a list of %d, expected %s (%s)", item->n,
                                 index < 0 ? "one number" : "a number, or one for each number of the row",
                                 found->path[i]);
        double value;
        tacError why;
        TAC_TRY(tac_node_real(number, &value, err));
        tacStatus status = tac_param_set(model, found->path[i], value, &why);
        if (status != TAC_OK) return tac_node_fail(number, err, status, "%s", why.text);
    }
    return TAC_OK;
}

tacStatus tac_task_set_params(tacModel *model, const tacNode *map, tacError *err) {
    if (map == NULL) return TAC_OK;
    for (const tacNode *item = map->first; item != NULL; item = item->next) {
        Found found;
        tacStatus status = find_params(model, item, &found, err);
        if (status == TAC_OK) status = set_found(model, item, &found, err);
        free_found(&found);
        TAC_TRY(status);
    }
    return TAC_OK;
}

static tacStatus register_found(tacModel *model, const tacNode *item, const Found *found, int *index, tacError *err) {
    tacError why;
    const char **paths = malloc((size_t)found->n * sizeof *paths);
    if (paths == NULL) return tac_node_fail_key(item, err, TAC_ERR_MEMORY, "no memory");
    for (int i = 0; i < found->n; i++)
        paths[i] = found->path[i];
    tacStatus status = found->n == 1 ? tac_param_register(model, paths[0], index, &why)
                                     : tac_param_register_group(model, paths, found->n, index, &why);
    free(paths);
    return status == TAC_OK ? TAC_OK : tac_node_fail_key(item, err, status, "%s", why.text);
}

tacStatus tac_task_register(tacModel *model, const tacNode *item, int *index, tacError *err) {
    Found found;
    tacStatus status = find_params(model, item, &found, err);
    if (status == TAC_OK) status = register_found(model, item, &found, index, err);
    free_found(&found);
    return status;
}
