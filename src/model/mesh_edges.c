/* Checks that the triangles of a mesh agree on the outside. */
#include "model/validate.h"

#include "base/error.h"

#include <stdlib.h>

/* Smaller triangles (m^2) may have any orientation, as in MuJoCo. */
#define MIN_AREA 3.1622776601683795e-8

typedef struct Edge {
    int from, to;
} Edge;

static int compare_edges(const void *a, const void *b) {
    const Edge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Lists the directed edges of all triangles that count. Returns how many. */
static int collect_edges(const tacModel *m, int mesh, Edge *edges) {
    const tacVec3 *vert = m->mesh_file_vert + m->mesh_vert_adr[mesh];
    const int *face = m->mesh_face + 3 * (size_t)m->mesh_face_adr[mesh];
    int n = 0;
    for (int i = 0; i < m->mesh_face_num[mesh]; i++, face += 3) {
        tacVec3 a = vert[face[0]], b = vert[face[1]], c = vert[face[2]];
        if (!(tac_norm3(tac_cross3(tac_sub3(b, a), tac_sub3(c, a))) / 2 > MIN_AREA)) continue;
        for (int k = 0; k < 3; k++)
            edges[n++] = (Edge){face[k], face[(k + 1) % 3]};
    }
    return n;
}

tacStatus tac_validate_mesh_edges(const tacCheck *c, int mesh) {
    Edge *edges = malloc((3 * (size_t)c->m->mesh_face_num[mesh] + 1) * sizeof *edges);
    if (edges == NULL) return tac_fail(c->err, TAC_ERR_MEMORY, "out of memory for checking a mesh");
    int n = collect_edges(c->m, mesh, edges);
    qsort(edges, (size_t)n, sizeof *edges, compare_edges);
    tacStatus status = TAC_OK;
    for (int i = 1; i < n && status == TAC_OK; i++)
        if (compare_edges(&edges[i], &edges[i - 1]) == 0)
            status = TAC_REFUSE(c, TAC_KIND_MESH, mesh,
                                "two faces have the directed edge from vertex %d to %d, expected consistently oriented "
                                "faces for inertia exact",
                                edges[i].from, edges[i].to);
    free(edges);
    return status;
}
