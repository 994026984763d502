/* Files that a test writes and removes. */
#pragma once

#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A name in the folder for temporary files that no other process uses; the ending tells tests of one program apart. */
static inline const char *scratch_path(const char *ending) {
    static char path[4096];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/tactus_%ld_%s", folder != NULL ? folder : "/tmp", (long)getpid(), ending);
    return path;
}

static inline void write_scratch(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK(fwrite(bytes, 1, size, file) == size);
    CHECK(fclose(file) == 0);
}
