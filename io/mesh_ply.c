/* PLY: a header that lists elements and their properties, then the elements in that order, as text or as numbers in
 * either byte order. Of `vertex` x, y and z count, of `face` the list of vertices, of `tristrips` its strips; all else
 * is passed over. */
#include "io/mesh_formats.h"

#include "base/error.h"
#include "io/mesh_polygons.h"
#include "io/mesh_words.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MAX_ELEMENTS = 32, MAX_PROPERTIES = 256, NAME = 32 };

typedef enum { CHAR, UCHAR, SHORT, USHORT, INT, UINT, FLOAT, DOUBLE, NTYPE } Type;

static const size_t WIDTH[NTYPE] = {1, 1, 2, 2, 4, 4, 4, 8};

/* What a property is to us. */
typedef enum { NOTHING, X, Y, Z, CORNERS, STRIPS } Role;

typedef struct Property {
    Type type;  /* of a list: of its items */
    Type count; /* of a list: of its length */
    int is_list;
    Role role;
} Property;

typedef struct Element {
    char name[NAME];
    long n;
    int first, nproperty; /* into Ply.property */
} Element;

typedef enum { UNSAID, TEXT, LITTLE, BIG } Encoding;

typedef struct Ply {
    tacWords words; /* the header, and the elements of text */
    Encoding encoding;
    const unsigned char *at, *end; /* the elements of numbers */
    Element element[MAX_ELEMENTS];
    int nelement;
    Property property[MAX_PROPERTIES];
    int nproperty;
    tacPolygons polygons;
    tacError *err;
} Ply;

/* --- Header ------------------------------------------------------------------------------------------------------- */

static tacStatus fail_header(Ply *ply, const char *found, const char *expected) {
    return tac_fail(ply->err, TAC_ERR_SYNTAX, "%s:%d: found \"%.40s\", expected %s", ply->words.file, ply->words.line,
                    found != NULL ? found : "", expected);
}

static tacStatus read_type(Ply *ply, const char *word, Type *type) {
    static const char *const name[2][NTYPE] = {
        {"char", "uchar", "short", "ushort", "int", "uint", "float", "double"},
        {"int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"}};
    for (int i = 0; word != NULL && i < 2 * NTYPE; i++)
        if (strcmp(word, name[i / NTYPE][i % NTYPE]) == 0) {
            *type = (Type)(i % NTYPE);
            return TAC_OK;
        }
    return fail_header(ply, word, "a type such as float, int or uchar");
}

static tacStatus read_format(Ply *ply) {
    static const char *const name[] = {
        [TEXT] = "ascii", [LITTLE] = "binary_little_endian", [BIG] = "binary_big_endian"};
    const char *word = tac_words_next(&ply->words);
    for (int i = TEXT; word != NULL && i <= BIG; i++)
        if (strcmp(word, name[i]) == 0) {
            ply->encoding = (Encoding)i;
            tac_words_skip_line(&ply->words);
            return TAC_OK;
        }
    return fail_header(ply, word, "ascii, binary_little_endian or binary_big_endian");
}

static tacStatus read_element(Ply *ply) {
    const char *name = tac_words_next(&ply->words);
    if (ply->nelement == MAX_ELEMENTS) return fail_header(ply, name, "fewer elements");
    if (name == NULL || strlen(name) >= NAME) return fail_header(ply, name, "a short name of an element");
    Element *element = &ply->element[ply->nelement++];
    *element = (Element){.first = ply->nproperty};
    strcpy(element->name, name);
    return tac_words_count(&ply->words, "number of elements", 0, INT_MAX, &element->n, ply->err);
}

static Role role_of(const Element *element, int is_list, const char *name) {
    static const struct {
        const char *element, *property;
        int is_list;
        Role role;
    } table[] = {{"vertex", "x", 0, X},
                 {"vertex", "y", 0, Y},
                 {"vertex", "z", 0, Z},
                 {"face", "vertex_indices", 1, CORNERS},
                 {"face", "vertex_index", 1, CORNERS},
                 {"tristrips", "vertex_indices", 1, STRIPS},
                 {"tristrips", "vertex_index", 1, STRIPS}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (is_list == table[i].is_list && strcmp(element->name, table[i].element) == 0 &&
            strcmp(name, table[i].property) == 0)
            return table[i].role;
    return NOTHING;
}

static tacStatus read_property(Ply *ply) {
    const char *word = tac_words_next(&ply->words);
    if (ply->nelement == 0) return fail_header(ply, word, "an element before its properties");
    if (ply->nproperty == MAX_PROPERTIES) return fail_header(ply, word, "fewer properties");
    Element *element = &ply->element[ply->nelement - 1];
    Property *property = &ply->property[ply->nproperty];
    *property = (Property){.is_list = word != NULL && strcmp(word, "list") == 0};
    tacStatus status = TAC_OK;
    if (property->is_list) {
        status = read_type(ply, tac_words_next(&ply->words), &property->count);
        word = tac_words_next(&ply->words);
    }
    if (status == TAC_OK) status = read_type(ply, word, &property->type);
    if (status != TAC_OK) return status;
    const char *name = tac_words_next(&ply->words);
    if (name == NULL) return fail_header(ply, name, "the name of a property");
    property->role = role_of(element, property->is_list, name);
    element->nproperty++;
    ply->nproperty++;
    return TAC_OK;
}

/* One line; *done: it was the last. */
static tacStatus read_header_line(Ply *ply, int *done) {
    const char *word = tac_words_next(&ply->words);
    if (word == NULL) return fail_header(ply, word, "end_header");
    *done = strcmp(word, "end_header") == 0;
    if (*done || strcmp(word, "comment") == 0 || strcmp(word, "obj_info") == 0) {
        tac_words_skip_line(&ply->words);
        return TAC_OK;
    }
    if (strcmp(word, "format") == 0) return read_format(ply);
    if (strcmp(word, "element") == 0) return read_element(ply);
    if (strcmp(word, "property") == 0) return read_property(ply);
    return fail_header(ply, word, "format, comment, element, property or end_header");
}

/* A file of vertices without x, y, z would be a heap at the origin. */
static tacStatus check_vertices(Ply *ply) {
    unsigned found = 0;
    for (int i = 0; i < ply->nproperty; i++)
        found |= 1u << ply->property[i].role;
    if ((found & 1u << X) && (found & 1u << Y) && (found & 1u << Z)) return TAC_OK;
    return tac_fail(ply->err, TAC_ERR_SYNTAX, "%s: expected an element vertex with properties x, y and z",
                    ply->words.file);
}

static tacStatus read_header(Ply *ply) {
    const char *word = tac_words_next(&ply->words);
    int done = 0;
    if (word == NULL || strcmp(word, "ply") != 0) return fail_header(ply, word, "ply");
    tacStatus status = TAC_OK;
    while (status == TAC_OK && !done)
        status = read_header_line(ply, &done);
    if (status != TAC_OK) return status;
    if (ply->encoding == UNSAID) return fail_header(ply, "end_header", "a line format before it");
    ply->at = (const unsigned char *)ply->words.at; /* numbers begin after the line's end */
    if (!ply->words.line_ended && ply->words.at < ply->words.end) ply->at++;
    return check_vertices(ply);
}

/* --- Numbers ------------------------------------------------------------------------------------------------------ */

static tacStatus fail_end(Ply *ply, const Element *element, long i) {
    return tac_fail(ply->err, TAC_ERR_SYNTAX, "%s: the file ends inside %s %ld of %ld", ply->words.file, element->name,
                    i, element->n);
}

/* `width` bytes, the first one the lowest or the highest. */
static uint64_t load_bits(const unsigned char *p, size_t width, Encoding encoding) {
    uint64_t bits = 0;
    for (size_t k = 0; k < width; k++)
        bits |= (uint64_t)p[encoding == LITTLE ? k : width - 1 - k] << 8 * k;
    return bits;
}

static double number_of(uint64_t bits, Type type) {
    uint32_t low = (uint32_t)bits;
    float f;
    double d;
    switch (type) {
    case CHAR:
        return (double)(int8_t)low;
    case SHORT:
        return (double)(int16_t)low;
    case INT:
        return (double)(int32_t)low;
    case FLOAT:
        memcpy(&f, &low, sizeof f);
        return (double)f;
    case DOUBLE:
        memcpy(&d, &bits, sizeof d);
        return d;
    default:
        return (double)low;
    }
}

/* Element i of its kind is being read. */
static tacStatus read_number(Ply *ply, const Element *element, long i, Type type, double *value) {
    if (ply->encoding == TEXT) return tac_words_number(&ply->words, element->name, value, ply->err);
    size_t width = WIDTH[type];
    if ((size_t)(ply->end - ply->at) < width) return fail_end(ply, element, i);
    *value = number_of(load_bits(ply->at, width, ply->encoding), type);
    ply->at += width;
    return TAC_OK;
}

/* --- Elements ----------------------------------------------------------------------------------------------------- */

static tacStatus fail_list(Ply *ply, const Element *element, long i, const char *what, double found) {
    return tac_fail(ply->err, TAC_ERR_SYNTAX, "%s: %s %ld has %s %g, expected a whole number below 2^31",
                    ply->words.file, element->name, i, what, found);
}

static int is_whole(double x, double least) { return x >= least && x <= INT_MAX && x == floor(x); }

/* One more corner of a strip whose last two are `strip`, after `n` of them; -1 begins a new one. */
static tacStatus add_to_strip(Ply *ply, int vertex, int strip[2], int *n) {
    if (vertex < 0) {
        *n = 0;
        return TAC_OK;
    }
    int first = ply->polygons.ncorner, turn = *n % 2;
    int corner[3] = {strip[turn], strip[1 - turn], vertex};
    tacStatus status = TAC_OK;
    for (int k = 0; k < 3 && *n >= 2 && status == TAC_OK; k++)
        status = tac_polygons_add_corner(&ply->polygons, corner[k], ply->err);
    if (status == TAC_OK) status = tac_polygons_close(&ply->polygons, first, ply->err);
    strip[0] = strip[1];
    strip[1] = vertex;
    ++*n;
    return status;
}

/* Vertices of a face, or of strips. */
static tacStatus read_corners(Ply *ply, const Element *element, long i, const Property *property, double n) {
    int first = ply->polygons.ncorner, strip[2] = {0, 0}, in_strip = 0, is_strip = property->role == STRIPS;
    tacStatus status = TAC_OK;
    for (double k = 0; k < n && status == TAC_OK; k++) {
        double vertex = 0;
        status = read_number(ply, element, i, property->type, &vertex);
        if (status == TAC_OK && !is_whole(vertex, is_strip ? -1 : 0))
            status = fail_list(ply, element, i, "a vertex", vertex);
        if (status != TAC_OK) return status;
        status = is_strip ? add_to_strip(ply, (int)vertex, strip, &in_strip)
                          : tac_polygons_add_corner(&ply->polygons, (int)vertex, ply->err);
    }
    return status == TAC_OK && !is_strip ? tac_polygons_close(&ply->polygons, first, ply->err) : status;
}

static tacStatus skip_list(Ply *ply, const Element *element, long i, const Property *property, double n) {
    tacStatus status = TAC_OK;
    double ignored;
    if (ply->encoding == TEXT) {
        for (double k = 0; k < n && status == TAC_OK; k++)
            status = read_number(ply, element, i, property->type, &ignored);
        return status;
    }
    size_t bytes = (size_t)n * WIDTH[property->type];
    if ((size_t)(ply->end - ply->at) < bytes) return fail_end(ply, element, i);
    ply->at += bytes;
    return TAC_OK;
}

static tacStatus read_list(Ply *ply, const Element *element, long i, const Property *property) {
    double n = 0;
    tacStatus status = read_number(ply, element, i, property->count, &n);
    if (status != TAC_OK) return status;
    if (!is_whole(n, 0)) return fail_list(ply, element, i, "a list of length", n);
    return (property->role != NOTHING ? read_corners : skip_list)(ply, element, i, property, n);
}

static tacStatus read_one(Ply *ply, const Element *element, long i) {
    double xyz[3] = {0, 0, 0}, value = 0;
    int is_vertex = 0;
    for (int k = 0; k < element->nproperty; k++) {
        const Property *property = &ply->property[element->first + k];
        tacStatus status = property->is_list ? read_list(ply, element, i, property)
                                             : read_number(ply, element, i, property->type, &value);
        if (status != TAC_OK) return status;
        if (property->role < X || property->role > Z) continue;
        xyz[property->role - X] = value;
        is_vertex = 1;
    }
    ply->polygons.line = ply->encoding == TEXT ? ply->words.line : 0;
    return is_vertex ? tac_polygons_add_vertex(&ply->polygons, xyz, ply->err) : TAC_OK;
}

static tacStatus read_elements(Ply *ply) {
    tacStatus status = TAC_OK;
    for (int e = 0; e < ply->nelement; e++) {
        const Element *element = &ply->element[e];
        for (long i = 0; i < element->n && element->nproperty > 0 && status == TAC_OK; i++)
            status = read_one(ply, element, i);
    }
    return status;
}

tacStatus tac_mesh_read_ply(const char *file, unsigned char *bytes, size_t size, tacMeshData *mesh, tacError *err) {
    Ply ply = {.words = {.file = file, .at = (char *)bytes, .end = (char *)bytes + size, .line = 1},
               .end = bytes + size,
               .polygons = {.file = file},
               .err = err};
    tacStatus status = read_header(&ply);
    if (status == TAC_OK) status = read_elements(&ply);
    if (status == TAC_OK) status = tac_polygons_make(&ply.polygons, mesh, err);
    tac_polygons_free(&ply.polygons);
    return status;
}
