#include "cli/output_file.h"

#include "cli/cli.h"
#include "cli/options.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { READ_WRITE_ALL = 0666 };

int cli_output_open(const char *verb, const char *path, tacOutputFile *file) {
    *file = (tacOutputFile){0};
    if (strlen(path) >= sizeof file->path) return cli_fail(verb, "-o: the path is too long");
    strcpy(file->path, path);
    snprintf(file->temporary, sizeof file->temporary, "%s.part.%ld", path, (long)getpid());
    int descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL, READ_WRITE_ALL);
    if (descriptor < 0) return cli_fail(verb, "%s: cannot be written: %s", path, strerror(errno));
    file->stream = fdopen(descriptor, "wb");
    if (file->stream != NULL) return CLI_GO_ON;
    close(descriptor);
    unlink(file->temporary);
    return cli_fail(verb, "%s: cannot be written: %s", path, strerror(errno));
}

int cli_output_finish(const char *verb, tacOutputFile *file) {
    int written = !ferror(file->stream);
    written = fclose(file->stream) == 0 && written;
    file->stream = NULL;
    if (written && rename(file->temporary, file->path) == 0) return CLI_GO_ON;
    int reason = errno;
    unlink(file->temporary);
    return cli_fail(verb, "%s: cannot be written: %s", file->path, strerror(reason));
}

void cli_output_abandon(tacOutputFile *file) {
    if (file->stream == NULL) return;
    fclose(file->stream);
    unlink(file->temporary);
    file->stream = NULL;
}
