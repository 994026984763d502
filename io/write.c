#include "io/write.h"

#include "base/error.h"
#include "io/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static tacStatus fail_file(tacError *err, const char *path) {
    return tac_fail(err, TAC_ERR_FILE, "%s: %s", path, strerror(errno));
}

/* A new file beside path, under a name that nobody has. */
static int create_beside(const char *path, char *temporary, size_t size) {
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        int n = snprintf(temporary, size, "%s.%ld-%d.part", path, (long)getpid(), i);
        if (n < 0 || (size_t)n >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

static int write_all(int descriptor, const unsigned char *bytes, size_t size) {
    while (size > 0) {
        ssize_t n = write(descriptor, bytes, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return 0;
        bytes += n;
        size -= (size_t)n;
    }
    return fsync(descriptor) == 0 || errno == EINVAL; /* a file system without fsync is no failure */
}

tacStatus tac_write_file(const char *path, const unsigned char *bytes, size_t size, tacError *err) {
    char temporary[TAC_PATH];
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return tac_fail(err, TAC_ERR_FILE, "%s: not a regular file, expected one or none", path);
    int descriptor = create_beside(path, temporary, sizeof temporary);
    if (descriptor < 0) return fail_file(err, path);
    int ok = write_all(descriptor, bytes, size);
    tacStatus status = ok ? TAC_OK : fail_file(err, temporary);
    if (close(descriptor) != 0 && status == TAC_OK) status = fail_file(err, temporary);
    if (status == TAC_OK && rename(temporary, path) != 0) status = fail_file(err, path);
    if (status != TAC_OK) unlink(temporary);
    return status;
}
