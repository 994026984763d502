/* Convex hull by the reentrant qhull, with MuJoCo's options ("Qt": triangles). Qhull reports trouble by longjmp and
 * prints; here it prints into a buffer that nobody reads. */
#include "io/mesh.h"

#include "base/error.h"
#include "math/vec3.h"

#include <stdio.h>
#include <stdlib.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#pragma GCC diagnostic ignored "-Wundef"
#include <libqhull_r/qhull_ra.h>
#pragma GCC diagnostic pop

/* A cloud whose extent in some direction is below this share of its length has no volume: the rounding of doubles. */
#define FLAT_SHARE 1e-15

/* --- Is there a volume? ------------------------------------------------------------------------------------------- */

/* Farthest vertex from vertex 0. */
static tacVec3 farthest(const tacMeshData *mesh) {
    tacVec3 best = tac_zero3();
    for (int i = 1; i < mesh->nvert; i++) {
        tacVec3 d = tac_sub3(mesh->vert[i], mesh->vert[0]);
        if (tac_dot3(d, d) > tac_dot3(best, best)) best = d;
    }
    return best;
}

/* Largest cross product of `edge` with the vertices: the normal of the widest plane through the edge. */
static tacVec3 widest_normal(const tacMeshData *mesh, tacVec3 edge) {
    tacVec3 best = tac_zero3();
    for (int i = 1; i < mesh->nvert; i++) {
        tacVec3 n = tac_cross3(edge, tac_sub3(mesh->vert[i], mesh->vert[0]));
        if (tac_dot3(n, n) > tac_dot3(best, best)) best = n;
    }
    return best;
}

static double thickness(const tacMeshData *mesh, tacVec3 normal) {
    double best = 0;
    for (int i = 1; i < mesh->nvert; i++)
        best = tac_max(best, tac_abs(tac_dot3(normal, tac_sub3(mesh->vert[i], mesh->vert[0]))));
    return best;
}

static tacStatus check_volume(const tacMeshData *mesh, tacError *err) {
    if (mesh->nvert < 4)
        return tac_fail(err, TAC_ERR_MODEL, "%d vertices, a convex hull needs at least 4", mesh->nvert);
    tacVec3 edge = farthest(mesh);
    double length = tac_norm3(edge);
    if (length == 0) return tac_fail(err, TAC_ERR_MODEL, "all vertices coincide: no volume, no convex hull");
    tacVec3 normal = widest_normal(mesh, tac_scale3(1 / length, edge));
    double width = tac_norm3(normal);
    if (!(width > FLAT_SHARE * length))
        return tac_fail(err, TAC_ERR_MODEL, "all vertices lie on one line: no volume, no convex hull");
    if (!(thickness(mesh, tac_scale3(1 / width, normal)) > FLAT_SHARE * length))
        return tac_fail(err, TAC_ERR_MODEL,
                        "all vertices lie in one plane: no volume, no convex hull (use a thin box)");
    return TAC_OK;
}

/* --- Qhull -------------------------------------------------------------------------------------------------------- */

/* Vertices and triangles of the finished hull -> mesh. TAC_ERR_MODEL: qhull gave no triangles. */
static tacStatus copy_hull(qhT *qh, tacMeshData *mesh) {
    vertexT *vertex;
    facetT *facet;
    mesh->hullvert = malloc((size_t)qh->num_vertices * sizeof(int));
    mesh->hullface = malloc(3 * (size_t)qh->num_facets * sizeof(int));
    if (mesh->hullvert == NULL || mesh->hullface == NULL) return TAC_ERR_MEMORY;
    FORALLvertices mesh->hullvert[mesh->nhullvert++] = qh_pointid(qh, vertex->point);
    FORALLfacets {
        if (qh_setsize(qh, facet->vertices) != 3) return TAC_ERR_MODEL;
        int *face = mesh->hullface + 3 * mesh->nhullface++;
        for (int k = 0; k < 3; k++)
            face[k] = qh_pointid(qh, SETelemt_(facet->vertices, k, vertexT)->point);
        if (facet->toporient) { /* qhull lists these clockwise seen from outside */
            int swap = face[0];
            face[0] = face[1];
            face[1] = swap;
        }
    }
    return TAC_OK;
}

static tacStatus run_qhull(qhT *qh, FILE *quiet, tacMeshData *mesh) {
    static char options[] = "qhull Qt";
    int curlong, totlong, why;
    tacStatus status;
    qh_zero(qh, quiet);
    qh_init_A(qh, NULL, quiet, quiet, 0, NULL);
    if ((why = setjmp(qh->errexit)) == 0) {
        qh->NOerrexit = False;
        qh_initflags(qh, options);
        qh_init_B(qh, (coordT *)mesh->vert, mesh->nvert, 3, False);
        qh_qhull(qh);
        qh_triangulate(qh);
        qh_vertexneighbors(qh);
        status = copy_hull(qh, mesh);
    } else { /* qhull gave up */
        status = why == qh_ERRmem ? TAC_ERR_MEMORY : TAC_ERR_MODEL;
    }
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &curlong, &totlong);
    return status;
}

static void drop_hull(tacMeshData *mesh) {
    free(mesh->hullvert);
    free(mesh->hullface);
    mesh->hullvert = mesh->hullface = NULL;
    mesh->nhullvert = mesh->nhullface = 0;
}

tacStatus tac_mesh_hull(tacMeshData *mesh, tacError *err) {
    drop_hull(mesh);
    tacStatus status = check_volume(mesh, err);
    if (status != TAC_OK) return status;
    char unread[256];
    FILE *quiet = fmemopen(unread, sizeof unread, "w");
    qhT *qh = malloc(sizeof *qh);
    status = quiet != NULL && qh != NULL ? run_qhull(qh, quiet, mesh) : TAC_ERR_MEMORY;
    free(qh);
    if (quiet != NULL) fclose(quiet);
    if (status == TAC_OK) return TAC_OK;
    drop_hull(mesh);
    if (status == TAC_ERR_MEMORY)
        return tac_fail(err, status, "no memory for the convex hull of %d vertices", mesh->nvert);
    return tac_fail(err, status, "qhull finds no convex hull of %d vertices (too flat)", mesh->nvert);
}
