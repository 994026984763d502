/* dladdr, pipe2 and posix_spawn_file_actions_addclosefrom_np are GNU's */
#define _GNU_SOURCE
#include "io/mesh_apart.h"

#include "base/error.h"
#include "io/mesh_answer.h"
#include "io/mesh_formats.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MEGABYTE = 1 << 20, NUMBER = 24, FIRST_BYTES = 1 << 16, GRACE_MS = 2000, SHOWN = 200 };

tacMeshLimits tac_default_mesh_limits(void) {
    return (tacMeshLimits){
        .memory_bytes = (size_t)512 * MEGABYTE, .memory_factor = 32, .cpu_seconds = 30, .wall_seconds = 120};
}

/* --- Where the program is ----------------------------------------------------------------------------------------- */

#define PROGRAM "tactus-mesh"

/* FOLDER/PROGRAM or FOLDER/installed -> path; 1: there is one that can be run. */
static int try_folder(const char *folder, const char *installed, char *path) {
    const char *const name[] = {PROGRAM, installed};
    for (int i = 0; i < 2; i++) {
        tac_files_join(folder, name[i], path, TAC_PATH);
        if (access(path, X_OK) == 0) return 1;
    }
    return 0;
}

static const char anchor = 0; /* something of this library, to find its file by */

/* Beside the running program, or where the install puts it: counted from the program, or from this library. */
static int find_program(char *path) {
    char folder[TAC_PATH], self[TAC_PATH];
    Dl_info info;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        self[n] = '\0';
        tac_files_folder(self, folder, sizeof folder);
        if (try_folder(folder, TAC_READER_FROM_BIN, path)) return 1;
    }
    if (dladdr(&anchor, &info) == 0 || info.dli_fname == NULL || strchr(info.dli_fname, '/') == NULL) return 0;
    tac_files_folder(info.dli_fname, folder, sizeof folder);
    return try_folder(folder, TAC_READER_FROM_LIB, path);
}

static tacStatus locate(const char *file, const tacMeshLimits *limits, char *path, tacError *err) {
    const char *named = limits->program != NULL ? limits->program : getenv("TACTUS_MESH_READER");
    if (named == NULL || named[0] == '\0') {
        if (find_program(path)) return TAC_OK;
        return tac_fail(err, TAC_ERR_UNSUPPORTED,
                        "%s: DAE and glTF need the program " PROGRAM
                        ", which was not found (it is built with assimp); convert the mesh to stl or obj, or set "
                        "TACTUS_MESH_READER",
                        file);
    }
    if (strlen(named) < TAC_PATH && access(named, X_OK) == 0) {
        strcpy(path, named);
        return TAC_OK;
    }
    return tac_fail(err, TAC_ERR_UNSUPPORTED,
                    "%s: DAE and glTF need the program %.200s (TACTUS_MESH_READER), which cannot be run: %s", file,
                    named, strerror(errno));
}

/* --- Running it --------------------------------------------------------------------------------------------------- */

typedef struct Run {
    const char *file; /* the mesh, for messages */
    pid_t pid;
    int pipe;           /* its standard output */
    long long deadline; /* ms of the monotonic clock */
    size_t most_bytes;  /* of an answer */
    int cpu, wall;      /* seconds that it may take */
    size_t memory;      /* bytes that it may take */
    int out_of_time, too_long;
    int status; /* as waitpid gives it; -1: unknown, or we ended it */
    unsigned char *bytes;
    size_t size, capacity;
} Run;

static long long now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1000LL * t.tv_sec + t.tv_nsec / 1000000;
}

/* A pipe whose ends are none of the standard three, which the child gets anew. */
static int open_pipe(int end[2]) {
    if (pipe2(end, O_CLOEXEC) != 0) return errno;
    for (int i = 0; i < 2; i++) {
        if (end[i] > STDERR_FILENO) continue;
        int higher = fcntl(end[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
        close(end[i]);
        end[i] = higher;
        if (higher >= 0) continue;
        close(end[1 - i]);
        return error;
    }
    return 0;
}

/* Input and complaints: none; output: the pipe; no other file of ours, whatever flags it has. */
static int set_files(posix_spawn_file_actions_t *actions, int output) {
    int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (error == 0) error = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (error == 0) error = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
    if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#endif
#endif
    return error;
}

/* Signals as a new program expects them, whatever the caller blocks and ignores. */
static int set_signals(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (error == 0) error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &all);
    return error;
}

/* -> 0 or an errno. */
static int spawn(Run *run, char *const argument[]) {
    int end[2];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = open_pipe(end);
    if (error != 0) return error;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    error = set_files(&actions, end[1]);
    if (error == 0) error = set_signals(&attributes);
    if (error == 0) error = posix_spawn(&run->pid, argument[0], &actions, &attributes, argument, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(end[1]);
    run->pipe = end[0];
    if (error != 0) close(end[0]);
    return error;
}

static int make_room(Run *run) {
    if (run->size < run->capacity) return 1;
    size_t larger = run->capacity > 0 ? 2 * run->capacity : FIRST_BYTES;
    unsigned char *grown = run->size <= run->most_bytes ? realloc(run->bytes, larger) : NULL;
    if (grown == NULL) return 0;
    run->bytes = grown;
    run->capacity = larger;
    return 1;
}

/* All that it writes, until it closes its output (1), has no more time or writes too much (0). */
static int collect(Run *run) {
    for (;;) {
        long long left = run->deadline - now_ms();
        struct pollfd ready = {.fd = run->pipe, .events = POLLIN};
        int n = left > 0 ? poll(&ready, 1, (int)left) : 0;
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n == 0) run->out_of_time = 1;
        if (n <= 0) return 0;
        if (!make_room(run)) {
            run->too_long = 1;
            return 0;
        }
        ssize_t got = read(run->pipe, run->bytes + run->size, run->capacity - run->size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got == 0;
        run->size += (size_t)got;
    }
}

/* Ends it, at once or after a short grace, and takes its status, so that no zombie is left. A caller that has taken it
 * first, or takes no children at all, leaves the status unknown. */
static void reap(Run *run, int grace_ms) {
    long long end = now_ms() + grace_ms;
    const struct timespec nap = {.tv_nsec = 1000000};
    pid_t done;
    while ((done = waitpid(run->pid, &run->status, WNOHANG)) == 0 && now_ms() < end)
        nanosleep(&nap, NULL);
    if (done == run->pid) return;
    run->status = -1;
    if (done < 0) return;
    int ignored;
    kill(run->pid, SIGKILL);
    while (waitpid(run->pid, &ignored, 0) < 0 && errno == EINTR)
        continue;
}

/* --- What it said ------------------------------------------------------------------------------------------------- */

static tacStatus fail_memory(const Run *run, tacError *err) {
    return tac_fail(err, TAC_ERR_MEMORY, "%s: the mesh reader ran out of memory (limit %zu MB)", run->file,
                    run->memory / MEGABYTE);
}

/* It ended without an answer. */
static tacStatus explain(const Run *run, tacError *err) {
    int signal = run->status != -1 && WIFSIGNALED(run->status) ? WTERMSIG(run->status) : 0;
    if (run->out_of_time || signal == SIGXCPU)
        return tac_fail(err, TAC_ERR_FILE, "%s: the mesh reader ran out of time (limit %d s)", run->file,
                        run->out_of_time ? run->wall : run->cpu);
    if (run->too_long) return tac_fail(err, TAC_ERR_MEMORY, "%s: the mesh reader wrote too much output", run->file);
    if (signal != 0)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s: the mesh reader crashed on this file (signal %d)", run->file, signal);
    return tac_fail(err, TAC_ERR_SYNTAX, "%s: the mesh reader gave an invalid answer", run->file);
}

static tacStatus take_corners(const Run *run, const unsigned char *bytes, size_t n, tacMeshData *mesh, tacError *err) {
    float *corner = malloc((3 * n + 1) * sizeof *corner); /* bytes may not be aligned for floats */
    if (corner == NULL) return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory for %zu triangles", run->file, n / 3);
    memcpy(corner, bytes, 3 * n * sizeof *corner);
    tacStatus status = TAC_OK;
    for (size_t i = 0; i < n && status == TAC_OK; i++)
        status = tac_mesh_check_corner(run->file, corner + 3 * i, i / 3, err);
    if (status == TAC_OK) status = tac_mesh_weld(run->file, corner, n, mesh, err);
    free(corner);
    return status;
}

/* The bytes must be an answer from the first to the last. */
static tacStatus understand(const Run *run, tacMeshData *mesh, tacError *err) {
    tacMeshAnswer head;
    if (run->size < sizeof head) return explain(run, err);
    memcpy(&head, run->bytes, sizeof head);
    const unsigned char *body = run->bytes + sizeof head;
    size_t size = run->size - sizeof head, item = head.kind == TAC_ANSWER_CORNERS ? 3 * sizeof(float) : 1;
    if (head.magic != TAC_MESH_ANSWER_MAGIC || head.count != size / item || size % item != 0) return explain(run, err);
    if (head.kind == TAC_ANSWER_CORNERS && head.count % 3 == 0) return take_corners(run, body, head.count, mesh, err);
    if (head.kind == TAC_ANSWER_NO_MEMORY) return fail_memory(run, err);
    if (head.kind == TAC_ANSWER_REFUSED)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s: assimp: %.*s", run->file, (int)(size < SHOWN ? size : SHOWN),
                        (const char *)body);
    return explain(run, err);
}

static tacStatus run_program(const tacFiles *files, const char *program, const tacMeshLimits *limits, Run *run,
                             tacError *err) {
    char outside[] = {files->allow_outside ? '1' : '0', '\0'}, most[NUMBER], memory[NUMBER], factor[NUMBER],
         cpu[NUMBER];
    snprintf(most, sizeof most, "%zu", files->max_bytes);
    snprintf(memory, sizeof memory, "%zu", run->memory);
    snprintf(factor, sizeof factor, "%zu", limits->memory_factor);
    snprintf(cpu, sizeof cpu, "%d", run->cpu);
    char *argument[TAC_READER_ARGUMENTS + 1] = {(char *)program,
                                                [TAC_READER_PATH] = (char *)run->file,
                                                [TAC_READER_ROOT] = (char *)files->root,
                                                [TAC_READER_ALLOW_OUTSIDE] = outside,
                                                [TAC_READER_MAX_BYTES] = most,
                                                [TAC_READER_MEMORY] = memory,
                                                [TAC_READER_FACTOR] = factor,
                                                [TAC_READER_CPU] = cpu};
    int error = spawn(run, argument);
    if (error != 0)
        return tac_fail(err, TAC_ERR_FILE, "%s: cannot start the program %s: %s", run->file, program, strerror(error));
    int whole = collect(run);
    reap(run, whole ? GRACE_MS : 0);
    close(run->pipe);
    return TAC_OK;
}

tacStatus tac_mesh_read_apart(const tacFiles *files, const char *path, const tacMeshLimits *limits, tacMeshData *mesh,
                              tacError *err) {
    char program[TAC_PATH];
    unsigned char *bytes;
    size_t size;
    tacStatus status = tac_files_read(files, path, &bytes, &size, err); /* for our own words on what is wrong with it */
    if (status != TAC_OK) return status;
    free(bytes);
    status = locate(path, limits, program, err);
    if (status != TAC_OK) return status;
    int more = (int)(size / MEGABYTE);
    Run run = {.file = path,
               .memory = limits->memory_bytes + 2 * size,
               .most_bytes = limits->memory_bytes + limits->memory_factor * size,
               .cpu = limits->cpu_seconds + more,
               .wall = limits->wall_seconds + more,
               .status = -1};
    run.deadline = now_ms() + 1000LL * run.wall;
    status = run_program(files, program, limits, &run, err);
    if (status == TAC_OK) status = run.out_of_time || run.too_long ? explain(&run, err) : understand(&run, mesh, err);
    free(run.bytes);
    return status;
}
