/* JSON for a page, appended to a growing text. Commas come by themselves. Long arrays are base64 (RFC 4648) of
 * little-endian 32-bit numbers. */
#pragma once

#include "io/model_text.h"
#include "tactus/vec.h"

/* `key` is NULL in an array. bracket: '{' or '['. */
void tac_json_open(tacText *out, const char *key, char bracket);
void tac_json_close(tacText *out, char bracket);
/* A number that is not finite is null. */
void tac_json_number(tacText *out, const char *key, double value);
void tac_json_integer(tacText *out, const char *key, long value);
void tac_json_boolean(tacText *out, const char *key, int value);
/* '<' is escaped, so that no text ends the script element around it; bytes that are not UTF-8 become '?'. */
void tac_json_string(tacText *out, const char *key, const char *text);
void tac_json_numbers(tacText *out, const char *key, int n, const double *values);
void tac_json_vec3(tacText *out, const char *key, tacVec3 v);
/* base64 of n numbers as floats, and as integers. */
void tac_json_floats(tacText *out, const char *key, size_t n, const double *values);
void tac_json_ints(tacText *out, const char *key, size_t n, const int *values);
