#include "io/mesh_polygons.h"

#include "base/error.h"
#include "io/mesh_formats.h"

#include <limits.h>
#include <stdlib.h>

enum { FIRST_ROWS = 256 };

/* The array with room for one more row, or NULL (the old one is then still there). */
static void *grow(const tacPolygons *p, void *array, int n, int *capacity, size_t row, tacError *err) {
    if (n < *capacity) return array;
    int larger = *capacity == 0 ? FIRST_ROWS : *capacity < INT_MAX / 8 ? 2 * *capacity : 0;
    void *grown = larger > 0 ? realloc(array, (size_t)larger * row) : NULL;
    if (grown == NULL)
        tac_fail(err, TAC_ERR_MEMORY, "%s: no memory for more than %d rows", p->file, n);
    else
        *capacity = larger;
    return grown;
}

static tacStatus fail_coordinate(const tacPolygons *p, double x, tacError *err) {
    if (p->line > 0)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s:%d: coordinate %g, expected one within 2^30", p->file, p->line, x);
    return tac_fail(err, TAC_ERR_SYNTAX, "%s: vertex %d has a coordinate %g, expected one within 2^30", p->file,
                    p->nvert, x);
}

tacStatus tac_polygons_add_vertex(tacPolygons *p, const double xyz[3], tacError *err) {
    float *grown = grow(p, p->vert, p->nvert, &p->vert_capacity, 3 * sizeof(float), err);
    if (grown == NULL) return TAC_ERR_MEMORY;
    p->vert = grown;
    float *v = p->vert + 3 * (size_t)p->nvert;
    for (int k = 0; k < 3; k++) {
        v[k] = (float)xyz[k];
        if (!(v[k] <= TAC_MESH_MAX_COORDINATE && v[k] >= -TAC_MESH_MAX_COORDINATE))
            return fail_coordinate(p, xyz[k], err);
    }
    p->nvert++;
    return TAC_OK;
}

tacStatus tac_polygons_add_corner(tacPolygons *p, int vertex, tacError *err) {
    int *grown = grow(p, p->corner, p->ncorner, &p->corner_capacity, sizeof(int), err);
    if (grown == NULL) return TAC_ERR_MEMORY;
    p->corner = grown;
    p->corner[p->ncorner++] = vertex;
    return TAC_OK;
}

tacStatus tac_polygons_close(tacPolygons *p, int first, tacError *err) {
    int n = p->ncorner - first;
    if (n < 3) {
        p->ncorner = first;
        return TAC_OK;
    }
    int *grown = grow(p, p->polygon, p->npolygon, &p->polygon_capacity, sizeof(int), err);
    if (grown == NULL) return TAC_ERR_MEMORY;
    p->polygon = grown;
    p->polygon[p->npolygon++] = n;
    return TAC_OK;
}

static tacStatus check_corners(const tacPolygons *p, tacError *err) {
    const int *corner = p->corner;
    for (int i = 0; i < p->npolygon; corner += p->polygon[i++])
        for (int k = 0; k < p->polygon[i]; k++)
            if (corner[k] < 0 || corner[k] >= p->nvert)
                return tac_fail(err, TAC_ERR_SYNTAX, "%s: face %d names vertex %d, expected 0 to %d", p->file, i,
                                corner[k], p->nvert - 1);
    return TAC_OK;
}

tacStatus tac_polygons_make(tacPolygons *p, tacMeshData *mesh, tacError *err) {
    tacStatus status = check_corners(p, err);
    if (status != TAC_OK) return status;
    mesh->vert = malloc(((size_t)p->nvert + 1) * sizeof *mesh->vert);
    mesh->face = malloc((3 * (size_t)p->ncorner + 1) * sizeof *mesh->face); /* n corners give n - 2 triangles */
    if (mesh->vert == NULL || mesh->face == NULL)
        return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory for %d vertices", p->file, p->nvert);
    for (mesh->nvert = 0; mesh->nvert < p->nvert; mesh->nvert++) {
        const float *v = p->vert + 3 * (size_t)mesh->nvert;
        mesh->vert[mesh->nvert] = (tacVec3){(double)v[0], (double)v[1], (double)v[2]};
    }
    int *corner = p->corner;
    for (int i = 0; i < p->npolygon; corner += p->polygon[i++])
        mesh->nface += tac_mesh_cut_ears(p->vert, p->polygon[i], corner, mesh->face + 3 * (size_t)mesh->nface);
    return TAC_OK;
}

void tac_polygons_free(tacPolygons *p) {
    free(p->vert);
    free(p->corner);
    free(p->polygon);
}
