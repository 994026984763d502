#include "measure/json_text.h"

#include "measure/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits that give every double back exactly. */
enum { DIGITS = 17 };

/* --- Memory ------------------------------------------------------------------------------------------------------- */

static void *allocate(size_t size) {
    void *memory = malloc(size);
    if (memory == NULL) measure_memory_ran_out();
    return memory;
}

/* --- Building ----------------------------------------------------------------------------------------------------- */

tacJson measure_json_begin(void) {
    json_set_alloc_funcs(allocate, free);
    return (tacJson){.root = json_object()};
}

void measure_json_free(tacJson *json) {
    json_decref(json->root);
    json->root = NULL;
}

json_t *measure_json_number(tacJson *json, const char *name, double value) {
    if (isfinite(value)) return json_real(value);
    if (json->bad[0] == '\0') snprintf(json->bad, sizeof json->bad, "%s", name);
    return json_null();
}

json_t *measure_json_numbers(tacJson *json, const char *name, int n, const double *values) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, measure_json_number(json, name, values[i]));
    return list;
}

json_t *measure_json_rows(tacJson *json, const char *name, int rows, int columns, const double *values) {
    json_t *list = json_array();
    for (int i = 0; i < rows; i++)
        json_array_append_new(list, measure_json_numbers(json, name, columns, values + (size_t)i * (size_t)columns));
    return list;
}

json_t *measure_json_vec3(tacJson *json, const char *name, tacVec3 v) {
    const double values[3] = {v.x, v.y, v.z};
    return measure_json_numbers(json, name, 3, values);
}

json_t *measure_json_quat(tacJson *json, const char *name, tacQuat q) {
    const double values[4] = {q.w, q.x, q.y, q.z};
    return measure_json_numbers(json, name, 4, values);
}

json_t *measure_json_text(const char *text) {
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

json_t *measure_json_name(const tacModel *model, tacKind kind, int id) {
    return measure_json_text(tac_model_name(model, kind, id));
}

void measure_json_put(tacJson *json, const char *key, json_t *value) { json_object_set_new(json->root, key, value); }

void measure_json_put_numbers(tacJson *json, const char *key, int n, const double *values) {
    measure_json_put(json, key, measure_json_numbers(json, key, n, values));
}

void measure_json_put_count(tacJson *json, const char *key, long value) {
    measure_json_put(json, key, json_integer(value));
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

char *measure_json_dump(const tacJson *json) {
    if (json->bad[0] != '\0' || measure_memory_was_short()) return NULL;
    char *text = json_dumps(json->root, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    if (!measure_memory_was_short()) return text;
    free(text); /* jansson itself passes over a key that it finds no memory for */
    return NULL;
}
