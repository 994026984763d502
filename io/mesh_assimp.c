/* DAE, PLY, glTF and OFF through assimp, where it is installed. Assimp opens files through us, so the rules of files.h
 * hold for a buffer that a scene refers to as well. */
#include "io/mesh_formats.h"

#include "base/error.h"

#ifndef TAC_WITH_ASSIMP

tacStatus tac_mesh_read_assimp(const tacFiles *files, const char *path, tacMeshData *mesh, tacError *err) {
    (void)files, (void)mesh;
    return tac_fail(err, TAC_ERR_UNSUPPORTED,
                    "%s: reading this format needs assimp, which this build lacks; convert the mesh to stl or obj, or "
                    "install libassimp-dev and build again",
                    path);
}

#else

#include <stdlib.h>
#include <string.h>

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
    (void)file, (void)in, (void)size, (void)count;
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

/* --- Scene -> triangles ------------------------------------------------------------------------------------------- */

static size_t count_corners(const struct aiScene *scene) {
    size_t n = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; m++)
        for (unsigned f = 0; f < scene->mMeshes[m]->mNumFaces; f++)
            n += scene->mMeshes[m]->mFaces[f].mNumIndices == 3 ? 3 : 0;
    return n;
}

static tacStatus copy_corners(const char *path, const struct aiScene *scene, float *corner, tacError *err) {
    size_t n = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        const struct aiMesh *mesh = scene->mMeshes[m];
        for (unsigned f = 0; f < mesh->mNumFaces; f++) {
            for (unsigned k = 0; k < 3 && mesh->mFaces[f].mNumIndices == 3; k++, n += 3) {
                const struct aiVector3D *v = &mesh->mVertices[mesh->mFaces[f].mIndices[k]];
                corner[n] = v->x, corner[n + 1] = v->y, corner[n + 2] = v->z;
                tacStatus status = tac_mesh_check_corner(path, corner + n, n / 9, err);
                if (status != TAC_OK) return status;
            }
        }
    }
    return TAC_OK;
}

static tacStatus weld_scene(const char *path, const struct aiScene *scene, tacMeshData *mesh, tacError *err) {
    size_t n = count_corners(scene);
    float *corner = malloc((3 * n + 1) * sizeof *corner);
    if (corner == NULL) return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory for %zu triangles", path, n / 3);
    tacStatus status = copy_corners(path, scene, corner, err);
    if (status == TAC_OK) status = tac_mesh_weld(path, corner, n, mesh, err);
    free(corner);
    return status;
}

/* Coordinates are taken as the file has them: a robot's frames do not follow the up axis that a DAE names. */
static const struct aiScene *import(const tacFiles *files, const char *path) {
    struct aiFileIO io = {.OpenProc = open_file, .CloseProc = close_file, .UserData = (char *)(void *)files};
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    if (settings == NULL) return NULL;
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    unsigned steps = aiProcess_Triangulate | aiProcess_PreTransformVertices;
    const struct aiScene *scene = aiImportFileExWithProperties(path, steps, &io, settings);
    aiReleasePropertyStore(settings);
    return scene;
}

/* One line of assimp's text, for our one-line errors. */
static int first_line(const char *text) { return (int)strcspn(text, "\r\n"); }

tacStatus tac_mesh_read_assimp(const tacFiles *files, const char *path, tacMeshData *mesh, tacError *err) {
    unsigned char *bytes;
    size_t size;
    tacStatus status = tac_files_read(files, path, &bytes, &size, err); /* for our own words on what is wrong with it */
    if (status != TAC_OK) return status;
    free(bytes);
    const struct aiScene *scene = import(files, path);
    if (scene == NULL) {
        const char *text = aiGetErrorString();
        return tac_fail(err, TAC_ERR_SYNTAX, "%s: assimp: %.*s", path, first_line(text), text);
    }
    status = weld_scene(path, scene, mesh, err);
    aiReleaseImport(scene);
    return status;
}

#endif
