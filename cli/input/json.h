/* JSON files, and the lists of numbers in them. */
#pragma once

#include <jansson.h>

/* Whole file ("-": standard input) -> JSON; duplicate keys and anything after the value are refused. A null pointer
 * after a message that names file, line and what is wrong. */
json_t *cli_json_read(const char *verb, const char *path);
/* Number of numbers in a list, nested lists opened; -1 when something in it is not a number. */
int cli_json_count(const json_t *list);
/* Copies them in order. */
void cli_json_flatten(const json_t *list, double *out);
