/* tactus-mesh: reads one DAE or glTF file with assimp and writes its triangles to standard output, as mesh_answer.h
 * says. Started by tac_mesh_read_apart. Assimp opens files through us, so that the rules of files.h hold for a buffer
 * that a scene refers to as well. */
#include "io/files.h"
#include "io/mesh_answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#pragma GCC diagnostic pop

/* --- The answer --------------------------------------------------------------------------------------------------- */

static void write_all(const void *data, size_t size) {
    const char *p = data;
    while (size > 0) {
        ssize_t n = write(STDOUT_FILENO, p, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) _exit(1);
        p += n;
        size -= (size_t)n;
    }
}

/* Says why there are no triangles, on one line, and ends. */
static _Noreturn void refuse(tacMeshAnswerKind kind, const char *text) {
    tacMeshAnswer answer = {TAC_MESH_ANSWER_MAGIC, kind, strcspn(text, "\r\n")};
    write_all(&answer, sizeof answer);
    write_all(text, answer.count);
    _exit(1);
}

/* C++'s operator new and new[], which a program may replace: an allocation that fails ends it here and by name, not in
 * an exception that assimp does not catch everywhere. */
__attribute__((visibility("default"))) void *_Znwm(size_t size);
__attribute__((visibility("default"))) void *_Znam(size_t size);

void *_Znwm(size_t size) {
    void *memory = malloc(size > 0 ? size : 1);
    if (memory == NULL) refuse(TAC_ANSWER_NO_MEMORY, "");
    return memory;
}

void *_Znam(size_t size) { return _Znwm(size); }

/* --- Limits ------------------------------------------------------------------------------------------------------- */

/* Bytes of address space that may be used, and how many more for each byte of the largest file that was opened. (Not of
 * all files: a scene may name one a thousand times.) */
static struct { size_t bytes, factor, largest; } memory;

static void limit(int resource, rlim_t value) {
    struct rlimit both;
    if (getrlimit(resource, &both) != 0) return;
    both.rlim_cur = both.rlim_max == RLIM_INFINITY || value < both.rlim_max ? value : both.rlim_max;
    setrlimit(resource, &both);
}

static void set_limits(size_t bytes, size_t factor, rlim_t cpu_seconds) {
    memory.bytes = bytes;
    memory.factor = factor;
    limit(RLIMIT_AS, bytes);
    limit(RLIMIT_CPU, cpu_seconds);
    limit(RLIMIT_CORE, 0);
}

static void allow_for(size_t file_bytes) {
    if (file_bytes <= memory.largest) return;
    memory.largest = file_bytes;
    limit(RLIMIT_AS, memory.bytes + memory.factor * file_bytes);
}

/* --- Files for assimp --------------------------------------------------------------------------------------------- */

typedef struct Opened {
    struct aiFile file; /* first, so that assimp's pointer is ours */
    unsigned char *bytes;
    size_t size, at;
} Opened;

static size_t read_some(struct aiFile *file, char *out, size_t size, size_t count) {
    Opened *opened = (Opened *)file;
    size_t items = size > 0 ? (opened->size - opened->at) / size : 0;
    if (items > count) items = count;
    memcpy(out, opened->bytes + opened->at, items * size);
    opened->at += items * size;
    return items;
}

static size_t write_nothing(struct aiFile *file, const char *in, size_t size, size_t count) {
    (void)file;
    (void)in;
    (void)size;
    (void)count;
    return 0;
}

static size_t tell(struct aiFile *file) { return ((Opened *)file)->at; }

static size_t size_of(struct aiFile *file) { return ((Opened *)file)->size; }

static enum aiReturn seek(struct aiFile *file, size_t offset, enum aiOrigin origin) {
    Opened *opened = (Opened *)file;
    size_t base = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? opened->at : opened->size;
    if (offset > opened->size - base) return aiReturn_FAILURE;
    opened->at = base + offset;
    return aiReturn_SUCCESS;
}

static void flush_nothing(struct aiFile *file) { (void)file; }

static struct aiFile *open_file(struct aiFileIO *io, const char *name, const char *mode) {
    const tacFiles *files = (const tacFiles *)(void *)io->UserData;
    Opened *opened = strchr(mode, 'w') == NULL ? calloc(1, sizeof *opened) : NULL;
    if (opened == NULL) return NULL;
    if (tac_files_read(files, name, &opened->bytes, &opened->size, NULL) != TAC_OK) {
        free(opened);
        return NULL;
    }
    allow_for(opened->size);
    opened->file = (struct aiFile){.ReadProc = read_some,
                                   .WriteProc = write_nothing,
                                   .TellProc = tell,
                                   .FileSizeProc = size_of,
                                   .SeekProc = seek,
                                   .FlushProc = flush_nothing};
    return &opened->file;
}

static void close_file(struct aiFileIO *io, struct aiFile *file) {
    (void)io;
    free(((Opened *)file)->bytes);
    free(file);
}

/* --- Scene -> corners --------------------------------------------------------------------------------------------- */

static size_t count_corners(const struct aiScene *scene) {
    size_t n = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; m++)
        for (unsigned f = 0; f < scene->mMeshes[m]->mNumFaces; f++)
            n += scene->mMeshes[m]->mFaces[f].mNumIndices == 3 ? 3 : 0;
    return n;
}

static void copy_corners(const struct aiScene *scene, float *corner) {
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        const struct aiMesh *mesh = scene->mMeshes[m];
        for (unsigned f = 0; f < mesh->mNumFaces; f++)
            for (unsigned k = 0; k < 3 && mesh->mFaces[f].mNumIndices == 3; k++, corner += 3) {
                unsigned id = mesh->mFaces[f].mIndices[k];
                if (id >= mesh->mNumVertices) refuse(TAC_ANSWER_REFUSED, "a face names a vertex that does not exist");
                const struct aiVector3D *v = &mesh->mVertices[id];
                corner[0] = v->x;
                corner[1] = v->y;
                corner[2] = v->z;
            }
    }
}

static void write_scene(const struct aiScene *scene) {
    tacMeshAnswer answer = {TAC_MESH_ANSWER_MAGIC, TAC_ANSWER_CORNERS, count_corners(scene)};
    float *corner = malloc((3 * answer.count + 1) * sizeof *corner);
    if (corner == NULL) refuse(TAC_ANSWER_NO_MEMORY, "");
    copy_corners(scene, corner);
    write_all(&answer, sizeof answer);
    write_all(corner, 3 * answer.count * sizeof *corner);
}

/* Coordinates are taken as the file has them: a robot's frames do not follow the up axis that a DAE names. */
static const struct aiScene *import(tacFiles *files, const char *path) {
    struct aiFileIO io = {.OpenProc = open_file, .CloseProc = close_file, .UserData = (char *)(void *)files};
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    if (settings == NULL) refuse(TAC_ANSWER_NO_MEMORY, "");
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    unsigned steps = aiProcess_Triangulate | aiProcess_PreTransformVertices;
    return aiImportFileExWithProperties(path, steps, &io, settings);
}

int main(int argc, char **argv) {
    static tacFiles files;
    if (argc != TAC_READER_ARGUMENTS || strlen(argv[TAC_READER_ROOT]) >= sizeof files.root) {
        fprintf(stderr, "tactus-mesh reads meshes for Tactus; Tactus starts it, do not run it directly\n");
        return 2;
    }
    set_limits(strtoull(argv[TAC_READER_MEMORY], NULL, 10), strtoull(argv[TAC_READER_FACTOR], NULL, 10),
               strtoull(argv[TAC_READER_CPU], NULL, 10));
    strcpy(files.root, argv[TAC_READER_ROOT]);
    files.allow_outside = strcmp(argv[TAC_READER_ALLOW_OUTSIDE], "1") == 0;
    files.max_bytes = strtoull(argv[TAC_READER_MAX_BYTES], NULL, 10);
    const struct aiScene *scene = import(&files, argv[TAC_READER_PATH]);
    if (scene == NULL) refuse(TAC_ANSWER_REFUSED, aiGetErrorString());
    write_scene(scene);
    _exit(0); /* no destructors: they have crashed too */
}
