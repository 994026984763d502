#include "cli/input/json.h"

#include "cli/cli.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

json_t *cli_json_read(const char *verb, const char *path) {
    json_error_t error;
    struct stat info;
    if (strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        cli_fail(verb, "%s: is a folder, expected a JSON file", path);
        return NULL;
    }
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL) {
        cli_fail(verb, "%s: cannot open the file", path);
        return NULL;
    }
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    if (file != stdin) fclose(file);
    if (root == NULL) cli_fail(verb, "%s:%d: not JSON: %s", path, error.line, error.text);
    return root;
}

int cli_json_count(const json_t *list) {
    int total = 0;
    size_t i;
    json_t *item;
    if (json_is_number(list)) return 1;
    if (!json_is_array(list)) return -1;
    json_array_foreach(list, i, item) {
        int n = cli_json_count(item);
        if (n < 0) return -1;
        total += n;
    }
    return total;
}

static double *flatten_into(const json_t *list, double *out) {
    size_t i;
    json_t *item;
    if (json_is_number(list)) {
        *out = json_number_value(list);
        return out + 1;
    }
    json_array_foreach(list, i, item) out = flatten_into(item, out);
    return out;
}

void cli_json_flatten(const json_t *list, double *out) { flatten_into(list, out); }
