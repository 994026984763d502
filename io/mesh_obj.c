/* OBJ: v lines and f lines; faces of three or more corners written v, v/vt, v//vn or v/vt/vn, counted from 1 or, when
 * negative, back from the last vertex. MuJoCo takes the faces of the first group (g or o) that has any; so do we. */
#include "io/mesh_formats.h"

#include "base/error.h"
#include "io/mesh_polygons.h"
#include "io/numbers.h"

#include <limits.h>
#include <string.h>

enum { MAX_VERTEX_NUMBERS = 8 }; /* x y z, w, r g b, a: what is in use */

typedef struct Obj {
    tacPolygons polygons; /* file and line too */
    int group_over;       /* a g or o line came after the first faces */
    int dropped;
    int largest, largest_line; /* vertex id that a face named, and where */
} Obj;

static tacStatus read_vertex(Obj *obj, const char *text, tacError *err) {
    double number[MAX_VERTEX_NUMBERS];
    int n;
    tacError inner;
    if (tac_numbers_read(text, 3, MAX_VERTEX_NUMBERS, number, &n, &inner) != TAC_OK)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s:%d: vertex: %s", obj->polygons.file, obj->polygons.line, inner.text);
    return tac_polygons_add_vertex(&obj->polygons, number, err);
}

/* [sign] digits at *p -> value, *p moved on; 0: there is no such number or it is too large. */
static int scan_int(const char **p, long *value) {
    int minus = **p == '-', digits = 0;
    *p += **p == '-' || **p == '+';
    *value = 0;
    for (; **p >= '0' && **p <= '9'; ++*p, digits++)
        if (*value <= INT_MAX) *value = 10 * *value + (**p - '0');
    if (minus) *value = -*value;
    return digits > 0 && *value <= INT_MAX && *value >= -INT_MAX;
}

static int at_end_of_word(const char *p) { return *p == 0 || *p == ' ' || *p == '\t'; }

/* v, v/vt, v//vn or v/vt/vn at *p; the first number counts. */
static int scan_corner(const char **p, long *vertex) {
    long other;
    if (!scan_int(p, vertex)) return 0;
    for (int k = 0; k < 2 && **p == '/'; k++) {
        ++*p;
        if (**p != '/' && !at_end_of_word(*p) && !scan_int(p, &other)) return 0;
    }
    return at_end_of_word(*p);
}

static tacStatus read_corner(Obj *obj, const char **p, tacError *err) {
    long id;
    const char *word = *p;
    if (!scan_corner(p, &id))
        return tac_fail(err, TAC_ERR_SYNTAX, "%s:%d: face: found \"%.*s\", expected v, v/vt, v//vn or v/vt/vn",
                        obj->polygons.file, obj->polygons.line, (int)strcspn(word, " \t"), word);
    int nvert = obj->polygons.nvert;
    if (id == 0 || id < -nvert)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s:%d: face: vertex %ld, expected 1 to %d or -%d to -1",
                        obj->polygons.file, obj->polygons.line, id, nvert, nvert);
    int zero_based = (int)(id > 0 ? id - 1 : nvert + id);
    if (zero_based > obj->largest) {
        obj->largest = zero_based;
        obj->largest_line = obj->polygons.line;
    }
    return tac_polygons_add_corner(&obj->polygons, zero_based, err);
}

static tacStatus read_face(Obj *obj, const char *p, tacError *err) {
    int first = obj->polygons.ncorner;
    tacStatus status = TAC_OK;
    for (p += strspn(p, " \t"); *p != 0 && status == TAC_OK; p += strspn(p, " \t"))
        status = read_corner(obj, &p, err);
    if (status != TAC_OK) return status;
    if (!obj->group_over) return tac_polygons_close(&obj->polygons, first, err);
    obj->dropped += obj->polygons.ncorner - first >= 3; /* later groups do not count */
    obj->polygons.ncorner = first;
    return TAC_OK;
}

static tacStatus read_line(Obj *obj, const char *p, tacError *err) {
    p += strspn(p, " \t");
    size_t length = strcspn(p, " \t");
    if (length == 1 && p[0] == 'v') return read_vertex(obj, p + 1, err);
    if (length == 1 && p[0] == 'f') return read_face(obj, p + 1, err);
    if (length == 1 && (p[0] == 'g' || p[0] == 'o') && obj->polygons.npolygon > 0) obj->group_over = 1;
    return TAC_OK;
}

/* Ends the line at `start` with a zero byte; lines joined by a closing backslash are one. Returns the start of the next
 * line; *lines counts what was passed. */
static char *end_line(char *start, char *end, int *lines) {
    *lines = 0;
    for (char *p = start; p < end; p++) {
        if (*p == 0) *p = ' ';
        if (*p != '\n' && *p != '\r') continue;
        ++*lines;
        char *next = p + (*p == '\r' && p + 1 < end && p[1] == '\n' ? 2 : 1);
        if (p == start || p[-1] != '\\') {
            *p = 0;
            return next;
        }
        memset(p - 1, ' ', (size_t)(next - p) + 1);
        p = next - 1;
    }
    return end;
}

static tacStatus read_lines(Obj *obj, char *text, size_t size, tacError *err) {
    char *end = text + size;
    tacStatus status = TAC_OK;
    obj->polygons.line = 1;
    while (text < end && status == TAC_OK) {
        int lines;
        char *next = end_line(text, end, &lines);
        status = read_line(obj, text, err);
        obj->polygons.line += lines;
        text = next;
    }
    if (status == TAC_OK && obj->largest >= obj->polygons.nvert)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s:%d: face: vertex %d, expected 1 to %d", obj->polygons.file,
                        obj->largest_line, obj->largest + 1, obj->polygons.nvert);
    return status;
}

tacStatus tac_mesh_read_obj(const char *file, unsigned char *bytes, size_t size, tacMeshData *mesh, tacError *err) {
    Obj obj = {.polygons = {.file = file}, .largest = -1};
    tacStatus status = read_lines(&obj, (char *)bytes, size, err);
    if (status == TAC_OK) status = tac_polygons_make(&obj.polygons, mesh, err);
    mesh->dropped = obj.dropped;
    tac_polygons_free(&obj.polygons);
    return status;
}
