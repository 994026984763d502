/* A folder that one process has at a time, and files that appear in it whole. */
#include "io/run/folder.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static tacStatus fail_file(tacError *err, const char *path) {
    return tac_fail(err, TAC_ERR_FILE, "%s: %s", path, strerror(errno));
}

const char *tac_run_path(const tacRunFolder *run, const char *name, char *out, size_t size) {
    if (out == NULL || size == 0) return "";
    out[0] = '\0';
    if (run != NULL && name != NULL) tac_files_join(run->path, name, out, size);
    return out;
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

static int write_all(int descriptor, const unsigned char *bytes, size_t size) {
    while (size > 0) {
        ssize_t n = write(descriptor, bytes, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        bytes += n;
        size -= (size_t)n;
    }
    return fsync(descriptor) == 0 || errno == EINVAL; /* a file system without fsync is no failure */
}

/* The new name lasts once the folder itself is on the disk. */
static void sync_folder(const tacRunFolder *run) {
    int descriptor = open(run->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    fsync(descriptor);
    close(descriptor);
}

tacStatus tac_run_write(tacRunFolder *run, const char *name, const void *bytes, size_t size, tacError *err) {
    char path[TAC_PATH], part[TAC_PATH + 8];
    if (run == NULL || name == NULL || bytes == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "a run, a name and bytes are needed");
    tac_run_path(run, name, path, sizeof path);
    snprintf(part, sizeof part, "%s.part", path);
    int descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) return fail_file(err, part);
    tacStatus status = write_all(descriptor, bytes, size) ? TAC_OK : fail_file(err, part);
    if (close(descriptor) != 0 && status == TAC_OK) status = fail_file(err, part);
    if (status == TAC_OK && rename(part, path) != 0) status = fail_file(err, path);
    if (status != TAC_OK)
        unlink(part);
    else
        sync_folder(run);
    return status;
}

/* --- Opening ------------------------------------------------------------------------------------------------------ */

static tacStatus make_folder(const char *path, tacError *err) {
    struct stat info;
    if (mkdir(path, 0777) != 0 && errno != EEXIST) return fail_file(err, path);
    if (stat(path, &info) != 0) return fail_file(err, path);
    if (S_ISDIR(info.st_mode)) return TAC_OK;
    return tac_fail(err, TAC_ERR_FILE, "%s: is a file, expected a folder or nothing", path);
}

/* The lock goes with the process. */
static tacStatus lock_folder(tacRunFolder *run, tacError *err) {
    char path[TAC_PATH];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    tac_run_path(run, "lock", path, sizeof path);
    run->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (run->lock < 0) return fail_file(err, path);
    if (fcntl(run->lock, F_SETLK, &lock) == 0) return TAC_OK;
    int held = errno == EACCES || errno == EAGAIN;
    if (held && fcntl(run->lock, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
        return tac_fail(err, TAC_ERR_FILE, "%s: another run has this folder (process %ld)", run->path,
                        (long)lock.l_pid);
    if (held) return tac_fail(err, TAC_ERR_FILE, "%s: another run has this folder", run->path);
    return fail_file(err, path);
}

/* Files that a run of ours writes, and parts of them. */
static int is_ours(const char *name) {
    static const char *const names[] = {"plan.json",  "controls.csv", "task.yaml", "model.tac",
                                        "start.json", "report.html",  "fit.json"};
    size_t n = strlen(name), part = n > 5 && strcmp(name + n - 5, ".part") == 0 ? 5 : 0;
    if (strncmp(name, "checkpoint-", 11) == 0) return 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n - part && strncmp(names[i], name, n - part) == 0) return 1;
    return 0;
}

/* Removes what an earlier run left; with `parts` only what was never finished. */
static void clear_folder(const tacRunFolder *run, int parts) {
    char path[TAC_PATH];
    DIR *folder = opendir(run->path);
    if (folder == NULL) return;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t n = strlen(entry->d_name);
        int is_part = n > 5 && strcmp(entry->d_name + n - 5, ".part") == 0;
        if (is_ours(entry->d_name) && (is_part || !parts)) unlink(tac_run_path(run, entry->d_name, path, sizeof path));
    }
    closedir(folder);
}

static tacStatus open_folder(tacRunFolder *run, int resume, tacError *err) {
    TAC_TRY(make_folder(run->path, err));
    TAC_TRY(lock_folder(run, err));
    clear_folder(run, resume);
    return TAC_OK;
}

tacStatus tac_run_open(const char *folder, const char *kind, uint64_t hash, int resume, tacRunFolder **run,
                       tacError *err) {
    if (folder == NULL || folder[0] == '\0' || kind == NULL || run == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "a folder, a kind and a place for the run are needed");
    *run = NULL;
    tacRunFolder *made = calloc(1, sizeof *made);
    if (made == NULL) return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory", folder);
    made->lock = -1;
    made->hash = hash;
    snprintf(made->kind, sizeof made->kind, "%s", kind);
    snprintf(made->path, sizeof made->path, "%s", folder);
    tacStatus status = open_folder(made, resume, err);
    if (status != TAC_OK) {
        tac_run_close(made);
        return status;
    }
    *run = made;
    return TAC_OK;
}

void tac_run_close(tacRunFolder *run) {
    if (run == NULL) return;
    if (run->lock >= 0) close(run->lock);
    free(run);
}
