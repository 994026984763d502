/* OFF: a keyword, counts of vertices, faces and edges; a line for each vertex, its coordinates first; a line for each
 * face, the number of its corners and their vertices, counted from 0. What else a line holds (colours, normals,
 * texture coordinates) does not count. */
#include "io/mesh_formats.h"

#include "base/error.h"
#include "io/mesh_polygons.h"
#include "io/mesh_words.h"

#include <limits.h>
#include <string.h>

/* Letters before OFF: texture coordinates, colours, normals. Not "4" and "n": coordinates that are not x y z. */
static size_t skip_prefix(const char *word) {
    size_t n = strncmp(word, "ST", 2) == 0 ? 2 : 0;
    n += word[n] == 'C';
    n += word[n] == 'N';
    return n;
}

static tacStatus read_keyword(tacWords *words, tacError *err) {
    const char *word = tac_words_next(words);
    if (word != NULL && strcmp(word + skip_prefix(word), "OFF") == 0) return TAC_OK;
    return tac_fail(err, TAC_ERR_SYNTAX, "%s:%d: found \"%.40s\", expected OFF, or ST, C, N and OFF in one word",
                    words->file, words->line, word != NULL ? word : "");
}

static tacStatus read_vertices(tacWords *words, long n, tacPolygons *polygons, tacError *err) {
    tacStatus status = TAC_OK;
    for (long i = 0; i < n && status == TAC_OK; i++) {
        double xyz[3];
        for (int k = 0; k < 3 && status == TAC_OK; k++)
            status = tac_words_number(words, "the vertices", &xyz[k], err);
        polygons->line = words->line;
        if (status == TAC_OK) status = tac_polygons_add_vertex(polygons, xyz, err);
        tac_words_skip_line(words);
    }
    return status;
}

static tacStatus read_face(tacWords *words, tacPolygons *polygons, tacError *err) {
    int first = polygons->ncorner;
    long n, vertex = 0;
    tacStatus status = tac_words_count(words, "corners of a face", 0, INT_MAX, &n, err);
    for (long k = 0; status == TAC_OK && k < n; k++) {
        status = tac_words_count(words, "vertex of a face", 0, polygons->nvert - 1, &vertex, err);
        if (status == TAC_OK) status = tac_polygons_add_corner(polygons, (int)vertex, err);
    }
    if (status != TAC_OK) return status;
    tac_words_skip_line(words);
    return tac_polygons_close(polygons, first, err);
}

tacStatus tac_mesh_read_off(const char *file, unsigned char *bytes, size_t size, tacMeshData *mesh, tacError *err) {
    tacWords words = {.file = file, .at = (char *)bytes, .end = (char *)bytes + size, .comment = '#', .line = 1};
    tacPolygons polygons = {.file = file};
    long nvert = 0, nface = 0, nedge;
    tacStatus status = read_keyword(&words, err);
    if (status == TAC_OK) status = tac_words_count(&words, "number of vertices", 0, INT_MAX, &nvert, err);
    if (status == TAC_OK) status = tac_words_count(&words, "number of faces", 0, INT_MAX, &nface, err);
    if (status == TAC_OK) status = tac_words_count(&words, "number of edges", 0, INT_MAX, &nedge, err);
    if (status == TAC_OK) status = read_vertices(&words, nvert, &polygons, err);
    for (long i = 0; i < nface && status == TAC_OK; i++)
        status = read_face(&words, &polygons, err);
    if (status == TAC_OK) status = tac_polygons_make(&polygons, mesh, err);
    tac_polygons_free(&polygons);
    return status;
}
