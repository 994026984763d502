/* nftw and mkdtemp are X/Open */
#define _XOPEN_SOURCE 700
#include "io/scratch.h"

#include "support/check.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[1024];

void scratch_begin(void) {
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/tactus-test-XXXXXX", base != NULL ? base : "/tmp");
    CHECK(mkdtemp(folder) != NULL);
}

static int remove_one(const char *path, const struct stat *info, int flag, struct FTW *walk) {
    (void)info, (void)flag, (void)walk;
    return remove(path);
}

void scratch_end(void) {
    enum { OPEN_FOLDERS = 16 };
    CHECK_INT(nftw(folder, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS), 0);
}

int scratch_setup(void **state) {
    (void)state;
    scratch_begin();
    return 0;
}

int scratch_teardown(void **state) {
    (void)state;
    scratch_end();
    return 0;
}

const char *scratch_path(const char *name) {
    static char path[4][2048];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

const char *scratch_bytes(const char *name, const void *bytes, size_t size) {
    const char *path = scratch_path(name);
    char above[2048];
    for (const char *slash = strchr(path + strlen(folder) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(above, sizeof above, "%.*s", (int)(slash - path), path);
        mkdir(above, 0777);
    }
    remove(path); /* file systems write a file that is cut and filled again to the disk at once, which takes long */
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK_INT(fwrite(bytes, 1, size, file), size);
    CHECK_INT(fclose(file), 0);
    return path;
}

const char *scratch_text(const char *name, const char *text) { return scratch_bytes(name, text, strlen(text)); }
