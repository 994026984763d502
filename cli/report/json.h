/* A JSON document to standard output. */
#pragma once

#include "measure/json_text.h"

/* Prints to standard output and returns `code`; or says which value is not finite and returns CLI_NO, or that memory is
 * short and returns CLI_CANNOT. */
int cli_json_print(const char *verb, tacJson *json, int code);
