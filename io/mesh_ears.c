/* Polygons to triangles by cutting ears [Meisters1975]. Which diagonal is cut decides the volume of a polygon that
 * is not flat, so the order is MuJoCo's: a quadrilateral along its shorter diagonal; a larger polygon by the first
 * ear from the current corner on, in single precision, in the two axes in which the first real corner is seen best.
 * Its test for a reflex corner looks at one edge from the origin, and its search ends when the very last try finds
 * the first ear: what is left then gives no triangle, there or here. */
#include "io/mesh_formats.h"

#include <float.h>
#include <math.h>

/* Cutting takes n^2 steps or more; larger polygons, which nobody draws by hand, become a fan. */
enum { MAX_EAR_CORNERS = 1024 };

typedef struct Plane {
    const float *vert;
    int axis[2];
} Plane;

static float coordinate(const Plane *plane, int id, int k) {
    return plane->vert[3 * (size_t)id + (size_t)plane->axis[k]];
}

/* |(b - a) x (c - b)|, by component. */
static void corner_normal(const float *a, const float *b, const float *c, float normal[3]) {
    float e0[3], e1[3];
    for (int k = 0; k < 3; k++) {
        e0[k] = b[k] - a[k];
        e1[k] = c[k] - b[k];
    }
    normal[0] = fabsf(e0[1] * e1[2] - e0[2] * e1[1]);
    normal[1] = fabsf(e0[2] * e1[0] - e0[0] * e1[2]);
    normal[2] = fabsf(e0[0] * e1[1] - e0[1] * e1[0]);
}

/* The two axes across the largest component of the first corner that is not straight. */
static void choose_axes(Plane *plane, int n, const int *polygon) {
    plane->axis[0] = 1;
    plane->axis[1] = 2;
    for (int k = 0; k < n; k++) {
        float c[3];
        corner_normal(plane->vert + 3 * (size_t)polygon[k], plane->vert + 3 * (size_t)polygon[(k + 1) % n],
                      plane->vert + 3 * (size_t)polygon[(k + 2) % n], c);
        if (!(c[0] > FLT_EPSILON || c[1] > FLT_EPSILON || c[2] > FLT_EPSILON)) continue;
        if (c[0] > c[1] && c[0] > c[2]) return;
        plane->axis[0] = 0;
        if (c[2] > c[0] && c[2] > c[1]) plane->axis[1] = 1;
        return;
    }
}

/* Is (x, y) inside the triangle? Counts the edges that a ray along +x crosses. */
static int triangle_has(const float tx[3], const float ty[3], float x, float y) {
    int inside = 0;
    for (int i = 0, j = 2; i < 3; j = i++)
        if ((ty[i] > y) != (ty[j] > y) && x < (tx[j] - tx[i]) * (y - ty[i]) / (ty[j] - ty[i]) + tx[i]) inside = !inside;
    return inside;
}

/* Can corners start, start+1, start+2 be cut off: not a reflex corner (cross and area of one sign), and no other corner
 * inside? */
static int is_ear(const Plane *plane, int n, const int *polygon, int start) {
    float x[3], y[3];
    for (int k = 0; k < 3; k++) {
        x[k] = coordinate(plane, polygon[(start + k) % n], 0);
        y[k] = coordinate(plane, polygon[(start + k) % n], 1);
    }
    float cross = (x[1] - x[0]) * (y[2] - y[1]) - (y[1] - y[0]) * (x[2] - x[1]);
    float area = (x[0] * y[1] - y[0] * x[1]) * 0.5f;
    if (cross * area < 0) return 0;
    for (int k = 3; k < n; k++) {
        int id = polygon[(start + k) % n];
        if (triangle_has(x, y, coordinate(plane, id, 0), coordinate(plane, id, 1))) return 0;
    }
    return 1;
}

static void emit(int *face, int a, int b, int c) {
    face[0] = a;
    face[1] = b;
    face[2] = c;
}

static float square_distance(const float *vert, int a, int b) {
    float d[3];
    for (int k = 0; k < 3; k++)
        d[k] = vert[3 * (size_t)b + (size_t)k] - vert[3 * (size_t)a + (size_t)k];
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* Along the shorter diagonal. */
static int cut_quad(const float *vert, const int *p, int *face) {
    int first = square_distance(vert, p[0], p[2]) < square_distance(vert, p[1], p[3]);
    emit(face, p[0], p[1], first ? p[2] : p[3]);
    emit(face + 3, first ? p[0] : p[1], p[2], p[3]);
    return 2;
}

int tac_mesh_cut_ears(const float *vert, int n, int *polygon, int *face) {
    if (n == 4) return cut_quad(vert, polygon, face);
    Plane plane = {.vert = vert};
    choose_axes(&plane, n, polygon);
    int count = 0, start = 0, tries = n, before = n;
    while (n > 3 && tries > 0) {
        start %= n;
        tries = n != before ? n : tries - 1; /* as many as there are corners, anew after each cut */
        before = n;
        if (n <= MAX_EAR_CORNERS && !is_ear(&plane, n, polygon, start)) {
            start++;
            continue;
        }
        emit(face + 3 * count++, polygon[start], polygon[(start + 1) % n], polygon[(start + 2) % n]);
        for (int k = (start + 1) % n; k + 1 < n; k++)
            polygon[k] = polygon[k + 1];
        n--;
    }
    if (n == 3) emit(face + 3 * count++, polygon[0], polygon[1], polygon[2]);
    return count;
}
