/* A recorded motion as one HTML page that needs nothing else: drawing, plots, tables. The page replays poses that are
 * computed here; it holds no physics. */
#pragma once

#include "cli/report/motion_file.h"

/* What the page says about the run. */
typedef struct tacPageText {
    const char *title;   /* name of the robot */
    const char *command; /* the command line that made it */
} tacPageText;

/* Writes the page. CLI_GO_ON, or an exit code after a message. */
int cli_write_page(const char *verb, const tacPageText *text, const tacRun *run, const tacMotion *motion, FILE *stream);
