/* STL: binary (80-byte header, count, 50 bytes a triangle) or text. A binary file may start with "solid", so the file's
 * size decides. */
#include "io/mesh_formats.h"

#include "base/error.h"
#include "io/mesh_words.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 84, TRIANGLE = 50, NORMAL = 12 };

static uint32_t little_endian(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static float little_endian_float(const unsigned char *p) {
    uint32_t bits = little_endian(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static tacStatus read_binary(const char *file, const unsigned char *bytes, size_t n, tacMeshData *mesh, tacError *err) {
    float *corner = malloc(9 * n * sizeof *corner);
    if (corner == NULL) return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory for %zu triangles", file, n);
    tacStatus status = TAC_OK;
    for (size_t i = 0; i < 3 * n && status == TAC_OK; i++) {
        const unsigned char *p = bytes + HEADER + TRIANGLE * (i / 3) + NORMAL + 12 * (i % 3);
        for (int k = 0; k < 3; k++)
            corner[3 * i + (size_t)k] = little_endian_float(p + 4 * k);
        status = tac_mesh_check_corner(file, corner + 3 * i, i / 3, err);
    }
    if (status == TAC_OK) status = tac_mesh_weld(file, corner, 3 * n, mesh, err);
    free(corner);
    return status;
}

/* --- Text --------------------------------------------------------------------------------------------------------- */

typedef struct Text {
    tacWords words;
    float *corner; /* 3 ncorner */
    size_t ncorner, capacity;
    size_t in_facet; /* corners of the open facet */
} Text;

static tacStatus grow(Text *text, tacError *err) {
    if (text->ncorner < text->capacity) return TAC_OK;
    size_t capacity = text->capacity > 0 ? 2 * text->capacity : 64;
    float *larger = realloc(text->corner, 3 * capacity * sizeof *larger);
    if (larger == NULL)
        return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory for %zu corners", text->words.file, capacity);
    text->corner = larger;
    text->capacity = capacity;
    return TAC_OK;
}

static tacStatus read_corner(Text *text, tacError *err) {
    tacStatus status = grow(text, err);
    if (status != TAC_OK) return status;
    float *corner = text->corner + 3 * text->ncorner;
    for (int k = 0; k < 3 && status == TAC_OK; k++) {
        double number = 0;
        status = tac_words_number(&text->words, "a facet", &number, err);
        corner[k] = (float)number;
    }
    if (status == TAC_OK) status = tac_mesh_check_corner(text->words.file, corner, text->ncorner / 3, err);
    text->ncorner++;
    text->in_facet++;
    return status;
}

static tacStatus close_facet(Text *text, tacError *err) {
    size_t n = text->in_facet;
    text->in_facet = 0;
    if (n == 3) return TAC_OK;
    return tac_fail(err, TAC_ERR_SYNTAX, "%s:%d: a facet with %zu vertices, expected 3", text->words.file,
                    text->words.line, n);
}

static void skip_normal(Text *text) {
    for (int k = 0; k < 3; k++)
        tac_words_next(&text->words);
}

static tacStatus read_word(Text *text, const char *word, tacError *err) {
    static const char *const silent[] = {"facet", "outer", "loop", "endloop"};
    if (strcmp(word, "vertex") == 0) return read_corner(text, err);
    if (strcmp(word, "endfacet") == 0) return close_facet(text, err);
    if (strcmp(word, "solid") == 0 || strcmp(word, "endsolid") == 0) {
        tac_words_skip_line(&text->words);
        return TAC_OK;
    }
    if (strcmp(word, "normal") == 0) {
        skip_normal(text);
        return TAC_OK;
    }
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        if (strcmp(word, silent[i]) == 0) return TAC_OK;
    return tac_fail(err, TAC_ERR_SYNTAX, "%s:%d: found \"%.40s\", expected facet, vertex, endfacet or endsolid",
                    text->words.file, text->words.line, word);
}

static tacStatus read_text(const char *file, unsigned char *bytes, size_t size, tacMeshData *mesh, tacError *err) {
    Text text = {.words = {.file = file, .at = (char *)bytes, .end = (char *)bytes + size, .line = 1}};
    tacStatus status = TAC_OK;
    for (char *word; status == TAC_OK && (word = tac_words_next(&text.words)) != NULL;)
        status = read_word(&text, word, err);
    if (status == TAC_OK && text.in_facet != 0) status = close_facet(&text, err);
    if (status == TAC_OK) status = tac_mesh_weld(file, text.corner, text.ncorner, mesh, err);
    free(text.corner);
    return status;
}

tacStatus tac_mesh_read_stl(const char *file, unsigned char *bytes, size_t size, tacMeshData *mesh, tacError *err) {
    size_t n = size >= HEADER ? little_endian(bytes + 80) : 0;
    if (n > 0 && size - HEADER == TRIANGLE * n) return read_binary(file, bytes, n, mesh, err);
    if (size >= 5 && memcmp(bytes, "solid", 5) == 0 && memchr(bytes, 0, size) == NULL)
        return read_text(file, bytes, size, mesh, err);
    if (size < HEADER)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s: %zu bytes, expected an STL header of %d or the word solid", file,
                        size, HEADER);
    if (n == 0) return tac_fail(err, TAC_ERR_SYNTAX, "%s: the STL header says 0 triangles, expected at least 1", file);
    return tac_fail(err, TAC_ERR_SYNTAX, "%s: the STL header says %zu triangles, expected %zu bytes, found %zu", file,
                    n, HEADER + TRIANGLE * n, size);
}
