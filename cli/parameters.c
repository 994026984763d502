#include "cli/parameters.h"

#include "cli/cli.h"
#include "cli/model_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const tacArg CLI_PARAM_OPTIONS[] = {
    {"--param", NULL, TAC_ARG_LIST, offsetof(tacParamArgs, paths), "PATH",
     "differentiate by this number too, e.g. body/torso.mass or 'joint/*.damping'; may be repeated"},
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
    for (int i = 0; i < list->count; i++)
        free(list->path[i]);
    free(list->path);
    *list = (tacParamList){0};
}

static int append(const char *verb, tacParamList *list, const char *path) {
    size_t n = strlen(path) + 1;
    char **paths = realloc(list->path, (size_t)(list->count + 1) * sizeof *paths), *copy = malloc(n);
    if (paths != NULL) list->path = paths;
    if (paths == NULL || copy == NULL) {
        free(copy);
        return cli_fail(verb, "out of memory");
    }
    memcpy(copy, path, n);
    list->path[list->count++] = copy;
    return CLI_GO_ON;
}

/* One path. *refused: where a refusal is counted instead of reported, or a null pointer. */
static int register_path(const char *verb, tacModel *model, const char *path, tacParamList *list, int *refused) {
    tacError err;
    int index;
    tacStatus status = tac_param_register(model, path, &index, &err);
    if (status != TAC_OK && refused != NULL && status != TAC_ERR_MEMORY) {
        if ((*refused)++ == 0) fprintf(stderr, "tactus %s: warning: left out: %s\n", verb, err.text);
        return CLI_GO_ON;
    }
    if (status != TAC_OK) return cli_fail(verb, "--param %s: %s", path, err.text);
    return index < list->count ? CLI_GO_ON : append(verb, list, path); /* given twice: once is enough */
}

/* Masses and inertias that come from geoms are not in the list, but can be had by name; so by pattern, where that means
 * nothing else. Returns how many matched, or -1 after a message. */
static int register_unlisted(const char *verb, tacModel *model, const char *pattern, tacParamList *list) {
    static const struct {
        const char *field;
        int count;
    } FIELDS[] = {{"mass", 0}, {"ipos", 3}, {"iquat", 4}, {"inertia", 3}};
    int matched = 0;
    for (int b = 1; b < model->nbody; b++)
        for (size_t f = 0; f < sizeof FIELDS / sizeof *FIELDS; f++)
            for (int i = 0; i == 0 || i < FIELDS[f].count; i++) {
                char name[CLI_PARAMETER_PATH / 2], path[CLI_PARAMETER_PATH], index[16] = "";
                cli_label(model, TAC_KIND_BODY, b, name, sizeof name);
                if (FIELDS[f].count > 0) snprintf(index, sizeof index, "[%d]", i);
                snprintf(path, sizeof path, "body/%s.%s%s", name, FIELDS[f].field, index);
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
        return cli_fail(verb, "--param %s: matches none of the %d parameters; tactus info --params lists them", pattern,
                        count);
    if (refused == matched) return cli_fail(verb, "--param %s: nothing that matches can be registered", pattern);
    if (refused > 1)
        fprintf(stderr, "tactus %s: warning: --param %s: %d parameters of %d left out\n", verb, pattern, refused,
                matched);
    return CLI_GO_ON;
}

int cli_params_register(const char *verb, tacModel *model, const tacParamArgs *args, tacParamList *list) {
    *list = (tacParamList){0};
    for (int i = 0; i < args->paths.count; i++) {
        const char *path = args->paths.item[i];
        int result = strpbrk(path, "*?") != NULL ? register_pattern(verb, model, path, list)
                                                 : register_path(verb, model, path, list, NULL);
        if (result == CLI_GO_ON) continue;
        cli_params_free(list);
        return result;
    }
    return CLI_GO_ON;
}
