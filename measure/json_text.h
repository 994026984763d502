/* JSON documents, by jansson: 17 significant digits, never a number that is not finite, never a part of a document.
 *
 * jansson takes its memory from us. When there is none that is noted (memory.h), and no document is printed or dumped
 * from then on: who builds one need not look at the result of each of jansson's functions, which do nothing where they
 * are given a null pointer. What a function was asked to put into a container that could not take it is freed: put a
 * value into its container last. */
#pragma once

#include "tactus/tactus.h"

#include <jansson.h>

/* A document under construction. A value that is not finite is not put in: it is noted, and the document is then not
 * printed. */
typedef struct tacJson {
    json_t *root;
    char bad[96]; /* name of the first value that was not finite; "" for none */
} tacJson;

/* Starts with an empty object. */
tacJson measure_json_begin(void);
void measure_json_free(tacJson *json);

/* Each makes one value; `name` is what the refusal calls it. */
json_t *measure_json_number(tacJson *json, const char *name, double value);
json_t *measure_json_numbers(tacJson *json, const char *name, int n, const double *values);
json_t *measure_json_rows(tacJson *json, const char *name, int rows, int columns, const double *values);
json_t *measure_json_vec3(tacJson *json, const char *name, tacVec3 v);
json_t *measure_json_quat(tacJson *json, const char *name, tacQuat q);
/* Text; bytes that are not UTF-8 become '?'. */
json_t *measure_json_text(const char *text);
/* An element's name, "" when it has none. */
json_t *measure_json_name(const tacModel *model, tacKind kind, int id);

/* Puts the values into the root one by one (as json_object_set_new on it). */
void measure_json_put(tacJson *json, const char *key, json_t *value);
void measure_json_put_numbers(tacJson *json, const char *key, int n, const double *values);
void measure_json_put_count(tacJson *json, const char *key, long value);

/* The document on one line, malloc'ed; a null pointer when it holds a value that is not finite or memory is short. */
char *measure_json_dump(const tacJson *json);
