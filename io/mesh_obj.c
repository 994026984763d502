/* OBJ: v lines and f lines; faces of three or more corners written v, v/vt, v//vn or v/vt/vn, counted from 1 or, when
 * negative, back from the last vertex. MuJoCo takes the faces of the first group (g or o) that has any; so do we. */
#include "io/mesh_formats.h"

#include "base/error.h"
#include "io/numbers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VERTEX_NUMBERS = 8, FIRST_ROWS = 256 }; /* x y z, w, r g b, a: what is in use */

typedef struct Obj {
    const char *file;
    int line;
    float *vert; /* 3 nvert */
    int nvert, vert_capacity;
    int *corner; /* vertex ids of all polygons */
    int ncorner, corner_capacity;
    int *polygon; /* corners of each */
    int npolygon, polygon_capacity;
    int group_over; /* a g or o line came after the first faces */
    int dropped;
    int largest, largest_line; /* vertex id that a face named, and where */
} Obj;

/* The array with room for one more row, or NULL (the old one is then still there). */
static void *grow(const Obj *obj, void *array, int n, int *capacity, size_t row, tacError *err) {
    if (n < *capacity) return array;
    int larger = *capacity == 0 ? FIRST_ROWS : *capacity < INT_MAX / 8 ? 2 * *capacity : 0;
    void *grown = larger > 0 ? realloc(array, (size_t)larger * row) : NULL;
    if (grown == NULL)
        tac_fail(err, TAC_ERR_MEMORY, "%s:%d: no memory for more than %d rows", obj->file, obj->line, n);
    else
        *capacity = larger;
    return grown;
}

static tacStatus read_vertex(Obj *obj, const char *text, tacError *err) {
    double number[MAX_VERTEX_NUMBERS];
    int n;
    tacError inner;
    if (tac_numbers_read(text, 3, MAX_VERTEX_NUMBERS, number, &n, &inner) != TAC_OK)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s:%d: vertex: %s", obj->file, obj->line, inner.text);
    float *grown = grow(obj, obj->vert, obj->nvert, &obj->vert_capacity, 3 * sizeof(float), err);
    if (grown == NULL) return TAC_ERR_MEMORY;
    obj->vert = grown;
    float *v = obj->vert + 3 * (size_t)obj->nvert;
    for (int k = 0; k < 3; k++) {
        v[k] = (float)number[k];
        if (!(v[k] <= TAC_MESH_MAX_COORDINATE && v[k] >= -TAC_MESH_MAX_COORDINATE))
            return tac_fail(err, TAC_ERR_SYNTAX, "%s:%d: coordinate %g, expected one within 2^30", obj->file, obj->line,
                            number[k]);
    }
    obj->nvert++;
    return TAC_OK;
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
                        obj->file, obj->line, (int)strcspn(word, " \t"), word);
    if (id == 0 || id < -obj->nvert)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s:%d: face: vertex %ld, expected 1 to %d or -%d to -1", obj->file,
                        obj->line, id, obj->nvert, obj->nvert);
    int *grown = grow(obj, obj->corner, obj->ncorner, &obj->corner_capacity, sizeof(int), err);
    if (grown == NULL) return TAC_ERR_MEMORY;
    obj->corner = grown;
    int zero_based = (int)(id > 0 ? id - 1 : obj->nvert + id);
    if (zero_based > obj->largest) obj->largest = zero_based, obj->largest_line = obj->line;
    obj->corner[obj->ncorner++] = zero_based;
    return TAC_OK;
}

static tacStatus read_face(Obj *obj, const char *p, tacError *err) {
    int first = obj->ncorner;
    tacStatus status = TAC_OK;
    for (p += strspn(p, " \t"); *p != 0 && status == TAC_OK; p += strspn(p, " \t"))
        status = read_corner(obj, &p, err);
    int n = obj->ncorner - first;
    if (status != TAC_OK) return status;
    if (n < 3 || obj->group_over) { /* points and lines bound no volume; later groups do not count */
        obj->dropped += n >= 3;
        obj->ncorner = first;
        return TAC_OK;
    }
    int *grown = grow(obj, obj->polygon, obj->npolygon, &obj->polygon_capacity, sizeof(int), err);
    if (grown == NULL) return TAC_ERR_MEMORY;
    obj->polygon = grown;
    obj->polygon[obj->npolygon++] = n;
    return TAC_OK;
}

static tacStatus read_line(Obj *obj, const char *p, tacError *err) {
    p += strspn(p, " \t");
    size_t length = strcspn(p, " \t");
    if (length == 1 && p[0] == 'v') return read_vertex(obj, p + 1, err);
    if (length == 1 && p[0] == 'f') return read_face(obj, p + 1, err);
    if (length == 1 && (p[0] == 'g' || p[0] == 'o') && obj->npolygon > 0) obj->group_over = 1;
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
    obj->line = 1;
    while (text < end && status == TAC_OK) {
        int lines;
        char *next = end_line(text, end, &lines);
        status = read_line(obj, text, err);
        obj->line += lines;
        text = next;
    }
    if (status == TAC_OK && obj->largest >= obj->nvert)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s:%d: face: vertex %d, expected 1 to %d", obj->file, obj->largest_line,
                        obj->largest + 1, obj->nvert);
    return status;
}

static tacStatus make_mesh(Obj *obj, tacMeshData *mesh, tacError *err) {
    mesh->vert = malloc(((size_t)obj->nvert + 1) * sizeof *mesh->vert);
    mesh->face = malloc((3 * (size_t)obj->ncorner + 1) * sizeof *mesh->face); /* n corners give n - 2 triangles */
    if (mesh->vert == NULL || mesh->face == NULL)
        return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory for %d vertices", obj->file, obj->nvert);
    for (mesh->nvert = 0; mesh->nvert < obj->nvert; mesh->nvert++) {
        const float *v = obj->vert + 3 * (size_t)mesh->nvert;
        mesh->vert[mesh->nvert] = (tacVec3){(double)v[0], (double)v[1], (double)v[2]};
    }
    int *corner = obj->corner;
    for (int i = 0; i < obj->npolygon; corner += obj->polygon[i++])
        mesh->nface += tac_mesh_cut_ears(obj->vert, obj->polygon[i], corner, mesh->face + 3 * (size_t)mesh->nface);
    mesh->dropped = obj->dropped;
    return TAC_OK;
}

tacStatus tac_mesh_read_obj(const char *file, unsigned char *bytes, size_t size, tacMeshData *mesh, tacError *err) {
    Obj obj = {.file = file, .largest = -1};
    tacStatus status = read_lines(&obj, (char *)bytes, size, err);
    if (status == TAC_OK) status = make_mesh(&obj, mesh, err);
    free(obj.vert);
    free(obj.corner);
    free(obj.polygon);
    return status;
}
