#include "cli/report/json.h"

#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>

int cli_json_print(const char *verb, tacJson *json, int code) {
    if (json->bad[0] != '\0') {
        cli_fail(verb, "%s is not finite: nothing is printed", json->bad);
        return CLI_NO;
    }
    char *text = measure_json_dump(json);
    if (text == NULL) return cli_fail(verb, "out of memory: nothing is printed");
    int written = puts(text) >= 0;
    free(text);
    return written ? code : cli_fail(verb, "cannot write to standard output");
}
