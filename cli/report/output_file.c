/* realpath is X/Open */
#define _XOPEN_SOURCE 700
#include "cli/report/output_file.h"

#include "cli/cli.h"
#include "cli/options.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_WRITE_ALL = 0666, PERMISSIONS = 0777 };
/* Runs that may write the same file at the same time. */
enum { MAX_WRITERS = 1000 };

/* --- Signals ------------------------------------------------------------------------------------------------------ */

/* The files that are being written: what a signal removes. */
static tacOutputFile *volatile unfinished;

/* Calls nothing but what a signal handler may call. */
static void remove_and_end(int number) {
    for (const tacOutputFile *file = unfinished; file != NULL; file = file->next)
        unlink(file->temporary);
    signal(number, SIG_DFL);
    raise(number); /* delivered when the handler returns */
}

/* A signal that the caller of this program ignores (nohup) stays ignored. */
static void catch_signals(void) {
    static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN) continue;
        action = (struct sigaction){.sa_handler = remove_and_end};
        sigfillset(&action.sa_mask);
        sigaction(numbers[i], &action, NULL);
    }
}

static void begin_writing(tacOutputFile *file) {
    catch_signals();
    file->next = unfinished;
    unfinished = file;
}

static void end_writing(tacOutputFile *file) {
    tacOutputFile *before = unfinished;
    if (before == file) {
        unfinished = file->next;
        return;
    }
    while (before != NULL && before->next != file)
        before = before->next;
    if (before != NULL) before->next = file->next;
}

/* --- Temporary files ---------------------------------------------------------------------------------------------- */

/* 1: the open file is a plain file of ours, under this name and no other. */
static int is_ours(int descriptor, const char *name) {
    struct stat open_file, named;
    return fstat(descriptor, &open_file) == 0 && lstat(name, &named) == 0 && S_ISREG(open_file.st_mode) &&
           open_file.st_nlink == 1 && open_file.st_uid == geteuid() && open_file.st_dev == named.st_dev &&
           open_file.st_ino == named.st_ino;
}

/* The file under this name, new or left by a run that was killed: empty, and locked. -1: somebody has it (errno is
 * EEXIST), or it cannot be opened. */
static int take(const char *name) {
    int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, READ_WRITE_ALL);
    int is_new = descriptor >= 0;
    if (!is_new && errno != EEXIST) return -1;
    if (!is_new) descriptor = open(name, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor >= 0) {
        int locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
        int held = !locked && errno == EWOULDBLOCK;
        /* Where there are no locks a file that was there before is left alone: nobody knows whose it is. Between
         * opening and locking another run may have taken and renamed it. */
        if ((locked || (is_new && !held)) && is_ours(descriptor, name) && ftruncate(descriptor, 0) == 0)
            return descriptor;
        close(descriptor);
    }
    errno = EEXIST;
    return -1;
}

/* The first name beside the path that no other run has. */
static int open_beside(tacOutputFile *file) {
    for (int i = 0; i < MAX_WRITERS; i++) {
        char number[16] = "";
        if (i > 0) snprintf(number, sizeof number, "-%d", i);
        snprintf(file->temporary, sizeof file->temporary, "%s.tactus-part%s", file->path, number);
        int descriptor = take(file->temporary);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

/* Path -> the file to write, and its permissions where it is there. A link stays: what it points to is written. (Were
 * /dev/stdout replaced, as root it would be gone for everybody.) What may not be written is not replaced either. */
static int find_target(const char *verb, const char *path, tacOutputFile *file, mode_t *permissions) {
    struct stat there;
    if (strlen(path) >= sizeof file->path) return cli_fail(verb, "-o: the path is too long");
    strcpy(file->path, path);
    *permissions = 0;
    if (stat(path, &there) != 0) {
        int reason = errno;
        if (lstat(path, &there) != 0) return CLI_GO_ON; /* nothing is there: a new file */
        return cli_fail(verb, "%s: cannot write the file: broken symbolic link: %s", path, strerror(reason));
    }
    if (!S_ISREG(there.st_mode)) return cli_fail(verb, "%s: cannot write the file: not a regular file", path);
    if (realpath(path, file->path) == NULL || access(file->path, W_OK) != 0)
        return cli_fail(verb, "%s: cannot write the file: %s", path, strerror(errno));
    *permissions = there.st_mode & PERMISSIONS;
    return CLI_GO_ON;
}

int cli_output_open(const char *verb, const char *path, tacOutputFile *file) {
    mode_t permissions;
    *file = (tacOutputFile){0};
    if (find_target(verb, path, file, &permissions) != CLI_GO_ON) return CLI_CANNOT;
    int descriptor = open_beside(file);
    if (descriptor < 0) return cli_fail(verb, "%s: cannot write the file: %s", path, strerror(errno));
    begin_writing(file);
    /* As it was; where a file system has no such permissions, as that gives them. */
    if (permissions != 0) (void)!fchmod(descriptor, permissions);
    file->stream = fdopen(descriptor, "wb");
    if (file->stream != NULL) return CLI_GO_ON;
    int reason = errno;
    unlink(file->temporary);
    end_writing(file);
    close(descriptor);
    return cli_fail(verb, "%s: cannot write the file: %s", path, strerror(reason));
}

/* A copy of the descriptor keeps the lock until the file has its name, so that no other run takes it before. */
int cli_output_finish(const char *verb, tacOutputFile *file) {
    errno = 0;
    int written = !ferror(file->stream), lock = dup(fileno(file->stream));
    written = fclose(file->stream) == 0 && written;
    file->stream = NULL;
    end_writing(file);
    written = written && rename(file->temporary, file->path) == 0;
    int reason = errno != 0 ? errno : EIO;
    if (!written) unlink(file->temporary);
    if (lock >= 0) close(lock);
    return written ? CLI_GO_ON : cli_fail(verb, "%s: cannot write the file: %s", file->path, strerror(reason));
}

void cli_output_abandon(tacOutputFile *file) {
    if (file->stream == NULL) return;
    unlink(file->temporary);
    end_writing(file);
    fclose(file->stream);
    file->stream = NULL;
}
