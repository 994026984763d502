/* A file that appears under its name only when it is complete: written beside it, then renamed.
 *
 * An incomplete file is called FILE.tactus-part. Its writer holds a lock, which ends with the process. A killed run
 * leaves an unlocked file, and the next run overwrites it. A run that is ended by a signal it may
 * catch removes its own. A file that was there keeps its permissions, and a link stays a link: what it points to is
 * written. */
#pragma once

#include <stdio.h>

enum { CLI_PATH = 4096 };

typedef struct tacOutputFile {
    FILE *stream; /* write here */
    char path[CLI_PATH], temporary[CLI_PATH + 32];
    struct tacOutputFile *next; /* of the files that are being written */
} tacOutputFile;

/* Opens the temporary file; `file` stays where it is until it is finished or abandoned. CLI_GO_ON, or CLI_CANNOT after
 * a message. */
int cli_output_open(const char *verb, const char *path, tacOutputFile *file);
/* Closes and renames. CLI_GO_ON, or CLI_CANNOT after a message (the temporary file is removed). */
int cli_output_finish(const char *verb, tacOutputFile *file);
/* Closes and removes; nothing appears under the name. */
void cli_output_abandon(tacOutputFile *file);
