/* MSH, MuJoCo's binary format: four counts (vertices, normals, texture coordinates, faces), then float vertices (3),
 * normals (3), texture coordinates (2) and int faces (3), little endian. */
#include "io/mesh_formats.h"

#include "base/error.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 16, WORD = 4 };

static uint32_t word_at(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static double float_at(const unsigned char *p) {
    uint32_t bits = word_at(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

typedef struct Counts {
    size_t vertices, normals, texcoords, faces;
} Counts;

static tacStatus check_counts(const char *file, const Counts *n, size_t size, tacError *err) {
    if (n->vertices > INT_MAX / 3 || n->faces > INT_MAX / 3)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s: the MSH header says %zu vertices and %zu faces, expected at most %d",
                        file, n->vertices, n->faces, INT_MAX / 3);
    int paired = (n->normals == 0 || n->normals == n->vertices) && (n->texcoords == 0 || n->texcoords == n->vertices);
    if (!paired)
        return tac_fail(err, TAC_ERR_SYNTAX,
                        "%s: the MSH header says %zu vertices, %zu normals, %zu texture coordinates, %zu faces, "
                        "expected zero or one normal and texture coordinate per vertex",
                        file, n->vertices, n->normals, n->texcoords, n->faces);
    size_t bytes = HEADER + WORD * (3 * n->vertices + 3 * n->normals + 2 * n->texcoords + 3 * n->faces);
    if (bytes == size) return TAC_OK;
    return tac_fail(err, TAC_ERR_SYNTAX,
                    "%s: the MSH header says %zu vertices and %zu faces, expected %zu bytes, found %zu", file,
                    n->vertices, n->faces, bytes, size);
}

static void copy_vertices(const unsigned char *p, tacMeshData *mesh) {
    for (int i = 0; i < mesh->nvert; i++, p += 3 * WORD)
        mesh->vert[i] = (tacVec3){float_at(p), float_at(p + WORD), float_at(p + 2 * WORD)};
}

static void copy_faces(const unsigned char *p, tacMeshData *mesh) {
    for (int i = 0; i < 3 * mesh->nface; i++, p += WORD) {
        uint32_t id = word_at(p);
        mesh->face[i] = id <= INT_MAX ? (int)id : -1;
    }
}

tacStatus tac_mesh_read_msh(const char *file, unsigned char *bytes, size_t size, tacMeshData *mesh, tacError *err) {
    if (size < HEADER)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s: %zu bytes, expected an MSH header of %d", file, size, HEADER);
    Counts n = {word_at(bytes), word_at(bytes + 4), word_at(bytes + 8), word_at(bytes + 12)};
    tacStatus status = check_counts(file, &n, size, err);
    if (status != TAC_OK) return status;
    mesh->vert = malloc((n.vertices + 1) * sizeof *mesh->vert);
    mesh->face = malloc((3 * n.faces + 1) * sizeof *mesh->face);
    if (mesh->vert == NULL || mesh->face == NULL)
        return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory for %zu vertices and %zu faces", file, n.vertices, n.faces);
    mesh->nvert = (int)n.vertices;
    mesh->nface = (int)n.faces;
    copy_vertices(bytes + HEADER, mesh);
    copy_faces(bytes + HEADER + WORD * (3 * n.vertices + 3 * n.normals + 2 * n.texcoords), mesh);
    return TAC_OK;
}
