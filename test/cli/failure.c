#include "cli/failure.h"

#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>

static char last[1024];

const char *failure_text(void) { return last; }

void failure_clear(void) { last[0] = '\0'; }

int cli_fail(const char *verb, const char *format, ...) {
    va_list list;
    int n = snprintf(last, sizeof last, "%s: ", verb);
    va_start(list, format);
    vsnprintf(last + n, sizeof last - (size_t)n, format, list);
    va_end(list);
    return CLI_CANNOT;
}
