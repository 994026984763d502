/* realpath is X/Open */
#define _XOPEN_SOURCE 700
#include "io/files.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void tac_files_folder(const char *path, char *out, size_t size) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        snprintf(out, size, ".");
    else if (slash == path)
        snprintf(out, size, "/");
    else
        snprintf(out, size, "%.*s", (int)(slash - path), path);
}

static int is_separator(char c) { return c == '/' || c == '\\'; }

const char *tac_files_base(const char *path) {
    const char *base = path;
    for (; *path != '\0'; path++)
        if (is_separator(*path)) base = path + 1;
    return base;
}

void tac_files_join(const char *folder, const char *name, char *out, size_t size) {
    size_t start = 0;
    if (!is_separator(name[0]) && strcmp(folder, ".") != 0 && folder[0] != '\0') {
        int written = snprintf(out, size, "%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/");
        start = (size_t)written < size ? (size_t)written : size - 1;
    }
    snprintf(out + start, size - start, "%s", name);
    for (char *p = out + start; *p != '\0'; p++)
        if (is_separator(*p)) *p = '/';
}

/* Real path (links and ".." resolved) into real[TAC_PATH]. Into a buffer of ours: want of memory must not look like a
 * file that is not there. */
static tacStatus resolve(const char *path, char *real, tacError *err) {
    _Static_assert(TAC_PATH >= PATH_MAX, "realpath writes as much");
    if (realpath(path, real) != NULL) return TAC_OK;
    return tac_fail(err, errno == ENOMEM ? TAC_ERR_MEMORY : TAC_ERR_FILE, "%s: %s", path, strerror(errno));
}

/* Is real inside folder (both real paths)? */
static int is_inside(const char *real, const char *folder) {
    size_t n = strlen(folder);
    if (n > 0 && folder[n - 1] == '/') n--;
    return strncmp(real, folder, n) == 0 && real[n] == '/';
}

tacStatus tac_files_init(tacFiles *files, const char *main_path, const tacLoadOptions *options, tacError *err) {
    tacLoadOptions defaults = tac_default_load_options();
    if (options == NULL) options = &defaults;
    char real[TAC_PATH];
    tacStatus status = resolve(main_path, real, err);
    if (status != TAC_OK) return status;
    tac_files_folder(real, files->root, sizeof files->root);
    files->allow_outside = options->allow_outside;
    files->max_bytes = options->max_bytes > 0 ? options->max_bytes : defaults.max_bytes;
    return TAC_OK;
}

tacStatus tac_files_set_root(tacFiles *files, const char *folder, tacError *err) {
    return resolve(folder[0] != 0 ? folder : ".", files->root, err);
}

/* Is real in a folder beside `folder` (both real paths)? Models come in trees of folders side by side (objects, scenes,
 * meshes): "../meshes/foot.stl" belongs to the model, a file straight above it does not. */
static int is_beside(const char *real, const char *folder) {
    char above[TAC_PATH];
    tac_files_folder(folder, above, sizeof above);
    return strcmp(above, "/") != 0 && is_inside(real, above) && strchr(real + strlen(above) + 1, '/') != NULL;
}

/* Path -> real path of something inside the root or beside it. */
static tacStatus resolve_inside(const tacFiles *files, const char *path, char *real, tacError *err) {
    tacStatus status = resolve(path, real, err);
    if (status != TAC_OK) return status;
    if (files->allow_outside || is_inside(real, files->root) || is_beside(real, files->root)) return TAC_OK;
    return tac_fail(
        err, TAC_ERR_FILE,
        "%s: outside the model's folder %s and its sibling folders; allow_outside (--allow-outside) permits it", path,
        files->root);
}

int tac_files_exists(const tacFiles *files, const char *path) {
    char real[TAC_PATH];
    struct stat info;
    return resolve_inside(files, path, real, NULL) == TAC_OK && stat(real, &info) == 0 && S_ISREG(info.st_mode);
}

/* Open file -> its size, when it is a regular file that is not too large. */
static tacStatus measure(const tacFiles *files, int descriptor, const char *path, size_t *size, tacError *err) {
    struct stat info;
    if (fstat(descriptor, &info) != 0) return tac_fail(err, TAC_ERR_FILE, "%s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode)) return tac_fail(err, TAC_ERR_FILE, "%s: is a folder, expected a file", path);
    if (!S_ISREG(info.st_mode))
        return tac_fail(err, TAC_ERR_FILE, "%s: not a regular file (pipes and devices are refused)", path);
    if ((unsigned long long)info.st_size > files->max_bytes)
        return tac_fail(err, TAC_ERR_FILE, "%s: %lld bytes, more than the limit of %zu (max_bytes)", path,
                        (long long)info.st_size, files->max_bytes);
    *size = (size_t)info.st_size;
    return TAC_OK;
}

/* Reads at most *size bytes; a file that shrank meanwhile gives fewer. */
static tacStatus read_all(int descriptor, const char *path, unsigned char *bytes, size_t *size, tacError *err) {
    size_t got = 0;
    while (got < *size) {
        ssize_t n = read(descriptor, bytes + got, *size - got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return tac_fail(err, TAC_ERR_FILE, "%s: %s", path, strerror(errno));
        if (n == 0) break;
        got += (size_t)n;
    }
    bytes[got] = 0;
    *size = got;
    return TAC_OK;
}

static tacStatus read_open(const tacFiles *files, int descriptor, const char *path, unsigned char **bytes, size_t *size,
                           tacError *err) {
    tacStatus status = measure(files, descriptor, path, size, err);
    if (status != TAC_OK) return status;
    *bytes = malloc(*size + 1);
    if (*bytes == NULL) return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory for %zu bytes", path, *size);
    status = read_all(descriptor, path, *bytes, size, err);
    if (status == TAC_OK) return TAC_OK;
    free(*bytes);
    *bytes = NULL;
    return status;
}

tacStatus tac_files_read(const tacFiles *files, const char *path, unsigned char **bytes, size_t *size, tacError *err) {
    *bytes = NULL;
    *size = 0;
    char real[TAC_PATH];
    tacStatus status = resolve_inside(files, path, real, err);
    if (status != TAC_OK) return status;
    /* O_NONBLOCK: opening a pipe must not wait for a writer; O_NOFOLLOW: the links were resolved and checked above. */
    int descriptor = open(real, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
    if (descriptor < 0) return tac_fail(err, TAC_ERR_FILE, "%s: %s", path, strerror(errno));
    status = read_open(files, descriptor, path, bytes, size, err);
    close(descriptor);
    return status;
}
