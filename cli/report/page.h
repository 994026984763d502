/* A recorded motion as a page (tac_page_text). */
#pragma once

#include "cli/input/model_file.h"
#include "cli/report/motion_file.h"

#include "tactus/io.h"

/* Words of the page about the run. */
typedef struct tacPageWords {
    const char *title;               /* name of the robot */
    const char *command;             /* the command line that made it */
    const tacPageGradient *gradient; /* motions along a parameter; NULL: none */
} tacPageWords;

/* Writes a page. CLI_GO_ON, or an exit code after a message. */
int cli_write_page(const char *verb, const tacPage *page, FILE *stream);
/* The page of a run. */
tacPage cli_page_of_run(const tacPageWords *words, const tacRun *run, const tacMotion *motion);
/* The name that the file gives its model; else that of the file: "models/panda.xml" -> "panda". */
void cli_page_title(const tacModelFile *file, const char *path, char *title, size_t size);
/* The command line in one line; words that a shell would change are in quotes. */
void cli_page_command(int argc, char **argv, char *text, size_t size);
