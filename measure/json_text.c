#include "measure/json_text.h"

#include "cli/cli.h"
#include "measure/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Digits that give every double back exactly. */
enum { DIGITS = 17 };

/* --- Memory ------------------------------------------------------------------------------------------------------- */

static void *allocate(size_t size) {
    void *memory = malloc(size);
    if (memory == NULL) cli_memory_ran_out();
    return memory;
}

/* --- Building ----------------------------------------------------------------------------------------------------- */

tacJson cli_json_begin(void) {
    json_set_alloc_funcs(allocate, free);
    return (tacJson){.root = json_object()};
}

void cli_json_free(tacJson *json) {
    json_decref(json->root);
    json->root = NULL;
}

json_t *cli_json_number(tacJson *json, const char *name, double value) {
    if (isfinite(value)) return json_real(value);
    if (json->bad[0] == '\0') snprintf(json->bad, sizeof json->bad, "%s", name);
    return json_null();
}

json_t *cli_json_numbers(tacJson *json, const char *name, int n, const double *values) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, cli_json_number(json, name, values[i]));
    return list;
}

json_t *cli_json_rows(tacJson *json, const char *name, int rows, int columns, const double *values) {
    json_t *list = json_array();
    for (int i = 0; i < rows; i++)
        json_array_append_new(list, cli_json_numbers(json, name, columns, values + (size_t)i * (size_t)columns));
    return list;
}

json_t *cli_json_vec3(tacJson *json, const char *name, tacVec3 v) {
    const double values[3] = {v.x, v.y, v.z};
    return cli_json_numbers(json, name, 3, values);
}

json_t *cli_json_quat(tacJson *json, const char *name, tacQuat q) {
    const double values[4] = {q.w, q.x, q.y, q.z};
    return cli_json_numbers(json, name, 4, values);
}

json_t *cli_json_text(const char *text) {
    errno = 0;
    json_t *string = json_string(text);
    if (string != NULL || errno == ENOMEM) return string;
    size_t n = strlen(text);
    char *plain = allocate(n + 1);
    if (plain == NULL) return NULL;
    for (size_t i = 0; i <= n; i++)
        plain[i] = (signed char)text[i] >= 0 ? text[i] : '?';
    string = json_string(plain);
    free(plain);
    return string;
}

json_t *cli_json_name(const tacModel *model, tacKind kind, int id) {
    return cli_json_text(tac_model_name(model, kind, id));
}

void cli_json_put(tacJson *json, const char *key, json_t *value) { json_object_set_new(json->root, key, value); }

void cli_json_put_numbers(tacJson *json, const char *key, int n, const double *values) {
    cli_json_put(json, key, cli_json_numbers(json, key, n, values));
}

void cli_json_put_count(tacJson *json, const char *key, long value) { cli_json_put(json, key, json_integer(value)); }

/* --- Writing ------------------------------------------------------------------------------------------------------ */

char *cli_json_dump(const tacJson *json) {
    if (json->bad[0] != '\0' || cli_memory_was_short()) return NULL;
    char *text = json_dumps(json->root, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    if (!cli_memory_was_short()) return text;
    free(text); /* jansson itself passes over a key that it finds no memory for */
    return NULL;
}

int cli_json_print(const char *verb, tacJson *json, int code) {
    if (json->bad[0] != '\0') {
        cli_fail(verb, "%s is not finite: nothing is printed", json->bad);
        return CLI_NO;
    }
    char *text = cli_json_dump(json);
    if (text == NULL) return cli_fail(verb, "out of memory: nothing is printed");
    int written = puts(text) >= 0;
    free(text);
    return written ? code : cli_fail(verb, "standard output cannot be written");
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

json_t *cli_json_read(const char *verb, const char *path) {
    json_error_t error;
    struct stat info;
    if (strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        cli_fail(verb, "%s: is a folder, expected a JSON file", path);
        return NULL;
    }
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL) {
        cli_fail(verb, "%s: cannot be opened", path);
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
