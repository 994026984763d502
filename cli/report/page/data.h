/* The data a page carries, as JSON; long arrays are base64 of little-endian 32-bit numbers. */
#pragma once

#include "cli/report/page/page.h"

/* Fills json->root. CLI_GO_ON, or an exit code after a message. */
int cli_page_data(const char *verb, const tacPageText *text, const tacRun *run, const tacMotion *motion, tacJson *json);
