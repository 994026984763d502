#include "io/hull_report.h"

#include "io/report.h"
#include "math/vec3.h"

/* A mesh that leaves more than this share of its hull empty is far from it. */
#define MOST_EMPTY 0.1

/* Six times the signed volume that triangles enclose; their vertices are taken about the first, so that a mesh far from
 * its origin loses no digits. */
static double volume6(const tacVec3 *vert, const int *face, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++, face += 3) {
        tacVec3 a = tac_sub3(vert[face[0]], vert[0]), b = tac_sub3(vert[face[1]], vert[0]);
        sum += tac_dot3(tac_cross3(a, b), tac_sub3(vert[face[2]], vert[0]));
    }
    return sum;
}

static int may_collide(const tacModel *m, int geom) {
    if (m->geom_visual[geom]) return 0;
    if (m->geom_contype[geom] != 0 || m->geom_conaffinity[geom] != 0) return 1;
    for (int i = 0; i < 2 * m->npair; i++)
        if (m->pair_geom[i] == geom) return 1;
    return 0;
}

static int is_touched(const tacModel *m, int mesh) {
    for (int i = 0; i < m->ngeom; i++)
        if (m->geom_mesh[i] == mesh && may_collide(m, i)) return 1;
    return 0;
}

void tac_report_hulls(tacReport *report, const char *path, const tacModel *m) {
    for (int i = 0; i < m->nmesh; i++) {
        const tacVec3 *vert = m->mesh_vert + m->mesh_vert_adr[i];
        double hull = volume6(vert, m->mesh_hullface + 3 * (size_t)m->mesh_hullface_adr[i], m->mesh_hullface_num[i]);
        double mesh = volume6(vert, m->mesh_face + 3 * (size_t)m->mesh_face_adr[i], m->mesh_face_num[i]);
        if (!(tac_abs(mesh) < (1 - MOST_EMPTY) * hull) || !is_touched(m, i)) continue;
        tac_report_add_warning(report,
                               "%s: mesh '%s' fills %.0f %% of its convex hull; collision uses the hull; several "
                               "convex geoms fit more closely",
                               path, tac_model_name(m, TAC_KIND_MESH, i), 100 * tac_abs(mesh) / hull);
    }
}
