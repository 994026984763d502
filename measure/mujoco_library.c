#include "measure/mujoco_library.h"

#ifdef TAC_WITH_MUJOCO
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the order of tacMujocoCalls. */
static const char *const NAMES[] = {"mj_version",   "mj_loadXML", "mj_makeData", "mj_deleteModel",  "mj_deleteData",
                                    "mj_resetData", "mj_forward", "mj_step",     "mj_contactForce", "mjd_transitionFD"};

static void *find_library(void) {
    static const char *const names[] = {"libmujoco.so", "libmujoco.so.2.2.2", "libmujoco.dylib"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static int find_calls(void *library, tacMujocoCalls *call) {
    void *found[sizeof NAMES / sizeof *NAMES];
    _Static_assert(sizeof found == sizeof *call, "one name per function");
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        found[i] = dlsym(library, NAMES[i]);
        if (found[i] == NULL) return 0;
    }
    memcpy(call, found, sizeof *call);
    return 1;
}

/* Its warnings would go to standard output and to a file of its own. */
static void ignore(const char *text) { (void)text; }

/* Exit code of a program that could not run. */
enum { CANNOT_RUN = 2 };

/* Called on fatal errors, such as no memory. MuJoCo's own handler waits for a key and exits with code 1. */
static void end_run(const char *text) {
    fprintf(stderr, "tactus: MuJoCo: %s\n", text);
    exit(CANNOT_RUN);
}

static void take_messages(void *library) {
    void (**warn)(const char *) = (void (**)(const char *))dlsym(library, "mju_user_warning");
    void (**fail)(const char *) = (void (**)(const char *))dlsym(library, "mju_user_error");
    if (warn != NULL) *warn = ignore;
    if (fail != NULL) *fail = end_run;
}

static int refuse(char *reason, size_t size, const char *text) {
    snprintf(reason, size, "%s", text);
    return 0;
}

/* The library stays loaded: it is the same for all models, and it may keep threads of its own. */
int measure_mujoco_library(tacMujocoCalls *call, char version[TAC_MUJOCO_VERSION_TEXT], char *reason, size_t size) {
    void *library = find_library();
    if (library == NULL) return refuse(reason, size, "MuJoCo is not installed");
    if (!find_calls(library, call)) return refuse(reason, size, "MuJoCo lacks a function we call");
    take_messages(library);
    int number = call->version();
    snprintf(version, TAC_MUJOCO_VERSION_TEXT, "%d.%d.%d", number / 100, number / 10 % 10, number % 10);
    if (number != mjVERSION_HEADER) return refuse(reason, size, "MuJoCo is another version than its headers");
    return 1;
}

/* 1: MuJoCo comes back from this file, with a model or with a reason for none. Its reader of URDF may end the process
 * (of a joint type it does not know: it writes where there is no memory), so it goes first in one of its own. */
static int survives(const tacMujocoCalls *call, const char *path) {
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return 1; /* there is no telling */
    if (child == 0) {
        char reason[256];
        int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere >= 0) {
            dup2(nowhere, STDOUT_FILENO);
            dup2(nowhere, STDERR_FILENO);
        }
        call->load(path, NULL, reason, (int)sizeof reason);
        _exit(0);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

mjModel *measure_mujoco_load(const tacMujocoCalls *call, const char *path, const tacModel *m, double dt, char *reason,
                             size_t size) {
    if (!survives(call, path)) {
        snprintf(reason, size, "MuJoCo ends without an answer while it reads this file");
        return NULL;
    }
    mjModel *mj = call->load(path, NULL, reason, (int)size);
    if (mj == NULL) return NULL;
    if (mj->nq != m->nq || mj->nv != m->nv || mj->nu != m->nu || mj->na != m->na) {
        call->free_model(mj);
        snprintf(reason, size, "MuJoCo has other sizes for this file");
        return NULL;
    }
    mj->opt.integrator = mjINT_EULER;
    mj->opt.timestep = dt;
    mj->nsensor = 0;
    return mj;
}
#else
/* A translation unit is not empty. */
typedef int tacNoMujoco;
#endif
