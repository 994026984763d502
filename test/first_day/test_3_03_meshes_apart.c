/* Mesh files that crashed the process, or took all its memory, are refused. PLY and OFF are read here, every index
 * checked; DAE and glTF in a program of their own, which may crash, hang, lie and run out of anything. */
#include "io/mesh_apart.h"

#include "io/scratch.h"
#include "support/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MEGABYTE = 1 << 20, PATH = 2048, THREADS = 4 };
/* Time after which something hangs; the machine may be busy. */
enum { HANGS_SECONDS = 60 };

#define PLY_HEAD                                                                                                       \
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\n"  \
    "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
#define OFF_HEAD "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
#define DAE(indices)                                                                                                   \
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"        \
    "<asset/><library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"a\" count=\"12\">"        \
    "0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common><accessor source=\"#a\" count=\"4\" stride=\"3\">"         \
    "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" "                           \
    "type=\"float\"/></accessor>"                                                                                      \
    "</technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"           \
    "<triangles count=\"4\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>" indices "</p></triangles>"     \
    "</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id=\"s\"><node>"                      \
    "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes>"                                    \
    "<scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>"
#define GOOD_DAE DAE("0 2 1 0 1 3 0 3 2 1 2 3")
/* An accessor without data: as many zeros as it says. */
#define EMPTY_GLTF(count)                                                                                              \
    "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],\"meshes\":[{"             \
    "\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":4}]}],\"accessors\":[{\"componentType\":5126,"          \
    "\"count\":" count ",\"type\":\"VEC3\",\"sparse\":{\"count\":0}}]}"

static tacFiles files_of(const char *path) {
    tacFiles files;
    tacError err;
    CHECK_INT(tac_files_init(&files, path, NULL, &err), TAC_OK);
    return files;
}

static tacStatus read_mesh(const char *name, const char *text, tacMeshData *mesh, tacError *err) {
    const char *path = scratch_text(name, text);
    tacFiles files = files_of(path);
    return tac_mesh_read(&files, path, mesh, err);
}

static void check_refused(const char *name, const char *text, const char *message) {
    tacMeshData mesh;
    tacError err = {.text = ""};
    CHECK(read_mesh(name, text, &mesh, &err) != TAC_OK);
    CHECK(mesh.vert == NULL && mesh.face == NULL);
    CHECK_HAS(err.text, name);
    CHECK_HAS(err.text, message);
}

static int has_reader(void) {
    tacMeshData mesh;
    tacError err;
    tacStatus status = read_mesh("probe.dae", GOOD_DAE, &mesh, &err);
    if (status == TAC_OK) tac_mesh_free(&mesh);
    if (status == TAC_ERR_UNSUPPORTED) print_message("there is no program tactus-mesh: %s\n", err.text);
    CHECK(status == TAC_OK || status == TAC_ERR_UNSUPPORTED);
    return status == TAC_OK;
}

/* --- Files -------------------------------------------------------------------------------------------------------- */

static void indices_are_checked(void **state) {
    (void)state;
    check_refused("beyond.ply", PLY_HEAD "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 70000\n",
                  "face 3 names vertex 70000, expected 0 to 3");
    check_refused("polygon.ply", PLY_HEAD "4 0 2 1 9\n3 0 1 3\n3 0 3 2\n3 1 2 3\n", "face 0 names vertex 9");
    check_refused("short.ply", PLY_HEAD "3 0 2 1\n", "the file ends inside face");
    check_refused("beyond.off", OFF_HEAD "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 70000\n",
                  "vertex of a face is 70000, expected a whole number from 0 to 3");
    check_refused("short.off", OFF_HEAD "3 0 2 1\n200 0 1 3\n", "the file ends inside vertex of a face");
}

/* Peak of this process's memory, in MB. */
static long peak_megabytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

static void memory_has_an_end(void **state) {
    (void)state;
    if (!has_reader()) return;
    long before = peak_megabytes();
    check_refused("letter.dae", DAE("0 2 1 x 1 3 0 3 2 1 2 3"), "the mesh reader ran out of memory");
    check_refused("zeros.gltf", EMPTY_GLTF("1500000000"), "zeros.gltf: ");
    check_refused("negative.gltf", EMPTY_GLTF("-1"), "negative.gltf: ");
    check_refused("broken.glb", "glTF\2\0\0\0", "assimp");
    check_refused("beyond.dae", DAE("0 2 1 0 1 70000 0 3 2 1 2 3"), "beyond.dae: ");
    CHECK(peak_megabytes() - before < 100);
}

/* Files that were found by attacks, where they are there. */
static void shared_files_are_survived(void **state) {
    (void)state;
    static const char *const name[] = {"assimp/crash1", "assimp/crash2", "assimp/crash3", "assimp/crash4",
                                       "assimp/leak7",  "assimp/oom5",   "assimp/oom6",   "dae/p"};
    const char *shared = getenv("TACTUS_SHARED");
    int n = 0;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char path[PATH];
        tacModel *model = NULL;
        tacError err;
        snprintf(path, sizeof path, "%s/hardening/%s.xml", shared != NULL ? shared : "../shared", name[i]);
        if (access(path, R_OK) != 0) continue;
        tacStatus status = tac_load(path, &model, &err);
        CHECK(status != TAC_OK && status != TAC_ERR_FILE);
        n++;
    }
    print_message("%d shared files\n", n);
}

/* --- Readers that misbehave --------------------------------------------------------------------------------------- */

static int count_descriptors(void) {
    int n = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL) return 0;
    while (readdir(folder) != NULL)
        n++;
    closedir(folder);
    return n;
}

/* Reads a mesh with a shell script in place of the reader. */
static tacStatus read_with(const char *script, int wall_seconds, tacError *err) {
    char program[PATH], mesh_path[PATH];
    tacMeshLimits limits = tac_default_mesh_limits();
    tacMeshData mesh = {.vert = NULL};
    snprintf(program, sizeof program, "%s", scratch_text("reader", script));
    snprintf(mesh_path, sizeof mesh_path, "%s", scratch_text("m.dae", GOOD_DAE));
    CHECK_INT(chmod(program, 0755), 0);
    limits.program = program;
    limits.wall_seconds = wall_seconds;
    limits.memory_bytes = MEGABYTE;
    tacFiles files = files_of(mesh_path);
    time_t start = time(NULL);
    int descriptors = count_descriptors();
    tacStatus status = tac_mesh_read_apart(&files, mesh_path, &limits, &mesh, err);
    CHECK_INT(count_descriptors(), descriptors);
    CHECK(time(NULL) - start < HANGS_SECONDS);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD); /* no child, not even a dead one */
    if (status == TAC_OK) CHECK_INT(mesh.nface, 1);
    tac_mesh_free(&mesh);
    return status;
}

#define SCRIPT(text)      "#!/bin/sh\n" text "\n"
#define HEAD(kind, count) "printf 'TACMESH1\\00" kind "\\0\\0\\0\\0\\0\\0\\0\\00" count "\\0\\0\\0\\0\\0\\0\\0';"

static void misbehaviour_is_told(void **state) {
    (void)state;
    static const struct {
        const char *script, *message;
        int wall_seconds;
    } bad[] = {
        {SCRIPT("kill -SEGV $$"), "the mesh reader crashed on this file (signal 11)", HANGS_SECONDS},
        {SCRIPT("exit 0"), "gave an invalid answer", HANGS_SECONDS},
        {SCRIPT("echo hello; exit 1"), "gave an invalid answer", HANGS_SECONDS},
        {SCRIPT("echo this is longer than the head of an answer"), "gave an invalid answer", HANGS_SECONDS},
        {SCRIPT(HEAD("0", "3") "printf half"), "gave an invalid answer", HANGS_SECONDS},
        {SCRIPT(HEAD("0", "1") "printf 123456789012"), "gave an invalid answer", HANGS_SECONDS}, /* a corner */
        {SCRIPT(HEAD("7", "0")), "gave an invalid answer", HANGS_SECONDS},
        {SCRIPT(HEAD("0", "0")), "0 triangles", HANGS_SECONDS},
        {SCRIPT(HEAD("1", "4") "printf oops"), "m.dae: assimp: oops", HANGS_SECONDS},
        {SCRIPT(HEAD("2", "0")), "the mesh reader ran out of memory", HANGS_SECONDS},
        {SCRIPT(HEAD("0", "3") "head -c 36 /dev/zero | tr '\\0' '\\377'"), "has a coordinate", HANGS_SECONDS}, /* nan */
        {SCRIPT("exec cat /dev/zero"), "wrote too much output", HANGS_SECONDS},
        {SCRIPT("exec sleep 1000"), "the mesh reader ran out of time", 1},
        {SCRIPT("exec >&-; exec sleep 1000"), "gave an invalid answer", HANGS_SECONDS},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tacError err = {.text = ""};
        CHECK(read_with(bad[i].script, bad[i].wall_seconds, &err) != TAC_OK);
        CHECK_HAS(err.text, bad[i].message);
        CHECK_HAS(err.text, "m.dae");
    }
}

static void an_answer_is_taken(void **state) {
    (void)state;
    tacError err = {.text = ""};
    CHECK_INT(read_with(SCRIPT(HEAD("0", "3") "head -c 36 /dev/zero"), HANGS_SECONDS, &err), TAC_OK);
}

static void without_the_program_the_format_is_refused(void **state) {
    (void)state;
    const char *path = scratch_text("m.dae", GOOD_DAE);
    tacMeshLimits limits = tac_default_mesh_limits();
    tacFiles files = files_of(path);
    tacMeshData mesh = {.vert = NULL};
    tacError err;
    limits.program = "/nowhere/tactus-mesh";
    CHECK_INT(tac_mesh_read_apart(&files, path, &limits, &mesh, &err), TAC_ERR_UNSUPPORTED);
    CHECK_HAS(err.text, "m.dae: DAE and glTF need the program /nowhere/tactus-mesh");
}

/* A file of the caller's that is not marked, and standard files that are closed. */
static void descriptors_do_not_mix(void **state) {
    (void)state;
    static const char *const script = SCRIPT(
        "if [ -e /proc/self/fd/100 ]; then " HEAD("1", "4") " printf open; else " HEAD("1", "4") " printf shut; fi");
    tacError err = {.text = ""};
    int unmarked = dup2(STDERR_FILENO, 100);
    CHECK_INT(unmarked, 100);
    read_with(script, HANGS_SECONDS, &err);
    close(unmarked);
    CHECK_HAS(err.text, "assimp: shut");
    fflush(stdout);
    int input = dup(STDIN_FILENO), output = dup(STDOUT_FILENO);
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    read_with(script, HANGS_SECONDS, &err);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    close(input);
    close(output);
    CHECK_HAS(err.text, "assimp: shut");
}

/* --- Threads ------------------------------------------------------------------------------------------------------ */

typedef struct Reading {
    char path[PATH];
    tacFiles files;
    tacStatus status;
    tacMeshData mesh;
    tacError err;
} Reading;

static void *read_in_thread(void *argument) {
    Reading *reading = argument;
    reading->status = tac_mesh_read(&reading->files, reading->path, &reading->mesh, &reading->err);
    return NULL;
}

static void threads_read_side_by_side(void **state) {
    (void)state;
    static Reading reading[THREADS];
    pthread_t thread[THREADS];
    if (!has_reader()) return;
    for (int i = 0; i < THREADS; i++) {
        char name[] = {(char)('a' + i), '.', 'd', 'a', 'e', '\0'};
        snprintf(reading[i].path, PATH, "%s", scratch_text(name, i % 2 == 0 ? GOOD_DAE : "<COLLADA"));
        reading[i].files = files_of(reading[i].path);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&thread[i], NULL, read_in_thread, &reading[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        CHECK_INT(reading[i].status, i % 2 == 0 ? TAC_OK : TAC_ERR_SYNTAX);
        CHECK_INT(reading[i].mesh.nface, i % 2 == 0 ? 4 : 0);
        tac_mesh_free(&reading[i].mesh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_are_checked),       cmocka_unit_test(memory_has_an_end),
        cmocka_unit_test(shared_files_are_survived), cmocka_unit_test(misbehaviour_is_told),
        cmocka_unit_test(an_answer_is_taken),        cmocka_unit_test(without_the_program_the_format_is_refused),
        cmocka_unit_test(descriptors_do_not_mix),    cmocka_unit_test(threads_read_side_by_side),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
