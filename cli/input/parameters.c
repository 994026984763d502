#include "cli/input/parameters.h"

#include "cli/cli.h"
#include "cli/input/model_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const tacArg CLI_PARAM_OPTIONS[] = {
    {"--param", NULL, TAC_ARG_LIST, offsetof(tacParamArgs, paths), "PATH",
     "add a parameter to theta, e.g. body/torso.mass or 'joint/*.damping'; may be repeated"},
    {"--tie", NULL, TAC_ARG_LIST, offsetof(tacParamArgs, ties), "PATH,PATH",
     "add equal parameters to theta as one, e.g. 'geom/*.friction[0]'; may be repeated"},
    {0},
};

int cli_matches(const char *pattern, const char *text) {
    const char *star = NULL, *resume = NULL; /* the last * seen, and how far it has eaten */
    while (*text != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            resume = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star + 1;
            text = ++resume;
        } else {
            return 0;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

const char *cli_param_kind(const char *path, char *text, size_t size) {
    const char *slash = strchr(path, '/'), *dot = strrchr(path, '.');
    if (dot == NULL) dot = path + strlen(path);
    int kind = (int)(slash != NULL && slash < dot ? slash - path : dot - path);
    int field = (int)strcspn(dot, "[");
    snprintf(text, size, "%.*s%.*s", kind, path, field, dot);
    return text;
}

void cli_params_free(tacParamList *list) {
    for (int i = 0; i < list->count; i++) {
        free(list->entry[i].name);
        free(list->entry[i].path);
    }
    free(list->entry);
    *list = (tacParamList){0};
}

static char *copy_text(const char *text) {
    size_t n = strlen(text) + 1;
    char *copy = malloc(n);
    if (copy != NULL) memcpy(copy, text, n);
    return copy;
}

static int append(const char *verb, tacParamList *list, const char *name, const char *path) {
    tacParamEntry *grown = realloc(list->entry, (size_t)(list->count + 1) * sizeof *grown);
    if (grown != NULL) list->entry = grown;
    tacParamEntry entry = {copy_text(name), copy_text(path)};
    if (grown == NULL || entry.name == NULL || entry.path == NULL) {
        free(entry.name);
        free(entry.path);
        return cli_fail(verb, "out of memory");
    }
    list->entry[list->count++] = entry;
    return CLI_GO_ON;
}

/* One path. *refused: where a refusal is counted instead of reported, or a null pointer. */
static int register_path(const char *verb, tacModel *model, const char *path, tacParamList *list, int *refused) {
    tacError err;
    int index;
    tacStatus status = tac_param_register(model, path, &index, &err);
    if (status != TAC_OK && refused != NULL && status != TAC_ERR_MEMORY) {
        if ((*refused)++ == 0) fprintf(stderr, "tactus %s: warning: skipped: %s\n", verb, err.text);
        return CLI_GO_ON;
    }
    if (status != TAC_OK) return cli_fail(verb, "--param %s: %s", path, err.text);
    return index < list->count ? CLI_GO_ON : append(verb, list, path, path); /* given twice: once is enough */
}

/* Number i of those that come from geoms, all bodies' one after another -> its path; 0: there are no more. */
static int unlisted_path(const tacModel *model, int i, char *path, size_t size) {
    static const struct {
        const char *field, *index;
    } FIELDS[] = {{"mass", ""},       {"ipos", "[0]"},    {"ipos", "[1]"},   {"ipos", "[2]"},
                  {"iquat", "[0]"},   {"iquat", "[1]"},   {"iquat", "[2]"},  {"iquat", "[3]"},
                  {"inertia", "[0]"}, {"inertia", "[1]"}, {"inertia", "[2]"}};
    enum { NFIELDS = sizeof FIELDS / sizeof *FIELDS };
    char name[CLI_PARAMETER_PATH / 2];
    int body = 1 + i / NFIELDS;
    if (body >= model->nbody) return 0;
    cli_label(model, TAC_KIND_BODY, body, name, sizeof name);
    snprintf(path, size, "body/%s.%s%s", name, FIELDS[i % NFIELDS].field, FIELDS[i % NFIELDS].index);
    return 1;
}

/* Masses and inertias that come from geoms are not in the list, but can be had by name; so by pattern, where that means
 * nothing else. Returns how many matched, or -1 after a message. */
static int register_unlisted(const char *verb, tacModel *model, const char *pattern, tacParamList *list) {
    char path[CLI_PARAMETER_PATH];
    int matched = 0;
    for (int i = 0; unlisted_path(model, i, path, sizeof path); i++) {
        if (!cli_matches(pattern, path)) continue;
        matched++;
        if (register_path(verb, model, path, list, NULL) != CLI_GO_ON) return -1;
    }
    return matched;
}

static int register_pattern(const char *verb, tacModel *model, const char *pattern, tacParamList *list) {
    int matched = 0, refused = 0, count = tac_param_count(model);
    for (int i = 0; i < count; i++) {
        char path[CLI_PARAMETER_PATH];
        if (tac_param_path(model, i, path, sizeof path) != TAC_OK || !cli_matches(pattern, path)) continue;
        matched++;
        int result = register_path(verb, model, path, list, &refused);
        if (result != CLI_GO_ON) return result;
    }
    if (matched == 0) matched = register_unlisted(verb, model, pattern, list);
    if (matched < 0) return CLI_CANNOT;
    if (matched == 0)
        return cli_fail(verb, "--param %s: matches none of the %d parameters; `tactus info --params` lists them",
                        pattern, count);
    if (refused == matched)
        return cli_fail(verb, "--param %s: none of the matching parameters can be registered", pattern);
    if (refused > 1)
        fprintf(stderr, "tactus %s: warning: --param %s: %d of %d parameters are skipped\n", verb, pattern, refused,
                matched);
    return CLI_GO_ON;
}

/* --- Ties --------------------------------------------------------------------------------------------------------- */

/* Paths that one --tie stands for. */
typedef struct Tie {
    char **path;
    int count;
} Tie;

static void free_tie(Tie *tie) {
    for (int i = 0; i < tie->count; i++)
        free(tie->path[i]);
    free(tie->path);
}

static int add_to_tie(const char *verb, const char *path, Tie *tie) {
    char **grown = realloc(tie->path, (size_t)(tie->count + 1) * sizeof *grown), *copy = copy_text(path);
    if (grown != NULL) tie->path = grown;
    if (grown == NULL || copy == NULL) {
        free(copy);
        return cli_fail(verb, "out of memory");
    }
    tie->path[tie->count++] = copy;
    return CLI_GO_ON;
}

static int is_in_tie(const Tie *tie, const char *path) {
    for (int i = 0; i < tie->count; i++)
        if (strcmp(tie->path[i], path) == 0) return 1;
    return 0;
}

/* The i-th path that a pattern may match: the listed paths, then those derived from geoms. 0: no more paths. */
static int path_of(const tacModel *model, int listed, int i, char *path, size_t size) {
    return listed ? tac_param_path(model, i, path, size) == TAC_OK : unlisted_path(model, i, path, size);
}

/* One part of it: a path as it is, or all parameters that match a pattern, as --param finds them. What the parts before
 * it have is not taken again. */
static int add_part(const char *verb, const tacModel *model, const char *part, Tie *tie) {
    if (strpbrk(part, "*?") == NULL) return add_to_tie(verb, part, tie);
    char path[CLI_PARAMETER_PATH];
    int matched = 0;
    for (int listed = 1; listed >= 0 && matched == 0; listed--)
        for (int i = 0; path_of(model, listed, i, path, sizeof path); i++) {
            if (!cli_matches(part, path)) continue;
            matched++;
            if (!is_in_tie(tie, path) && add_to_tie(verb, path, tie) != CLI_GO_ON) return CLI_CANNOT;
        }
    if (matched > 0) return CLI_GO_ON;
    return cli_fail(verb, "--tie %s: matches none of the %d parameters; `tactus info --params` lists them", part,
                    tac_param_count(model));
}

static int register_tie(const char *verb, tacModel *model, const char *text, tacParamList *list) {
    Tie tie = {0};
    int result = CLI_GO_ON, index;
    tacError err;
    for (const char *next = text; next != NULL && result == CLI_GO_ON;) {
        char part[CLI_PARAMETER_PATH];
        size_t n = strcspn(next, ",");
        snprintf(part, sizeof part, "%.*s", (int)(n < sizeof part ? n : sizeof part - 1), next);
        result = add_part(verb, model, part, &tie);
        next = next[n] == ',' ? next + n + 1 : NULL;
    }
    if (result == CLI_GO_ON &&
        tac_param_register_group(model, (const char *const *)tie.path, tie.count, &index, &err) != TAC_OK)
        result = cli_fail(verb, "--tie %s: %s", text, err.text);
    if (result == CLI_GO_ON && index == list->count) result = append(verb, list, text, tie.path[0]);
    free_tie(&tie);
    return result;
}

/* --- All of them -------------------------------------------------------------------------------------------------- */

static int register_param(const char *verb, tacModel *model, const char *path, tacParamList *list) {
    if (strpbrk(path, "*?") != NULL) return register_pattern(verb, model, path, list);
    return register_path(verb, model, path, list, NULL);
}

int cli_params_register(const char *verb, tacModel *model, const tacParamArgs *args, tacParamList *list) {
    int result = CLI_GO_ON;
    *list = (tacParamList){0};
    for (int i = 0; i < args->ties.count && result == CLI_GO_ON; i++)
        result = register_tie(verb, model, args->ties.item[i], list);
    for (int i = 0; i < args->paths.count && result == CLI_GO_ON; i++)
        result = register_param(verb, model, args->paths.item[i], list);
    if (result != CLI_GO_ON) cli_params_free(list);
    return result;
}
