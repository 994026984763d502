#include "io/mesh_builtin.h"

#include "base/error.h"
#include "io/mesh_formats.h"
#include "math/scalar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cells along a side; corners of one plane, whose hull takes a time that grows with their third power. */
enum { MAX_PARAMS = 5, MAX_GRID = 1000, MAX_POLYGON = 2000 };

static const double PI = 3.14159265358979323846;

/* --- A shape that grows ------------------------------------------------------------------------------------------- */

typedef struct Shape {
    tacVec3 *vert;
    int *face;
    int nvert, nface;
} Shape;

/* Room for exactly so many. */
static tacStatus reserve(Shape *shape, int nvert, int nface, tacError *err) {
    shape->vert = malloc((size_t)nvert * sizeof *shape->vert);
    shape->face = malloc((3 * (size_t)nface + 1) * sizeof *shape->face);
    if (shape->vert != NULL && shape->face != NULL) return TAC_OK;
    return tac_fail(err, TAC_ERR_MEMORY, "no memory for %d vertices", nvert);
}

static int add_vertex(Shape *shape, double x, double y, double z) {
    shape->vert[shape->nvert] = (tacVec3){x, y, z};
    return shape->nvert++;
}

static void add_face(Shape *shape, int a, int b, int c) {
    int *face = shape->face + 3 * (size_t)shape->nface++;
    face[0] = a;
    face[1] = b;
    face[2] = c;
}

/* Two triangles of the quadrilateral a b c d, cut from b to d. */
static void add_quad(Shape *shape, int a, int b, int c, int d) {
    add_face(shape, a, b, d);
    add_face(shape, b, c, d);
}

/* --- Kinds -------------------------------------------------------------------------------------------------------- */

/* sphere (subdivision): an icosahedron whose triangles are cut in four, corners moved out to the sphere. The corners
 * are in single precision, so that an edge has the same middle from both sides and equal corners can be welded. */
typedef struct Triangle {
    float corner[3][3];
} Triangle;

static void middle(const float a[3], const float b[3], float out[3]) {
    for (int k = 0; k < 3; k++)
        out[k] = (a[k] + b[k]) / 2;
    float length = sqrtf(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    for (int k = 0; k < 3; k++)
        out[k] /= length;
}

/* One triangle -> the three at its corners and the one between. */
static void cut_in_four(const Triangle *whole, Triangle part[4]) {
    for (int k = 0; k < 3; k++)
        middle(whole->corner[k], whole->corner[(k + 1) % 3], part[3].corner[k]);
    for (int k = 0; k < 3; k++) {
        memcpy(part[k].corner[0], whole->corner[k], sizeof whole->corner[k]);
        memcpy(part[k].corner[1], part[3].corner[k], sizeof whole->corner[k]);
        memcpy(part[k].corner[2], part[3].corner[(k + 2) % 3], sizeof whole->corner[k]);
    }
}

/* Corner i of 12: those of three golden rectangles, one in each plane of two axes. */
static void icosahedron_corner(int i, float out[3]) {
    const double golden = (1 + sqrt(5)) / 2, length = sqrt(1 + golden * golden);
    int axis = i / 4;
    out[axis] = (float)((i & 1 ? 1 : -1) / length);
    out[(axis + 1) % 3] = (float)((i & 2 ? -golden : golden) / length);
    out[(axis + 2) % 3] = 0;
}

/* The 20 triples of corners that lie an edge apart, outside to the front. */
static void make_icosahedron(Triangle *triangle) {
    float v[12][3];
    int n = 0;
    for (int i = 0; i < 12; i++)
        icosahedron_corner(i, v[i]);
    for (int code = 0; code < 12 * 12 * 12; code++) {
        const float *a = v[code / 144], *b = v[code / 12 % 12], *c = v[code % 12];
        float ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2], bc = b[0] * c[0] + b[1] * c[1] + b[2] * c[2],
              ca = c[0] * a[0] + c[1] * a[1] + c[2] * a[2];
        float volume = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                       a[2] * (b[0] * c[1] - b[1] * c[0]);
        int apart = ab > 0 && ab < 0.9f && bc > 0 && bc < 0.9f && ca > 0 && ca < 0.9f; /* cosine of an edge: 0.447 */
        if (!apart || volume < 0 || a > b || a > c) continue; /* each triple once: its lowest corner first */
        memcpy(triangle[n].corner[0], a, sizeof v[0]);
        memcpy(triangle[n].corner[1], b, sizeof v[0]);
        memcpy(triangle[n++].corner[2], c, sizeof v[0]);
    }
}

static tacStatus make_sphere(const double *p, tacMeshData *mesh, tacError *err) {
    size_t n = 20, cuts = (size_t)p[0], all = n << 2 * cuts;
    Triangle *triangle = malloc(all * sizeof *triangle);
    if (triangle == NULL) return tac_fail(err, TAC_ERR_MEMORY, "no memory for %zu triangles", all);
    make_icosahedron(triangle);
    for (size_t cut = 0; cut < cuts; cut++, n *= 4)
        for (size_t i = n; i-- > 0;) { /* backwards: the four go behind all that are still whole */
            Triangle whole = triangle[i];
            cut_in_four(&whole, triangle + 4 * i);
        }
    tacStatus status = tac_mesh_weld("sphere", triangle[0].corner[0], 3 * n, mesh, err);
    free(triangle);
    return status;
}

/* hemisphere (resolution): the upper half of an octahedron, each side cut into rows below the pole, moved out to the
 * sphere; a fan from the centre closes it. Row r has 4 r vertices, r from one corner of the equator to the next. */
static int hemisphere_id(int row, int side, int i) {
    return row == 0 ? 0 : 1 + 2 * row * (row - 1) + (row * side + i) % (4 * row);
}

static void add_hemisphere_row(Shape *shape, int row, int rows) {
    static const int equator[5][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 0}};
    for (int k = 0; k < 4 * row; k++) {
        const int *from = equator[k / row], *to = equator[k / row + 1];
        int i = k % row;
        double x = (row - i) * from[0] + i * to[0], y = (row - i) * from[1] + i * to[1], z = rows - row;
        double length = sqrt(x * x + y * y + z * z);
        add_vertex(shape, x / length, y / length, z / length);
    }
    for (int side = 0; side < 4; side++)
        for (int i = 0; i < row; i++) {
            int above = hemisphere_id(row - 1, side, i), right = hemisphere_id(row, side, i + 1);
            add_face(shape, above, hemisphere_id(row, side, i), right);
            if (i + 1 < row) add_face(shape, above, right, hemisphere_id(row - 1, side, i + 1));
        }
}

static tacStatus make_hemisphere(const double *p, Shape *shape, tacError *err) {
    int rows = (int)p[0] + 1;
    tacStatus status = reserve(shape, 2 + 2 * rows * (rows + 1), 4 * rows * (rows + 1), err);
    if (status != TAC_OK) return status;
    add_vertex(shape, 0, 0, 1);
    for (int row = 1; row <= rows; row++)
        add_hemisphere_row(shape, row, rows);
    int centre = add_vertex(shape, 0, 0, 0);
    for (int i = 0; i < 4 * rows; i++)
        add_face(shape, hemisphere_id(rows, 0, i), centre, hemisphere_id(rows, 0, i + 1));
    return TAC_OK;
}

/* cone (nvert, radius): a regular polygon at z = -1, another of the given radius or a point at z = 1; their hull. */
static tacStatus make_cone(const double *p, Shape *shape, tacError *err) {
    int n = (int)p[0];
    tacStatus status = reserve(shape, 2 * n, 0, err);
    if (status != TAC_OK) return status;
    for (int i = 0; i < n; i++)
        add_vertex(shape, tac_cos(2 * i * PI / n), tac_sin(2 * i * PI / n), -1);
    for (int i = 0; i < n && p[1] > 0; i++)
        add_vertex(shape, p[1] * tac_cos(2 * i * PI / n), p[1] * tac_sin(2 * i * PI / n), 1);
    if (!(p[1] > 0)) add_vertex(shape, 0, 0, 1);
    return TAC_OK;
}

/* sign(x) |x|^m */
static double signed_power(double x, double m) { return copysign(tac_pow(fabs(x), m), x); }
static double super_cos(double angle, double m) { return signed_power(tac_cos(angle), m); }
static double super_sin(double angle, double m) { return signed_power(tac_sin(angle), m); }

/* supersphere (resolution, e, n): rings between two poles. */
static tacStatus make_supersphere(const double *p, Shape *shape, tacError *err) {
    int n = (int)p[0];
    tacStatus status = reserve(shape, n * (n - 1) + 2, 2 * n * (n - 1), err);
    if (status != TAC_OK) return status;
    int south = add_vertex(shape, 0, 0, -1);
    for (int ring = 1; ring < n; ring++)
        for (int j = 0; j < n; j++) {
            double latitude = ring * PI / n - PI / 2, longitude = 2 * j * PI / n - PI, wide = super_cos(latitude, p[2]);
            add_vertex(shape, wide * super_cos(longitude, p[1]), wide * super_sin(longitude, p[1]),
                       super_sin(latitude, p[2]));
        }
    int north = add_vertex(shape, 0, 0, 1);
    for (int j = 0; j < n; j++) {
        int next = (j + 1) % n;
        add_face(shape, south, 1 + next, 1 + j);
        for (int low = 1; low + 2 * n <= north; low += n)
            add_quad(shape, low + j, low + next, low + n + next, low + n + j);
        add_face(shape, north - n + j, north - n + next, north);
    }
    return TAC_OK;
}

/* supertorus (resolution, radius, s, t): sections of the given radius around a ring of radius one. */
static tacStatus make_supertorus(const double *p, Shape *shape, tacError *err) {
    int n = (int)p[0];
    tacStatus status = reserve(shape, n * n, 2 * n * n, err);
    if (status != TAC_OK) return status;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double around = 2 * i * PI / n, section = 2 * j * PI / n, wide = 1 + p[1] * super_cos(section, p[2]);
            add_vertex(shape, wide * super_cos(around, p[3]), wide * super_sin(around, p[3]),
                       p[1] * super_sin(section, p[2]));
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int here = i * n, there = (i + 1) % n * n, next = (j + 1) % n;
            add_quad(shape, here + j, there + j, there + next, here + next);
        }
    return TAC_OK;
}

/* Middle of bin i of n over -1 to 1, the bins' edges drawn to the centre by x -> gamma x^5 + (1 - gamma) x. */
static double bin_middle(int i, int n, double gamma) {
    double sum = 0;
    for (int k = i; k <= i + 1; k++) {
        double x = 2.0 * k / n - 1;
        sum += gamma * x * x * x * x * x + (1 - gamma) * x;
    }
    return sum / 2;
}

/* wedge (res_phi, res_theta, fov_phi, fov_theta, gamma): points of the unit sphere around -z; their hull. */
static tacStatus make_wedge(const double *p, Shape *shape, tacError *err) {
    tacStatus status = reserve(shape, (int)p[0] * (int)p[1], 0, err);
    for (int i = 0; i < (int)p[0] && status == TAC_OK; i++)
        for (int j = 0; j < (int)p[1]; j++) {
            double a = bin_middle(i, (int)p[0], p[4]) * p[2] * PI / 180;
            double e = bin_middle(j, (int)p[1], p[4]) * p[3] * PI / 180;
            add_vertex(shape, tac_cos(e) * tac_sin(a), tac_sin(e), -tac_cos(e) * tac_cos(a));
        }
    return status;
}

/* plate (res_x, res_y): the middles of the cells of a square at z = -1. */
static tacStatus make_plate(const double *p, Shape *shape, tacError *err) {
    int nx = (int)p[0], ny = (int)p[1];
    tacStatus status = reserve(shape, nx * ny, 2 * (nx - 1) * (ny - 1), err);
    if (status != TAC_OK) return status;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            add_vertex(shape, bin_middle(i, nx, 0), bin_middle(j, ny, 0), -1);
    for (int i = 0; i + 1 < nx; i++)
        for (int j = 0; j + 1 < ny; j++) {
            int a = i * ny + j;
            add_quad(shape, a, a + ny, a + ny + 1, a + 1);
        }
    return TAC_OK;
}

/* --- The table ---------------------------------------------------------------------------------------------------- */

typedef struct Param {
    const char *name;
    int whole;
    double least, most;
    int above; /* least itself is not allowed */
} Param;

typedef struct Kind {
    const char *name;
    tacStatus (*make)(const double *param, Shape *shape, tacError *err); /* NULL: the sphere, which welds */
    int shell, nparam;
    Param param[MAX_PARAMS];
} Kind;

static const Kind KIND[] = {
    {"sphere", NULL, 0, 1, {{"subdivision", 1, 0, 4, 0}}},
    {"hemisphere", make_hemisphere, 0, 1, {{"resolution", 1, 0, 10, 0}}},
    {"cone", make_cone, 0, 2, {{"nvert", 1, 3, MAX_POLYGON, 0}, {"radius", 0, 0, 1e6, 0}}},
    {"supersphere",
     make_supersphere,
     0,
     3,
     {{"resolution", 1, 3, MAX_GRID, 0}, {"e", 0, 0, 1e3, 0}, {"n", 0, 0, 1e3, 0}}},
    {"supertorus",
     make_supertorus,
     0,
     4,
     {{"resolution", 1, 3, MAX_GRID, 0}, {"radius", 0, 0, 1, 1}, {"s", 0, 0, 1e3, 1}, {"t", 0, 0, 1e3, 1}}},
    {"wedge",
     make_wedge,
     0,
     5,
     {{"res_phi", 1, 1, MAX_GRID, 0},
      {"res_theta", 1, 1, MAX_GRID, 0},
      {"fov_phi", 0, 0, 180, 1},
      {"fov_theta", 0, 0, 90, 1},
      {"gamma", 0, 0, 1, 0}}},
    {"plate", make_plate, 1, 2, {{"res_x", 1, 1, MAX_GRID, 0}, {"res_y", 1, 1, MAX_GRID, 0}}},
};
enum { NKIND = sizeof KIND / sizeof *KIND };

static const Kind *find_kind(const char *name, tacError *err) {
    char known[128] = "";
    size_t used = 0;
    for (int i = 0; i < NKIND; i++) {
        if (strcmp(KIND[i].name, name) == 0) return &KIND[i];
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", KIND[i].name);
    }
    tac_fail(err, TAC_ERR_SYNTAX, "attribute 'builtin': found \"%.40s\", expected one of %s", name, known);
    return NULL;
}

static tacStatus check_params(const Kind *kind, int nparam, const double *param, tacError *err) {
    if (nparam != kind->nparam)
        return tac_fail(err, TAC_ERR_SYNTAX, "attribute 'params': found %d number%s, expected %d for a %s", nparam,
                        nparam == 1 ? "" : "s", kind->nparam, kind->name);
    for (int i = 0; i < nparam; i++) {
        const Param *p = &kind->param[i];
        int inside = param[i] >= p->least && param[i] <= p->most && !(p->above && param[i] == p->least);
        if (!inside || (p->whole && param[i] != floor(param[i])))
            return tac_fail(err, TAC_ERR_MODEL, "attribute 'params': %s %s is %g, expected a %snumber %s %g to %g",
                            kind->name, p->name, param[i], p->whole ? "whole " : "", p->above ? "above" : "from",
                            p->least, p->most);
    }
    return TAC_OK;
}

tacStatus tac_mesh_make(const char *kind_name, int nparam, const double *param, tacMeshData *mesh, int *shell,
                        tacError *err) {
    memset(mesh, 0, sizeof *mesh);
    const Kind *kind = find_kind(kind_name, err);
    if (kind == NULL) return TAC_ERR_SYNTAX;
    tacStatus status = check_params(kind, nparam, param, err);
    if (status != TAC_OK) return status;
    *shell = kind->shell;
    if (kind->make == NULL) return make_sphere(param, mesh, err);
    Shape shape = {0};
    status = kind->make(param, &shape, err);
    if (status == TAC_OK)
        status =
            tac_mesh_from_arrays(shape.nvert, shape.vert, shape.nface, shape.nface > 0 ? shape.face : NULL, mesh, err);
    free(shape.vert);
    free(shape.face);
    return status;
}
