#include "io/mesh.h"

#include "base/error.h"
#include "io/mesh_apart.h"
#include "io/mesh_formats.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MIN_VERTICES = 4 };

void tac_mesh_free(tacMeshData *mesh) {
    free(mesh->vert);
    free(mesh->face);
    free(mesh->hullvert);
    free(mesh->hullface);
    memset(mesh, 0, sizeof *mesh);
}

tacStatus tac_mesh_check_corner(const char *file, const float *corner, size_t triangle, tacError *err) {
    for (int k = 0; k < 3; k++)
        if (!(fabsf(corner[k]) <= TAC_MESH_MAX_COORDINATE))
            return tac_fail(err, TAC_ERR_SYNTAX, "%s: triangle %zu has a coordinate %g, expected one within 2^30", file,
                            triangle, (double)corner[k]);
    return TAC_OK;
}

/* --- Welding: corners with the same bits become one vertex -------------------------------------------------------- */

typedef struct Weld {
    const float *corner;
    int *slot; /* hash table: corner that first had these coordinates, or -1 */
    size_t mask;
    int *vertex; /* per corner: its vertex, once known */
} Weld;

static size_t hash_corner(const float *corner) {
    uint32_t bits[3];
    memcpy(bits, corner, sizeof bits);
    uint64_t h = 0x9E3779B97F4A7C15u; /* Fibonacci hashing */
    for (int k = 0; k < 3; k++) {
        h = (h ^ bits[k]) * 0xFF51AFD7ED558CCDu;
        h ^= h >> 32;
    }
    return (size_t)h;
}

/* First corner with the same bits as corner i (i itself when it is the first). */
static int find_first(Weld *weld, int i) {
    const float *corner = weld->corner + 3 * (size_t)i;
    size_t k = hash_corner(corner) & weld->mask;
    while (weld->slot[k] >= 0) {
        if (memcmp(weld->corner + 3 * (size_t)weld->slot[k], corner, 3 * sizeof(float)) == 0) return weld->slot[k];
        k = (k + 1) & weld->mask;
    }
    weld->slot[k] = i;
    return i;
}

static void weld_corners(Weld *weld, size_t ncorner, tacMeshData *mesh) {
    for (size_t k = 0; k <= weld->mask; k++)
        weld->slot[k] = -1;
    for (size_t i = 0; i < ncorner; i++) {
        size_t first = (size_t)find_first(weld, (int)i);
        if (first == i) {
            const float *p = weld->corner + 3 * i;
            weld->vertex[i] = mesh->nvert;
            mesh->vert[mesh->nvert++] = (tacVec3){(double)p[0], (double)p[1], (double)p[2]};
        }
        weld->vertex[i] = weld->vertex[first];
    }
}

/* Gives back what the welded vertices do not need; keeping the larger block is no failure. */
static void shrink_vertices(tacMeshData *mesh) {
    tacVec3 *smaller = realloc(mesh->vert, (size_t)mesh->nvert * sizeof *smaller);
    if (smaller != NULL) mesh->vert = smaller;
}

tacStatus tac_mesh_weld(const char *file, const float *corner, size_t ncorner, tacMeshData *mesh, tacError *err) {
    if (ncorner < 3 || ncorner >= INT_MAX / 4)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s: %zu triangles, expected 1 to %d", file, ncorner / 3, INT_MAX / 12);
    size_t slots = 4;
    while (slots < 2 * ncorner)
        slots *= 2;
    Weld weld = {.corner = corner, .mask = slots - 1, .slot = malloc(slots * sizeof(int))};
    mesh->vert = malloc(ncorner * sizeof *mesh->vert);
    weld.vertex = mesh->face = malloc(ncorner * sizeof(int));
    if (weld.slot == NULL || mesh->vert == NULL || mesh->face == NULL) {
        free(weld.slot);
        tac_mesh_free(mesh);
        return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory for %zu triangles", file, ncorner / 3);
    }
    weld_corners(&weld, ncorner, mesh);
    mesh->nface = (int)(ncorner / 3);
    free(weld.slot);
    shrink_vertices(mesh);
    return TAC_OK;
}

/* --- Completing and checking what a reader gave ------------------------------------------------------------------- */

static tacStatus check_vertices(const tacMeshData *mesh, tacError *err) {
    if (mesh->nvert < MIN_VERTICES)
        return tac_fail(err, TAC_ERR_MODEL, "%d vertices, expected at least %d", mesh->nvert, MIN_VERTICES);
    for (int i = 0; i < mesh->nvert; i++) {
        tacVec3 v = mesh->vert[i];
        if (!isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z))
            return tac_fail(err, TAC_ERR_SYNTAX,
                            "vertex %d is not finite in single precision, expected numbers below 3.4e38", i);
    }
    return TAC_OK;
}

static tacStatus check_faces(const tacMeshData *mesh, tacError *err) {
    for (int i = 0; i < 3 * mesh->nface; i++)
        if (mesh->face[i] < 0 || mesh->face[i] >= mesh->nvert)
            return tac_fail(err, TAC_ERR_SYNTAX, "face %d names vertex %d, expected 0 to %d", i / 3, mesh->face[i],
                            mesh->nvert - 1);
    return TAC_OK;
}

/* A point cloud takes the faces of its hull. */
static tacStatus take_hull_faces(tacMeshData *mesh, tacError *err) {
    tacStatus status = tac_mesh_hull(mesh, err);
    if (status != TAC_OK) return status;
    size_t bytes = 3 * (size_t)mesh->nhullface * sizeof(int);
    free(mesh->face);
    mesh->face = malloc(bytes);
    if (mesh->face == NULL) return tac_fail(err, TAC_ERR_MEMORY, "no memory for %d faces", mesh->nhullface);
    memcpy(mesh->face, mesh->hullface, bytes);
    mesh->nface = mesh->nhullface;
    return TAC_OK;
}

static tacStatus complete(tacMeshData *mesh, tacError *err) {
    tacStatus status = check_vertices(mesh, err);
    if (status == TAC_OK) status = check_faces(mesh, err);
    if (status == TAC_OK && mesh->nface == 0) status = take_hull_faces(mesh, err);
    return status;
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

static int has_extension(const char *path, const char *extension) {
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash != NULL ? slash : path, '.');
    return dot != NULL && strcasecmp(dot + 1, extension) == 0;
}

/* The formats, and what reads each: bytes in this process, or a path in a process of its own. */
typedef struct Format {
    const char *extension;
    tacStatus (*read)(const char *file, unsigned char *bytes, size_t size, tacMeshData *mesh, tacError *err);
} Format;

static const Format *format_of(const char *path) {
    static const Format table[] = {{"stl", tac_mesh_read_stl},
                                   {"obj", tac_mesh_read_obj},
                                   {"msh", tac_mesh_read_msh},
                                   {"ply", tac_mesh_read_ply},
                                   {"off", tac_mesh_read_off},
                                   {"dae", NULL},
                                   {"gltf", NULL},
                                   {"glb", NULL}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (has_extension(path, table[i].extension)) return &table[i];
    return NULL;
}

static tacStatus read_bytes(const tacFiles *files, const char *path, const Format *format, tacMeshData *mesh,
                            tacError *err) {
    unsigned char *bytes;
    size_t size;
    tacStatus status = tac_files_read(files, path, &bytes, &size, err);
    if (status != TAC_OK) return status;
    status = format->read(path, bytes, size, mesh, err);
    free(bytes);
    return status;
}

tacStatus tac_mesh_read(const tacFiles *files, const char *path, tacMeshData *mesh, tacError *err) {
    memset(mesh, 0, sizeof *mesh);
    const Format *format = format_of(path);
    if (format == NULL)
        return tac_fail(err, TAC_ERR_UNSUPPORTED,
                        "%s: unknown mesh format, expected stl, obj, msh, dae, ply, gltf, glb or off", path);
    tacMeshLimits limits = tac_default_mesh_limits();
    tacStatus status = format->read != NULL ? read_bytes(files, path, format, mesh, err)
                                            : tac_mesh_read_apart(files, path, &limits, mesh, err);
    if (status == TAC_OK) {
        tacError inner;
        status = complete(mesh, &inner);
        if (status != TAC_OK) tac_fail(err, status, "%s: %s", path, inner.text);
    }
    if (status != TAC_OK) tac_mesh_free(mesh);
    return status;
}

/* x as a float holds it. Volatile, because gcc 12 at -O2 drops the pair of conversions where it sees several side by
 * side. */
static double through_float(double x) {
    volatile float rounded = (float)x;
    return (double)rounded;
}

static tacStatus copy_arrays(int nvert, const tacVec3 *vert, int nface, const int *face, tacMeshData *mesh,
                             tacError *err) {
    mesh->vert = malloc((size_t)nvert * sizeof *vert);
    mesh->face = nface > 0 ? malloc(3 * (size_t)nface * sizeof *face) : NULL;
    if (mesh->vert == NULL || (nface > 0 && mesh->face == NULL))
        return tac_fail(err, TAC_ERR_MEMORY, "no memory for %d vertices and %d faces", nvert, nface);
    mesh->nvert = nvert;
    mesh->nface = nface;
    for (int i = 0; i < nvert; i++)
        mesh->vert[i] = (tacVec3){through_float(vert[i].x), through_float(vert[i].y), through_float(vert[i].z)};
    if (nface > 0) memcpy(mesh->face, face, 3 * (size_t)nface * sizeof *face);
    return complete(mesh, err);
}

tacStatus tac_mesh_from_arrays(int nvert, const tacVec3 *vert, int nface, const int *face, tacMeshData *mesh,
                               tacError *err) {
    memset(mesh, 0, sizeof *mesh);
    if (nvert < MIN_VERTICES)
        return tac_fail(err, TAC_ERR_MODEL, "%d vertices, expected at least %d", nvert, MIN_VERTICES);
    tacStatus status = copy_arrays(nvert, vert, face != NULL ? nface : 0, face, mesh, err);
    if (status != TAC_OK) tac_mesh_free(mesh);
    return status;
}
